"""Triage at a node above the leaves: down to a child, or back up (MemWalker, section 3)."""

from langgraph.runtime import Runtime

from readgraph.nodes import extractive_walk
from readgraph.nodes.asking import ask
from readgraph.nodes.metering import fell_back
from readgraph.nodes.prompts.offered import offering
from readgraph.nodes.prompts.triage import ChildOrRevert, triage_prompt, triage_reply
from readgraph.nodes.step import step_with
from readgraph.nodes.walking import (
    Decision,
    Place,
    WalkingState,
    WalkUpdate,
    node_texts,
    place_of,
    reasoning_of,
    working_memory,
)
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply


@step_with(without_model=extractive_walk.descend)
async def descend(state: WalkingState, runtime: Runtime[ReaderContext]) -> WalkUpdate:
    """Choose a child that was not visited, or revert; at the root there is no reverting.

    A node with no child left reverts by itself, and at the root the walk ends there; the root's last child is taken
    without a call. Three unusable replies in a row end the walk.
    """
    place = await place_of(state, runtime)
    if decided := place.settled():
        return place.after(decided)
    return place.after(await _triage(place, runtime))


async def _triage(place: Place, runtime: Runtime[ReaderContext]) -> Decision:
    context, state, may_revert = place.context, place.state, place.at != place.shape.root
    children, offered = place.shape.children(place.at), place.offered()
    notes = await node_texts(runtime, place.memory.id, [*children, *place.carried()])
    below = [notes[child] for child in children if child in notes]
    shown = sum(note.words for note in below)
    memory, memory_words = working_memory(place, notes, shown)
    prompt = triage_prompt(
        [note.text for note in below],
        [number for number, child in enumerate(children) if child not in offered],
        memory,
        place.found,
        state["asked"],
        state["choices"],
        reasoning=context.reasoning,
        may_revert=may_revert,
    )
    parts = [number for number, child in enumerate(children) if child in offered]

    def complaint(reply: ChildOrRevert) -> str | None:
        return None if reply.part is None or reply.part in parts else f"part must be one of {parts}"

    wanted = offering(triage_reply(reasoning=context.reasoning, may_revert=may_revert), part=parts)
    try:
        reply = await ask(runtime, prompt, wanted, complaint)
    except NoUsableReply as problem:
        fell_back("triage")
        return Decision("unusable", str(problem), None, memory_words, shown)
    if reply.part is None:
        return Decision("revert", reasoning_of(reply), None, memory_words, shown)
    return Decision("child", reasoning_of(reply), children[reply.part], memory_words, shown)
