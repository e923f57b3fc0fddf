"""A leaf of the walk: read the segment, then answer, keep what it shows, or revert (MemWalker, section 3)."""

import asyncio

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.replies.offered_values import offering
from readgraph.nodes.answering.said import letter_of
from readgraph.nodes.answering.style import STYLE, AnswerStyle, answer_style
from readgraph.nodes.deciding import Choice, deciding
from readgraph.nodes.extractive import quote_pages
from readgraph.nodes.prompts.walk.leaf import LeafChoice, LeafVerdict, leaf_prompt, leaf_reply
from readgraph.nodes.walk.place import (
    LONGEST_REASONING,
    Decision,
    LeafUpdate,
    WalkingState,
    WalkPosition,
    node_texts,
    reasoning_of,
    segment_at,
    walk_position,
    working_memory,
)
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.reading import Finding, Quote
from readgraph.state.records import Page
from readgraph.state.settings import Reasoning, Walk, Window
from readgraph.state.words import first_words

MOST_QUOTES = 3

LONGEST_ANSWER = 500
"""Most words of an answer that may be long."""


async def read_leaf_without_model(state: WalkingState, runtime: Runtime[ReaderContext]) -> LeafUpdate:
    """Without a model: answer with the passages of the segment that best match the question, else revert."""
    place = await walk_position(state, runtime)
    page, text = await segment_at(place, runtime)
    quoted = await quote_pages({page.number: text}, place.document, state, runtime)
    if not quoted.quotes:
        return place.after_leaf(Decision("revert", "it shares no word with the question", None, 0, page.words), None)
    finding: Finding = {
        "page": page.number,
        "answers": True,
        "text": quoted.answer or "",
        "choice": quoted.choice,
        "quotes": quoted.quotes,
        "by_rule": quoted.nearest,
    }
    return place.after_leaf(Decision("answer", quoted.summary, None, 0, page.words), finding)


@deciding(read_leaf_without_model, settings=(*STYLE, Reasoning, Walk, Window))
async def read_leaf(state: WalkingState, runtime: Runtime[ReaderContext]) -> LeafUpdate | Choice[LeafUpdate]:
    """Read a segment and answer, keep what it shows and go on, or revert. Three unusable replies end the walk."""
    place = await walk_position(state, runtime)
    (page, segment), notes = await asyncio.gather(
        segment_at(place, runtime), node_texts(runtime, place, place.carried())
    )
    memory, memory_words = working_memory(place, notes, page.words)
    context, choices, style = place.context, state["choices"], answer_style(state, runtime)
    how = {"reasoning": context.reasoning, "keeping": context.keep_findings}
    prompt = leaf_prompt(segment, memory, place.found, state["question_text"], choices, **how)
    verdict = leaf_reply(choices=bool(choices), **how)
    reply_type = offering(verdict, choice=choices) if choices else style.reply(verdict)

    async def judge() -> LeafUpdate:
        reply = await ask(runtime, prompt.adding(style.line), reply_type, lambda reply: _complaint(reply, choices))
        decision = Decision(reply.action, reasoning_of(reply), None, memory_words, page.words)
        return place.after_leaf(decision, _finding(reply, page, place, style))

    async def end(problem: NoUsableReply) -> LeafUpdate:
        return place.after_leaf(Decision("unusable", str(problem), None, memory_words, page.words), None)

    return Choice(judge, end, "leaf")


def _complaint(reply: LeafVerdict, choices: dict[str, str]) -> str | None:
    if reply.action == "answer" and isinstance(reply, LeafChoice):
        return None if letter_of(reply.choice or "") in choices else f"choice must be one of {', '.join(choices)}"
    if reply.action != "revert" and not (reply.found or "").strip():
        return f"for {reply.action}, say in 'found' what it is"
    return None


def _finding(reply: LeafVerdict, page: Page, place: WalkPosition, style: AnswerStyle) -> Finding | None:
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
