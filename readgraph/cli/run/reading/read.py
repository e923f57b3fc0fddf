"""`read`: build the memories of files and folders."""

from typing import Any

from readgraph.cli.options.reading import CorpusOptions, ReadOptions
from readgraph.cli.run.documents import asked_document, check_glob, conversion_seconds, sources_of
from readgraph.cli.run.estimate import estimate
from readgraph.cli.run.run_graph import run_graph
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.settings import chosen_method
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_json, print_memory, print_reminder
from readgraph.graphs.methods import Method
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library


def read_documents(options: ReadOptions, context: ReaderContext, screen: Screen) -> None:
    """Build the memories of files and folders and print them; JSON is an array but for one file."""
    check_glob(options.paths, options.glob)
    sources = sources_of(options.paths, options.glob, options.library, screen)
    method = chosen_method(options.method, asks=False)
    built = run_until_stopped(_read(sources, method, context, options.library, screen))
    if screen.as_json:
        print_json(built[0] if len(options.paths) == 1 and not options.paths[0].is_dir() else built)


def estimate_documents(options: ReadOptions | CorpusOptions, context: ReaderContext, screen: Screen) -> None:
    """Print what reading the documents will use, each on its own, without making a call."""
    estimate(options.paths, options.glob, None, options.method, context, options.library, screen)


async def _read(
    sources: list[SourceText | str], method: Method, context: ReaderContext, folder: LibraryPlace | None, screen: Screen
) -> list[dict[str, Any]]:
    built = []
    async with open_library(folder) as library:
        while sources:
            seconds = conversion_seconds(sources[:1])
            document = await asked_document(library, [sources.pop(0)])  # popped, so that its text can be freed
            found = await run_graph(library, method.build(), method.name, document, {}, context, screen, "", seconds)
            memory = await library.pages.memory(document.id, found["memory"])
            notes = await library.pages.notes(memory.id, range(memory.pages))
            sizes = {"pages": memory.pages, "notes": len(notes), "note_words": sum(note.words for note in notes)}
            built.append(found | sizes | {"complete": memory.complete})
            if not screen.as_json:
                places = await library.pages.places(document)
                print_memory(document, memory, notes, built[-1], method.note, screen, [name for _, name in places])
    print_reminder(context, screen)
    return built
