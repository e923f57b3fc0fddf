"""ReadAgent: page the text at natural pauses, keep a gist of each page, look pages up again, answer."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.estimates.arithmetic import NONE, TAG_WORDS, Estimate, EstimateCase, Range, Unread
from readgraph.graphs.wiring import add_nodes, add_path, add_question, add_search, begin_graph, complete_graph
from readgraph.nodes.answering.answer import answer
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import content_room
from readgraph.nodes.building import paging
from readgraph.nodes.building.build import ReadState, ReadUpdate, ReadWrites, read_pages
from readgraph.nodes.building.merge import FEWEST_JOINED, MOST_ROUNDS, largest_page, merge
from readgraph.nodes.building.notes import GIST, gist_page, gist_prompt
from readgraph.nodes.building.parts import in_stretches
from readgraph.nodes.building.recipes import BuiltState, recipe_of_notes
from readgraph.nodes.contracts import AnswerState, AnswerWrites, CiteState, CiteWrites, LookUpState, LookUpWrites, Node
from readgraph.nodes.extractive import extract_note, pages_by_rule
from readgraph.nodes.gist_levels import gists_allowed, older_gist_words
from readgraph.nodes.look_up import look_up, look_up_next_prompt, look_up_pages_prompt
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.purpose import purpose_of
from readgraph.nodes.step import MakeRecipe, StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.records import FEWEST_NOTE_WORDS, Document
from readgraph.state.settings import Gists, Language, PageSizes, Paragraphs, Pausing, Purpose, Rebuilding, Strategy
from readgraph.state.summary_tree import FAN

__all__ = ["build", "graph", "read", "reading", "recipe"]

READING = (PageSizes, Paragraphs, Pausing, Gists, Purpose, Language, Rebuilding)


recipe = recipe_of_notes("read-agent", READING, paging.PAUSE, GIST)
"""The recipe of a ReadAgent memory."""


def reading(recipe: MakeRecipe) -> StepNode[ReadState, ReadUpdate]:
    """ReadAgent's reading with this recipe: the memory of a hybrid may be one of its own, with more parameters."""
    without_model = (pages_by_rule, extract_note)
    return read_pages(
        in_stretches(paging.pages_as_set), gist_page, recipe, without_model=without_model, settings=READING
    )


read = reading(recipe)


@complete_graph
def build(
    *,
    open: Node[OpenState, OpenUpdate] = open_document,
    read: Node[ReadState, ReadWrites] = read,
    merge: Node[BuiltState, Mapping[str, object]] = merge,
    look_up: Node[LookUpState, LookUpWrites] = look_up,
    answer: Node[AnswerState, AnswerWrites] = answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = ReadingState,
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """ReadAgent (figure 1): read once, then look pages up for each question and answer."""
    builder = begin_graph(state, ReadingState, Question, Answered)
    add_nodes(builder, open=open, read=read, merge=merge, look_up=look_up, answer=answer, cite=cite)
    add_path(builder, START, "open", "read", "merge")
    add_question(builder, "merge", "look_up")
    add_search(builder, "look_up", "look_up", loop=("look_up",), most=lambda context: context.max_pages)
    add_path(builder, "answer", "cite", END)
    return builder


graph = build().compile(name="read_agent")


GIST_SHARE = 0.2  # expected words of a gist, as a share of its page's

PAUSE_REPLY, LOOK_UP_REPLY, MERGE_REPLY = 15, 20, 15  # expected words of replies

EXPECTED_PAGES = 2  # pages that are looked up for a question, whatever is allowed: prompts ask for as few as will do


async def estimate_read_agent(case: EstimateCase) -> Estimate:
    """Pauses, gists, merges; a look-up, an answer."""
    reading, seen = await estimate_gist_reading(case)
    if not case.asks:
        return reading
    context = case.context
    gists, opened = seen.gists + case.question, seen.reread_words(context.max_pages, EXPECTED_PAGES)
    before = opened * Range(0, 0.5 if context.strategy == "sequential" else 0, 1)
    look_up = estimate_look_up(gists + before, context, context.strategy)
    asked = look_up + case.answer(gists + opened)
    return reading + asked.beginning_with(seen.gists, look_up.calls.expected)


@dataclass(frozen=True)
class VisibleMemory:
    """What a question can see of a memory: the words of its gists, the number of its pages, and all their words."""

    gists: Range
    pages: Range
    words: int

    @property
    def page_words(self) -> float:
        """Expected words of a page."""
        return self.words / max(self.pages.expected, 1)

    def reread_words(self, most: int, expected: int | None = None) -> Range:
        """The words of the pages that are read again, at most `most` of them, and probably `expected` or that many."""
        number = min(most, self.pages.expected, most if expected is None else expected)
        return Range(0, number * self.page_words, self.words)


async def estimate_gist_reading(case: EstimateCase, *, merges: bool = True) -> tuple[Estimate, VisibleMemory]:
    """What reading the rest will use, pages that `merges` joins too, and what a question will see of the memory."""
    document, reader = case.document, case.reader
    left = await case.unread(recipe(case.reader))
    new = _new_pages(left, case)
    reading = Estimate()
    if reader.model:
        reading = _estimate_gisting(left, new, document, reader)
    if reader.model and merges:
        reading += _estimate_merging(left, new + left.pages, document, reader)
    pages = new + (left.pages + left.notes)
    # No gist is longer than its page, except those of very short pages.
    most = document.words + (FEWEST_NOTE_WORDS + TAG_WORDS) * pages.most
    gists = Range(0, left.note_words + GIST_SHARE * (left.words + left.paged_words), most)
    return reading, VisibleMemory(gists, pages, document.words)


def _new_pages(left: Unread, case: EstimateCase) -> Range:
    """Pages still to be made. Only the last page of a text, of a stretch, or before a kept page may be too small."""
    if not left.words:
        return NONE
    context = case.context
    ends = max(len(case.document.parts), 1) * context.stretches + 1
    # A word that is cut by the end of a page counts for both pages.
    mean = (context.min_page_words + context.max_page_words) / 2
    least = (
        round(paging.FEWEST_SHARE * paging.even_page_words(context))
        if context.paging == "even"
        else context.min_page_words
    )
    most = left.words / max(least - 1, 1) + ends
    fewest = math.ceil(left.words / (context.max_page_words + 1))
    return Range(fewest, max(left.words / mean, 1), math.ceil(most))


def _gist_frame(context: ReaderContext) -> Range:
    return Range.frame(gist_prompt("", context.gist_words, purpose_of(context)).words)


def _estimate_gisting(left: Unread, pages: Range, document: Document, context: ReaderContext) -> Estimate:
    """A pause for each new page, and a gist of each that has none."""
    labels = TAG_WORDS * context.max_page_words
    shown = context.max_page_words * (2 if context.show_previous_page else 1)
    next_paragraph = document.words if context.show_next_paragraph else 0
    pause = Range(0, shown + labels / 40, shown + labels + next_paragraph)
    chosen = NONE if context.paging == "even" else pages.perhaps_none()
    pausing = Estimate.of(chosen, Range.frame(paging.pause_prompt(["", ""]).words) + pause, PAUSE_REPLY)
    page_words = (context.min_page_words + context.max_page_words) / 2
    gist = _gist_frame(context) + Range(0, page_words, context.max_page_words + 1)
    reply = context.gist_words or GIST_SHARE * page_words
    return pausing + Estimate.of(pages + left.pages, gist, reply)


def _estimate_merging(left: Unread, gists: Range, document: Document, context: ReaderContext) -> Estimate:
    """Rounds of merging and gists of gists, if the gists may not fit the window."""
    allowed = gists_allowed(context)
    pages = gists + left.notes
    most = document.words + (FEWEST_NOTE_WORDS + TAG_WORDS) * pages.most
    if (left.complete and left.note_words + TAG_WORDS * left.notes <= allowed) or most <= allowed:
        return Estimate()
    expected = left.note_words + GIST_SHARE * (left.words + left.paged_words)
    merging = gisting = Estimate()
    largest, page_words = largest_page(context), document.words / max(pages.expected, 1)
    wanted = max(FEWEST_JOINED, expected / allowed)  # pages to be joined, if so many make no page that is too long
    merges = expected > allowed and FEWEST_JOINED * page_words <= largest and not document.sessions
    if not document.sessions:
        rounds, room = Range(0, 1 if merges else 0, MOST_ROUNDS), content_room(context)
        shown = Range.frame(paging.merge_prompt("").words) + Range(0, min(expected, room), context.window_words)
        runs = Range(0, math.ceil(expected / max(1, room)), pages.most)
        merging = Estimate.of(rounds * runs, shown, MERGE_REPLY)
        joined = min(wanted, largest / max(1, page_words))
        merged = _gist_frame(context) + Range(0, joined * page_words, max(largest, context.max_page_words) + 1)
        groups = pages * Range(0, 1 / joined if merges else 0, 1 / FEWEST_JOINED)
        gisting = Estimate.of(rounds * groups, merged, min(GIST_SHARE * joined * page_words, allowed / joined))
    older = older_gist_words(context)
    groups = pages * Range(0, 1 / (FAN - 1) if expected > allowed and not merges else 0, 1 / (FAN - 1))
    of_group = _gist_frame(context) + Range(0, FAN * older, context.window_words)
    return merging + gisting + Estimate.of(groups, of_group, older)


def estimate_look_up(shown: Range, context: ReaderContext, strategy: Strategy) -> Estimate:
    """Look-ups for a question; `shown`: the words of the memory and of the question."""
    if strategy == "parallel":
        times = Range(0, min(context.max_pages, 1), min(context.max_pages, 1))
        prompt = look_up_pages_prompt("", "", {}, context.max_pages)
    else:
        times = Range(0, min(context.max_pages, EXPECTED_PAGES + 1), context.max_pages)
        prompt = look_up_next_prompt("", "", {}, [*range(context.max_pages)])
    return Estimate.of(times, Range.frame(prompt.words) + shown, LOOK_UP_REPLY)
