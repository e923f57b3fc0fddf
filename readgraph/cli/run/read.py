"""`read` and `remember`: build memories of files and of histories."""

from collections.abc import Sequence
from typing import Any

from readgraph.api.documents import find_kept_document
from readgraph.api.functions import memorise, read
from readgraph.api.running import RunThread
from readgraph.cli.options.reading import ReadOptions, RememberOptions
from readgraph.cli.run.documents import (
    check_glob,
    conversion_seconds,
    estimate,
    load_sources,
    report_notice,
    resolve_document,
)
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.run.meaning import prepare_meaning
from readgraph.cli.run.reports import with_cost
from readgraph.cli.settings import choose_method
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.rendering import print_json, print_memory, print_reminder
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.language.calendars import check_date
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.notices import keep_notices
from readgraph.library.opening import Library
from readgraph.library.page_store import PageStore
from readgraph.library.versions import set_version
from readgraph.sources.loading import STANDARD_INPUT
from readgraph.sources.secrets import without_secrets
from readgraph.sources.sessions import load_sessions
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from readgraph.state.words import format_count


def read_documents(options: ReadOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Build the memories of files and folders and print them; JSON is an array but for one file."""
    if options.date:
        check_date(options.date)
    if options.estimate:
        estimate(options, context, screen, options.method)
        return
    sources = load_sources(options, screen, other_names=False)
    if options.supersedes and len(sources) > 1:
        raise BadInput("--supersedes is for one document: read the others by themselves.")
    method = choose_method(options.method, asks=False)

    read_ids = list[str]()

    async def read_each(library: Library) -> list[dict[str, Any]]:
        built = list[dict[str, Any]]()
        while sources:
            seconds = conversion_seconds(sources[:1])
            document = await resolve_document(library, [sources.pop(0)])  # popped, so that its text can be freed
            if options.date or options.supersedes:
                named = options.supersedes
                earlier = (await find_kept_document(library.pages, named)).id if named else ""
                document = await set_version(library.pages, document, options.date, earlier)
                if not screen.as_json and not screen.quiet:
                    instead = f", in place of '{named}'" if named else ""
                    Console().print(SafeText(f"{document.title} is of {document.date or 'no date'}{instead}."))
            with watch_run(screen) as listen:
                thread = RunThread(saver=library.checkpointer)
                reading = await read(library, document, method=method, context=context, listen=listen, thread=thread)
            read_ids.append(document.id)
            found = with_cost(reading.output, context, screen, seconds)
            if screen.as_json:
                version = {"date": document.date, "supersedes": document.supersedes}
                built.append(found | reading.model_dump(include=SIZES) | version)
            else:
                labels = [name for _, name in await library.pages.places(document)]
                await _print_memory(library.pages, document, found, screen, labels)
        return built

    built = run_in_library(options.library, read_each)
    print_reminder(context, screen)
    if screen.as_json:
        is_one = len(built) == len(options.paths) == 1 and not options.paths[0].is_dir()
        print_json(built[0] if is_one else built)
    prepare_meaning(options.library, read_ids, context, screen, reading=True)


SIZES = {"pages", "notes", "note_words", "complete"}  # what a run's output doesn't say: how large the memory is now


async def _print_memory(
    pages: PageStore, document: Document, found: dict[str, Any], screen: OutputOptions, labels: Sequence[str] = ()
) -> None:
    memory = await pages.memory(document.id, found["memory"])
    print_memory(document, memory, await pages.notes(memory.id, range(memory.pages)), found, screen, labels)


def remember_sessions(options: RememberOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Append the sessions of files and folders to the history, memorise what is new, and print the result."""
    check_glob(options.paths, options.glob, follow_links=options.follow_links)
    problems = list[BadInput | str]()
    loaded = load_sessions(
        options.paths,
        options.glob,
        options.sessions_at,
        options.gap,
        problems.append,
        report_notice,
        follow_links=options.follow_links,
    )
    for problem in problems:
        if screen.notices_left([str(problem)]):
            (report_notice if isinstance(problem, str) else screen.leave_out)(problem)
    sessions = [
        SessionText(*(map(without_secrets, source_session) if options.no_secrets else source_session))
        for source_session in loaded
    ]

    async def remember(library: Library) -> str:
        appended = await append_sessions(library.pages, options.history, sessions, go_on=True)
        given = {path.absolute().name for path in options.paths} - {STANDARD_INPUT}
        others = [line for line in appended.document.notices if not any(name in line for name in given)]
        await keep_notices(library.pages, appended.document, "", [*others, *problems])
        if not screen.as_json:
            known = f" ({appended.known:,} known already)" if appended.known else ""
            has = f"'{appended.document.title}' has {format_count(appended.document.sessions, 'session')}"
            Console().print(f"Added {format_count(len(appended.added), 'session')}{known}; {has}.")
        with watch_run(screen) as listen:
            done = await memorise(library, appended, context, listen, RunThread(saver=library.checkpointer))
        found = with_cost(done.output, context, screen)
        if screen.as_json:
            counts = {"added": done.added, "known": done.known, "sessions": done.sessions}
            print_json(found | counts | done.model_dump(include=SIZES))
        else:
            await _print_memory(library.pages, appended.document, found, screen)
        return appended.document.id

    history = run_in_library(options.library, remember)
    print_reminder(context, screen)
    prepare_meaning(options.library, [history], context, screen, reading=True)
