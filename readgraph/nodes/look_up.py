"""Which pages to read again: by the model (ReadAgent, section 3.2), by retrieval, the same for all questions."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from readgraph.library.search.hits import DEPTH, Part, pages_of
from readgraph.models.asking import ask_reply, can_ask, say_budget_spent
from readgraph.models.prompt import Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import NumberOrNone, restrict_reply
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AskedPages, LookUpState, LookUpUpdate, ReaderRuntime
from readgraph.nodes.extractive import query_of, ranked_pages
from readgraph.nodes.memory import MemoryView, OpenedMemory, format_parts, load_memory
from readgraph.nodes.prompts import READER_SYSTEM, question_part
from readgraph.nodes.search import SearchTool, Tools, find_nearest, fuse_hits, okapi_ranker, open_rankers, search_pages
from readgraph.nodes.step import StepNode, Work, node
from readgraph.state.settings import Embeddings, LookUp, Meaning, PagesRead, Ranking, Retrieval, Segments, Window

__all__ = ["retrieve"]


class PagesToRead(BaseModel):
    """Which pages to read again."""

    DECIDES: ClassVar[tuple[str, ...]] = ("pages",)
    reason: str = Field(description="A few words: what you hope to find there.")
    pages: list[int] = Field(description="Page numbers, the most important first; empty if you need none.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """One to three; for the most, as many as are shown."""
        return {"pages": reply.some_of(reply.offered("pages") or reply.pages)}


class NextPage(BaseModel):
    """Which one page to read next, or none; the paper's own words, "Page 3" and "STOP", are read too."""

    DECIDES: ClassVar[tuple[str, ...]] = ("page",)
    IN_WORDS: ClassVar[re.Pattern[str]] = re.compile(r"\W*(stop|(page\s+)?\d+)\W*", re.I)
    reason: str = Field(description="A few words: what is still missing, or why this is enough.")
    page: NumberOrNone = Field(description="The number of one page to read again; null to stop.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """One more, up to three; for the most, as long as one may be read."""
        left, done = reply.offered("page") or reply.pages, len(reply.pages_in_full)
        stops = not reply.longest and (done > 2 or (done > 0 and bool(reply.chance % 2)))
        return {"page": None if stops or not left else reply.one_of(left)}


LOOK_UP_PAGES = declare_wording(
    "look_up_pages",
    READER_SYSTEM,
    "Which pages do you want to read again before you answer? Name at most {max_pages}, and as few as will do: each "
    "page that doesn't help distracts. Don't answer the question yet.",
    prompt="look_up",
    version=2,
    shared="question",
)
LOOK_UP_NEXT = declare_wording(
    "look_up_next",
    READER_SYSTEM,
    "Pages that you have read again so far: {none}{some}. Which one page do you want to read next? Say null once you "
    "can answer. Don't answer the question yet.",
    prompt="look_up",
    version=2,
    shared="question",
    none="none",
    some="{pages} (in full above; don't ask for them)",
)


def look_up_pages_prompt(memory: str, question: str, choices: dict[str, str], max_pages: int) -> Prompt:
    """Ask for all pages at once (ReadAgent-P)."""
    return LOOK_UP_PAGES.ask(fenced("memory", memory), question_part(question, choices), max_pages=max_pages)


def look_up_next_prompt(memory: str, question: str, choices: dict[str, str], pages_read: Sequence[int]) -> Prompt:
    """Ask for one more page, or to stop (ReadAgent-S); pages that were read stand in full in the memory."""
    values = {"none": not pages_read, "some": pages_read, "pages": ", ".join(map(str, pages_read))}
    return LOOK_UP_NEXT.ask(fenced("memory", memory), question_part(question, choices), **values)


STOP_BELOW = 0.5  # without a model, looking up one by one ends when a page scores less than this share of the best one
NO_NUMBER = "gave no usable number of a part: looked nothing up"


@node(settings=(PagesRead, Meaning))
async def nearest_pages(state: AskedPages, runtime: ReaderRuntime) -> LookUpUpdate:
    """The pages that keyword search ranks first, at most `max_pages`; pages that were chosen before stay."""
    memory = await load_memory(runtime, state)
    return await _read_nearest(state, memory, await memory.open_ranker())


async def retrieve_without_model(state: AskedPages, runtime: ReaderRuntime) -> LookUpUpdate:
    """The same, ranked as the papers' baseline does."""
    memory = await load_memory(runtime, state)
    return await _read_nearest(state, memory, okapi_ranker(memory.store, memory.document, memory.record))


async def _read_nearest(state: AskedPages, memory: OpenedMemory, ranker: SearchTool) -> LookUpUpdate:
    read = state["pages_read"]
    most = max(0, memory.runtime.context.max_pages - len(read))
    pages = await find_nearest(ranker, [query_of(state)], most, {*memory.unread(read)})
    did = f"{format_parts(pages)}: they share words with the question" if pages else format_parts(pages)
    return _update([*read, *pages], did)


def make_look_up_node(
    make_prompt: Callable[[str, str, dict[str, str], int], Prompt],
) -> StepNode[LookUpState, LookUpUpdate]:
    """A look-up of all pages at once, with this prompt of a memory's text, question, choices and the most pages."""

    @node(without_model=nearest_pages, settings=(PagesRead, Meaning, Window))
    async def look_up_pages(state: LookUpState, runtime: ReaderRuntime) -> LookUpUpdate:
        """ReadAgent-P: the model names all pages at once, by importance; those that a person chose stay."""
        read = state["pages_read"]
        view = await _view(state, runtime)
        unread = {page.number for page in view.pages} - {*read}
        most = min(runtime.context.max_pages - len(read), len(unread))
        if most <= 0:
            return _update(read, "no part: no more may be read")

        def complaint(reply: PagesToRead) -> str | None:
            return f"choose from pages {sorted(unread)}" if reply.pages and unread.isdisjoint(reply.pages) else None

        prompt = make_prompt(view.text, state["question_text"], state["choices"], most)
        offered = restrict_reply(PagesToRead, pages=sorted(unread))
        reply = await ask_reply(runtime, prompt, offered, complaint, fallback="look_up")
        if reply is None:
            return _update(read, NO_NUMBER)
        wanted = [page for page in dict.fromkeys(reply.pages) if page in unread]
        room = content_room(runtime.context, state["question_text"], state["choices"])
        pages = view.pages_that_fit(wanted, room)[:most]
        return _update([*read, *pages], f"{format_parts(pages)}: {reply.reason}")

    return look_up_pages


look_up_pages = make_look_up_node(look_up_pages_prompt)


async def look_up_next_without_model(state: LookUpState, runtime: ReaderRuntime) -> LookUpUpdate:
    """The next page of the ranking, until the next one is far worse than the best."""
    ranked, read = await ranked_pages(state, runtime), state["pages_read"]
    left = [page for page, score in ranked if page not in read and score >= STOP_BELOW * ranked[0][1]]
    if not left or len(read) >= runtime.context.max_pages:
        return _update(read, "stopped: no other part comes near")
    read = [*read, left[0]]
    looking = len(left) > 1 and len(read) < runtime.context.max_pages
    return _update(read, f"{format_parts(read[-1:])}: it shares words with the question", looking=looking)


@node(without_model=look_up_next_without_model, settings=(PagesRead, Meaning, Window))
async def look_up_next(state: LookUpState, runtime: ReaderRuntime) -> LookUpUpdate:
    """ReadAgent-S: the model sees what it has read so far and names one more page that fits, or stops."""
    read = state["pages_read"]
    view = await _view(state, runtime)
    unread = view.openable(content_room(runtime.context, state["question_text"], state["choices"]))
    if not unread or len(read) >= runtime.context.max_pages:
        return _update(read, "no part: no more may be read")

    def complaint(reply: NextPage) -> str | None:
        return None if reply.page is None or reply.page in unread else f"page {reply.page} is not there to be read"

    prompt = look_up_next_prompt(view.text, state["question_text"], state["choices"], read)
    reply = await ask_reply(
        runtime, prompt, restrict_reply(NextPage, page=sorted(unread)), complaint, fallback="look_up"
    )
    if reply is None:
        return _update(read, NO_NUMBER)
    if reply.page is None:
        return _update(read, f"stopped: {reply.reason}")
    looking = len(read) + 1 < runtime.context.max_pages and len(unread) > 1
    return _update([*read, reply.page], f"{format_parts([reply.page])}: {reply.reason}", looking=looking)


async def look_up_without_model(state: LookUpState, runtime: ReaderRuntime) -> LookUpUpdate:
    """The nearest pages, all at once or one by one."""
    in_order = runtime.context.strategy == "sequential"
    return await (look_up_next_without_model(state, runtime) if in_order else nearest_pages.work(state, runtime))


@node(without_model=look_up_without_model, settings=(LookUp, PagesRead, Meaning, Window))
async def look_up(state: LookUpState, runtime: ReaderRuntime) -> LookUpUpdate:
    """Look up as the context's strategy says: all pages at once, or one by one."""
    in_order = runtime.context.strategy == "sequential"
    return await (look_up_next if in_order else look_up_pages).work(state, runtime)


async def _view(state: LookUpState, runtime: ReaderRuntime) -> MemoryView:
    """The memory; where gists of gists stand for old pages, those near the question show their own gists."""
    memory = await load_memory(runtime, state)
    view = await memory.view(state["pages_read"])
    if not view.older:
        return view
    near = await (await memory.open_ranker()).find(query_of(state), runtime.context.max_pages)
    return await memory.view(state["pages_read"], near=pages_of(near))


def _update(pages_read: list[int], did: str, *, looking: bool = False) -> LookUpUpdate:
    return {"pages_read": pages_read, "continue_search": looking, "step_summary": did}


def make_retrieval_node(
    rankers: tuple[str, ...], reason: str, without_model: Work[AskedPages, LookUpUpdate] | None = None
) -> StepNode[AskedPages, LookUpUpdate]:
    """A look-up of the pages that these rank first (`open_rankers`)."""
    embedding = (Embeddings,) if "vector" in rankers else ()

    @node(without_model=without_model, settings=(PagesRead, Window, Segments, *embedding))
    async def search_segments(state: AskedPages, runtime: ReaderRuntime) -> LookUpUpdate:
        """The segments that rank first; with `cut_segments` also those that don't fit, which the answer then cuts."""
        memory = await load_memory(runtime, state)
        tools = await open_rankers(runtime, memory.document, memory.record, rankers)
        return await _search_and_fit(state, memory, tools, reason, cut=runtime.context.cut_segments)

    return search_segments


@node(settings=(PagesRead, Window, Retrieval, Embeddings))
async def retrieve_parts(state: LookUpState, runtime: ReaderRuntime) -> LookUpUpdate:
    """ReadAgent's pages that rank first by their texts or gists; without a model, those that share words."""
    context = runtime.context
    if not can_ask(runtime) and context.ranking == "keywords" and not context.rank_gists:
        say_budget_spent(runtime)
        return await retrieve_without_model(state, runtime)
    rankers, reason = RANKINGS[context.ranking]
    if context.rank_gists:
        rankers = tuple("keyword" if name == "okapi" else name for name in rankers)
    memory = await load_memory(runtime, state)
    parts: tuple[Part, ...] = ("memo",) if context.rank_gists else ("page",)
    tools = await open_rankers(runtime, memory.document, memory.record, rankers, parts)
    reason = f"the gists {reason}" if context.rank_gists else reason
    return await _search_and_fit(state, memory, tools, reason, notes=context.show_gists)


async def _search_and_fit(
    state: LookUpState, memory: OpenedMemory, tools: Tools, reason: str, *, notes: bool = True, cut: bool = False
) -> LookUpUpdate:
    """The pages that rank first, then all others, as far as they fit the window together with the notes."""
    read, context = state["pages_read"], memory.runtime.context
    view = await memory.view(read)
    view = view if notes else view.without_notes()
    room = content_room(context, state["question_text"], state["choices"])
    hits = await search_pages(tools, {name: [query_of(state)] for name in tools}, DEPTH)
    if "vector" in tools and "vector" not in hits:
        reason = RANKINGS["keywords"][1]
    nearest = [hit["page"] for hit in fuse_hits(hits)]
    every = dict.fromkeys([*nearest, *(page.number for page in view.pages)])
    wanted = [page for page in every if page not in read][: max(0, context.max_pages - len(read))]
    pages = sorted(wanted if cut else view.pages_that_fit(wanted, room))
    return _update([*read, *pages], f"{format_parts(pages)}: {reason}")


RANKINGS: dict[Ranking, tuple[tuple[str, ...], str]] = {
    "keywords": (("okapi",), "ranked by keywords"),
    "embeddings": (("vector",), "ranked by embeddings"),
    "both": (("keyword", "vector"), "ranked by keywords and embeddings"),
}
"""The rankers of each ranking, and how the trajectory explains it."""

retrieve_by_index = make_retrieval_node(("index",), "ranked by readgraph's own search")
retrieve = make_retrieval_node(*RANKINGS["keywords"], without_model=retrieve_without_model)
retrieve_by_vectors = make_retrieval_node(*RANKINGS["embeddings"])
retrieve_by_both = make_retrieval_node(*RANKINGS["both"])


@node(settings=(Window,))
async def leading_pages(state: AskedPages, runtime: ReaderRuntime) -> LookUpUpdate:
    """Read the pages from the first one on, as many as fit the window."""
    view = await (await load_memory(runtime, state)).view(state["pages_read"])
    room = content_room(runtime.context, state["question_text"], state["choices"])
    pages = view.pages_that_fit([page.number for page in view.pages], room)
    return _update(pages, f"{format_parts(pages)}: from the beginning, as many as fit")


def make_fixed_look_up(choose: Callable[[int], Iterable[int]], summary: str) -> StepNode[AskedPages, LookUpUpdate]:
    """A look-up that reads the pages chosen from the number of pages; pages that were already chosen stay."""

    @node
    async def look_up(state: AskedPages, runtime: ReaderRuntime) -> LookUpUpdate:
        """Read the same pages for every question."""
        memory, read = await load_memory(runtime, state), state["pages_read"]
        return _update([*read, *(page for page in choose(memory.record.pages) if page not in read)], summary)

    return look_up


no_page = make_fixed_look_up(lambda pages: [], "no part: the notes alone must do")
every_page = make_fixed_look_up(lambda pages: range(pages), "every part")
first_page = make_fixed_look_up(lambda pages: range(pages)[:1], "the beginning of the text")
last_page = make_fixed_look_up(lambda pages: range(pages)[-1:], "the end of the text")
