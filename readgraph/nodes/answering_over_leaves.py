"""The answer of a walk as ReadAgent gives it: from the notes of all segments, with the leaves of the walk in full."""

from langgraph.runtime import Runtime

from readgraph.nodes import answering, extractive
from readgraph.nodes.answering_walk import percent_read
from readgraph.nodes.contracts import AnswerUpdate
from readgraph.nodes.memory_text import view_memory
from readgraph.nodes.step import Work, step_with
from readgraph.nodes.walking import WalkingState
from readgraph.state.context import ReaderContext


class LeavesAnswer(AnswerUpdate):
    """What the answer writes: the share of the text that was read, too."""

    percent_read: float


async def quote_leaves(state: WalkingState, runtime: Runtime[ReaderContext]) -> LeavesAnswer:
    """Without a model: the sentences of the leaves that share most with the question, quoted."""
    return await _answered(extractive.answer, state, runtime)


@step_with(without_model=quote_leaves)
async def answer_over_leaves(state: WalkingState, runtime: Runtime[ReaderContext]) -> LeavesAnswer:
    """Answer from all notes, with the leaves in full that fit the window, first those that told something.

    Where the walk found nothing, the notes may still hold the answer.
    """
    return await _answered(answering.answer.work, state, runtime)


async def _answered(answer: Work[WalkingState], state: WalkingState, runtime: Runtime[ReaderContext]) -> LeavesAnswer:
    told = [finding["page"] for finding in state["findings"]]
    view = await view_memory(runtime, state["document"], state["memory"], [])
    leaves = view.fitting(dict.fromkeys([*told, *state["pages_read"]]), runtime.context.window_words)
    said: AnswerUpdate = await answer({**state, "pages_read": leaves}, runtime)
    return {**said, "percent_read": await percent_read(state, runtime, view.document)}
