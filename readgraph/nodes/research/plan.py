"""Plan what to search a memory for, and search it: all tools at once, rankings fused (GAM, section 2.2.2)."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, ClassVar

from pydantic import Field, create_model

from readgraph.library.search.hits import DEPTH, PARTS, WITHOUT_MEMOS, pages_of, score_by_place
from readgraph.library.search.okapi import rank
from readgraph.models.asking import ask_reply, can_ask, say_budget_spent
from readgraph.models.metering import record_corrections
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply, fill_words
from readgraph.models.reply import LenientReply, Numbers, Texts, numbers_in, restrict_reply, texts_in
from readgraph.nodes.contracts import AskedState, LookUpState, ReaderRuntime, StepUpdate
from readgraph.nodes.extractive import query_of
from readgraph.nodes.look_up import look_up_pages
from readgraph.nodes.meaning import find_meaning_tool
from readgraph.nodes.memory import OpenedMemory, format_pages, format_parts, load_memory
from readgraph.nodes.prompts import question_part, with_reasons
from readgraph.nodes.search import Tools, fuse_hits, memory_tools, search_pages
from readgraph.nodes.step import node
from readgraph.state.channels import Plan, Round, SearchHit, no_plan
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Note
from readgraph.state.settings import Embeddings, PagesRead, Reasoning, Reflecting, Research, SearchTools, Window
from readgraph.state.words import count_words, first_words, take_fitting

TOOLS = {
    "keyword": (
        "finds pages that hold given words. Give names, numbers and rare words that should stand there; a few words a "
        "query, no sentences."
    ),
    "vector": "finds pages by what they mean. Give each query as a short sentence, with full names.",
    "page": "opens pages by their number. Give numbers that stand in the memory; never guess one.",
}

PLAN = declare_wording(
    "plan",
    "You plan a search through a long text of which you can't see the pages, only your memory of them: a memo of "
    "each. What your plan finds will be read later, by somebody who answers the question. " + DATA_RULE,
    "These tools search the text:\n{tools}\n"
    "{think}{at_once} the next search: at most {most} entries for each tool, no two alike.{after} "
    "Use several tools where that helps. Don't answer the question yet.",
    version=2,
    shared="question",
    think="Think about what the answer needs, and where the text may say it. Then plan",
    at_once="Plan",
    after=" Look for what is still missing; search otherwise than before.",
)


class SearchPlan(LenientReply):
    """What to look for, and with which queries."""

    DECIDES: ClassVar[tuple[str, ...]] = ("keyword", "vector", "needs")
    needs: Annotated[Texts, Field(description="What has to be found out to answer: one short question for each fact.")]

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """A few words for the keyword tool, the question for the others; for the most, as many as are read of each."""
        short = [reply.words(words, reply.question) for words in (3, 4, 5)]
        whole = [reply.question]
        if reply.longest:
            short, whole = (
                [fill_words(f"{number} {reply.question}", QUERY_WORDS) for number in range(5)] for _ in "12"
            )
        unread = reply.offered("page") if reply.longest or "keyword" not in cls.model_fields else []
        return {"needs": whole, "keyword": short, "vector": whole, "page": reply.some_of(unread)}


_FIELDS = {
    "keyword": (Annotated[Texts, Field(description="Queries for the keyword tool; may be empty.")], ...),
    "vector": (Annotated[Texts, Field(description="Queries for the vector tool; may be empty.")], ...),
    "page": (Annotated[Numbers, Field(description="Numbers for the page tool; may be empty.")], ...),
}


@cache
def plan_reply(tools: tuple[str, ...]) -> type[SearchPlan]:
    """The reply's type with a field for each tool that is there: others can't be asked for."""
    return create_model("SearchPlan", __base__=SearchPlan, **{tool: _FIELDS[tool] for tool in tools})  # type: ignore[call-overload,no-any-return]


def plan_prompt(
    memory: str,
    question: str,
    choices: dict[str, str],
    tools: Sequence[str],
    most: int,
    *,
    requests: Sequence[str] = (),
    notes: str = "",
    searched: Sequence[str] = (),
    read: Sequence[int] = (),
    reasoning: bool = True,
) -> Prompt:
    """Ask for queries, at most `most` a tool; later with `requests` still missing, `notes`, and what was `searched`."""
    offered = "\n".join(f"- {tool}: {TOOLS[tool]}" for tool in tools)
    missing = "\n".join(f"- {request}" for request in requests)
    done = [f"Searched before: {'; '.join(searched)}."] if searched else []
    done += [f"Pages read before: {', '.join(map(str, read))}."] if read else []
    parts = [fenced("memory", memory) if memory else "", fenced("notes", notes) if notes else ""]
    parts += [fenced("earlier", "\n".join(done)) if done else "", question_part(question, choices)]
    parts += [fenced("missing", missing) if missing else ""]
    values = {"tools": offered, "most": most, "after": bool(requests or done)}
    return PLAN.ask(*parts, think=reasoning, at_once=not reasoning, **values)


RECENT_SHARE = 0.5  # if not all memos fit, the most recent ones get this share of the words, and older ones the rest
AT_ONCE = 200
MOST_OLDER = 500
MEMORY_SHARE = 0.5  # the memory takes at most this share of the model's window


@dataclass(frozen=True)
class MemosInView:
    """Memos in page order, and how many the memory has."""

    notes: list[Note]
    of: int

    @property
    def text(self) -> str:
        """Each memo after its page's tag and header."""
        record_corrections(self.notes)
        return format_pages({note.page: f"{note.header}\n{note.text}" for note in self.notes})

    @property
    def words(self) -> int:
        """Words of the memos, without tags."""
        return sum(map(_words, self.notes))


async def memos_in_view(memory: OpenedMemory, tools: Tools, question: str) -> MemosInView:
    """The memos that fit: the most recent ones, then those nearest to the question; no others are fetched."""
    most_words = int(memory.runtime.context.window_words * MEMORY_SHARE)
    recent, words, end = list[Note](), 0, memory.record.pages
    while end > 0 and words <= most_words:
        start = max(0, end - AT_ONCE)
        recent += reversed(await memory.notes(range(start, end)))
        words, end = sum(map(_words, recent)), start
    older = list[Note]()
    if words > most_words:
        recent = take_fitting(recent, _words, int(most_words * RECENT_SHARE))
        first = recent[-1].page if recent else memory.record.pages
        room = most_words - sum(map(_words, recent))
        nearest = [page for tool in list(tools.values())[:1] for page, _ in await tool.find(question, MOST_OLDER)]
        notes = await memory.notes([page for page in nearest if page < first])
        older = take_fitting(notes, _words, room, skips=True)
    return MemosInView(sorted([*older, *recent], key=attrgetter("page")), memory.record.pages)


def _words(note: Note) -> int:
    return note.words + count_words(note.header)


QUERY_WORDS, MOST_NEEDS = 60, 10  # longer queries and lists of needs are cut, because they are kept in the state


class PlanState(AskedState):
    requests: list[str]
    notes: str
    rounds: list[Round]


class PlanUpdate(StepUpdate):
    """What planning writes: the plan, and whether there is something to search."""

    plan: Plan
    continue_search: bool


async def _research_tools(memory: OpenedMemory) -> Tools:
    """The tools of a memory; without memory they find pages by text and header alone (section 3.5)."""
    parts = WITHOUT_MEMOS if memory.runtime.context.without_memory else PARTS  # a correction may have dropped an index
    tools = await memory_tools(memory.runtime, memory.document, memory.record, parts)
    if "vector" in tools or "vector" not in memory.runtime.context.tools:
        return tools
    meant = await find_meaning_tool(memory.store, memory.document, memory.record, memory.runtime.context)
    return {**tools, "vector": meant} if meant else tools


@node(settings=(Reasoning, Reflecting, Research, SearchTools, Embeddings, Window))
async def plan(state: PlanState, runtime: ReaderRuntime) -> PlanUpdate:
    """Plan a round of searches: the model sees the question, what is missing, the memory and the tools.

    What does not exist is dropped from it. Without a usable reply, or with an empty plan, the question is searched for.
    """
    memory = await load_memory(runtime, state)
    context, pages = runtime.context, memory.record.pages
    if not pages or not context.rounds:
        did = "no research: answers from the memory alone" if pages else "the memory is empty"
        return {"plan": no_plan(), "continue_search": False, "step_summary": did}
    tools = await _research_tools(memory)
    offered = tools_offered(context, tools)
    if not offered:
        raise BadInput("The only search tool is 'vector', which needs an embedding model: name one, or another tool.")
    unseen = context.without_memory
    memos = MemosInView([], 0) if unseen else await memos_in_view(memory, tools, state["question_text"])
    unread = {*memory.unread(state["pages_read"])}

    def usable(plan: Mapping[str, Any]) -> Plan:
        return usable_plan(plan, offered, unread, context.pages_per_tool)

    planned = await _ask_for_plan(state, memory, offered, memos, usable)
    if planned is None:
        say_budget_spent(runtime)
        planned = usable(_plan_by_words(state, offered, memos))
    parts = [f"{tool} {', '.join(planned[tool])}" for tool in ("keyword", "vector") if planned[tool]]
    parts += [format_parts(planned["page"])] if planned["page"] else []
    did = f"planned: {'; '.join(parts) or 'nothing'}"
    did += f" (saw {len(memos.notes)} of {memos.of} memos)" if len(memos.notes) < memos.of else ""
    if "vector" in context.tools and "vector" not in tools:
        did += " (no vector search: there is no embedding model)"
    return {"plan": planned, "continue_search": True, "step_summary": did}


def tools_offered(context: ReaderContext, tools: Tools) -> tuple[str, ...]:
    """The names of the tools that the context allows and that are there; a page can always be opened by its number."""
    return tuple(dict.fromkeys(name for name in context.tools if name == "page" or name in tools))


def usable_plan(plan: Mapping[str, Any], offered: tuple[str, ...], unread: Container[int], most: int) -> Plan:
    """The part of a plan that can be searched for: offered tools and unread pages, up to the limit of each."""
    if not isinstance(plan, Mapping):  # it may have been edited
        raise BadInput(f"'plan' must be a dictionary of queries for each tool, not {type(plan).__name__}.")

    def queries(tool: str) -> list[str]:
        given = texts_in(plan.get(tool)) if tool in offered else []
        return list({query.casefold(): first_words(query, QUERY_WORDS) for query in given}.values())[:most]

    numbers = [number for number in numbers_in(plan.get("page")) if number in unread] if "page" in offered else []
    return {
        "needs": [first_words(need, QUERY_WORDS) for need in texts_in(plan.get("needs"))][:MOST_NEEDS],
        "keyword": queries("keyword"),
        "vector": queries("vector"),
        "page": list(dict.fromkeys(numbers))[:most],
    }


async def _ask_for_plan(
    state: PlanState,
    memory: OpenedMemory,
    offered: tuple[str, ...],
    memos: MemosInView,
    usable: Callable[[Mapping[str, Any]], Plan],
) -> Plan | None:
    context = memory.runtime.context
    if not can_ask(memory.runtime):
        return None

    def complaint(reply: SearchPlan) -> str | None:
        plan = usable(reply.model_dump())
        if plan["keyword"] or plan["vector"] or plan["page"]:
            return None
        last = memory.record.pages - 1
        return f"it plans no search; pages are numbered 0 to {last}, and those that were read don't count"

    prompt = plan_prompt(
        memos.text,
        state["question_text"],
        state["choices"],
        offered,
        context.pages_per_tool,
        requests=state["requests"],
        notes=state["notes"],
        searched=[query for done in state["rounds"] for query in (*done["plan"]["keyword"], *done["plan"]["vector"])],
        read=state["pages_read"],
        reasoning=context.reasoning,
    )
    wanted = with_reasons(plan_reply(offered)) if context.reasoning else plan_reply(offered)
    if "page" in offered:
        wanted = restrict_reply(wanted, page=memory.unread(state["pages_read"]))
    reply = await ask_reply(memory.runtime, prompt, wanted, complaint, fallback="plan")
    return usable(reply.model_dump()) if reply else None


def _plan_by_words(state: PlanState, offered: tuple[str, ...], memos: MemosInView) -> dict[str, Any]:
    """What is asked, as it stands, for every tool; pages by the memos that share its words where no other is there."""
    wanted = state["requests"] or [query_of(state)]
    plan: dict[str, Any] = {"keyword": wanted, "vector": wanted}
    if offered == ("page",):
        unread = [note for note in memos.notes if note.page not in state["pages_read"]]
        ranked = rank(" ".join(wanted), [f"{note.header}\n{note.text}" for note in unread])
        plan["page"] = [unread[number].page for number, _ in ranked]
    return plan


class LookUpPlan(StepUpdate):
    """What it writes: a plan of pages; reading them is the round's."""

    plan: Plan


@node(settings=(PagesRead, Window))
async def plan_look_up(state: LookUpState, runtime: ReaderRuntime) -> LookUpPlan:
    """The pages that a look-up names when it sees the gists, all at once (ReadAgent-P)."""
    looked = await look_up_pages(state, runtime)
    pages = [page for page in looked["pages_read"] if page not in state["pages_read"]]
    return {"plan": {**no_plan(), "page": pages}, "step_summary": looked["step_summary"]}


class SearchState(AskedState):
    plan: Plan


class SearchUpdate(StepUpdate):
    """What searching writes: pages not read before, the best first, and the plan as it was searched for."""

    plan: Plan
    hits: list[SearchHit]


@node(settings=(Research, SearchTools, Embeddings))
async def search(state: SearchState, runtime: ReaderRuntime) -> SearchUpdate:
    """Find unread pages that the plan looks for; the plan may have been edited.

    Each tool gives at most `pages_per_tool`, of which the best `pages_per_round` are kept.
    """
    memory, context = await load_memory(runtime, state), runtime.context
    tools = await _research_tools(memory)
    unread, most = {*memory.unread(state["pages_read"])}, context.pages_per_tool
    plan = usable_plan(state["plan"], tools_offered(context, tools), unread, most)
    queries = {"keyword": plan["keyword"], "vector": plan["vector"]}
    found = await search_pages(tools, queries, DEPTH, unread)
    found |= {"page": score_by_place(plan["page"])} if plan["page"] else {}
    hits = fuse_hits(found, most)[: context.pages_per_round]
    kept = {hit["page"] for hit in hits}
    first = {name: [page for page in pages_of(ranking[:most]) if page in kept] for name, ranking in found.items()}
    pages = "; ".join(f"{name}: {format_parts(pages)}" for name, pages in first.items())
    did = pages if hits else "found no part that was not read before"
    return {"plan": plan, "hits": hits, "step_summary": did}
