"""By which method a question is answered, as far as its words, the text and the memories kept of it show."""

from typing import NamedTuple

from readgraph.graphs.method_facts import has_read
from readgraph.graphs.methods import METHODS, ROWS, method_for
from readgraph.graphs.rehearsal import build_once
from readgraph.language.hints import Extent, subject_of
from readgraph.library.page_store import PageStore
from readgraph.nodes.bounds import content_room
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document

WAYS = {
    "full-text": "read whole",
    "summary": "summarised",
    "survey": "gone through part by part",
    "read-agent": "looked up by its gists",
    "gam": "researched by its memos",
    "mem-walker": "walked along its summaries",
}
"""What the methods do that can be chosen, in words; those may be missing whose folder is taken away."""

FOR_PLACES = ("read-agent", "gam", "mem-walker")  # they look places up in a memory that serves the next question too

LOOKED_UP = 5_000
"""Words that a question about a kept memory takes at most besides its notes, which are shown twice: pages, and what
each call says. To make a memory takes three times the text's words: it pays off for what fits after five questions."""


class Way(NamedTuple):
    """The method that answers a question, and why it."""

    method: str
    why: str


def is_there(method: str) -> bool:
    """Whether there is a method, or a row, of this name."""
    return method in METHODS or method in ROWS


async def choose_way(
    question: str, extent: Extent | None, document: Document, store: PageStore, context: ReaderContext
) -> Way:
    """The way of a question that asks for so much of a text, where a model answers; "" where that isn't known."""
    memories = {memory.recipe.method: memory for memory in await store.memories(document.id)}
    places = [method_for(document).name] if document.sessions else FOR_PLACES  # a summary leaves gists of a history too
    known = [METHODS[name] for name in places if name in memories]
    kept = [each.name for each in known if await has_read(build_once(each), store, document, context)]
    sizes = await store.note_sizes([memories[name] for name in kept])
    cheapest = min((2 * words + LOOKED_UP for _, words in sizes.values()), default=document.words)
    if document.words <= min(cheapest, content_room(context, question)):
        return Way("full-text", "it fits what the model reads at once")
    if extent is None:
        return Way("", "")
    if extent == "summary" and is_there("summary"):
        return Way("summary", "the question is about all of it")
    if extent == "every" and is_there("survey"):
        return Way("survey", "the question asks for something of every part")
    if kept:
        return Way(kept[0], "it was read so before")
    return Way(method_for(document).name, "it is a history, which grows" if document.sessions else "it is long")


def choose_without_model(question: str, extent: Extent | None, document: Document) -> Way:
    """A summary where the text itself is asked about; else the default method, which quotes the nearest sentences."""
    if extent == "summary" and not subject_of(question) and is_there("summary"):
        return Way("summary", "the question is about all of it")
    return Way(method_for(document).name, "")
