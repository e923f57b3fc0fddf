"""`changes`: two documents are compared, and what differs is printed as a table."""

from dataclasses import replace
from typing import Any

import typer

from readgraph.api.documents import documents_as_one
from readgraph.cli.run.documents import estimate_making, load_sources, resolve_document
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.run.reports import check_report, make_report, show_output, with_cost
from readgraph.cli.terminal import rendering
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.safe_text import Console, visible
from readgraph.cli.terminal.screen import WRONG, OutputOptions
from readgraph.features.changes.functions import changes
from readgraph.features.changes.options import ChangesOptions
from readgraph.graphs.methods import PARTS
from readgraph.library.library import Library
from readgraph.nodes.answering.citations import with_marks
from readgraph.sources.converting import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.state.tables import markdown_of


def compare_documents(options: ChangesOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Compare the documents and print the table; exit code 1 where something differs."""
    check_report(options.report)
    sources, shown = _load(options, screen), replace(screen, steps=options.show_steps)

    async def compare(library: Library) -> tuple[dict[str, Any], bytes]:
        earlier, later = await _both(library, sources)
        with watch_run(shown) as listen:
            made = await changes(library, later, earlier=earlier, context=context, listen=listen)
        output = with_marks(with_cost(made.output, context, screen))
        document, headed = await library.pages.document(made.document), Question(question=f"Changes in {made.title}")
        return output, await make_report(options.report, library.pages, document, headed, output, "note")

    output, page = run_in_library(options.library, compare, answers=True)
    show_output(output, page, options, context, screen, _print_table)
    if output["changes"]:
        raise typer.Exit(WRONG)


def estimate_comparison(options: ChangesOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the comparison will use, without making a call."""
    sources = _load(options, screen)

    async def choose(library: Library) -> Document:
        earlier, later = await _both(library, sources)
        return await documents_as_one(library.pages, [earlier or later.supersedes, later])

    estimate_making(options, context, screen, PARTS["changes"], choose, {})


def _load(options: ChangesOptions, screen: OutputOptions) -> list[SourceText | str]:
    """The sources, each path by itself, so that none that can't be read is left out."""
    sources = [each for path in options.paths for each in load_sources(replace(options, paths=[path]), screen)]
    if len(sources) > 2:
        raise BadInput(f"Two documents are compared, and these are {len(sources)}: name the earlier and the later one.")
    return sources


async def _both(library: Library, sources: list[SourceText | str]) -> tuple[Document | str, Document]:
    """The earlier document and the later one; "" for one that isn't named."""
    documents = [await resolve_document(library, [source]) for source in sources]
    return documents[0] if len(documents) > 1 else "", documents[-1]


def _print_table(output: dict[str, Any], screen: OutputOptions) -> None:
    console, table = Console(), output["table"]
    if table["rows"]:
        rows = [row["values"] for row in table["rows"]]
        rendering.print_table(table["columns"], table["kinds"], rows, f"{markdown_of(table, table['found'])}\n")
    else:
        console.file.write(visible(f"{output['answer']}\n"))
    if not screen.quiet:
        console.print(rendering.footer(output, *([output["answer"]] if table["rows"] else [])))
