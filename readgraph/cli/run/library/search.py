"""`search`: keyword search over the documents of the library."""

from collections.abc import Sequence

from readgraph.cli.run.documents import find_documents
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.marked_text import marked_text
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library
from readgraph.tools.finding import check_search, found
from readgraph.tools.results import Hit


def search(
    query: str, named: Sequence[str], collection: str | None, most: int, folder: LibraryPlace | None, *, as_json: bool
) -> None:
    """Print the best passages with their places, and the words of the query marked in them."""
    check_search(query, named, collection)
    hits = run_until_stopped(_search(query, named, collection, most, folder))
    if as_json:
        print_json([hit.model_dump() for hit in hits])
        return
    console = Console()
    if not hits:
        console.print(Text(f"No passage shares a word with '{query}'."))
    for hit in hits:
        part = f"part {hit.page} of {hit.method}" if hit.page is not None else ""
        console.print(Text(", ".join(filter(None, [hit.title, hit.place or part])), style="bold"), soft_wrap=True)
        console.print(_shown(hit, styled=console.is_terminal), soft_wrap=not console.is_terminal)
        console.print()


def _shown(hit: Hit, *, styled: bool) -> Text:
    """A hit's excerpt on one line, its words marked."""
    spans = [(start - hit.start, end - hit.start) for start, end in hit.marks]
    one_line = "".join(" " if character.isspace() else character for character in hit.text)
    shown = marked_text(one_line, spans, styled=styled)
    shown.pad_left(2)
    return shown


async def _search(
    query: str, named: Sequence[str], collection: str | None, most: int, folder: LibraryPlace | None
) -> list[Hit]:
    async with open_library(folder, only_shows=True) as library:
        documents = await find_documents(library.pages, named)
        return await found(library.pages, query, documents, collection, most)
