"""`table`: a table of all that documents hold of one kind, on the terminal or as a file."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from readgraph.api import functions
from readgraph.api.running import RunThread
from readgraph.cli.options.reading import TableOptions
from readgraph.cli.run.documents import conversion_seconds, load_sources_or_names, resolve_document
from readgraph.cli.run.estimate import estimate
from readgraph.cli.run.output_files import check_output, write_output
from readgraph.cli.run.reports import check_report, make_report, with_cost, with_places, write_report
from readgraph.cli.settings import check_used
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.rendering import (
    BY_PATTERN,
    TO_READ_WITH_ONE,
    footer,
    format_missing_records,
    format_read_again,
    format_usage,
    print_json,
    print_sheet,
)
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.graphs.methods import METHODS
from readgraph.library.collections import members_of
from readgraph.library.opening import open_library
from readgraph.nodes.answering.citations import with_marks
from readgraph.report.table_files import FORMS, Sheet, excel_library, is_our_table, sheet_of, table_bytes
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.survey import format_unread_parts
from readgraph.state.words import format_count

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
    if options.report:
        check_report(options.report)
    sources = load_sources_or_names(options.paths, options.glob, options.library, screen)
    found, sheet, page = run_until_stopped(_make_table_output(sources, options, context, screen))
    if out:
        write_output(out, table_bytes(sheet, out.suffix.lower()), "table")
    _print(found, sheet, out, screen)
    if options.report:
        write_report(options.report, page, quiet=screen.quiet, in_browser=options.opened)


def estimate_table(options: TableOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the table will use, without making a call."""
    _check_wanted(options.paths, options.wanted)
    estimate(options.paths, options.glob, options.wanted, "survey", context, options.library, screen)


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
    sources: Sequence[SourceText | str], options: TableOptions, context: ReaderContext, screen: OutputOptions
) -> tuple[dict[str, Any], Sheet, bytes]:
    """The graph's output with all rows, the table with its citations, and the report where one is wanted."""
    async with open_library(options.library) as library:
        document = await resolve_document(library, sources)
        kept = RunThread(saver=library.checkpointer)
        with watch_run(screen) as listen:
            made = await functions.table(
                library, options.wanted, documents=[document], context=context, listen=listen, thread=kept
            )
        priced = with_cost(made.output, context, screen, conversion_seconds(sources))
        found = {**await with_places(library.pages, priced), "notices": made.notices}
        documents = await members_of(library.pages, document)
        sheet = sheet_of(found["table"], documents, " ".join(filter(None, [_note(found), *found["notices"]])))
        cited = [citation for row in found["table"]["rows"] for citation in row["citations"]]
        unique = {(each["start"], each["end"]): each for each in cited}
        shown, asked = with_marks({**found, "citations": [*unique.values()]}), Question(question=options.wanted)
        page = await make_report(options.report, library.pages, document, asked, shown, METHODS["survey"].note)
        return with_marks(found), sheet, page


def _note(found: dict[str, Any]) -> str:
    """What the table itself says of how it was made, where its form has room."""
    if unread := found["unread"]:
        return f"{format_unread_parts(len(found['pages_read']), len(unread))}. {format_missing_records(found)}"
    return BY_PATTERN if found["by_pattern"] else ""


def _print(found: dict[str, Any], sheet: Sheet, out: Path | None, screen: OutputOptions) -> None:
    """The table where no file was named, and on standard error what it was made from."""
    if screen.as_json:
        print_json(found)
        return
    if not out and sheet.rows:
        print_sheet(sheet)
    told = Console(stderr=True, soft_wrap=True)
    if found["status"] == "budget":
        left = CUT_SHORT if found["unread"] else SPENT_BEFORE if found["by_rule"] else NOT_JOINED
        told.print(SafeText(left, style="yellow"))
    elif not sheet.rows and not found["unread"]:
        told.print(SafeText(NO_ROW))
    if found["unread"]:
        told.print(SafeText(_note(found), style="yellow"))
    for notice in found["notices"]:
        told.print(SafeText(notice, style="yellow"))
    if screen.quiet:
        return
    rows = format_count(len(sheet.rows), "row") + (f" in {out}" if out else "")
    line = f"{rows} · read{format_read_again(found)} · {format_usage(found['usage'], found['cost'])}"
    told.print(footer(line, found["fallbacks"], found["usage"]))
    if found["by_pattern"]:
        told.print(SafeText(BY_PATTERN if found["model"] else f"{BY_PATTERN} {TO_READ_WITH_ONE}", style="yellow"))
