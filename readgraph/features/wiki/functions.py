"""A wiki of the documents of a library, and single pages of it; see `readgraph.api.functions` for what all take."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated, Any, cast

from langgraph.store.base import BaseStore
from pydantic import Field

from readgraph.api.documents import all_documents, documents_as_one, in_one_order
from readgraph.api.functions import pages_of
from readgraph.api.results import OfDocuments, Used
from readgraph.api.running import RunThread, run_method
from readgraph.api.tools import AsOf, Call, OneOrMore, Tool, list_names
from readgraph.api.up_to import check_named
from readgraph.features.wiki.graph import build
from readgraph.features.wiki.vault import fold_file_name, make_file_name, make_files
from readgraph.library.collections import add_collection, documents_of
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import Listen
from readgraph.state.reading import Question, Status
from readgraph.state.records import Document


class Wiki(OfDocuments):
    """A wiki of documents: a page of each, and of each person, place, thing and topic that they tell of."""

    model: str | None = Field(description="None: names were found by rules, and all sentences are the documents' own.")
    pages: list[dict[str, Any]] = Field(
        description="name, kind (document, person, place, thing, topic, name), also (other names), document (its own "
        "document), left_out, and sentences: text, extracted, sources (quote, document, title, place, start, end)."
    )
    conflicts: list[dict[str, Any]] = Field(description="Pairs of sentences that contradict each other, by rules.")
    by_rule: bool = Field(description="Whether all sentences are the documents' own.")
    status: Status


class WikiPages(Used):
    """The names of a wiki's pages, and one of them in Markdown."""

    document: str = Field(description="The id of the document, or of the collection of those that were read as one.")
    pages: list[str] = Field(description="Name and kind of each page.")
    text: str = Field(description="The page that was asked for; without one, the index.")
    conflicts: list[str] = Field(description="Sentences that contradict each other, by rules.")


async def wiki(
    library: Library | BaseStore,
    *,
    documents: Sequence[str | Document] = (),
    collection: str | None = None,
    as_of: str = "",
    context: ReaderContext | None = None,
    listen: Listen | None = None,
    thread: RunThread | None = None,
) -> Wiki:
    """Make a wiki of documents: pages of sentences, each of which names the quotes that it rests on.

    Args:
        documents: Ids, titles or files of the documents; by default those of the library.
        collection: Without documents: those of this collection.

    Returns:
        The pages, and the sentences that contradict each other (see `readgraph.features.wiki.vault` for files of them).

    Raises:
        BadInput: For a name that no document has, for a history among several documents, and for an empty library.
    """
    check_named("", documents, collection)
    pages = pages_of(library, context)
    whole = await documents_as_one(pages, documents or await all_documents(pages, collection, as_of), as_of)
    several = await documents_of(pages, whole) if len(whole.parts) > 1 else ()
    document = await add_collection(pages, in_one_order(several)) if several else whole
    output = await run_method(pages, build(), "wiki", document, cast(Question, {}), context, listen, thread)
    return Wiki.of(output)


async def wiki_page(
    library: Library | BaseStore,
    name: str = "",
    *,
    documents: Sequence[str | Document] = (),
    as_of: str = "",
    context: ReaderContext | None = None,
    listen: Listen | None = None,
) -> WikiPages:
    """One page of a wiki of documents in Markdown, and the names of all; what was made before costs nothing.

    Args:
        name: The name of the page; without one, the index.
        documents: Ids, titles or files of the documents; by default those of the library.

    Returns:
        The page, the names of all pages, and the sentences that contradict each other.

    Raises:
        BadInput: For a name that no page has, and as `wiki`.
    """
    made = await wiki(library, documents=documents, as_of=as_of, context=context, listen=listen)
    files = make_files(made.output["pages"])
    names = {fold_file_name(make_file_name(page["name"])): page["name"] for page in made.pages}
    wanted = fold_file_name(make_file_name(name)) if name else "index"
    text = [
        lines for path, lines in files.items() if fold_file_name(path.rpartition("/")[2].removesuffix(".md")) == wanted
    ]
    if not text:
        near = ", ".join(names[match] for match in get_close_matches(wanted, names)) or "give no name for the index"
        raise BadInput(f"The wiki has no page '{name}': {near}.")
    contradictions = (
        " — ".join(f"{s['title']}: “{s['quote']}”" for s in conflict["sentences"]) for conflict in made.conflicts
    )
    pages = [f"{page['name']} ({page['kind']})" for page in made.pages]
    return WikiPages.of(made.output, pages=pages, text="\n".join(text[0]), conflicts=[*contradictions])


async def wiki_tool(
    call: Call,
    page: Annotated[str, Field(description="The name of a page; without one, the index of all.")] = "",
    document: OneOrMore = "",
    as_of: AsOf = "",
) -> WikiPages:
    """Show a page of a wiki of the documents: a person, place, thing or topic; each sentence names its quote."""
    return await call(wiki_page, page, documents=list_names(document), as_of=as_of)


TOOL = Tool(name="wiki", run=wiki_tool, order=4)
