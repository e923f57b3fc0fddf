"""GAM: a memorizer keeps a light memory of a growing history; a researcher searches its pages for each question."""

import math
from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict, Unpack

from readgraph.graphs.estimates.arithmetic import ANSWER_LINE, NONE, PERHAPS, TAG_WORDS, Estimate, EstimateCase, Range
from readgraph.graphs.wiring import add_nodes, add_path, add_question, add_search, begin_graph, complete_graph
from readgraph.graphs.wiring.method_graph import Builder
from readgraph.nodes import opening as opening_types
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.answering.prompts import answer_from_notes_prompt
from readgraph.nodes.building.build import ReadState, ReadWrites, read_with
from readgraph.nodes.building.notes import MEMORIZE, extractive_parts, memorize_prompt, memorizer_parts, needs_two_calls
from readgraph.nodes.building.paging import FEWEST_SHARE
from readgraph.nodes.building.recipes import recipe_of_notes
from readgraph.nodes.contracts import CiteState, CiteWrites, Node
from readgraph.nodes.opening import make_find_memory, open_document, open_for_research
from readgraph.nodes.purpose import purpose_of
from readgraph.nodes.research import plan as plan_types
from readgraph.nodes.research import reflect as reflect_types
from readgraph.nodes.research.integrate import (
    EVIDENCE_SHARE,
    LONGEST_NOTES,
    FoundState,
    FoundUpdate,
    IntegrateState,
    IntegrateUpdate,
    answer_from_notes,
    integrate,
    integrate_prompt,
)
from readgraph.nodes.research.plan import MEMORY_SHARE, QUERY_WORDS, plan, plan_prompt, search
from readgraph.nodes.research.reflect import MOST_REQUESTS, REQUEST_WORDS, reflect, reflect_prompt
from readgraph.state.channels import ResearchOutput, ResearchState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.settings import Language, Memorizing, Paragraphs, Purpose, ReadingModel, Rebuilding

__all__ = [
    "build",
    "build_memorize",
    "build_research",
    "graph",
    "memorize",
    "memorize_graph",
    "recipe",
    "research_graph",
]

Research = StateGraph[ResearchState, ReaderContext, Question, ResearchOutput]

ROUND = ("plan", "search", "integrate", "reflect")  # the nodes of one round of research


class Rounds(TypedDict, total=False):
    """The nodes of the researcher that can be swapped in a `build`; by default they are GAM's own."""

    plan: Node[plan_types.PlanState, plan_types.PlanUpdate]
    search: Node[plan_types.SearchState, plan_types.SearchUpdate]
    integrate: Node[IntegrateState, IntegrateUpdate]
    reflect: Node[reflect_types.ReflectState, reflect_types.ReflectUpdate]
    answer: Node[FoundState, FoundUpdate]
    cite: Node[CiteState, CiteWrites]


MEMORIZING = (Language, Purpose, Memorizing, Paragraphs)


recipe = recipe_of_notes(
    "gam", MEMORIZING, MEMORIZE, more=lambda context: {"two_calls": needs_two_calls(context)} if context.model else {}
)
"""The recipe of a GAM memory."""

memorize = read_with(memorizer_parts, recipe, without_model=extractive_parts, settings=(*MEMORIZING, Rebuilding))
find_memory = make_find_memory(recipe, settings=(*MEMORIZING, ReadingModel))


@complete_graph
def build_memorize(
    *,
    open: Node[opening_types.OpenState, opening_types.OpenUpdate] = open_document,
    memorize: Node[ReadState, ReadWrites] = memorize,
    state: type[Any] = ReadingState,
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """The offline stage (figure 1): make pages, memos and headers for what is new in a document or a history."""
    builder = begin_graph(state, ReadingState, Question, Answered)
    add_nodes(builder, open=open, memorize=memorize)
    add_path(builder, START, "open", "memorize", END)
    return builder


@complete_graph
def build_research(
    *,
    open: Node[opening_types.OpenState, opening_types.OpenUpdate] = open_for_research,
    find_memory: Node[opening_types.FindState, opening_types.FindUpdate] = find_memory,
    state: type[Any] = ResearchState,
    **rounds: Unpack[Rounds],
) -> Research:
    """The online stage (figure 1), over an existing memory."""
    builder = begin_graph(state, ResearchState, Question, ResearchOutput)
    add_nodes(builder, open=open, find_memory=find_memory)
    add_path(builder, START, "open", "find_memory")
    add_question(builder, "find_memory", "plan")
    add_rounds(builder, **rounds)
    return builder


@complete_graph
def build(
    *,
    open: Node[opening_types.OpenState, opening_types.OpenUpdate] = open_for_research,
    memorize: Node[ReadState, ReadWrites] = memorize,
    state: type[Any] = ResearchState,
    **rounds: Unpack[Rounds],
) -> Research:
    """GAM (figure 1): memorise what is new, then research each question."""
    builder = begin_graph(state, ResearchState, Question, ResearchOutput)
    add_nodes(builder, open=open, memorize=memorize)
    add_path(builder, START, "open", "memorize")
    add_question(builder, "memorize", "plan")
    add_rounds(builder, **rounds)
    return builder


def add_rounds(
    builder: Builder,
    *,
    plan: Node[plan_types.PlanState, plan_types.PlanUpdate] = plan,
    search: Node[plan_types.SearchState, plan_types.SearchUpdate] = search,
    integrate: Node[IntegrateState, IntegrateUpdate] = integrate,
    reflect: Node[reflect_types.ReflectState, reflect_types.ReflectUpdate] = reflect,
    answer: Node[FoundState, FoundUpdate] = answer_from_notes,
    cite: Node[CiteState, CiteWrites] = cite,
) -> None:
    """The researcher (section 2.2.2): plan, search, integrate and reflect, round by round, then answer."""
    add_nodes(builder, plan=plan, search=search, integrate=integrate, reflect=reflect, answer=answer, cite=cite)
    add_search(builder, "plan", "search")
    add_path(builder, "search", "integrate", "reflect")
    add_search(builder, "reflect", "plan", loop=ROUND, most=lambda context: context.rounds)
    add_path(builder, "answer", "cite", END)


memorize_graph = build_memorize().compile(name="gam_memorize")
research_graph = build_research().compile(name="gam_research")
graph = build().compile(name="gam")


MEMO_WORDS, HEADER_WORDS, NOTES_WORDS = 80, 25, 120
PLAN_REPLY, VERDICT_REPLY, REQUEST, REASONS = 60, 4, 12, 30
"""Expected words of a plan, of a verdict that notes are enough, of a request for more, and of reasons before either."""

EXPECTED_ROUNDS, EXPECTED_VERDICTS = 1.5, 1.3
"""Rounds of research, and verdicts on their notes: the last of the allowed rounds has none."""

NOTES = Range(0, NOTES_WORDS / 2, LONGEST_NOTES)  # words of the notes in a prompt

NOT_ENOUGH = 1 / 3  # how often a verdict says that something is missing

DISTINCT = 1.4  # different pages that the tools of a round find together, by how many each may find

PLACE_WORDS = 60
WORDING = 60  # words of a prompt's optional parts


async def estimate_gam(case: EstimateCase) -> Estimate:
    """A memo and header for each page, then rounds of research."""
    left, size = await case.unread(recipe(case.reader)), case.context.memo_page_words
    new, memorizing = Range.of(left.pages), Estimate()
    if left.words:  # each session is cut evenly, and no page is smaller than its share of the page size
        sessions = case.document.sessions
        borders = sessions + max(len(case.document.parts), 1)
        most = left.words / max(1, round(FEWEST_SHARE * size)) + 2 * borders
        new += Range(math.ceil(left.words / (size + 1)), max(left.words / size, sessions or 1, 1), math.ceil(most))
    if (reader := case.reader).model:
        # Recent memos, and older ones that are related to the page.
        memory = min(reader.memory_words, MEMO_WORDS * (left.notes + new.expected) / 2)
        shown = Range(0, memory + size, 3 * reader.memory_words + size + 1)
        prompt = Range.frame(memorize_prompt("", "", "", purpose_of(reader)).words) + shown
        calls = 2 if needs_two_calls(reader) else 1
        prompt += Range(-WORDING, 5, PLACE_WORDS + WORDING)
        memorizing = Estimate.of(new * calls, prompt, (MEMO_WORDS + HEADER_WORDS) / calls)
    if not case.asks:
        return memorizing
    pages = new + left.notes
    return memorizing + estimate_research(pages, case.document.words / max(pages.expected, 1), case)


def estimate_research(pages: Range, page_words: float, case: EstimateCase, *, begun: bool = False) -> Estimate:
    """At most `rounds` rounds of plan, notes and verdict (no verdict in the last round), and then an answer.

    `page_words`: the expected length of a page. `begun`: the first round's notes are there already.
    """
    context, reasons = case.context, REASONS if case.context.reasoning else 0
    each = context.pages_per_tool
    # How likely the first round leaves pages unread: where none is left, no verdict is asked and no round follows.
    more = min(1.0, max(0.0, (pages.expected - each) / max((DISTINCT - 1) * each, 1)))
    most, expected = (max(context.rounds - 1, 0), EXPECTED_ROUNDS - 1) if begun else (context.rounds, EXPECTED_ROUNDS)
    rounds = Range(0, min(1 + (expected - 1) * more, expected, most), most)
    # How often new pages are found, and how many at a time: what was read before is not read again.
    together = min(max(1.0, DISTINCT * each), context.pages_per_round or math.inf)
    noted = Range(0, min(rounds.expected, max(1.0, pages.expected / together)), rounds.high)
    found = min(together, pages.expected / max(noted.expected, 1))
    # In the worst case a memo is a tag and two words, so that tags take as many words as memos.
    memos = Range(0, pages.expected * (MEMO_WORDS + HEADER_WORDS), 2 * MEMORY_SHARE * context.window_words)
    memory = NONE if context.without_memory else memos
    shown = min(3 * each, pages.most, context.pages_per_round or math.inf)
    earlier_rounds = MOST_REQUESTS * REQUEST_WORDS + context.rounds * (2 * each * QUERY_WORDS + 2 * shown)
    beside = NOTES + case.question + Range(-WORDING, 0, WORDING)
    to_plan = Range.frame(plan_prompt("", "", {}, context.tools, 5, reasoning=context.reasoning).words)
    planning = Estimate.of(rounds, to_plan + memory + beside + Range(0, 20, earlier_rounds), PLAN_REPLY + reasons)
    in_view = EVIDENCE_SHARE * context.window_words
    evidence = Range(0, min(found * (page_words + TAG_WORDS), in_view), in_view + 2 * TAG_WORDS * shown)
    to_note = Range.frame(integrate_prompt("", "", "", {}, reasoning=context.reasoning).words)
    noting = Estimate.of(noted, to_note + evidence + beside, NOTES_WORDS + reasons)
    research = planning + noting + estimate_reflection(case, asked=more)
    if context.context_only:
        return research
    instead = memory if context.rounds == 0 else memory * Range(1, 0, 1)  # memos stand in for notes
    prompt = Range.frame(answer_from_notes_prompt("", "", "", {}).words) + beside + instead + ANSWER_LINE
    if context.evidence == "integration":
        return research + Estimate.of(PERHAPS, prompt, case.answer_words(quotes=False))
    return research + Estimate.of(PERHAPS, prompt + evidence, case.answer_words())


def estimate_reflection(case: EstimateCase, *, asked: float = 1.0) -> Estimate:
    """A verdict on the notes of each round but the last; `asked`: how likely there is any."""
    most = max(case.context.rounds - 1, 0)
    verdicts = Range(0, asked * min(EXPECTED_VERDICTS, most), most)
    if case.context.separate_requests:
        verdicts = verdicts * Range(1, 1.5, 2)
    return estimate_verdicts(verdicts, NOTES + case.question + Range(-WORDING, 0, WORDING), case.context)


def estimate_verdicts(times: Range, shown: Range, context: ReaderContext) -> Estimate:
    """So many verdicts whether what is shown is enough."""
    prompt = Range.frame(reflect_prompt("", "", {}, reasoning=context.reasoning).words)
    reply = VERDICT_REPLY + NOT_ENOUGH * REQUEST + (REASONS if context.reasoning else 0)
    return Estimate.of(times, prompt + shown, reply)
