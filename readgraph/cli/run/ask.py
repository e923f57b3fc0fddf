"""`ask` and `compare`: answer a question about documents with one method, or with several side by side."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from rich.padding import Padding
from rich.table import Column, Table

from readgraph import api
from readgraph.api import functions
from readgraph.api.documents import WHOLE_LIBRARY, PickingScope, pick_as_one_document
from readgraph.api.functions import check_asked
from readgraph.api.running import RunThread
from readgraph.api.up_to import up_to_place
from readgraph.cli.mistakes import input_is_file, question_and_files, report_unread_pipe
from readgraph.cli.options.reading import AskOptions, CompareOptions
from readgraph.cli.run.documents import are_documents, conversion_seconds, estimate, load_sources, resolve_document
from readgraph.cli.run.in_library import check_new, run_in_library, write_output
from readgraph.cli.run.meaning import prepare_meaning
from readgraph.cli.run.reports import check_report, make_report, show_output, with_cost, with_places
from readgraph.cli.run.review import check_terminal, person_at_terminal
from readgraph.cli.settings import check_used, choose_method
from readgraph.cli.terminal import rendering
from readgraph.cli.terminal.doing import doing
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.graphs.method import Method
from readgraph.graphs.methods import ROWS, method_for, method_named, method_typed
from readgraph.library.opening import Library
from readgraph.models.metering import ask_each_prompt_once
from readgraph.models.prices import in_dollars
from readgraph.nodes.answering.absence import describe_absence
from readgraph.nodes.answering.citations import with_marks
from readgraph.sources.converting import SourceText
from readgraph.sources.inputs import file_or_address
from readgraph.sources.loading import STANDARD_INPUT
from readgraph.state.channels import Round
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.records import Document
from readgraph.state.words import format_count, with_numbers


def print_rounds(rounds: Sequence[Round]) -> None:
    """Print each round: its requests, its searches, the parts read, its notes, and whether they were enough."""
    console, earlier_notes = Console(), ""
    for number, done in enumerate(rounds, 1):
        console.print(SafeText(f"\nRound {number}", style="bold"))
        notes = "unchanged" if done["notes"] == earlier_notes else done["notes"]
        earlier_notes = done["notes"]
        plan, hits = done["plan"], [f"{hit['page']} ({' + '.join(hit['tools'])})" for hit in done["hits"]]
        lines = {
            "requests": "; ".join(done["requests"]),
            "needs": "; ".join(plan["needs"]),
            "keyword": "; ".join(plan["keyword"]),
            "vector": "; ".join(plan["vector"]),
            "number": _parts(plan["page"]),
            "found": _parts(hits),
            "read": _parts(done["pages_shown"]),
            "notes": notes,
            "sources": _parts(done["sources"]),
            "enough": {True: "yes", False: "no", None: "not checked"}[done["enough"]],
            "missing": "; ".join(done["missing"]),
        }
        for name, line in lines.items():
            if line:
                console.print(Padding(SafeText.assemble((f"{name}: ", "dim"), line), (0, 0, 0, 2), expand=False))
    console.print()


def _parts(named: Sequence[str | int]) -> str:
    return with_numbers("part", [*map(str, named)]) if named else ""


def ask_documents(options: AskOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Answer a question, or a follow-up, and print the answer; without documents, some of the library are picked."""
    options = _arranged(options)
    check_asked(options.question, options.choices)
    _choice(options).check(open_to_choice=not options.paths and not options.follow_up)
    given = "--as-of" if options.as_of else "--up-to" if options.up_to else ""
    if options.follow_up and given and not options.paths:
        raise BadInput(f"A follow-up is about what the last question was: leave {given} or --continue out.")
    check_report(options.report)
    if options.save:
        check_new(options.save, "answer")
        if options.review:
            raise BadInput("What you decide with --review is not saved: leave --review or --save out.")
    if options.review:
        check_terminal()
    screen = replace(screen, steps=options.show_steps)
    sources = load_sources(options, screen)
    with doing("Opening the library"):
        found, page = run_in_library(options.library, _ask, options, sources, context, screen, answers=True)
    unsaved = found.pop("unsaved", None)

    def show(found: dict[str, Any], screen: OutputOptions) -> None:
        if screen.steps and "rounds" in found:
            print_rounds(found["rounds"])
        rendering.print_answer(found, screen)

    show_output(found, page, options, context, screen, show)
    named = [each["id"] for each in found["documents"]] or [found["document"]]
    prepare_meaning(options.library, named, context, screen)
    if unsaved:  # the answer was paid for, so it is shown first
        raise unsaved


def estimate_question(options: AskOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the question will use, without making a call."""
    if options.follow_up:
        raise BadInput("A follow-up can't be estimated: leave --continue or --estimate out.")
    options = _arranged(options)
    estimate(options, context, screen, options.method, options.question, _choice(options), options.choices)


Asking = TypeVar("Asking", bound=AskOptions | CompareOptions)


def _arranged(options: Asking) -> Asking:
    """The options with question and files in their order; without files, with the one in standard input."""
    typed = [*map(str, options.paths)]
    command = "ask" if isinstance(options, AskOptions) else "compare"
    question, files = question_and_files(command, options.question, typed, partial(are_documents, options.library))
    if isinstance(options, AskOptions) and not files and not options.follow_up and _choice(options) == WHOLE_LIBRARY:
        files = [STANDARD_INPUT] if input_is_file() else []
        if not files:
            report_unread_pipe()
    return replace(options, question=question, paths=[*map(file_or_address, files)])


def _choice(options: AskOptions) -> PickingScope:
    return PickingScope(options.documents, options.collection, options.as_of, options.up_to)


async def _ask(
    library: Library,
    options: AskOptions,
    sources: Sequence[SourceText | str],
    context: ReaderContext,
    screen: OutputOptions,
) -> tuple[dict[str, Any], bytes]:
    whole = await resolve_document(library, sources, options.as_of) if sources else None
    document = await up_to_place(library.pages, whole, options.up_to) if whole else None
    if options.follow_up:
        document, thread, method = await _last_question(library, document, options)
    else:
        query = " ".join([options.question, *options.choices])
        document = document or await pick_as_one_document(library.pages, query, _choice(options))
        thread = RunThread(saver=library.checkpointer)
        method = choose_method(options.method, document, by_person=options.review)
    seconds = conversion_seconds(sources)
    found = await _answer(library, options, whole or document, method, thread, context, screen, seconds)
    if not sources and not options.follow_up:
        found["picked"] = found["documents"] or [{"id": document.id, "title": document.title}]
    question = check_asked(options.question, options.choices)
    return found, await make_report(options.report, library.pages, document, question, found, method.note)


async def _answer(
    library: Library,
    options: AskOptions | CompareOptions,
    document: Document,
    method: Method,
    thread: RunThread,
    context: ReaderContext,
    screen: OutputOptions,
    seconds_before: float = 0.0,
) -> dict[str, Any]:
    """The output of a method that was asked, with its cost, the marks of its quotes, and places."""
    with watch_run(screen) as listen:
        if isinstance(options, AskOptions) and options.review:
            thread = replace(thread, ask_person=person_at_terminal(listen))
        answer = await functions.ask(
            library,
            options.question,
            documents=[document],
            method=method,
            options=options.choices,
            as_of=options.as_of,
            up_to=options.up_to,
            context=context,
            listen=listen,
            thread=thread,
        )
    unsaved = dict[str, BadInput]()
    if isinstance(options, AskOptions) and options.save:
        try:
            write_output(options.save, await api.save_answer(library, answer), "answer")
        except BadInput as problem:
            unsaved = {"unsaved": problem}
    costed = with_cost(answer.output, context, screen, seconds_before)
    found = await with_places(library.pages, with_marks(costed, options.question))
    return {**found, **unsaved, "notices": answer.notices}


async def _last_question(
    library: Library, document: Document | None, options: AskOptions
) -> tuple[Document, RunThread, Method]:
    """Document, thread and method of the newest question, about this document if one is given; raises `BadInput`."""
    only = {"document": document.id} if document else None
    async with aclosing(library.checkpointer.alist(None, filter=only)) as checkpoints:  # type: ignore[type-var]
        async for saved in checkpoints:
            about: Any = saved.metadata
            if "method" in about and saved.checkpoint["channel_values"].get("question_text"):
                break
        else:
            raise BadInput("There is no question to follow up: ask one without --continue first.")
    document = document or await library.pages.document(about["document"])
    thread, last_method = saved.config["configurable"]["thread_id"], about["method"]
    chosen = method_typed(typed) if (typed := options.method) else None
    if typed not in (None, last_method) and not (chosen and chosen.router):
        raise BadInput(f"The last question was asked with {last_method}: use the same method, or leave --continue out.")
    if ":" in last_method and not typed:  # what a library says must import nothing
        raise BadInput(f"The last question was asked with a method of your own: add --method {last_method}.")
    if last_method in ROWS:  # such as a summary: a question that follows goes a way of its own
        chosen = chosen or method_for(document, asks=True)
    asked_with = last_method if options.review else about.get("asked_with", last_method)
    method = chosen or method_named(asked_with)
    check_used([method], asks=True)
    return document, RunThread(saver=library.checkpointer, id=thread, follow_up=True), method


def compare_methods(options: CompareOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Ask each method and print the answers and what they used; a method that fails does not stop the others."""
    options = _arranged(options)
    check_asked(options.question, options.choices)
    named = [method_typed(name) for name in dict.fromkeys(filter(None, map(str.strip, options.methods.split(","))))]
    if not named:
        raise BadInput("There is no method to compare: 'readgraph methods' lists them.")
    check_used(named, asks=True)
    sources = load_sources(options, screen)
    with ask_each_prompt_once():
        document, results = run_in_library(
            options.library, _compare, options, sources, named, context, screen, answers=True
        )
    failed = sum(result["status"] == "failed" for result in results)
    if screen.as_json:
        about = {"question": options.question, "document": document.id}
        rendering.print_json({**about, "methods": results, "failed": failed}, screen)
        return
    console, done = Console(), [result for result in results if result["status"] != "failed"]
    proofs = [describe_absence(result["absence"]) for result in done if result.get("absence")]
    shared = {*done[0]["notices"]}.intersection(*(result["notices"] for result in done)) - {*proofs}
    for result in results:
        console.print(SafeText(result["method"], style="bold cyan"))
        if result["status"] == "failed":
            console.print(SafeText(f"failed: {result['problem']}", style="red"))
        else:
            rendering.print_answer_or_table(result)
            rendering.print_citations(result["citations"])
            rendering.print_doubts(result, [each for each in result["notices"] if each not in shared])
        console.print()
    if of_all := screen.notices_left(each for each in done[0]["notices"] if each in shared):
        console.print(SafeText("\n".join(of_all), style="yellow"), end="\n\n")
    _print_figures(results)
    if not screen.quiet:
        _print_notes(results, failed)
    rendering.print_reminder(context, screen)


async def _compare(
    library: Library,
    options: CompareOptions,
    sources: Sequence[SourceText | str],
    methods: Sequence[Method],
    context: ReaderContext,
    screen: OutputOptions,
) -> tuple[Document, list[dict[str, Any]]]:
    """Run the methods one after the other; if all of them fail, the first problem is raised."""
    problems: list[ReadgraphError] = []
    results: list[dict[str, Any]] = []
    console = Console(stderr=True, quiet=screen.quiet or screen.as_json)
    whole = await resolve_document(library, sources, options.as_of)
    document = await up_to_place(library.pages, whole, options.up_to)
    thread = RunThread(saver=library.checkpointer)
    for number, method in enumerate(methods, 1):
        try:
            results.append(await _answer(library, options, whole, method, thread, context, screen))
        except ReadgraphError as problem:
            problems.append(problem)
            results.append({"method": method.name, "status": "failed", "problem": str(problem)})
        if console.is_terminal:
            used = rendering.format_usage(results[-1]["usage"]) if "usage" in results[-1] else "failed"
            console.print(SafeText(f"{number} of {len(methods)}: {method.name}, {used}", style="dim"))
    if len(problems) == len(methods):
        raise problems[0]
    return document, results


def _print_figures(results: Sequence[dict[str, Any]]) -> None:
    done = [result for result in results if result["status"] != "failed"]
    priced = any(found["cost"] for found in done)
    table = Table(Column("method", no_wrap=True), **PLAIN)
    for name in ("calls", "words", "seconds", "looked at", "parts", "quotes", *(["cost"] if priced else [])):
        table.add_column(name, justify="right")
    for result in results:
        if result not in done:
            table.add_row(result["method"], "failed")
            continue
        usage, share, cost = result["usage"], result["percent_read"], result["cost"]
        table.add_row(
            result["method"],
            f"{usage['calls']:,}",
            f"{usage['input_words'] + usage['output_words']:,}",
            f"{usage['seconds']:.1f}",
            "–" if share is None else rendering.percent(share),
            f"{len(result['pages_read']):,}",
            f"{len(result['citations']):,}",
            *(["–" if cost is None else in_dollars(cost)] if priced else []),
        )
    Console().print(table)


def _print_notes(results: Sequence[dict[str, Any]], failed: int) -> None:
    sharing, lines = defaultdict[str, list[str]](list), list[str]()
    for found in (result for result in results if result["status"] != "failed"):
        name = found["method"]
        sharing[found["memory"]].append(name)
        if found["status"] == "budget":
            lines.append(f"{name}: the budget ran out")
        if cached := found["usage"]["cached_calls"]:
            lines.append(f"{name}: {format_count(cached, 'saved reply')} used")
        if missing := rendering.missing_replies(found):
            lines.append(f"{name}: {missing}")
    shared = (", ".join(names) for names in sharing.values() if len(names) > 1)
    lines += [f"{names}: they share notes; the first one paid for them" for names in shared]
    if failed:
        lines.append(f"{failed} of {format_count(len(results), 'method')} failed")
    for line in lines:
        Console().print(SafeText(line, style="dim"))
