"""Interactive look-up: choose pages to read again, all at once or one by one (ReadAgent, section 3.2)."""

from collections.abc import Callable

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.prompt import Prompt
from readgraph.models.replies.offered_values import offering
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.extractive import query_of, ranked_pages
from readgraph.nodes.memory_view import MemoryView, listed, remembered, view_memory
from readgraph.nodes.prompts.look_up import NextPage, PagesToRead, look_up_next_prompt, look_up_pages_prompt
from readgraph.nodes.search_tools import ranker_of
from readgraph.nodes.searching import Bounds, search_pages
from readgraph.nodes.step import StepNode, node
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.search.fusing import pages_of
from readgraph.state.settings import LookUp, PagesRead, Window

STOP_BELOW = 0.5
"""Without a model, looking up one by one ends when a page scores less than this share of the best one."""

NO_NUMBER = "gave no usable number of a part: looked nothing up"


@node(settings=(PagesRead,))
async def nearest_pages(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """The pages that keyword search ranks first, at most `max_pages`; pages that were chosen before stay."""
    document, memory = await remembered(runtime, state["document"], state["memory"])
    read = state["pages_read"]
    most, unread = max(0, runtime.context.max_pages - len(read)), {*range(memory.pages)} - {*read}
    ranker = ranker_of(page_store(runtime), document, memory)
    found = await search_pages({"okapi": ranker}, {"okapi": [query_of(state)]}, Bounds(most, unread))
    pages = pages_of(found["okapi"])
    did = f"{listed(pages)}: they share words with the question" if pages else listed(pages)
    return {"pages_read": [*read, *pages], "continue_search": False, "step_summary": did}


MakePrompt = Callable[[str, str, dict[str, str], int], Prompt]
"""Makes the prompt of a memory's text, the question, its choices and the most pages."""


def looking_up_pages(make_prompt: MakePrompt) -> StepNode[LookUpState, LookUpUpdate]:
    """A look-up of all pages at once with this prompt."""

    @node(without_model=nearest_pages, settings=(PagesRead, Window))
    async def look_up_pages(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
        """ReadAgent-P: the model names all pages at once, by importance.

        Page numbers are dropped if they don't exist, are repeated, exceed the maximum or would overflow the window.
        Pages that were already chosen (by a person at an interrupt) stay; without a usable reply, the answer uses them
        alone.
        """
        read = state["pages_read"]
        view = await _view(state, runtime)
        unread = {page.number for page in view.pages} - {*read}
        most = min(runtime.context.max_pages - len(read), len(unread))
        if most <= 0:
            return _end(read, "no part: no more may be read")

        def complaint(reply: PagesToRead) -> str | None:
            return f"choose from pages {sorted(unread)}" if reply.pages and unread.isdisjoint(reply.pages) else None

        prompt = make_prompt(view.text, state["question_text"], state["choices"], most)
        reply = await ask(runtime, prompt, offering(PagesToRead, pages=sorted(unread)), complaint, fallback="look_up")
        if reply is None:
            return _end(read, NO_NUMBER)
        wanted = [page for page in dict.fromkeys(reply.pages) if page in unread]
        room = content_room(runtime.context, state["question_text"], state["choices"])
        pages = view.fitting(wanted, room)[:most]
        return _end([*read, *pages], f"{listed(pages)}: {reply.reason}")

    return look_up_pages


look_up_pages = looking_up_pages(look_up_pages_prompt)


async def look_up_next_without_model(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """The next page of the ranking, until the next one is far worse than the best."""
    ranked, read = await ranked_pages(state, runtime), state["pages_read"]
    left = [page for page, score in ranked if page not in read and score >= STOP_BELOW * ranked[0][1]]
    if not left or len(read) >= runtime.context.max_pages:
        return _end(read, "stopped: no other part comes near")
    read = [*read, left[0]]
    looking = len(left) > 1 and len(read) < runtime.context.max_pages
    did = f"{listed(read[-1:])}: it shares words with the question"
    return {"pages_read": read, "continue_search": looking, "step_summary": did}


@node(without_model=look_up_next_without_model, settings=(PagesRead, Window))
async def look_up_next(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """ReadAgent-S: the model sees what it has read so far and names one more page, or stops.

    It ends at the maximum of pages, or when no other page would fit the window.
    """
    read = state["pages_read"]
    view = await _view(state, runtime)
    unread = view.openable(content_room(runtime.context, state["question_text"], state["choices"]))
    if not unread or len(read) >= runtime.context.max_pages:
        return _end(read, "no part: no more may be read")

    def complaint(reply: NextPage) -> str | None:
        return None if reply.page is None or reply.page in unread else f"page {reply.page} is not there to be read"

    prompt = look_up_next_prompt(view.text, state["question_text"], state["choices"], read)
    reply = await ask(runtime, prompt, offering(NextPage, page=sorted(unread)), complaint, fallback="look_up")
    if reply is None:
        return _end(read, NO_NUMBER)
    if reply.page is None:
        return _end(read, f"stopped: {reply.reason}")
    looking = len(read) + 1 < runtime.context.max_pages and len(unread) > 1
    did = f"{listed([reply.page])}: {reply.reason}"
    return {"pages_read": [*read, reply.page], "continue_search": looking, "step_summary": did}


@node(settings=(LookUp, PagesRead, Window))
async def look_up(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """Look up as the context's strategy says."""
    choose = look_up_pages if runtime.context.strategy == "parallel" else look_up_next
    return await choose(state, runtime)


async def _view(state: LookUpState, runtime: Runtime[ReaderContext]) -> MemoryView:
    """The memory; where gists of gists stand for old pages, those near the question show their own gists."""
    asked = (state["document"], state["memory"], state["pages_read"])
    view = await view_memory(runtime, *asked)
    if not view.older:
        return view
    ranker = ranker_of(page_store(runtime), *await remembered(runtime, *asked[:2]))
    near = await ranker.find(query_of(state), runtime.context.max_pages)
    return await view_memory(runtime, *asked, near=pages_of(near))


def _end(pages_read: list[int], did: str) -> LookUpUpdate:
    return {"pages_read": pages_read, "continue_search": False, "step_summary": did}
