"""`search`: keyword search over the documents of the library."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from readgraph.cli.run.documents import find_document
from readgraph.cli.run.memories import method_of, newest_first
from readgraph.cli.terminal.marked_text import marked_text
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.errors import BadInput
from readgraph.state.library import open_library
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory
from readgraph.state.search.passages import Passage, excerpt, marks, search_documents


def search(query: str, named: Sequence[str], most: int, folder: Path | None, *, as_json: bool) -> None:
    """Print the best passages with their places, and the words of the query marked in them."""
    if not any(map(str.isalnum, query)):
        raise BadInput("There is nothing to search for: write a word.")
    hits = asyncio.run(_search(query, named, most, folder))
    if as_json:
        print_json(hits)
        return
    console = Console()
    if not hits:
        console.print(Text(f"No passage shares a word with '{query}'."))
    for hit in hits:
        page = f"p. {hit['page']} of {hit['method']}" if hit["page"] is not None else ""
        console.print(Text(", ".join(filter(None, [hit["title"], page, hit["place"]])), style="bold"), soft_wrap=True)
        console.print(_shown(hit, styled=console.is_terminal), soft_wrap=not console.is_terminal)
        console.print()


def _shown(hit: dict[str, Any], *, styled: bool) -> Text:
    """A hit's excerpt on one line, its words marked."""
    spans = [(start - hit["start"], end - hit["start"]) for start, end in hit["marks"]]
    one_line = "".join(" " if character.isspace() else character for character in hit["text"])
    shown = marked_text(one_line, spans, styled=styled)
    shown.pad_left(2)
    return shown


async def _search(query: str, named: Sequence[str], most: int, folder: Path | None) -> list[dict[str, Any]]:
    async with open_library(folder, only_shows=True) as library:
        store = library.pages
        documents = [await find_document(store, name) for name in named] or await searchable(store)
        if not documents:
            raise BadInput("The library is empty. Read something: readgraph read FILE")
        unique = list({document.id: document for document in documents}.values())
        found = (await search_documents(store, unique, query))[:most]
        memories = {passage.document.id: newest_first(await store.memories(passage.document.id)) for passage in found}
        return [await _hit(store, passage, query, memories[passage.document.id]) for passage in found]


async def searchable(store: PageStore) -> list[Document]:
    """The documents of the library, without the collections, whose texts are those of other documents."""
    return [document for document in await store.documents() if not document.parts]


async def _hit(store: PageStore, passage: Passage, query: str, memories: Sequence[Memory]) -> dict[str, Any]:
    """A passage's excerpt, `[start, end)` in the document, and where it is; `marks` are spans in the document too."""
    document = passage.document
    (text,) = await store.spans(document, [(passage.start, passage.end)])
    spans = marks(text, query)
    begin, stop = excerpt(text, spans)
    shown = [(start, end) for start, end in spans if begin <= start and end <= stop]
    first = passage.start + (shown[0][0] if shown else begin)
    (place,) = await store.place_names(document, [first])
    page = await _page_at(store, memories[0], first) if memories else None
    return {
        "document": document.id,
        "title": document.title,
        "page": page,
        "method": method_of(memories[0]) if page is not None else None,
        "place": place,
        "start": passage.start + begin,
        "end": passage.start + stop,
        "score": passage.score,
        "text": text[begin:stop],
        "marks": [(passage.start + start, passage.start + end) for start, end in shown],
    }


async def _page_at(store: PageStore, memory: Memory, offset: int) -> int | None:
    """The number of the page that holds an offset; None where it has not been read so far."""
    pages = await store.pages(memory.id, range(memory.pages))
    number = bisect_right([page.start for page in pages], offset) - 1
    return pages[number].number if number >= 0 and offset < pages[number].end else None
