"""`remember`: append sessions to a history and memorise what is new."""

from readgraph.cli.options.reading import RememberOptions
from readgraph.cli.run.documents import check_glob, report_left_out
from readgraph.cli.run.run_graph import run_graph
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_json, print_memory, print_reminder
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.graphs import gam
from readgraph.sources.sessions import load_sessions
from readgraph.state.context import ReaderContext
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.histories import Appended, SessionText, append_sessions
from readgraph.state.library import open_library
from readgraph.state.words import counted

METHOD, NOTE = "gam", "memo"


def remember_sessions(options: RememberOptions, context: ReaderContext, screen: Screen) -> None:
    """Append the sessions of files and folders to the history, memorise what is new, and print the result."""
    check_glob(options.paths, options.glob)
    loaded = load_sessions(options.paths, options.glob, options.sessions_at, options.gap, report_left_out)
    sessions = [SessionText(*session) for session in loaded]
    run_until_stopped(_remember(options.history, sessions, context, options.library, screen))


async def _remember(
    name: str, sessions: list[SessionText], context: ReaderContext, folder: LibraryPlace | None, screen: Screen
) -> None:
    async with open_library(folder) as library:
        appended = await append_sessions(library.pages, name, sessions)
        document = appended.document
        if not screen.as_json:
            Console().print(Text(_summary(appended)))
        found = await run_graph(library, gam.build_memorize(), METHOD, document, {}, context, screen)
        memory = await library.pages.memory(document.id, found["memory"])
        notes = await library.pages.notes(memory.id, range(memory.pages))
    if screen.as_json:
        sizes = {"pages": memory.pages, "notes": len(notes), "note_words": sum(note.words for note in notes)}
        counts = {"added": len(appended.added), "known": appended.known, "sessions": document.sessions}
        print_json({**found, **counts, **sizes, "complete": memory.complete})
        return
    print_memory(document, memory, notes, found, NOTE, screen)
    print_reminder(context, screen)


def _summary(appended: Appended) -> str:
    known = f" ({appended.known:,} known already)" if appended.known else ""
    sessions = counted(appended.document.sessions, "session")
    return f"Added {counted(len(appended.added), 'session')}{known}; '{appended.document.title}' has {sessions}."
