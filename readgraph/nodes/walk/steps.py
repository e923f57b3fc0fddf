"""The steps of a walk: down or back up, at a leaf, and the answer (MemWalker, section 3 and appendix A.1)."""

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, Field, create_model, model_validator

from readgraph.library.page_store import page_store
from readgraph.library.search.okapi import rank
from readgraph.models.asking import ask_reply
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import restrict_reply
from readgraph.nodes.answering.answer import answer_from, quote_view, view_pages
from readgraph.nodes.answering.in_view import (
    STYLE,
    AnswerStyle,
    answer_style,
    format_finding,
    instead_of_reply,
    letter_of,
    weigh_findings,
    with_pictures,
    write_answer,
)
from readgraph.nodes.beside import ShownPart, settings_beside, show_beside
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate, ReaderRuntime
from readgraph.nodes.extractive import query_of
from readgraph.nodes.extractive.quoting import quote_pages
from readgraph.nodes.memory import load_memory, tag_texts
from readgraph.nodes.prompts import memory_block, number_parts, question_part, require_reasons
from readgraph.nodes.step import node
from readgraph.nodes.walk.position import (
    LONGEST_REASONING,
    Decision,
    LeafUpdate,
    WalkingState,
    WalkPosition,
    WalkUpdate,
)
from readgraph.state.apart import compute
from readgraph.state.errors import NoUsableReply
from readgraph.state.reading import Finding, Quote
from readgraph.state.records import Page
from readgraph.state.settings import Language, Purpose, Reasoning, Tree, Walk, Window
from readgraph.state.summary_tree import node_id
from readgraph.state.words import count_words, first_words, format_count

TRIAGE = declare_wording(
    "triage",
    "You look for the place in a long text where the answer to a question stands. You know summaries of its parts, "
    "and go down part by part until you can read the text itself. " + DATA_RULE,
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

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """Down to one of those that are left; for the most, to the first."""
        return {"part": reply.one_of(reply.offered("part"))}


class ChildChoice(ChildOrRevert):
    """Which part to go down to."""

    part: int = Field(description="The number of one part.")


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
    """Ask for an unvisited part, or to go back up; `memory`: working memory, `found`: of other passages."""
    known = [memory_block("background", memory), fenced("memory", number_parts(parts))]
    asked = [memory_block("found", found), question_part(question, choices)]
    values = {"been": visited, "visited": ", ".join(map(str, visited)), "revert": may_revert}
    return TRIAGE.ask(*known, *asked, think=reasoning, at_once=not reasoning, **values)


async def descend_without_model(state: WalkingState, runtime: ReaderRuntime) -> WalkUpdate:
    """Without a model: go down to the child with the best-ranked segment; back up if no segment shares a word."""
    place = await WalkPosition.open(state, runtime)
    if decided := place.forced_decision():
        return place.take_decision(decided)
    offered = place.children_left()
    pages = {page: child for child in offered for page in place.shape.pages(child)}
    texts = await place.memory.texts(pages)
    ranked = await compute(rank, query_of(state), [*texts.values()])
    if ranked:
        best = [*texts][ranked[0][0]]
        return place.take_decision(Decision("child", f"part {best} shares most words with the question", pages[best]))
    if place.at == place.shape.root:
        return place.take_decision(Decision("child", "no part shares a word with the question", offered[0]))
    return place.take_decision(Decision("revert", "no part shares a word with the question"))


@node(without_model=descend_without_model, settings=(Reasoning, Walk, Tree, Purpose, Language, Window))
async def descend(state: WalkingState, runtime: ReaderRuntime) -> WalkUpdate:
    """Choose a child that was not visited, or revert; without a choice nobody is asked, and unusable replies end it."""
    place = await WalkPosition.open(state, runtime)
    if decided := place.forced_decision():
        return place.take_decision(decided)
    context, may_revert = place.context, place.at != place.shape.root
    children, offered = place.shape.children(place.at), place.children_left()
    notes = await place.notes([*children, *place.memory_nodes()])
    below = [notes.get(child) for child in children]  # a note that is corrected meanwhile drops the one above it
    shown = sum(note.words for note in below if note)
    memory, memory_words = await place.fit_working_memory(notes, shown)
    prompt = triage_prompt(
        [note.text if note else "" for note in below],
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

    verdict = ChildOrRevert if may_revert else ChildChoice
    wanted = restrict_reply(require_reasons(verdict) if context.reasoning else verdict, part=parts)
    try:
        reply = await ask_reply(runtime, prompt, wanted, complaint)
    except NoUsableReply as problem:
        count_fallback("triage")
        return place.take_decision(Decision("unusable", str(problem), None, memory_words, shown))
    to = None if reply.part is None else children[reply.part]
    decision = Decision("child" if to else "revert", getattr(reply, "reasoning", ""), to, memory_words, shown)
    return place.take_decision(decision)


LEAF = declare_wording(
    "leaf",
    "You look for the answer to a question in a long text and have come to one passage of it. What you know of the "
    "text around it is background; what counts is what stands in the passage. " + DATA_RULE,
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

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """Four in five leaves answer; for the most, each keeps something, or goes back where it can't."""
        goes_on = "keep" if "keep" in reply.offered("action") else "revert"
        action = goes_on if reply.longest else "revert" if reply.chance % 5 == 0 else "answer"
        shown: dict[str, Any] = {"found": None, "quotes": []} if action == "revert" else {"quotes": reply.quotes(1)}
        return {"action": action, **shown}


class LeafChoice(LeafVerdict):
    """What the passage shows, and what to do now, where the answer is an option."""

    choice: str | None = Field(description="The letter of the best option for answer; else null.")


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


MOST_QUOTES, LONGEST_ANSWER = 3, 500  # most quotes of a leaf, and most words of an answer that may be long


async def read_leaf_without_model(state: WalkingState, runtime: ReaderRuntime) -> LeafUpdate:
    """Without a model: answer with the passages of the segment that best match the question, else revert."""
    place = await WalkPosition.open(state, runtime)
    page, text = await place.segment()
    quoted = await quote_pages({page.number: text}, place.memory.document, state, runtime)
    if not quoted.quotes:
        decision = Decision("revert", "it shares no word with the question", shown_words=page.words)
        return place.take_leaf_decision(decision)
    finding: Finding = {
        "page": page.number,
        "answers": True,
        "text": quoted.answer or "",
        "choice": quoted.choice,
        "quotes": quoted.quotes,
        "by_rule": quoted.nearest,
    }
    return place.take_leaf_decision(Decision("answer", quoted.summary, None, 0, page.words), finding)


@node(
    without_model=read_leaf_without_model, settings=(*STYLE, *settings_beside(), Reasoning, Walk, Tree, Purpose, Window)
)
async def read_leaf(state: WalkingState, runtime: ReaderRuntime) -> LeafUpdate:
    """Read a segment and answer, keep what it shows and go on, or revert. Three unusable replies end the walk."""
    place = await WalkPosition.open(state, runtime)
    (page, segment), notes = await asyncio.gather(place.segment(), place.notes(place.memory_nodes()))
    memory, memory_words = await place.fit_working_memory(notes, page.words)
    context, choices, style = place.context, state["choices"], answer_style(state, runtime)
    how = {"reasoning": context.reasoning, "keeping": context.keep_findings}
    prompt = leaf_prompt(segment, memory, place.earlier_findings, state["question_text"], choices, **how)
    shown = ShownPart(page.number, page.start, page.end)
    prompt = await show_beside(prompt, place.memory.document, [shown], runtime)
    asked = LeafChoice if choices else LeafVerdict
    reasoned: type[LeafVerdict] = require_reasons(asked) if context.reasoning else asked
    verdict = reasoned if context.keep_findings else _without_keeping(reasoned)
    reply_type = restrict_reply(verdict, choice=choices) if choices else style.reply(verdict)

    try:
        reply = await ask_reply(
            runtime, prompt.adding(style.line), reply_type, lambda reply: _complaint(reply, choices)
        )
    except NoUsableReply as problem:
        count_fallback("leaf")
        return place.take_leaf_decision(Decision("unusable", str(problem), None, memory_words, page.words))
    decision = Decision(reply.action, getattr(reply, "reasoning", ""), None, memory_words, page.words)
    return place.take_leaf_decision(decision, _make_leaf_finding(reply, page, place, style))


def _complaint(reply: LeafVerdict, choices: dict[str, str]) -> str | None:
    if reply.action == "answer" and isinstance(reply, LeafChoice):
        return None if letter_of(reply.choice or "") in choices else f"choice must be one of {', '.join(choices)}"
    if reply.action != "revert" and not (reply.found or "").strip():
        return f"for {reply.action}, say in 'found' what it is"
    return None


def _make_leaf_finding(reply: LeafVerdict, page: Page, place: WalkPosition, style: AnswerStyle) -> Finding | None:
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
        "quotes": with_pictures(
            Quote(page=page.number, quote=first_words(quote, LONGEST_REASONING)) for quote in reply.quotes[:MOST_QUOTES]
        ),
    }


@node(settings=(*STYLE, Walk))
async def answer(state: WalkingState, runtime: ReaderRuntime) -> AnswerUpdate:
    """A single answer is taken as the leaf gave it; several findings are weighed in one call, if they are kept.

    Where they can't be weighed the first answer is taken, from the root's best child, or the first by the model.
    """
    findings = state["findings"]
    document = await page_store(runtime).document(state["document"])
    every = [finding for finding in findings if finding["answers"]]
    answers = [finding for finding in every if not finding.get("by_rule")] or every  # the model's own come first
    unusable = any(not hop["valid"] for hop in state["hops"][-1:])
    gave_up = not answers and (unusable or (state["status"] == "budget" and not findings))
    first = _draft_from_leaf(answers[0] if answers else None, state)
    first = first._replace(nearest=first.nearest or gave_up)
    if not findings or gave_up or (answers and (len(findings) == 1 or not runtime.context.keep_findings)):
        return await write_answer(first, document, state, runtime)
    shown = tag_texts((finding["page"], format_finding(finding)) for finding in findings)
    weighed = await weigh_findings(findings, shown, state, runtime, count_words(shown))
    return await write_answer(weighed or instead_of_reply(first, runtime, "weigh"), document, state, runtime)


def _draft_from_leaf(finding: Finding | None, state: WalkingState) -> AnswerDraft:
    """One leaf's answer, or none; its context was the working memory and the segment."""
    if finding is None:
        return AnswerDraft(None, None, [], summary=f"no answer after {format_count(len(state['hops']), 'hop')}")
    leaf = node_id(0, finding["page"])
    words = [hop["memory_words"] + hop["shown_words"] for hop in state["hops"] if hop["node"] == leaf]
    did = f"took the answer of part {finding['page']}"
    nearest, seen = finding.get("by_rule", False), words[-1] if words else None
    return AnswerDraft(finding["text"], finding["choice"], finding["quotes"], seen, did, nearest=nearest)


async def answer_over_leaves_without_model(state: WalkingState, runtime: ReaderRuntime) -> AnswerUpdate:
    """Without a model the leaves are quoted: all of them, since no window has to hold them."""
    view = await view_pages(state["pages_read"], state, runtime)
    return await write_answer(await quote_view(view, state, runtime), view.document, state, runtime)


@node(without_model=answer_over_leaves_without_model, settings=(*STYLE, *settings_beside(), Window))
async def answer_over_leaves(state: WalkingState, runtime: ReaderRuntime) -> AnswerUpdate:
    """Answer from all notes, with the leaves in full that fit the window, first those that had something to say."""
    first = [finding["page"] for finding in state["findings"]]
    view = await (await load_memory(runtime, state)).view([])
    room = content_room(runtime.context, state["question_text"], state["choices"])
    leaves = view.pages_that_fit(dict.fromkeys([*first, *state["pages_read"]]), room)
    view = await view_pages(leaves, state, runtime)
    return await write_answer(await answer_from(view, state, runtime), view.document, state, runtime)
