"""`table`: what documents hold of one kind, on the terminal or as a file."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from readgraph.api.answer_text import BY_PATTERN
from readgraph.api.documents import PickingScope
from readgraph.api.running import RunThread
from readgraph.cli.mistakes import is_file_name, say_taken_as
from readgraph.cli.run.documents import are_documents, conversion_seconds, estimate, load_sources, resolve_document
from readgraph.cli.run.in_library import check_output, run_in_library, write_output
from readgraph.cli.run.reports import check_report, make_report, with_cost, with_places, write_report
from readgraph.cli.settings import check_used
from readgraph.cli.terminal import rendering
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.features.survey.functions import table, unique_citations
from readgraph.features.survey.options import TableOptions
from readgraph.features.survey.table_files import (
    FORMS,
    Sheet,
    excel_library,
    is_our_table,
    markdown,
    sheet_of,
    table_bytes,
)
from readgraph.graphs.methods import METHODS
from readgraph.library.collections import members_of
from readgraph.library.opening import Library
from readgraph.nodes.answering.citations import with_marks
from readgraph.sources.converting import SourceText
from readgraph.sources.inputs import file_or_address
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.tables import format_unread_parts
from readgraph.state.words import format_count

BY_TABLE = "The rows are those of tables in the text, taken without a model; what stands beside the tables is left out."
LIKE = 'such as "every person: name, role, first appearance"'
CUT_SHORT = "The budget ran out first: only what was read until then is in the table."
NOT_JOINED = "The budget ran out when all was read: names that mean the same thing may have rows of their own."
SPENT_BEFORE = "The budget ran out before anything was read with the model."
NO_ROW = "Nothing of this kind was found."


def make_table(options: TableOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Make the table of what is wanted from the documents, and print it or write it to a file."""
    options = _arranged(options)
    check_used([METHODS["survey"]], asks=True)
    if out := options.out:
        if out.suffix.lower() not in FORMS:
            raise BadInput(f"{out} doesn't say which form the table is to have: end it in {', '.join(FORMS)}.")
        check_output(out, "table", is_our_table, "is no table of readgraph: name another file for the table")
        if out.suffix.lower() == ".xlsx":
            excel_library()
    check_report(options.report)
    sources = load_sources(options, screen)
    output, sheet, page = run_in_library(
        options.library, _make_table_output, sources, options, context, screen, answers=True
    )
    if out:
        write_output(out, table_bytes(sheet, out.suffix.lower()), "table")
    _print_table(output, sheet, out, screen)
    write_report(options.report, page, quiet=screen.quiet, in_browser=options.opened)


def estimate_table(options: TableOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the table will use, without making a call."""
    options = _arranged(options)
    estimate(options, context, screen, "survey", options.wanted, PickingScope(as_of=options.as_of))


def _arranged(options: TableOptions) -> TableOptions:
    """The options with files and text in their order, where they were typed turned round; raises `BadInput`."""
    first, *names = *map(str, options.paths), options.wanted
    files = [*map(is_file_name, (first, *names))]
    is_turned = names and not files[0] and (all(files[1:]) or _names_document(options, first, names, files))
    if is_turned:
        say_taken_as("table", *names, first)
        options = replace(options, paths=[*map(file_or_address, names)], wanted=first)
    _check_wanted(options.paths, options.wanted)
    return options


def _names_document(options: TableOptions, first: str, names: Sequence[str], files: Sequence[bool]) -> bool:
    """Whether only the last words, and not the first ones, are names of the library's documents."""
    kept = partial(are_documents, options.library)
    return not any(files) and kept(names) and not kept([first])


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
    run_thread = RunThread(saver=library.checkpointer)
    with watch_run(screen) as listen:
        survey_table = await table(
            library, options.wanted, documents=[document], context=context, listen=listen, thread=run_thread
        )
    priced = with_cost(survey_table.output, context, screen, conversion_seconds(sources))
    output = {**await with_places(library.pages, priced), "notices": survey_table.notices}
    documents = await members_of(library.pages, document)
    notices = (
        survey_table.notices if options.out else survey_table.notices[len(survey_table.output["notices"]) :]
    )  # else they are printed beside
    sheet = sheet_of(output["table"], documents, " ".join(filter(None, [_table_note(output), *notices])))
    shown = with_marks({**output, "citations": unique_citations(output["table"])})
    question = Question(question=options.wanted)
    page = await make_report(options.report, library.pages, document, question, shown, METHODS["survey"].note)
    return with_marks(output), sheet, page


def _table_note(output: dict[str, Any]) -> str:
    """What the table itself says of how it was made, where its form has room."""
    if unread := output["unread"]:
        return (
            f"{format_unread_parts(len(output['pages_read']), len(unread))}. {rendering.format_missing_records(output)}"
        )
    return BY_PATTERN if output["by_pattern"] else BY_TABLE if output["by_table"] and not output["model"] else ""


def _print_table(output: dict[str, Any], sheet: Sheet, out: Path | None, screen: OutputOptions) -> None:
    if screen.as_json:
        rendering.print_json(output, screen)
        return
    if not out and sheet.rows:
        rendering.print_table(sheet.columns, sheet.kinds, sheet.rows, markdown(sheet))
    console = Console(stderr=True, whole_lines=True)
    if output["status"] == "budget":
        left = CUT_SHORT if output["unread"] else SPENT_BEFORE if output["by_rule"] else NOT_JOINED
        console.print(SafeText(left, style="yellow"))
    elif not sheet.rows and not output["unread"]:
        console.print(NO_ROW)
    if output["unread"]:
        console.print(SafeText(_table_note(output), style="yellow"))
    for notice in screen.notices_left(output["notices"]):
        console.print(SafeText(notice, style="yellow"))
    if screen.quiet:
        return
    rows = format_count(len(sheet.rows), "row") + (f" in {out}" if out else "")
    console.print(rendering.footer(output, rows, f"read{rendering.format_read_again(output)}"))
    if output["by_pattern"]:
        one = "" if output["model"] else f" {rendering.TO_READ_WITH_ONE}"
        console.print(SafeText(f"{BY_PATTERN}{one}", style="yellow"))
    elif output["by_table"] and not output["model"]:
        console.print(SafeText(BY_TABLE, style="dim"))
