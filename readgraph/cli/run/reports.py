"""What a command adds to a run's output: its cost, the places of its pages, and with `--report FILE` a report."""

import os
import re
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from readgraph.api.documents import id_without_conversion
from readgraph.cli.declaring import ReportForm
from readgraph.cli.options.output import ReportOptions
from readgraph.cli.run.in_library import begins_with, check_output, write_output
from readgraph.cli.terminal.rendering import print_json, print_reminder, print_steps, print_walk
from readgraph.cli.terminal.safe_text import tell
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.library.page_store import PageStore
from readgraph.models.prices import cost
from readgraph.plugins import plugged_in_by_name
from readgraph.sources.inputs import Address, file_or_address
from readgraph.sources.loading import read_file
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.state.transports import price_share


def with_cost(
    output: Mapping[str, Any], context: ReaderContext, screen: OutputOptions, seconds_before: float = 0.0
) -> dict[str, Any]:
    """A run's output with its cost in dollars, and the files that were left out, if any, as `left_out`.

    `seconds_before` went into the document's conversion, and count too.
    """
    usage = output["usage"] | {"seconds": round(output["usage"]["seconds"] + seconds_before, 4)}
    left_out = {"left_out": screen.left_out} if screen.left_out else {}
    return {**output, "usage": usage, "cost": cost(output["steps"], screen.price, price_share(context)), **left_out}


async def with_places(pages: PageStore, found: dict[str, Any]) -> dict[str, Any]:
    """An answer with `places_read`: where each page that was read again begins in the source, if it names places.

    A survey's has `places_unread`, too, of the pages that could not be read.
    """
    document = await pages.document(found["document"])
    named = dict[str, list[str | None]]()
    for places, numbers in (("places_read", found["pages_read"]), ("places_unread", found.get("unread"))):
        if numbers is not None:
            starts = {page.number: page.start for page in await pages.pages(found["memory"], numbers)}
            named[places] = await pages.place_names(document, [starts[number] for number in numbers])
    return {**found, **named}


def check_report(file: Path | None) -> None:
    """Raise `BadInput` where a report is wanted and can't be written to this file; only a report is overwritten."""
    if not file:
        return
    mark, foreign = report_form(file).mark, "is not a report: name another file for the report"
    check_output(file, "report", lambda there: begins_with(there, mark), foreign)


def report_form(file: Path) -> ReportForm:
    """The form of reports that a file's ending chooses; raises `BadInput` where no package writes any."""
    forms = report_forms()
    if not forms:
        raise BadInput("No package that is installed writes reports: leave --report out.")
    return forms.get(file.suffix.lower(), next(iter(forms.values())))


def report_forms() -> dict[str, ReportForm]:
    """All forms by their endings; who came first keeps an ending."""
    return plugged_in_by_name("reports", ReportForm, lambda form: form.ending, "there are other reports '{}'")


def write_report(file: Path | None, page: bytes, *, quiet: bool, in_browser: bool) -> None:
    """Write a report, if one is wanted, and print where it is; `in_browser`: show it there."""
    if not file:
        return
    write_output(file, page, "report")
    if not quiet:
        tell(f"The report is in {file}", style="dim")
    if in_browser and not webbrowser.open(file.resolve().as_uri()):
        tell(f"There is no browser to open: {file} is the report.")


def show_output(
    found: dict[str, Any],
    page: bytes,
    options: ReportOptions,
    context: ReaderContext,
    screen: OutputOptions,
    show: Callable[[dict[str, Any], OutputOptions], None],
) -> None:
    """Print a run's output, for people as `show` does, with its steps if they are wanted; write the report, if any."""
    if screen.as_json:
        print_json(found, screen)
    else:
        if options.show_steps:
            print_steps(found["steps"])
            print_walk(found.get("hops", []))
        show(found, screen)
        print_reminder(context, screen)
    write_report(options.report, page, quiet=screen.quiet, in_browser=options.opened)


async def make_report(
    file: Path | None, pages: PageStore, document: Document, question: Question, found: dict[str, Any], note: str
) -> bytes:
    """The page that shows an answer, for this file; empty where no report is wanted."""
    if not file:
        return b""
    links = await source_links(pages, document, file)
    form = report_form(file)
    return await form.write(form.of_answer, pages, question, found, note, links)


_SECRET = re.compile(r"token|sig|key|secret|auth|credential|passw", re.IGNORECASE)


async def source_links(store: PageStore, document: Document, report: Path) -> dict[str, str]:
    """Links for a report in this file, by the ids of the document or of those that it joins; without those that fail.

    A file is linked where it still has the bytes that were read, by its path from the report's folder, so that the link
    says no more of this disk than it must: not through the disk's root or all homes. An address with a user, a
    password, or a key or token in its query isn't linked.
    """
    links = dict[str, str]()
    for identity in [part.document for part in document.parts] or [document.id]:
        source = await store.document(identity)
        if link := await _link(store, source, report):
            links[identity] = link
    return links


async def _link(store: PageStore, document: Document, report: Path) -> str:
    """A document's link; "" where there is nothing to open."""
    path = file_or_address(document.source)
    if isinstance(path, Address):
        return "" if _holds_secrets(document.source) else document.source
    if not path.is_absolute() or not path.is_file():
        return ""
    try:
        if await id_without_conversion(store, read_file(path)) != document.id:
            return ""  # it has other bytes now
        file, folder = path.resolve(), report.resolve().parent
        if Path(os.path.commonpath([file, folder])) in Path.home().parents:
            return ""  # the way there would name the folders of this disk
        relative = os.path.relpath(file, folder)
    except (BadInput, OSError, ValueError):  # it can't be read; on Windows, it is on another drive
        return ""
    return quote(Path(relative).as_posix())


def _holds_secrets(address: str) -> bool:
    """Whether an address has a user, or a key in its query; so does one that can't be read."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return True
    return "@" in parts.netloc or any(
        _SECRET.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)
    )
