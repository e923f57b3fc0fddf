"""`compare`: ask several methods the same question about one document, and print the answers side by side."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from rich.table import Column, Table

from readgraph.cli.method_settings import check_used
from readgraph.cli.options.asking import CompareOptions
from readgraph.cli.run.documents import asked_document, asked_sources
from readgraph.cli.run.run_graph import run_graph, with_places
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.places import percent
from readgraph.cli.terminal.rendering import (
    ASK_AGAIN,
    print_citations,
    print_json,
    print_reminder,
    print_said,
    used,
)
from readgraph.cli.terminal.safe_text import PLAIN, Console, Text
from readgraph.graphs.methods import Method, method_typed
from readgraph.models.metering import asking_once
from readgraph.models.names.prices import in_dollars
from readgraph.nodes.answering.marks import with_marks
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.state.words import counted

MethodOutput = dict[str, Any]
"""A method's output; if it failed, its name, the status "failed" and the problem."""


def compare_methods(options: CompareOptions, context: ReaderContext, screen: Screen) -> None:
    """Ask each method and print the answers and what they used; a method that fails does not stop the others."""
    if not options.question.strip():
        raise BadInput("The question is empty: write one.")
    if len(options.choices) == 1:
        raise BadInput("A multiple choice needs at least two options; there is one --option.")
    named = [method_typed(name) for name in dict.fromkeys(filter(None, map(str.strip, options.methods.split(","))))]
    if not named:
        raise BadInput("There is no method to compare: 'readgraph methods' lists them.")
    check_used(named, asks=True)
    request = Question(question=options.question, options=options.choices)
    sources = asked_sources(options.paths, options.glob, options.library, screen)
    with asking_once():
        document, results = run_until_stopped(_compare(request, sources, named, context, options.library, screen))
    failed = sum(found["status"] == "failed" for found in results)
    if screen.as_json:
        print_json({"question": options.question, "document": document.id, "methods": results, "failed": failed})
        return
    for found in results:
        _print_answer(found)
    _print_figures(results)
    if not screen.quiet:
        _print_notes(results, failed)
    print_reminder(context, screen)


async def _compare(
    request: Question,
    sources: Sequence[SourceText | str],
    methods: Sequence[Method],
    context: ReaderContext,
    folder: LibraryPlace | None,
    screen: Screen,
) -> tuple[Document, list[MethodOutput]]:
    """Run the methods one after the other; if all of them fail, the first problem is raised."""
    problems: list[ReadgraphError] = []
    results: list[MethodOutput] = []
    async with open_library(folder) as library:
        document = await asked_document(library, sources)
        for number, method in enumerate(methods, 1):
            try:
                output = await run_graph(library, method.build(), method.name, document, request, context, screen)
                results.append(await with_places(library, with_marks(output)))
            except ReadgraphError as problem:
                problems.append(problem)
                results.append({"method": method.name, "status": "failed", "problem": str(problem)})
            _report_done(f"{number} of {len(methods)}: {method.name}", results[-1], screen)
    if len(problems) == len(methods):
        raise problems[0]
    return document, results


def _report_done(method: str, found: MethodOutput, screen: Screen) -> None:
    """Print on the terminal that a method has finished."""
    console = Console(stderr=True, quiet=screen.quiet or screen.as_json)
    if console.is_terminal:
        console.print(Text(f"{method}, {used(found['usage']) if 'usage' in found else 'failed'}", style="dim"))


def _print_answer(found: MethodOutput) -> None:
    console = Console()
    console.print(Text(found["method"], style="bold cyan"))
    if found["status"] == "failed":
        console.print(Text(f"failed: {found['problem']}", style="red"))
    else:
        print_said(found)
        print_citations(found["citations"])
    console.print()


def _print_figures(results: Sequence[MethodOutput]) -> None:
    done = [found for found in results if found["status"] != "failed"]
    priced = any(found["cost"] for found in done)
    table = Table(Column("method", no_wrap=True), **PLAIN)
    for name in ("calls", "words", "seconds", "read again", "parts", "quotes", *(["cost"] if priced else [])):
        table.add_column(name, justify="right")
    for found in results:
        figures = _figures(found) if found in done else ["failed"]
        table.add_row(found["method"], *figures[: len(table.columns) - 1])
    Console().print(table)


def _figures(found: MethodOutput) -> list[str]:
    usage, share, cost = found["usage"], found["percent_read"], found["cost"]
    return [
        f"{usage['calls']:,}",
        f"{usage['input_words'] + usage['output_words']:,}",
        f"{usage['seconds']:.1f}",
        "–" if share is None else percent(share),
        f"{len(found['pages_read']):,}",
        f"{len(found['citations']):,}",
        "–" if cost is None else in_dollars(cost),
    ]


def _print_notes(results: Sequence[MethodOutput], failed: int) -> None:
    """Print what the table does not show: spent budgets, cached calls, fall-backs, shared memories, failures."""
    sharing = defaultdict(list)
    lines = []
    for found in results:
        name = found["method"]
        if found["status"] == "failed":
            continue
        sharing[found["memory"]].append(name)
        if found["status"] == "budget":
            lines.append(f"{name}: the budget ran out")
        if cached := found["usage"]["cached_calls"]:
            lines.append(f"{name}: {counted(cached, 'more call')} answered by recorded replies")
        if found["fallbacks"]:
            kinds = ", ".join(f"{kind} {n}" for kind, n in found["fallbacks"].items())
            lines.append(f"{name}: fall-backs {kinds}" + (ASK_AGAIN if found["usage"]["refused"] else ""))
    for names in sharing.values():
        if len(names) > 1:
            lines.append(f"{', '.join(names)}: they share a memory; the first one paid for building it")
    if failed:
        lines.append(f"{failed} of {counted(len(results), 'method')} failed")
    for line in lines:
        Console().print(Text(line, style="dim"))
