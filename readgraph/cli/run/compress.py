"""`compress`: fit documents into a budget of tokens."""

import typer

from readgraph.api.functions import CompressedText, compress
from readgraph.cli.options.reading import CompressOptions
from readgraph.cli.run.documents import load_sources_or_names, resolve_document
from readgraph.cli.run.output_files import begins_with, check_output, write_output
from readgraph.cli.settings import check_typed
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.rendering import footer, format_usage, print_json, print_reminder
from readgraph.cli.terminal.safe_text import Console, SafeText, visible
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.compression import engine_named
from readgraph.compression.condenser import check_budget
from readgraph.library.opening import open_library
from readgraph.models.prices import cost
from readgraph.state.context import ReaderContext

BEGINNING = b'{\n  "engine_name": '
"""How a trace begins: no other file is overwritten."""

NOTHING = "The text holds nothing for this question."


def compress_documents(options: CompressOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Compress the documents, which are read as one, and print the text; write the trace where one is wanted."""
    check_budget(options.budget)
    kind = engine_named(options.engine)
    if options.trace:
        foreign = "is no trace: name another file for it"
        check_output(options.trace, "trace", lambda there: begins_with(there, BEGINNING), foreign)
    sources = load_sources_or_names(options.paths, options.glob, options.library, screen)

    async def run() -> CompressedText:
        async with open_library(options.library) as library:
            engine = kind(library=library.store, context=context)
            check_typed(engine.settings, engine.id)
            document, question = await resolve_document(library, sources), options.question
            with watch_run(screen) as listen:
                return await compress(
                    library, options.budget, documents=[document], question=question, engine=engine, listen=listen
                )

    compressed = run_until_stopped(run())
    if options.trace:
        write_output(options.trace, f"{compressed.trace.to_json()}\n".encode(errors="replace"), "trace")
    _print(compressed, context, screen)


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
