"""`compress`: a text that fits a budget of tokens, on standard output."""

import typer

from readgraph.cli.run.documents import load_sources, resolve_document
from readgraph.cli.run.in_library import begins_with, check_output, run_in_library, write_output
from readgraph.cli.settings import check_typed
from readgraph.cli.terminal import rendering
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.safe_text import Console, visible
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.features.compression import engine_named
from readgraph.features.compression.condenser import check_budget
from readgraph.features.compression.functions import CompressedText, compress
from readgraph.features.compression.options import CompressOptions
from readgraph.library.opening import Library
from readgraph.models.prices import cost
from readgraph.state.context import ReaderContext
from readgraph.state.transports import price_share

BEGINNING = b'{\n  "engine_name": '  # of a trace: no other file is overwritten


def compress_documents(options: CompressOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Compress the documents, which are read as one, and print the text; write the trace where one is wanted."""
    check_budget(options.budget)
    kind = engine_named(options.engine)
    if options.trace:
        foreign = "is no trace: name another file for it"
        check_output(options.trace, "trace", lambda there: begins_with(there, BEGINNING), foreign)
    sources = load_sources(options, screen)

    async def run(library: Library) -> CompressedText:
        engine = kind(library=library.store, context=context)
        check_typed(engine.settings, engine.id)
        document = await resolve_document(library, sources, options.as_of)
        with watch_run(screen) as listen:
            return await compress(
                library, options.budget, documents=[document], question=options.question, engine=engine, listen=listen
            )

    compressed = run_in_library(options.library, run, answers=True)
    if options.trace:
        write_output(options.trace, f"{compressed.trace.to_json()}\n".encode(errors="replace"), "trace")
    _print_compressed(compressed, context, screen)


def _print_compressed(compressed: CompressedText, context: ReaderContext, screen: OutputOptions) -> None:
    trace = compressed.trace
    spent = cost(trace.steps, screen.price, price_share(context))
    if screen.as_json:
        result = compressed.model_dump(include={"text", "engine", "tokens", "status", "notices"})
        rendering.print_json({**result, **trace.as_dict(), "cost": spent}, screen)
        return
    if compressed.text:
        typer.echo(visible(compressed.text))
    else:
        Console(stderr=True).print("The text holds nothing for this question.")
    if screen.quiet:
        return
    sizes = f"{trace.original_tokens:,} → {compressed.tokens:,} tokens"
    how = "kept as it is" if compressed.status == "whole" else f"by {compressed.engine}"
    made = {"usage": trace.usage, "cost": spent, "fallbacks": trace.fallbacks}
    Console(stderr=True).print(rendering.footer(made, f"{sizes}, {how}"))
    if compressed.status != "whole" and compressed.engine != "extractive":
        rendering.print_reminder(context, screen)
