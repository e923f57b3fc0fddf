"""Interactive look-up: choose pages to read again, all at once or one by one (ReadAgent, section 3.2)."""

from collections.abc import Callable
from typing import TypeVar, cast

from langgraph.runtime import Runtime
from pydantic import BaseModel

from readgraph.nodes import extractive
from readgraph.nodes.asking import ask
from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.memory_text import listed, view_memory
from readgraph.nodes.metering import fell_back
from readgraph.nodes.prompting import Prompt
from readgraph.nodes.prompts.look_up import NextPage, PagesToRead, look_up_next_prompt, look_up_pages_prompt
from readgraph.nodes.prompts.offered import offering
from readgraph.nodes.step import step_with
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply

Reply = TypeVar("Reply", bound=BaseModel)


@step_with(without_model=extractive.choose_pages)
async def look_up_pages(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """ReadAgent-P: the model names all pages at once, by importance.

    Numbers that don't exist or come twice are dropped, those over the maximum, and those that would overflow the
    window. Pages that were chosen before (by a person at an interrupt) stay; where nothing usable came, they alone
    must do.
    """
    read = state["pages_read"]
    view = await view_memory(runtime, state["document"], state["memory"], read)
    unread = {page.number for page in view.pages} - {*read}
    most = min(runtime.context.max_pages - len(read), len(unread))
    if most <= 0:
        return {"pages_read": read, "looking": False, "did": "no page: no more may be read"}

    def complaint(reply: PagesToRead) -> str | None:
        return f"choose from pages {sorted(unread)}" if reply.pages and unread.isdisjoint(reply.pages) else None

    prompt = look_up_pages_prompt(view.text, state["asked"], state["choices"], most)
    reply = await _choice(runtime, prompt, offering(PagesToRead, pages=sorted(unread)), complaint)
    if isinstance(reply, str):
        return {"pages_read": read, "looking": False, "did": reply}
    wanted = [page for page in dict.fromkeys(reply.pages) if page in unread]
    pages = view.fitting(wanted, runtime.context.window_words)[:most]
    return {"pages_read": [*read, *pages], "looking": False, "did": f"{listed(pages)}: {reply.reason}"}


@step_with(without_model=extractive.choose_next)
async def look_up_next(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """ReadAgent-S: the model sees what it has read so far and names one more page, or stops.

    It ends at the maximum of pages, and where no other page would fit the window.
    """
    read = state["pages_read"]
    view = await view_memory(runtime, state["document"], state["memory"], read)
    unread = view.openable(runtime.context.window_words)
    if not unread or len(read) >= runtime.context.max_pages:
        return {"pages_read": read, "looking": False, "did": "no page: no more may be read"}

    def complaint(reply: NextPage) -> str | None:
        return None if reply.page is None or reply.page in unread else f"page {reply.page} is not there to be read"

    prompt = look_up_next_prompt(view.text, state["asked"], state["choices"], read)
    reply = await _choice(runtime, prompt, offering(NextPage, page=sorted(unread)), complaint)
    if isinstance(reply, str):
        return {"pages_read": read, "looking": False, "did": reply}
    if reply.page is None:
        return {"pages_read": read, "looking": False, "did": f"stopped: {reply.reason}"}
    read = [*read, reply.page]
    looking = len(read) < runtime.context.max_pages and len(unread) > 1
    return {"pages_read": read, "looking": looking, "did": f"{listed(read[-1:])}: {reply.reason}"}


@step_with(without_model=extractive.look_up)
async def look_up(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """Look up as the context's strategy says."""
    strategy = look_up_pages if runtime.context.strategy == "parallel" else look_up_next
    return cast(LookUpUpdate, await strategy.work(state, runtime))


async def _choice(
    runtime: Runtime[ReaderContext], prompt: Prompt, reply: type[Reply], complaint: Callable[[Reply], str | None]
) -> Reply | str:
    """The model's choice, or in words why there is none."""
    try:
        return await ask(runtime, prompt, reply, complaint)
    except NoUsableReply:
        fell_back("look_up")
        return "gave no usable page number: looked nothing up"
