"""Judge whether a memory's notes are enough to answer from, before anything is read again."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.contracts import AskedState
from readgraph.nodes.memory_text import view_memory
from readgraph.nodes.metering import fell_back
from readgraph.nodes.reflecting import kept_requests, missing_words, verdict
from readgraph.nodes.step import step_with
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply


class Judged(TypedDict):
    """What judging writes: whether to look further, and for what."""

    requests: list[str]
    looking: bool
    did: str


async def judge_by_words(state: AskedState, runtime: Runtime[ReaderContext]) -> Judged:
    """Without a model: enough is where the notes hold all words of the question."""
    if settled := _settled(runtime.context):
        return settled
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    missing = missing_words(view.text, state["asked"])
    return _judged(not missing, [" ".join(missing)])


@step_with(without_model=judge_by_words)
async def judge(state: AskedState, runtime: Runtime[ReaderContext]) -> Judged:
    """Ask whether the notes are enough, and what is missing, with the questions that reflection asks.

    Nothing is asked where it would decide nothing: where no round of research is allowed, and where a context is wanted
    and no answer. Where no usable reply came, the notes are not enough.
    """
    if settled := _settled(runtime.context):
        return settled
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    try:
        enough, missing = await verdict(view.text, state, runtime)
    except NoUsableReply:
        fell_back("judge")
        return _judged(False, [])
    return _judged(enough, missing)


def _settled(context: ReaderContext) -> Judged | None:
    if context.context_only:
        return {"requests": [], "looking": True, "did": "a context is wanted"}
    return None if context.rounds else {"requests": [], "looking": False, "did": "no research: the notes must do"}


def _judged(enough: bool, missing: list[str]) -> Judged:
    requests = [] if enough else kept_requests(missing)
    did = "enough" if enough else f"not enough, next: {'; '.join(requests) or 'the question'}"
    return {"requests": requests, "looking": not enough, "did": did}
