"""The documents that a command works on, and what reading them will use, printed before a call is made."""

import math
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from rich.table import Table

from readgraph.api.documents import (
    WHOLE_LIBRARY,
    PickingScope,
    UnknownName,
    document_named,
    documents_as_one,
    find_kept_document,
    id_without_conversion,
    missing_version,
    pick_as_one_document,
    store_source,
)
from readgraph.api.routing import estimate_with_question
from readgraph.api.running import estimate_readings, expected_cost
from readgraph.cli.mistakes import asks, find_near_files, quote_argument
from readgraph.cli.options.documents import DocumentOptions
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.settings import choose_method
from readgraph.cli.terminal.doing import doing
from readgraph.cli.terminal.progress import ConversionProgress
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText, one_line, tell
from readgraph.cli.terminal.screen import OutputOptions, notice_line
from readgraph.graphs.estimate import ASSUMES, Estimate, Range
from readgraph.graphs.method import Method
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.address import LibraryPlace
from readgraph.library.documents import document_id
from readgraph.library.library import document_of_file
from readgraph.library.notices import document_notices
from readgraph.library.opening import Library, holds_library, open_library_in_background
from readgraph.library.page_store import PageStore
from readgraph.library.versions import follow_file
from readgraph.models.prices import price_to_pay
from readgraph.nodes.opening import is_traced
from readgraph.sources import load, load_all
from readgraph.sources.converting import SourceText, show_conversion
from readgraph.sources.loading import STANDARD_INPUT, names_file, printable_path, raise_problem, read_file
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import in_background
from readgraph.state.providers import find_provider
from readgraph.state.records import Document
from readgraph.state.transports import price_share


def load_sources(
    options: DocumentOptions, screen: OutputOptions, *, other_names: bool = True
) -> list[SourceText | str]:
    """The texts of files and folders; for a file that was converted before, the id of its document.

    Unreadable files, as long as there is another, are reported and left out; what a file's text lacks is reported when
    its document is used. With `other_names`, what names no file is given back as it is. Not for an event loop: Ctrl-C
    would wait for a slow file.
    """
    paths, folder = options.paths, options.library
    check_glob(paths, options.glob, follow_links=options.follow_links)
    with ConversionProgress(screen) as progress, show_conversion(progress.show), ExitStack() as opened:

        @cache
        def library() -> Library | None:
            """The library, if there is one; it is opened for the first file that was converted."""
            return opened.enter_context(open_library_in_background(folder)) if holds_library(folder) else None

        def load_one(path: Path) -> Sequence[SourceText | str]:
            if not names_file(path):
                if other_names:
                    return [str(path)]
                if meant := _or_near(path):
                    raise BadInput(f"There is no file {printable_path(path)}.{meant}")
            if str(path) == STANDARD_INPUT:
                return [load(path)]
            file = read_file(path)
            kept = library() if file.digest else None
            if kept and (document := in_background(document_of_file, kept.pages, file.digest)):
                return [in_background(follow_file, kept.pages, document, file.source).id]
            return file.convert_each()

        opened.enter_context(doing(f"Reading {one_line(paths[0].name) if len(paths) == 1 else 'the files'}"))
        return [*chain(*load_all(paths, options.glob, screen.leave_out, load_one, follow_links=options.follow_links))]


def are_documents(folder: LibraryPlace | None, names: Sequence[str]) -> bool:
    """Whether the library has documents of all these names."""
    if not holds_library(folder):
        return False
    with open_library_in_background(folder) as library, suppress(BadInput):
        return all(in_background(find_kept_document, library.pages, name) for name in names)
    return False


def conversion_seconds(sources: Sequence[SourceText | str]) -> float:
    """How long the conversion of these files took."""
    return sum(source.seconds for source in sources if isinstance(source, SourceText))


async def report_notices(library: Library, documents: Sequence[Document], screen: OutputOptions) -> None:
    """Print what the texts of documents lack, where no run of theirs says it."""
    for document in documents:
        for notice in screen.notices_left(await document_notices(library.pages, document)):
            report_notice(notice)


def report_notice(notice: object) -> None:
    """Print what is said of how something was read, or of what it lacks."""
    tell(notice_line(notice))


def check_glob(paths: Sequence[Path], glob: str | None, *, follow_links: bool = False) -> None:
    """Raise `BadInput` where something is said of files in folders, but no folder is given."""
    if (glob is not None or follow_links) and not any(map(os.path.isdir, paths)):
        said = "--glob selects files in" if glob is not None else "--follow-links is for links in"
        raise BadInput(f"{said} folders, but no folder is named: leave it out.")


async def resolve_document(
    library: Library, sources: Sequence[SourceText | str], as_of: str = "", up_to: str = ""
) -> Document:
    """The document of one source, or the collection of several; raises `BadInput` for an unknown name."""
    documents = list[Document]()
    for source in sources:
        if isinstance(source, SourceText):
            documents.append(await store_source(library.pages, source))
            if missing := missing_version(source, documents[-1]):
                tell(one_line(f"readgraph: {missing}"))
        else:
            documents.append(await _find_kept(library, source))
    return await documents_as_one(library.pages, documents, as_of, up_to)


async def _find_kept(library: Library, name: str) -> Document:
    """The document of a name that is no file's; else a `BadInput` that says what may have been meant."""
    try:
        return await find_kept_document(library.pages, name)
    except BadInput as problem:
        named = [collection.name.casefold() for collection in await library.collections.list_collections()]
        if name.casefold() in named:
            with_it = f"write --collection {quote_argument(name)}, with ask or search"
            raise BadInput(f"'{name}' is a collection: {with_it}.") from None
        if isinstance(problem, UnknownName) and (meant := _or_near(Path(name))):
            raise BadInput(f"There is no file or document {printable_path(Path(name))}.{meant}") from None
        raise problem


def _or_near(path: Path) -> str:
    """What may have been meant by the path of no file, after a space; "" where nothing is near."""
    if near := find_near_files(path):
        return f" Do you mean {' or '.join(near)}?"
    words = str(path)
    return f" To ask, write: readgraph ask {quote_argument(words)} FILE." if " " in words and asks(words) else ""


async def find_document(store: PageStore, name: str, *, by_part: bool = True) -> Document:
    """The document with this id, title (or, `by_part`, a part of it) or file; a file is recognised by its content."""
    id_of_file = None
    if os.path.isfile(name):
        file = read_file(Path(name))
        id_of_file = await id_without_conversion(store, file) or document_id(file.convert().text)
    return await document_named(store, name, id_of_file, by_part=by_part)


async def find_documents(store: PageStore, names: Sequence[str], screen: OutputOptions) -> list[Document]:
    """The documents of these names; a file among several that can't be read, or wasn't, is reported and left out."""
    documents, problems = list[Document](), list[BadInput]()
    for name in names:
        try:
            documents.append(await find_document(store, name))
        except BadInput as problem:
            if not os.path.isfile(name):
                raise
            problems.append(problem)
    for unreadable in problems:
        (screen.leave_out if documents else raise_problem)(unreadable)
    return documents


NO_CALL = "no call was made"
OWN_CALLS = "readgraph made no call; what a method of your own calls by itself was called"

BATCH = 8  # memos at once, as an example


def in_turn(calls: float) -> str:
    """What it costs in time that each memo waits for the one before."""
    return (
        f"memos are written one by one, which takes as long as about {_about(calls)} calls in turn; --memorize-batch "
        f"{BATCH}: about {_about(math.ceil(calls / BATCH))}, with fewer memos in view"
    )


def estimate(
    options: DocumentOptions,
    context: ReaderContext,
    screen: OutputOptions,
    method: str | None,
    question: str | None = None,
    choice: PickingScope = WHOLE_LIBRARY,
    choices: Sequence[str] = (),
) -> None:
    """Print what reading the documents will use: each on its own, or all as one with a question and its choices.

    A question without documents is one to the library, of which documents are picked as `choice` says.
    """
    if not options.paths and question is None:
        raise BadInput("There is nothing to estimate: name the documents.")
    choice.check(open_to_choice=not options.paths)
    sources, used = load_sources(options, screen, other_names=question is not None), list[Method]()

    async def estimate_each(library: Library) -> tuple[Estimate, int]:
        if question is None:
            documents = [await resolve_document(library, [source]) for source in sources]
        elif sources:
            documents = [await resolve_document(library, sources, choice.as_of, choice.up_to)]
        else:
            documents = [await pick_as_one_document(library.pages, " ".join([question, *choices]), choice)]
        await report_notices(library, documents, screen)
        methods = [choose_method(method, document, asks=question is not None) for document in documents]
        used.extend(methods)
        words = sum(document.words for document in documents)
        if question is None:
            return await estimate_readings(library.pages, [*zip(methods, documents, strict=True)], context), words
        asked = (methods[0], documents[0], context, question, choices)
        return await estimate_with_question(library.pages, *asked), words

    needed, words = run_in_library(options.library, estimate_each)
    no_call = OWN_CALLS if any(one.package for one in used) else NO_CALL
    in_a_row = len(used) == 1 and context.memorize_batch == 1 and "memorize_batch" in settings_of(used[0], asks=False)
    notes = [in_turn(needed.calls.expected)] if in_a_row and needed.calls.expected > BATCH else []
    show_estimate(needed, words, context, screen, no_call=" · ".join([*notes, no_call]))


def estimate_making(
    options: DocumentOptions,
    context: ReaderContext,
    screen: OutputOptions,
    method: Method,
    choose: Callable[[Library], Awaitable[Document]],
    given: Mapping[str, Any],
) -> None:
    """Print what a method will use over a document of the library, and what is given besides; no call is made."""

    async def rehearse(library: Library) -> tuple[Estimate, int]:
        document = await choose(library)
        await report_notices(library, [document], screen)
        return await rehearse_method(method, library.pages, document, context, given), document.words

    show_estimate(*run_in_library(options.library, rehearse, answers=True), context, screen)


def show_estimate(
    estimate: Estimate,
    words: int,
    context: ReaderContext,
    screen: OutputOptions,
    rating: tuple[Estimate, str] | None = None,
    no_call: str = NO_CALL,
) -> None:
    """Print the estimate for reading this many words; `rating`: the judge's estimate and its name."""
    needed = [(estimate, context.model), *([rating] if rating else [])]
    costs = [estimated_cost(used, model, screen, price_share(context)) for used, model in needed]
    if screen.as_json:
        values = [
            {**asdict(used.whole()), "way": used.way or None, "cost": cost, "model": model or None}
            for (used, model), cost in zip(needed, costs, strict=True)
        ]
        judging = {"judging": values[1]} if rating else {}
        print_json({"words": words, "assumes": ASSUMES, **values[0], **judging}, screen)
        return
    if words:
        elsewhere = is_traced() or (context.embeddings and not find_provider(context.embeddings))
        nothing = "no call to one is made" if elsewhere else "nothing is sent, and nothing has to be paid"
        needless = "" if estimate.calls.high else ": no call is needed"
        how = f"with {context.model}{needless}" if context.model else f"without a model: {nothing}"
        _print(f"{words:,} words to read, {how}", estimate, costs[0], *([] if rating else [no_call]))
    if rating:
        _print(f"answers to rate with {rating[1]}", rating[0], costs[1], NO_CALL)


def estimated_cost(estimate: Estimate, model: str, screen: OutputOptions, share: float) -> float | None:
    """What a model will cost, at the user's price, else at its known one, of which calls cost a `share`."""
    return expected_cost(estimate, price_to_pay(screen.price, model, share))


def _print(heading: str, estimate: Estimate, cost: float | None, *more_notes: str) -> None:
    """Print what is expected and how far it may be off, then what it never exceeds."""
    console = Console()
    console.print(SafeText(heading, style="bold"))
    if estimate.way:
        console.print(SafeText(estimate.way.capitalize()))
    if estimate.calls.high == 0:
        return
    table, bounds = Table("", "expected", "probably", **PLAIN), list[str]()
    for name, used in (
        ("calls", estimate.calls),
        ("words sent", estimate.input_words),
        ("words received", estimate.output_words),
    ):
        low, high = _probable(used)
        table.add_row(name, _about(used.expected), _about(low) if low == high else f"{_about(low)} to {_about(high)}")
        bounds.append(f"{name} no limit known" if used.high is None else f"{name} {used.high:,.0f}")
    if cost is not None:
        table.add_row("cost", _dollars(cost), " to ".join(_dollars(share * cost) for share in PROBABLE))
    console.print(table)
    console.print(SafeText(f"{ASSUMES}: {', '.join(bounds)}", style="dim"))
    held = estimate.held_words.expected
    notes = [f"the provider's cache can hold about {_about(held)} of the words sent"] if held else []
    if notes := [*notes, *more_notes]:
        console.print(SafeText(" · ".join(notes), style="dim"))


PROBABLE = 0.75, 1.5  # of what is expected: see docs/guides/budgets.md for how far estimates were off


def _probable(used: Range) -> tuple[float, float]:
    """Between which numbers the true one probably is."""
    low, high = (share * used.expected for share in PROBABLE)
    return low, high if used.high is None else min(high, used.high)


def _dollars(cost: float) -> str:
    return f"${cost:,.2f}" if cost >= 1 else f"${cost:.2g}"


def _about(number: float) -> str:
    """A number of two or three digits and zeros, as precise as an estimate is."""
    if number < 100:
        return f"{number:.0f}"
    unit = 10 ** (len(f"{number:.0f}") - 2)
    return f"{round(number / unit) * unit:,}"
