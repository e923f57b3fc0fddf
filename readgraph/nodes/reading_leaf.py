"""A leaf of the walk: read the segment, then answer, keep what it shows, or revert (MemWalker, section 3)."""

import asyncio

from langgraph.runtime import Runtime

from readgraph.nodes import extractive_walk
from readgraph.nodes.answering import letter_of
from readgraph.nodes.asking import ask
from readgraph.nodes.metering import fell_back
from readgraph.nodes.prompts.leaf import LeafChoice, LeafVerdict, leaf_prompt, leaf_reply
from readgraph.nodes.prompts.offered import offering
from readgraph.nodes.step import step_with
from readgraph.nodes.walking import (
    LONGEST_REASONING,
    Decision,
    LeafUpdate,
    Place,
    WalkingState,
    node_texts,
    place_of,
    reasoning_of,
    segment_at,
    working_memory,
)
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.reading import Quote
from readgraph.state.records import Page
from readgraph.state.walk import Finding
from readgraph.state.words import first_words

MOST_QUOTES = 3


@step_with(without_model=extractive_walk.read_leaf)
async def read_leaf(state: WalkingState, runtime: Runtime[ReaderContext]) -> LeafUpdate:
    """Read a segment and answer, keep what it shows and go on, or revert. Three unusable replies end the walk."""
    place = await place_of(state, runtime)
    (page, segment), notes = await asyncio.gather(
        segment_at(place, runtime), node_texts(runtime, place.memory.id, place.carried())
    )
    memory, memory_words = working_memory(place, notes, page.words)
    context, choices = place.context, state["choices"]
    prompt = leaf_prompt(segment, memory, place.found, state["asked"], choices, reasoning=context.reasoning)
    verdict = leaf_reply(reasoning=context.reasoning, choices=bool(choices))
    reply_type = offering(verdict, choice=choices) if choices else verdict
    try:
        reply = await ask(runtime, prompt, reply_type, lambda reply: _complaint(reply, choices))
    except NoUsableReply as problem:
        fell_back("leaf")
        return place.after_leaf(Decision("unusable", str(problem), None, memory_words, page.words), None)
    decision = Decision(reply.action, reasoning_of(reply), None, memory_words, page.words)
    return place.after_leaf(decision, _finding(reply, page, place))


def _complaint(reply: LeafVerdict, choices: dict[str, str]) -> str | None:
    if reply.action == "answer" and isinstance(reply, LeafChoice):
        return None if letter_of(reply.choice or "") in choices else f"choice must be one of {', '.join(choices)}"
    if reply.action != "revert" and not (reply.found or "").strip():
        return f"for {reply.action}, say in 'found' what it is"
    return None


def _finding(reply: LeafVerdict, page: Page, place: Place) -> Finding | None:
    """What the leaf had to say; nothing where it reverted."""
    if reply.action == "revert":
        return None
    answers, choices = reply.action == "answer", place.state["choices"]
    letter = letter_of(reply.choice or "") if answers and isinstance(reply, LeafChoice) else None
    return {
        "page": page.number,
        "answers": answers,
        "found": choices[letter] if letter else first_words((reply.found or "").strip(), LONGEST_REASONING),
        "choice": letter,
        "quotes": [
            Quote(page=page.number, quote=first_words(quote, LONGEST_REASONING)) for quote in reply.quotes[:MOST_QUOTES]
        ],
    }
