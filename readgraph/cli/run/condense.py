"""`summarise`, `table` and `compress`: what is made of documents, on the terminal or as a file."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from readgraph.api import functions
from readgraph.api.answer_text import BY_PATTERN, BY_TABLE
from readgraph.api.documents import PickingScope
from readgraph.api.results import CompressedText
from readgraph.api.running import RunThread
from readgraph.cli.options.reading import CompressOptions, SummariseOptions, TableOptions
from readgraph.cli.run.documents import (
    conversion_seconds,
    estimate,
    load_sources,
    report_notices,
    resolve_document,
    show_estimate,
)
from readgraph.cli.run.in_library import begins_with, check_output, run_in_library, write_output
from readgraph.cli.run.reports import check_report, make_report, show_output, with_cost, with_places, write_report
from readgraph.cli.settings import check_typed, check_used
from readgraph.cli.terminal import rendering
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.safe_text import Console, SafeText, visible
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.doors.report.table_files import FORMS, Sheet, excel_library, is_our_table, sheet_of, table_bytes
from readgraph.features.compression import engine_named
from readgraph.features.compression.condenser import check_budget
from readgraph.features.survey.state import format_unread_parts
from readgraph.graphs.methods import METHODS, ROWS
from readgraph.graphs.rehearsal import Estimate, rehearse_method
from readgraph.library.collections import members_of
from readgraph.library.opening import Library
from readgraph.models.prices import cost
from readgraph.nodes.answering.citations import with_marks
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.words import count_words, format_count

EXTRACTED = "Extracted, the text's own sentences: "
UNUSABLE = "The model gave no summary that could be used, and no sentence of the text shares a word with this."


def _print_summary(found: dict[str, Any], screen: OutputOptions) -> None:
    console = Console()
    text = f"{EXTRACTED if found['by_rule'] else ''}{found['marked_answer']}"
    if found["status"] == "budget":
        spent = "The budget ran out before anything was found."
        text = f"The budget ran out first. {text}" if found["marked_answer"] else spent
    elif not found["marked_answer"]:
        text = UNUSABLE if found["fallbacks"].get("summary") else "The text says nothing of this."
    console.print(SafeText(text, style="bold"))
    rendering.print_citations(found["citations"])
    number = format_count(len(found["sentences"]), "sentence")
    own = 0 if found["by_rule"] else sum(each["extracted"] for each in found["sentences"])
    wrong = f"{found['unsupported']} of {number} not supported by the places named" if found["unsupported"] else ""
    left = f"{found['unchecked']} of {number} not checked against the text" if found["unchecked"] else ""
    extracted = f"{own} of {number} extracted, since the model gave no usable reply" if own else ""
    if problem := "; ".join(filter(None, [wrong, left, extracted])):
        console.print(SafeText(problem, style="yellow"))
    if screen.quiet:
        return
    about = ", ".join(part["name"] for part in found["parts"])
    size = f"{format_count(count_words(found['answer'] or ''), 'word')}{f' of {about}' if about else ''}"
    read = f"read{rendering.format_read_again(found)}" if found["pages_read"] else ""
    console.print(rendering.footer(found, size, read))


def summarise_documents(options: SummariseOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Summarise the documents and print the summary; write the report where one is wanted."""
    context, screen = _settings_of(options, context), replace(screen, steps=options.show_steps)
    check_report(options.report)
    sources = load_sources(options, screen)

    async def run(library: Library) -> tuple[dict[str, Any], bytes]:
        document = await resolve_document(library, sources, options.as_of)
        with watch_run(screen) as listen:
            made = await functions.summarise(
                library, documents=[document], part=options.part, about=options.about, context=context, listen=listen
            )
        priced = with_cost(made.output, context, screen, conversion_seconds(sources))
        found = await with_places(library.pages, with_marks(priced))
        parts = ", ".join(part["name"] for part in found["parts"])
        heading = f"Summary of {parts or found['title'] or 'the text'}"
        headed = Question(question=f"{heading}: {options.about}" if options.about else heading)
        return found, await make_report(options.report, library.pages, document, headed, found, "note")

    found, page = run_in_library(options.library, run, answers=True)
    show_output(found, page, options, context, screen, _print_summary)


def estimate_summaries(options: SummariseOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the summary will use, without making a call."""
    context = _settings_of(options, context)
    sources = load_sources(options, screen)

    async def run(library: Library) -> tuple[Estimate, int]:
        document = await resolve_document(library, sources, options.as_of)
        await report_notices(library, [document], screen)
        given = {name: value for name, value in (("part", options.part), ("question", options.about)) if value}
        return await rehearse_method(ROWS["summary"], library.pages, document, context, given), document.words

    show_estimate(*run_in_library(options.library, run, answers=True), context, screen)


def _settings_of(options: SummariseOptions, context: ReaderContext) -> ReaderContext:
    """The context with the settings that are options of this command alone; raises `BadInput` for an empty option."""
    for option, value in (("--part", options.part), ("--about", options.about)):
        if value is not None and not value.strip():
            raise BadInput(f"{option} is empty: write something, or leave it out.")
    given: dict[str, Any] = {"summary_words": options.words, "check_sentences": options.check}
    return replace(context, **{name: value for name, value in given.items() if value is not None})


LIKE = 'such as "every person: name, role, first appearance"'
CUT_SHORT = "The budget ran out first: only what was read until then is in the table."
NOT_JOINED = "The budget ran out when all was read: names that mean the same thing may have rows of their own."
SPENT_BEFORE = "The budget ran out before anything was read with the model."
NO_ROW = "Nothing of this kind was found."


def make_table(options: TableOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Make the table of what is wanted from the documents, and print it or write it to a file."""
    _check_wanted(options.paths, options.wanted)
    check_used([METHODS["survey"]], asks=True)
    if out := options.out:
        if out.suffix.lower() not in FORMS:
            raise BadInput(f"{out} doesn't say which form the table is to have: end it in {', '.join(FORMS)}.")
        check_output(out, "table", is_our_table, "is no table of readgraph: name another file for the table")
        if out.suffix.lower() == ".xlsx":
            excel_library()
    check_report(options.report)
    sources = load_sources(options, screen)
    found, sheet, page = run_in_library(
        options.library, _make_table_output, sources, options, context, screen, answers=True
    )
    if out:
        write_output(out, table_bytes(sheet, out.suffix.lower()), "table")
    _print_table(found, sheet, out, screen)
    write_report(options.report, page, quiet=screen.quiet, in_browser=options.opened)


def estimate_table(options: TableOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the table will use, without making a call."""
    _check_wanted(options.paths, options.wanted)
    estimate(options, context, screen, "survey", options.wanted, PickingScope(as_of=options.as_of))


def _check_wanted(paths: Sequence[Path], wanted: str) -> None:
    """Raise `BadInput` where it isn't said what the rows are, or a file stands in its place."""
    if not paths and (os.path.lexists(wanted) or not wanted.strip()):
        raise BadInput(f"After the files, say what the table is to hold: {LIKE}.")
    if not paths:
        raise BadInput(f"Before '{wanted}', name the files that are read.")
    if not wanted.strip():
        raise BadInput(f"It isn't said what the table is to hold: write it last, {LIKE}.")
    if os.path.lexists(wanted) or wanted.startswith(("https://", "http://")):
        last = "Write it after the files" if all(map(os.path.lexists, paths)) else "The files come first, then the text"
        raise BadInput(f"'{wanted}' is a file, and the last argument says what the table is to hold. {last}.")


async def _make_table_output(
    library: Library,
    sources: Sequence[SourceText | str],
    options: TableOptions,
    context: ReaderContext,
    screen: OutputOptions,
) -> tuple[dict[str, Any], Sheet, bytes]:
    document = await resolve_document(library, sources, options.as_of)
    kept = RunThread(saver=library.checkpointer)
    with watch_run(screen) as listen:
        made = await functions.table(
            library, options.wanted, documents=[document], context=context, listen=listen, thread=kept
        )
    priced = with_cost(made.output, context, screen, conversion_seconds(sources))
    found = {**await with_places(library.pages, priced), "notices": made.notices}
    documents = await members_of(library.pages, document)
    told = made.notices if options.out else made.notices[len(made.output["notices"]) :]  # else they are printed beside
    sheet = sheet_of(found["table"], documents, " ".join(filter(None, [_table_note(found), *told])))
    cited = [citation for row in found["table"]["rows"] for citation in row["citations"]]
    unique = {(each["start"], each["end"]): each for each in cited}
    shown, asked = with_marks({**found, "citations": [*unique.values()]}), Question(question=options.wanted)
    page = await make_report(options.report, library.pages, document, asked, shown, METHODS["survey"].note)
    return with_marks(found), sheet, page


def _table_note(found: dict[str, Any]) -> str:
    """What the table itself says of how it was made, where its form has room."""
    if unread := found["unread"]:
        return (
            f"{format_unread_parts(len(found['pages_read']), len(unread))}. {rendering.format_missing_records(found)}"
        )
    return BY_PATTERN if found["by_pattern"] else BY_TABLE if found["by_table"] and not found["model"] else ""


def _print_table(found: dict[str, Any], sheet: Sheet, out: Path | None, screen: OutputOptions) -> None:
    if screen.as_json:
        rendering.print_json(found)
        return
    if not out and sheet.rows:
        rendering.print_sheet(sheet)
    told = Console(stderr=True, soft_wrap=True)
    if found["status"] == "budget":
        left = CUT_SHORT if found["unread"] else SPENT_BEFORE if found["by_rule"] else NOT_JOINED
        told.print(SafeText(left, style="yellow"))
    elif not sheet.rows and not found["unread"]:
        told.print(NO_ROW)
    if found["unread"]:
        told.print(SafeText(_table_note(found), style="yellow"))
    for notice in screen.notices_left(found["notices"]):
        told.print(SafeText(notice, style="yellow"))
    if screen.quiet:
        return
    rows = format_count(len(sheet.rows), "row") + (f" in {out}" if out else "")
    told.print(rendering.footer(found, rows, f"read{rendering.format_read_again(found)}"))
    if found["by_pattern"]:
        one = "" if found["model"] else f" {rendering.TO_READ_WITH_ONE}"
        told.print(SafeText(f"{BY_PATTERN}{one}", style="yellow"))
    elif found["by_table"] and not found["model"]:
        told.print(SafeText(BY_TABLE, style="dim"))


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
            return await functions.compress(
                library, options.budget, documents=[document], question=options.question, engine=engine, listen=listen
            )

    compressed = run_in_library(options.library, run, answers=True)
    if options.trace:
        write_output(options.trace, f"{compressed.trace.to_json()}\n".encode(errors="replace"), "trace")
    _print_compressed(compressed, context, screen)


def _print_compressed(compressed: CompressedText, context: ReaderContext, screen: OutputOptions) -> None:
    trace = compressed.trace
    spent = cost(trace.steps, screen.price, batch=context.batch)
    if screen.as_json:
        result = compressed.model_dump(include={"text", "engine", "tokens", "status", "notices"})
        rendering.print_json({**result, **trace.as_dict(), "cost": spent})
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
