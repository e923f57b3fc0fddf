"""The step that answers, for all methods: a method only gives what is in view.

The answer is a chat message too: of the conversation, where the question came as one, and for whoever streams it.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast, get_type_hints

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from readgraph.library.page_store import page_store
from readgraph.models.metering import count_fallback, current_meter
from readgraph.models.streaming import stream_message
from readgraph.nodes.answering.ask import STYLE
from readgraph.nodes.contracts import AnswerDraft, AskedState
from readgraph.nodes.memory import describe_missing
from readgraph.nodes.step import StateT, StepNode, UpdateT
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups
from readgraph.state.errors import NoUsableReply
from readgraph.state.lazy_names import former_names
from readgraph.state.reading import last_question
from readgraph.state.records import Document, Page

__all__ = ["AnswerSource", "answering", "compression_rate"]

NOT_FOUND = "I found no answer to this in the text."
GAVE_NONE = "The model gave no answer to this that could be used."
NEAREST = "No model answered this. Nearest passages:"
NEAREST_OPTION = "No model answered this. Nearest option:"
RESEARCHED = "I gathered what the text says about this; the answer was left to you."


def as_chat_message(said: AnswerDraft, document: Document, state: AskedState) -> dict[str, Any]:
    """The update with the answer as a message; nothing where the question did not come as a message.

    The message has the id of what was streamed of it, so that a client shows it once. Its metadata holds the status.
    LangGraph streams a message of the update; without one it is sent here, if nothing of it was streamed.
    """
    meter = current_meter()
    metadata = {"status": said.status, "document": document.id}
    missing = describe_missing(cast("dict[str, Any]", state).get("not_memorised"))
    words = f"{_words(said)}\n\n{missing}." if missing else _words(said)
    message = AIMessage(words, id=meter.message_id, response_metadata=metadata)
    if last_question(state.get("messages") or []):
        return {"messages": [message]}
    if meter.said != meter.message_id:
        stream_message(meter, message)
    return {}


def _words(said: AnswerDraft) -> str:
    if not said.answer:
        gave_none = GAVE_NONE if said.nearest and current_meter().context.model else NOT_FOUND
        return RESEARCHED if said.context_alone else gave_none
    nearest = NEAREST_OPTION if said.choice else NEAREST
    return f"{nearest}\n\n{said.answer}" if said.nearest else said.answer


Saying = Callable[[], Awaitable[AnswerDraft]]
"""A function that makes an answer."""


@dataclass(frozen=True)
class AnswerSource:
    """What is in view when a question is answered.

    `ask` asks the model for the answer, with errors as in `models.asking`; None if no call is needed. `substitute` is
    used without a model, and without a usable reply, which is counted as the fall-back `counted_as`. `beside`: what the
    step writes besides the answer.
    """

    document: Document
    substitute: Saying
    ask: Saying | None = None
    counted_as: str = "answer"
    beside: Mapping[str, Any] = field(default_factory=dict)


def ready_answer(document: Document, said: AnswerDraft, **beside: Any) -> AnswerSource:
    """An answer that needs no call."""

    async def say() -> AnswerDraft:
        return said

    return AnswerSource(document, say, say, beside=beside)


View: TypeAlias = Callable[[StateT, Runtime[ReaderContext]], Awaitable[AnswerSource]]
"""A method's part of answering: `(state, runtime) -> InView`. The type of its state says what the step reads."""


def answering(
    view: View[StateT], without_model: View[StateT] | None = None, *, writes: type[UpdateT], settings: Groups = ()
) -> StepNode[StateT, UpdateT]:
    """A node that answers from what is in view; `without_model`: another view for use without a model.

    `writes`: the type of the update, for the wiring check; `settings`: the groups of settings that the views use. The
    status is `nearest` where passages were quoted instead of asking, `no_answer` if the text does not contain the
    answer, or `researched` if only a context was asked for.
    """

    async def answer(state: StateT, runtime: Runtime[ReaderContext]) -> UpdateT:
        seen = await view(state, runtime)
        return cast(
            UpdateT, await _update(seen, await _ask_or_substitute(seen, runtime), cast(AskedState, state), runtime)
        )

    async def answer_without_model(state: StateT, runtime: Runtime[ReaderContext]) -> UpdateT:
        seen = await (without_model or view)(state, runtime)
        return cast(UpdateT, await _update(seen, await seen.substitute(), cast(AskedState, state), runtime))

    for work, given in ((answer, view), (answer_without_model, without_model or view)):
        work.__annotations__ |= {"state": get_type_hints(given)["state"], "return": writes}
        work.__doc__ = given.__doc__
    return StepNode(answer, answer_without_model, settings=(*STYLE, *settings))


async def _ask_or_substitute(seen: AnswerSource, runtime: Runtime[ReaderContext]) -> AnswerDraft:
    try:
        if seen.ask:
            return await seen.ask()
        did = "gave no answer: "
    except NoUsableReply:
        did = "gave no usable answer: "
    if not runtime.context.model:
        return await seen.substitute()
    count_fallback(seen.counted_as)
    current_meter().new_message()
    said = await seen.substitute()
    return said._replace(summary=did + said.summary)


async def _update(
    seen: AnswerSource, said: AnswerDraft, state: AskedState, runtime: Runtime[ReaderContext]
) -> dict[str, Any]:
    read = await page_store(runtime).pages(state["memory"], state["pages_read"])
    return {
        "answer": said.answer,
        "choice": said.choice,
        "quotes": said.quotes,
        "status": said.status,
        "by_rule": said.nearest or not runtime.context.model,
        "compression_rate": None if said.words is None else compression_rate(said.words, seen.document),
        "percent_read": percent_read(read, seen.document),
        "step_summary": said.summary,
        **as_chat_message(said, seen.document, state),
        **seen.beside,
    }


def compression_rate(words: int, document: Document) -> float:
    """100 · (1 − words in context / words of the text) (ReadAgent, section 4)."""
    return round(100 * (1 - words / max(document.words, 1)), 2)


def percent_read(pages: Iterable[Page], document: Document) -> float:
    """The percentage of the text's words that stand on these pages."""
    return min(100.0, round(100 * sum(page.words for page in pages) / max(document.words, 1), 2))


if not TYPE_CHECKING:
    __getattr__ = former_names(__name__, InView="AnswerSource")
