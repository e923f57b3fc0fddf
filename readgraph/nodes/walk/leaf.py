"""A leaf of the walk: read the segment, then answer, keep what it shows, or revert (MemWalker, section 3)."""

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Literal

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field, create_model, model_validator

from readgraph.models.asking import ask
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.reply_types import restrict_reply
from readgraph.nodes.answering.ask import STYLE, AnswerStyle, answer_style, letter_of
from readgraph.nodes.extractive import quote_pages
from readgraph.nodes.prompts import Reasoned, memory_block, question_part
from readgraph.nodes.step import node
from readgraph.nodes.walk.position import (
    LONGEST_REASONING,
    Decision,
    LeafUpdate,
    WalkingState,
    WalkPosition,
    fit_working_memory,
    get_reasoning,
    node_texts,
    segment_at,
    walk_position,
)
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.reading import Finding, Quote
from readgraph.state.records import Page
from readgraph.state.settings import Reasoning, Walk, Window
from readgraph.state.words import first_words

_SYSTEM = (
    "You look for the answer to a question in a long text and have come to one passage of it. What you know of the "
    "text around it is background; what counts is what stands in the passage. " + DATA_RULE
)

LEAF = declare_wording(
    "leaf",
    "leaf",
    1,
    _SYSTEM,
    "{think}{at_once}. answer: the passage{before} answers the question. {keep}revert: the answer can't be told from "
    "it.",
    think="Think about what the passage says, then decide",
    at_once="Decide",
    before=", with what was found before,",
    keep="keep: it shows something that the answer needs, but more is needed from other passages. ",
)


class LeafVerdict(BaseModel):
    """What the passage shows, and what to do now."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice", "found")

    quotes: list[str] = Field(description="One to three quotes from the passage, word by word; empty for revert.")
    action: Literal["answer", "keep", "revert"] = Field(description="answer, keep or revert.")
    found: str | None = Field(description="The answer, short and concise; or what to keep; null for revert.")

    @model_validator(mode="before")
    @classmethod
    def _with_action(cls, value: Any) -> Any:
        """Who says an answer and not what to do with it means it."""
        if not isinstance(value, dict) or "action" in value:
            return value
        said = value.get("choice") or value.get("found")
        return {**value, "action": "answer" if said else "revert", "found": value.get("found") or said}


class LeafChoice(LeafVerdict):
    """What the passage shows, and what to do now, where the answer is an option."""

    choice: str | None = Field(description="The letter of the best option for answer; else null.")


class ReasonedLeafVerdict(LeafVerdict, Reasoned):
    """What the passage shows, and what to do now, with the reasons first."""


class ReasonedLeafChoice(LeafChoice, Reasoned):
    """What the passage shows, and what to do now, where the answer is an option, with the reasons first."""


def leaf_reply(*, reasoning: bool, choices: bool, keeping: bool = True) -> type[LeafVerdict]:
    """The type of the reply to ask for; `keeping`: a part of an answer may be kept."""
    if choices:
        reply: type[LeafVerdict] = ReasonedLeafChoice if reasoning else LeafChoice
    else:
        reply = ReasonedLeafVerdict if reasoning else LeafVerdict
    return reply if keeping else _without_keeping(reply)


@cache
def _without_keeping(reply: type[LeafVerdict]) -> type[LeafVerdict]:
    fields: dict[str, Any] = {
        "action": (Literal["answer", "revert"], Field(description="answer or revert.")),
        "found": (str | None, Field(description="The answer, short and concise; null for revert.")),
    }
    return create_model(reply.__name__, __base__=reply, __doc__=reply.__doc__, **fields)


def leaf_prompt(
    segment: str,
    memory: Sequence[str],
    found: Sequence[str],
    question: str,
    choices: dict[str, str],
    *,
    reasoning: bool = True,
    keeping: bool = True,
) -> Prompt:
    """Ask whether the segment answers the question; `memory` and `found` as in triage, `keeping` as in the reply."""
    known = [memory_block("background", memory), fenced("passage", segment)]
    asked = [memory_block("found", found), question_part(question, choices)]
    return LEAF.ask(*known, *asked, think=reasoning, at_once=not reasoning, before=keeping, keep=keeping)


MOST_QUOTES = 3

LONGEST_ANSWER = 500
"""Most words of an answer that may be long."""


async def read_leaf_without_model(state: WalkingState, runtime: Runtime[ReaderContext]) -> LeafUpdate:
    """Without a model: answer with the passages of the segment that best match the question, else revert."""
    place = await walk_position(state, runtime)
    page, text = await segment_at(place)
    quoted = await quote_pages({page.number: text}, place.memory.document, state, runtime)
    if not quoted.quotes:
        return place.take_leaf_decision(
            Decision("revert", "it shares no word with the question", None, 0, page.words), None
        )
    finding: Finding = {
        "page": page.number,
        "answers": True,
        "text": quoted.answer or "",
        "choice": quoted.choice,
        "quotes": quoted.quotes,
        "by_rule": quoted.nearest,
    }
    return place.take_leaf_decision(Decision("answer", quoted.summary, None, 0, page.words), finding)


@node(without_model=read_leaf_without_model, settings=(*STYLE, Reasoning, Walk, Window))
async def read_leaf(state: WalkingState, runtime: Runtime[ReaderContext]) -> LeafUpdate:
    """Read a segment and answer, keep what it shows and go on, or revert. Three unusable replies end the walk."""
    place = await walk_position(state, runtime)
    (page, segment), notes = await asyncio.gather(segment_at(place), node_texts(place, place.memory_nodes()))
    memory, memory_words = fit_working_memory(place, notes, page.words)
    context, choices, style = place.context, state["choices"], answer_style(state, runtime)
    how = {"reasoning": context.reasoning, "keeping": context.keep_findings}
    prompt = leaf_prompt(segment, memory, place.earlier_findings, state["question_text"], choices, **how)
    verdict = leaf_reply(choices=bool(choices), **how)
    reply_type = restrict_reply(verdict, choice=choices) if choices else style.reply(verdict)

    try:
        reply = await ask(runtime, prompt.adding(style.line), reply_type, lambda reply: _complaint(reply, choices))
    except NoUsableReply as problem:
        count_fallback("leaf")
        return place.take_leaf_decision(Decision("unusable", str(problem), None, memory_words, page.words), None)
    decision = Decision(reply.action, get_reasoning(reply), None, memory_words, page.words)
    return place.take_leaf_decision(decision, _make_leaf_finding(reply, page, place, style))


def _complaint(reply: LeafVerdict, choices: dict[str, str]) -> str | None:
    if reply.action == "answer" and isinstance(reply, LeafChoice):
        return None if letter_of(reply.choice or "") in choices else f"choice must be one of {', '.join(choices)}"
    if reply.action != "revert" and not (reply.found or "").strip():
        return f"for {reply.action}, say in 'found' what it is"
    return None


def _make_leaf_finding(reply: LeafVerdict, page: Page, place: WalkPosition, style: AnswerStyle) -> Finding | None:
    """The leaf's finding; None if the walk reverted."""
    if reply.action == "revert":
        return None
    answers, choices = reply.action == "answer", place.state["choices"]
    longest = LONGEST_ANSWER if answers and style.long else LONGEST_REASONING
    letter = letter_of(reply.choice or "") if answers and isinstance(reply, LeafChoice) else None
    return {
        "page": page.number,
        "answers": answers,
        "text": choices[letter] if letter else first_words((reply.found or "").strip(), longest),
        "choice": letter,
        "quotes": [
            Quote(page=page.number, quote=first_words(quote, LONGEST_REASONING)) for quote in reply.quotes[:MOST_QUOTES]
        ],
    }
