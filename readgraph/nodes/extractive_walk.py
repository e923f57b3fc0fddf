"""The walk with no model: down to the child under which the segment nearest to the question stands. Deterministic."""

import asyncio

from langgraph.runtime import Runtime

from readgraph.nodes.extractive import quoted_answer
from readgraph.nodes.memory_text import MemoryView
from readgraph.nodes.walking import (
    Decision,
    LeafUpdate,
    Place,
    WalkingState,
    WalkUpdate,
    place_of,
    segment_at,
)
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.search.okapi import rank
from readgraph.state.walk import Finding


async def descend(state: WalkingState, runtime: Runtime[ReaderContext]) -> WalkUpdate:
    """Go down to the child with the best-ranked segment; back up where none shares a word with the question."""
    place = await place_of(state, runtime)
    if decided := place.settled():
        return place.after(decided)
    offered = place.offered()
    pages = {page: child for child in offered for page in place.shape.pages(child)}
    store = page_store(runtime)
    kept = await store.pages(place.memory.id, pages)
    texts = await store.spans(place.document, [(page.start, page.end) for page in kept])
    ranked = await asyncio.to_thread(rank, _query(place), texts)
    if ranked:
        best = kept[ranked[0][0]].number
        return place.after(Decision("child", f"page {best} shares most words with the question", pages[best]))
    if place.at == place.shape.root:
        return place.after(Decision("child", "no part shares a word with the question", offered[0]))
    return place.after(Decision("revert", "no part shares a word with the question"))


async def read_leaf(state: WalkingState, runtime: Runtime[ReaderContext]) -> LeafUpdate:
    """Answer with the words of the segment that are nearest to the question; revert where it shares none."""
    place = await place_of(state, runtime)
    page, text = await segment_at(place, runtime)
    quoted = quoted_answer(MemoryView(place.document, [page], {}, {page.number: text}), state)
    if not quoted["quotes"]:
        return place.after_leaf(Decision("revert", "it shares no word with the question", None, 0, page.words), None)
    finding: Finding = {
        "page": page.number,
        "answers": True,
        "found": quoted["answer"] or "",
        "choice": quoted["choice"],
        "quotes": quoted["quotes"],
    }
    return place.after_leaf(Decision("answer", quoted["did"], None, 0, page.words), finding)


def _query(place: Place) -> str:
    return " ".join([place.state["asked"], *place.state["choices"].values()])
