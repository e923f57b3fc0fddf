"""`search`: the passages of the library that share words with a query."""

import os
from collections.abc import Sequence
from pathlib import Path

from readgraph.api.finding import check_search, find_hits
from readgraph.api.results import Hit
from readgraph.cli.mistakes import question_and_files
from readgraph.cli.run.documents import find_documents, report_notices
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.terminal.rendering import print_json, titles_told_apart
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions, mark_text
from readgraph.library.address import LibraryPlace
from readgraph.library.opening import Library
from readgraph.library.search.catalogue import records
from readgraph.sources.places import place_in_words


def search(
    words: str,
    documents: Sequence[str] | None,
    most: int,
    collection: str | None,
    as_of: str,
    library: LibraryPlace | None,
    *,
    as_json: bool,
) -> None:
    """Print the best passages with their places, and the words of the query marked in them."""
    if documents and len(documents) == 1 and Path(words).suffix and not os.path.lexists(documents[0]):
        words, documents = question_and_files("search", words, documents)
    check_search(words, documents or [], collection)

    async def find(opened: Library) -> list[Hit]:
        found = await find_documents(opened.pages, documents or [])
        hits = await find_hits(opened.pages, words, found, collection, most, as_of)
        held = await records(opened.pages, [*dict.fromkeys(hit.document for hit in hits)])
        await report_notices(opened, [*found, *held], OutputOptions())
        return hits

    hits = run_in_library(library, find, only_shows=True)
    if as_json:
        print_json([hit.model_dump() for hit in hits])
        return
    titles = titles_told_apart((hit.document, hit.title) for hit in hits)
    console = Console()
    if not hits:
        console.print(f"No passage shares a word with '{words}'.")
    for hit in hits:
        part = f"part {hit.page} of {hit.method}" if hit.page is not None else ""
        named = [titles[hit.document], place_in_words(hit.place or "") or part]
        console.print(SafeText(", ".join(filter(None, named)), style="bold"), soft_wrap=True)
        spans = [(start - hit.start, end - hit.start) for start, end in hit.marks]
        excerpt = "".join(" " if character.isspace() else character for character in hit.text)
        shown = mark_text(excerpt, spans, styled=console.is_terminal)
        shown.pad_left(2)
        console.print(shown, soft_wrap=not console.is_terminal)
        console.print()
