"""`search`: the passages of the library that share words with a query, or are near it by meaning."""

import os
from collections.abc import Sequence
from pathlib import Path

from readgraph.api.finding import check_search, find_hits
from readgraph.api.results import Hit
from readgraph.cli.mistakes import question_and_files
from readgraph.cli.options.documents import SearchOptions
from readgraph.cli.run.documents import find_documents, report_notices
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.rendering import print_json, titles_told_apart
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions, mark_text
from readgraph.library.opening import Library
from readgraph.library.search.catalogue import records
from readgraph.sources.places import place_in_words


def search(options: SearchOptions) -> None:
    """Print the best passages with their places, and the words of the query marked in them."""
    words, names = options.words, options.documents or []
    if len(names) == 1 and Path(words).suffix and not os.path.lexists(names[0]):
        words, names = question_and_files("search", words, names)
    check_search(words, names, options.collection)
    screen = OutputOptions(as_json=options.as_json)

    async def find(library: Library) -> list[Hit]:
        documents = await find_documents(library.pages, names, screen)
        with watch_run(screen):
            scope = (options.collection, options.most, options.as_of, options.up_to)
            hits = await find_hits(library.pages, words, documents, *scope)
        held = await records(library.pages, [*dict.fromkeys(hit.document for hit in hits)])
        await report_notices(library, [*documents, *held], screen)
        return hits

    hits = run_in_library(options.library, find, only_shows=True)
    if options.as_json:
        print_json([hit.model_dump() for hit in hits])
    else:
        _print_hits(hits, words)


def _print_hits(hits: Sequence[Hit], words: str) -> None:
    titles = titles_told_apart((hit.document, hit.title) for hit in hits)
    console = Console()
    if not hits:
        console.print(f"No passage shares a word with '{words}'.")
    for hit in hits:
        part = f"part {hit.page} of {hit.method}" if hit.page is not None else ""
        meant = "" if "words" in hit.found_by else "found by meaning: it shares no word"
        named = [titles[hit.document], place_in_words(hit.place or "") or part, meant]
        console.print(SafeText(", ".join(filter(None, named)), style="bold"), soft_wrap=not console.is_terminal)
        spans = [(start - hit.start, end - hit.start) for start, end in hit.marks]
        excerpt = "".join(" " if character.isspace() else character for character in hit.text)
        shown = mark_text(excerpt, spans, styled=console.is_terminal)
        shown.pad_left(2)
        console.print(shown, soft_wrap=not console.is_terminal)
        console.print()
