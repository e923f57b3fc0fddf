"""Triage at a node above the leaves: down to a child, or back up (MemWalker, section 3 and appendix A.1)."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from readgraph.library.search.okapi import rank
from readgraph.models.asking import ask
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.reply_types import restrict_reply
from readgraph.nodes.extractive import query_of
from readgraph.nodes.prompts import Reasoned, memory_block, number_parts, question_part
from readgraph.nodes.step import node
from readgraph.nodes.walk.position import (
    Decision,
    WalkingState,
    WalkUpdate,
    fit_working_memory,
    get_reasoning,
    node_texts,
    walk_position,
)
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.settings import Reasoning, Walk, Window

_SYSTEM = (
    "You look for the place in a long text where the answer to a question stands. You know summaries of its parts, "
    "and go down part by part until you can read the text itself. " + DATA_RULE
)

TRIAGE = declare_wording(
    "triage",
    "triage",
    1,
    _SYSTEM,
    "{think}{at_once} one of them is most likely to hold the answer? Give its number.{been}{revert}",
    think="Compare the parts, then decide: which",
    at_once="Which",
    been=" You have been to these already, so they can't be chosen: {visited}.",
    revert=" If none of the others is likely to hold it, say null to go back up.",
)


class ChildOrRevert(BaseModel):
    """Which part to go down to, or to go back up."""

    DECIDES: ClassVar[tuple[str, ...]] = ("part",)

    part: int | None = Field(description="The number of one part; null to go back up.")


class ChildChoice(ChildOrRevert):
    """Which part to go down to."""

    part: int = Field(description="The number of one part.")


class ReasonedChildOrRevert(ChildOrRevert, Reasoned):
    """Which part to go down to, or to go back up, with the reasons first."""


class ReasonedChildChoice(ChildChoice, Reasoned):
    """Which part to go down to, with the reasons first."""


def triage_reply(*, reasoning: bool, may_revert: bool) -> type[ChildOrRevert]:
    """The type of the reply to ask for."""
    if may_revert:
        return ReasonedChildOrRevert if reasoning else ChildOrRevert
    return ReasonedChildChoice if reasoning else ChildChoice


def triage_prompt(
    parts: Sequence[str],
    visited: Sequence[int],
    memory: Sequence[str],
    found: Sequence[str],
    question: str,
    choices: dict[str, str],
    *,
    reasoning: bool = True,
    may_revert: bool = True,
) -> Prompt:
    """Ask for one of the parts that were not visited; but at the root, going back up is offered too.

    `memory` holds the notes of the working memory, `found` what other passages have shown.
    """
    known = [memory_block("background", memory), fenced("memory", number_parts(parts))]
    asked = [memory_block("found", found), question_part(question, choices)]
    values = {"been": visited, "visited": ", ".join(map(str, visited)), "revert": may_revert}
    return TRIAGE.ask(*known, *asked, think=reasoning, at_once=not reasoning, **values)


async def descend_without_model(state: WalkingState, runtime: Runtime[ReaderContext]) -> WalkUpdate:
    """Without a model: go down to the child with the best-ranked segment; back up if no segment shares a word."""
    place = await walk_position(state, runtime)
    if decided := place.forced_decision():
        return place.take_decision(decided)
    offered = place.children_left()
    pages = {page: child for child in offered for page in place.shape.pages(child)}
    texts = await place.memory.texts(pages)
    ranked = await asyncio.to_thread(rank, query_of(state), [*texts.values()])
    if ranked:
        best = [*texts][ranked[0][0]]
        return place.take_decision(Decision("child", f"part {best} shares most words with the question", pages[best]))
    if place.at == place.shape.root:
        return place.take_decision(Decision("child", "no part shares a word with the question", offered[0]))
    return place.take_decision(Decision("revert", "no part shares a word with the question"))


@node(without_model=descend_without_model, settings=(Reasoning, Walk, Window))
async def descend(state: WalkingState, runtime: Runtime[ReaderContext]) -> WalkUpdate:
    """Choose a child that was not visited, or revert; at the root there is no reverting.

    Without an unvisited child, the walk reverts, or ends at the root; the root's last child is chosen without a call.
    Three unusable replies in a row end the walk.
    """
    place = await walk_position(state, runtime)
    if decided := place.forced_decision():
        return place.take_decision(decided)
    context, may_revert = place.context, place.at != place.shape.root
    children, offered = place.shape.children(place.at), place.children_left()
    notes = await node_texts(place, [*children, *place.memory_nodes()])
    below = [notes[child] for child in children if child in notes]
    shown = sum(note.words for note in below)
    memory, memory_words = fit_working_memory(place, notes, shown)
    prompt = triage_prompt(
        [note.text for note in below],
        [number for number, child in enumerate(children) if child not in offered],
        memory,
        place.earlier_findings,
        state["question_text"],
        state["choices"] if context.triage_options else {},
        reasoning=context.reasoning,
        may_revert=may_revert,
    )
    parts = [number for number, child in enumerate(children) if child in offered]

    def complaint(reply: ChildOrRevert) -> str | None:
        return None if reply.part is None or reply.part in parts else f"part must be one of {parts}"

    wanted = restrict_reply(triage_reply(reasoning=context.reasoning, may_revert=may_revert), part=parts)
    try:
        reply = await ask(runtime, prompt, wanted, complaint)
    except NoUsableReply as problem:
        count_fallback("triage")
        return place.take_decision(Decision("unusable", str(problem), None, memory_words, shown))
    to = None if reply.part is None else children[reply.part]
    decision = Decision("child" if to else "revert", get_reasoning(reply), to, memory_words, shown)
    return place.take_decision(decision)
