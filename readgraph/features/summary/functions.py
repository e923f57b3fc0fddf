"""A summary of documents of a library; see `readgraph.api.functions` for what all functions take."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

from langgraph.store.base import BaseStore
from pydantic import Field

from readgraph.api.documents import documents_as_one
from readgraph.api.functions import cite, pages_of
from readgraph.api.results import Cited, Used
from readgraph.api.running import run_method
from readgraph.api.tools import AsOf, Call, OneOrMore, Tool, UpTo, list_names
from readgraph.features.summary.graph import build
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.reading import Question, Status
from readgraph.state.records import Document


class Summary(Used):
    """A summary, sentence by sentence."""

    document: str = Field(description="The id of the document, or of the collection of those that were read as one.")
    title: str
    model: str | None = Field(description="None: without a model, the text's own sentences are taken.")
    summary: str | None = Field(description="None if the text says nothing of what was asked for.")
    status: Status
    by_rule: bool = Field(description="Whether all sentences are the text's own, chosen by rule.")
    parts: list[dict[str, Any]] = Field(description="name, start and end of the parts asked for; empty for all of it.")
    sentences: list[dict[str, Any]] = Field(
        description="text, pages and places that it rests on, supported (true, false, or null: not checked), extracted."
    )
    unsupported: int = Field(description="Sentences that the pages they name don't support.")
    unchecked: int = Field(description="Sentences that were not checked.")
    citations: list[Cited]
    memory: str


async def summarise(
    library: Library | BaseStore,
    *,
    documents: Sequence[str | Document],
    words: int | None = None,
    part: str | None = None,
    about: str | None = None,
    as_of: str = "",
    up_to: str = "",
    context: ReaderContext | None = None,
    listen: Listen | None = None,
) -> Summary:
    """Summarise a document, or several as one, in at most `words` words (those of the context, 300).

    Args:
        words: Most words of the summary.
        part: Only this part, by a heading, its number, or pages.
        about: What the summary is to be about.

    Returns:
        The summary, its sentences checked and cited.

    Raises:
        BadInput: For a part that is not there, and for a name that no document has.
    """
    pages, settings = pages_of(library, context), context or ReaderContext()
    settings = settings if words is None else replace(settings, summary_words=words)
    document = await documents_as_one(pages, documents, as_of, up_to)
    question = cast(Question, as_input(part, about))
    output = await run_method(pages, build(), "summary", document, question, settings, listen)
    return Summary.of(output, summary=output["answer"], citations=cite(document, output["citations"]))


def as_input(part: str | None, about: str | None) -> dict[str, str]:
    """What the graph of a summary is given besides the document: what is None is left out."""
    return {name: value for name, value in (("part", part), ("question", about)) if value is not None}


async def summarise_tool(
    call: Call,
    document: OneOrMore,
    words: Annotated[int, Field(ge=20, le=10_000, description="Most words of the summary.")] = 300,
    part: Annotated[str, Field(description="Only this part: a heading, its number, or pages.")] = "",
    about: Annotated[str, Field(description="What it is to be about.")] = "",
    as_of: AsOf = "",
    up_to: UpTo = "",
) -> Summary:
    """Summarise documents, or a part of one; each sentence names where it stands, and is checked."""
    given = {"words": words, "part": part or None, "about": about or None, "as_of": as_of, "up_to": up_to}
    return await call(summarise, documents=list_names(document), **given)


TOOL = Tool(name="summarise", run=summarise_tool, order=1)
