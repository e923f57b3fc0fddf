"""What all steps that answer share: from what is in view to the answer, its status and its figures."""

import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast, get_type_hints

from langchain_core.messages import AIMessage, AnyMessage

from readgraph.library.page_store import page_store
from readgraph.models.asking import can_ask
from readgraph.models.metering import count_fallback, current_meter, step_does_without
from readgraph.models.streaming import stream_message
from readgraph.nodes.answering.ask import STYLE
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate, AskedState, ReaderRuntime
from readgraph.nodes.memory import describe_missing
from readgraph.nodes.step import StateT, StepNode, UpdateT, Work
from readgraph.state.declaring import Groups
from readgraph.state.errors import BudgetSpent, NoUsableReply
from readgraph.state.lazy_names import former_names
from readgraph.state.reading import last_question
from readgraph.state.records import Document, Page

__all__ = ["AnswerSource", "compression_rate", "write_answer"]

NOT_FOUND = "I found no answer to this in the text."
GAVE_NONE = "The model gave no answer to this that could be used."
NEAREST = "No model answered this. Nearest passages:"
NEAREST_OPTION = "No model answered this. Nearest option:"
RESEARCHED = "I gathered what the text says about this; the answer was left to you."


def _as_chat_message(said: AnswerDraft, document: Document, state: AskedState) -> list[AnyMessage]:
    """The answer as a message with the id of what was streamed of it; where none was asked for, it is streamed."""
    meter = current_meter()
    metadata = {"status": said.status, "document": document.id}
    missing = describe_missing(cast("dict[str, Any]", state).get("not_memorised"))
    if not said.answer:
        gave_none = GAVE_NONE if said.nearest and meter.context.model else NOT_FOUND
        words = RESEARCHED if said.context_alone else gave_none
    else:
        words = f"{NEAREST_OPTION if said.choice else NEAREST}\n\n{said.answer}" if said.nearest else said.answer
    message = AIMessage(f"{words}\n\n{missing}." if missing else words, id=meter.message_id, response_metadata=metadata)
    if last_question(state.get("messages") or []):
        return [message]
    if meter.said != meter.message_id:
        stream_message(meter, message)
    return []


MakeDraft: TypeAlias = Callable[[], Awaitable[AnswerDraft]]


@dataclass(frozen=True)
class AnswerSource:
    """What is in view when a question is answered.

    `ask` asks the model for the answer, with errors as in `models.asking`; None if no call is needed. `substitute` is
    used without a model, and without a usable reply, which is counted as the fall-back `counted_as`. `beside`: what a
    node of `answering` writes besides the answer.
    """

    document: Document
    substitute: MakeDraft
    ask: MakeDraft | None = None
    counted_as: str = "answer"
    beside: Mapping[str, Any] = field(default_factory=dict)


def ready_answer(document: Document, draft: AnswerDraft) -> AnswerSource:
    """An answer that needs no call."""

    async def give() -> AnswerDraft:
        return draft

    return AnswerSource(document, give, give)


async def write_answer(source: AnswerSource, state: AskedState, runtime: ReaderRuntime) -> AnswerUpdate:
    """Answer from what is in view: by the model, or by the substitute where it can't be asked.

    Args:
        source: What is in view.
        state: The question.
        runtime: The node's runtime.

    Returns:
        The update. Its status is `nearest` where passages were quoted instead of asking, `no_answer` if the text does
        not contain the answer, or `researched` if only a context was asked for.

    Raises:
        BudgetSpent: Inside of a node with a substitute (`without_model`), if the budget allows no further call.
        ModelUnavailable: If the server can't be used.
    """
    draft = await (draft_answer(source, runtime) if can_ask(runtime) else source.substitute())
    return await write_draft(draft, source.document, state, runtime)


async def draft_answer(source: AnswerSource, runtime: ReaderRuntime) -> AnswerDraft:
    """The model's answer; the substitute, which is counted, where no usable reply came. `BudgetSpent` as above."""
    try:
        if source.ask:
            return await source.ask()
        did = "gave no answer: "
    except NoUsableReply:
        did = "gave no usable answer: "
    except BudgetSpent:
        if not step_does_without():
            raise
        return await source.substitute()
    if not runtime.context.model:
        return await source.substitute()
    count_fallback(source.counted_as)
    current_meter().new_message()
    draft = await source.substitute()
    return draft._replace(summary=did + draft.summary)


async def write_draft(
    draft: AnswerDraft, document: Document, state: AskedState, runtime: ReaderRuntime
) -> AnswerUpdate:
    """The update with this answer about a document."""
    read = await page_store(runtime).pages(state["memory"], state["pages_read"])
    update = AnswerUpdate(
        answer=draft.answer,
        choice=draft.choice,
        quotes=draft.quotes,
        status=draft.status,
        by_rule=draft.nearest or not runtime.context.model,
        compression_rate=None if draft.words is None else compression_rate(draft.words, document),
        percent_read=percent_read(read, document),
        step_summary=draft.summary,
    )
    if messages := _as_chat_message(draft, document, state):
        update["messages"] = messages
    return update


def compression_rate(words: int, document: Document) -> float:
    """100 · (1 − words in context / words of the text) (ReadAgent, section 4)."""
    return round(100 * (1 - words / max(document.words, 1)), 2)


def percent_read(pages: Iterable[Page], document: Document) -> float:
    """The percentage of the text's words that stand on these pages."""
    return min(100.0, round(100 * sum(page.words for page in pages) / max(document.words, 1), 2))


View: TypeAlias = Callable[[StateT, ReaderRuntime], Awaitable[AnswerSource]]


def answering(
    view: View[StateT], without_model: View[StateT] | None = None, *, writes: type[UpdateT], settings: Groups = ()
) -> StepNode[StateT, UpdateT]:
    """The former way to make a node that answers: write a coroutine under `@node` that calls `write_answer`."""
    warnings.warn("answering(…) is now @node and write_answer(…)", DeprecationWarning, stacklevel=2)

    def make_work(view: View[StateT]) -> Work[StateT, UpdateT]:
        async def answer(state: StateT, runtime: ReaderRuntime) -> UpdateT:
            source = await view(state, runtime)
            return cast(UpdateT, {**await write_answer(source, cast(AskedState, state), runtime), **source.beside})

        answer.__annotations__ |= {"state": get_type_hints(view)["state"], "return": writes}
        answer.__doc__ = view.__doc__
        return answer

    return StepNode(make_work(view), make_work(without_model or view), settings=(*STYLE, *settings))


if not TYPE_CHECKING:
    __getattr__ = former_names(__name__, InView="AnswerSource")
