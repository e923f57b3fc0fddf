"""`compress`: fit documents into a budget of tokens."""

import os
from collections.abc import Sequence
from pathlib import Path

import typer

from readgraph.api.functions import CompressedText, compress
from readgraph.cli.options.reading import CompressOptions
from readgraph.cli.run.documents import load_sources_or_names, resolve_document
from readgraph.cli.settings import check_typed
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.rendering import footer, format_usage, print_json, print_reminder
from readgraph.cli.terminal.safe_text import Console, SafeText, visible
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.compression import CompressionEngine, CompressionTrace, engine_named
from readgraph.compression.condenser import check_budget
from readgraph.library.opening import open_library
from readgraph.models.prices import cost
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.files import replace_file

BEGINNING = '{\n  "engine_name": '
"""How a trace begins: no other file is overwritten."""

NOTHING = "The text holds nothing for this question."


def compress_documents(options: CompressOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Compress the documents, which are read as one, and print the text; write the trace where one is wanted."""
    check_budget(options.budget)
    kind = engine_named(options.engine)
    if options.trace:
        _check_trace_file(options.trace)
    sources = load_sources_or_names(options.paths, options.glob, options.library, screen)
    compressed = run_until_stopped(_compress_sources(sources, kind, options, context, screen))
    if options.trace:
        _write_trace(options.trace, compressed.trace)
    _print(compressed, context, screen)


async def _compress_sources(
    sources: Sequence[SourceText | str],
    kind: type[CompressionEngine],
    options: CompressOptions,
    context: ReaderContext,
    screen: OutputOptions,
) -> CompressedText:
    async with open_library(options.library) as library:
        engine = kind(library=library.store, context=context)
        check_typed(engine.settings, engine.id)
        document = await resolve_document(library, sources)
        with watch_run(screen) as listen:
            return await compress(
                library,
                options.budget,
                documents=[document],
                question=options.question,
                engine=engine,
                listen=listen,
            )


def _print(compressed: CompressedText, context: ReaderContext, screen: OutputOptions) -> None:
    trace = compressed.trace
    spent = cost(trace.steps, screen.price, batch=context.batch)
    if screen.as_json:
        result = compressed.model_dump(include={"text", "engine", "tokens", "status"})
        print_json({**result, **trace.as_dict(), "cost": spent})
        return
    if compressed.text:
        typer.echo(visible(compressed.text))
    else:
        Console(stderr=True).print(SafeText(NOTHING))
    if screen.quiet:
        return
    sizes = f"{trace.original_tokens:,} → {compressed.tokens:,} tokens"
    how = "kept as it is" if compressed.status == "whole" else f"by {compressed.engine}"
    line = footer(f"{sizes}, {how} · {format_usage(trace.usage, spent)}", trace.fallbacks, trace.usage)
    Console(stderr=True).print(line)
    if compressed.status != "whole" and compressed.engine != "extractive":
        print_reminder(context, screen)


def _check_trace_file(file: Path) -> None:
    if file.is_dir():
        raise BadInput(f"{file} is a folder: name a file for the trace.")
    if not file.parent.is_dir():
        raise BadInput(f"There is no folder {file.parent}: create it, or name another file for the trace.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise BadInput(f"The trace {file} can't be written: permission is missing.")
    if file.is_file() and file.stat().st_size:
        with file.open("rb") as opened:
            if opened.read(len(BEGINNING)) != BEGINNING.encode():
                raise BadInput(f"{file} exists already and is no trace: name another file for it.")


def _write_trace(file: Path, trace: CompressionTrace) -> None:
    try:
        with replace_file(file, errors="replace") as opened:
            opened.write(f"{trace.to_json()}\n")
    except OSError as problem:
        raise BadInput(f"The trace {file} can't be written: {problem.strerror or problem}.") from None
