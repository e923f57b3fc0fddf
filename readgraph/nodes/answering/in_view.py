"""The one step that answers: a method says what is in view, and all else is done here."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast, get_type_hints

from langgraph.runtime import Runtime

from readgraph.models.metering import fell_back
from readgraph.nodes.contracts import SaidAnswer
from readgraph.nodes.step import StateT, StepNode, UpdateT
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups
from readgraph.state.errors import NoUsableReply
from readgraph.state.records import Document

Saying = Callable[[], Awaitable[SaidAnswer]]
"""Gives an answer when it is called."""


@dataclass(frozen=True)
class InView:
    """What is in view when a question is answered.

    `ask` asks the model for the answer, with errors as in `models.asking`; none where there is nobody to ask any more.
    `substitute` serves without a model, and where no usable reply came: that is counted under `counted_as`. `beside` is
    what the step writes besides the answer.
    """

    document: Document
    substitute: Saying
    ask: Saying | None = None
    counted_as: str = "answer"
    beside: Mapping[str, Any] = field(default_factory=dict)


def known(document: Document, said: SaidAnswer, **beside: Any) -> InView:
    """An answer that needs no call."""

    async def say() -> SaidAnswer:
        return said

    return InView(document, say, say, beside=beside)


View: TypeAlias = Callable[[StateT, Runtime[ReaderContext]], Awaitable[InView]]
"""A method's part of answering: `(state, runtime) -> InView`. The type of its state says what the step reads."""


def answering(
    view: View[StateT], without_model: View[StateT] | None = None, *, writes: type[UpdateT], settings: Groups = ()
) -> StepNode[StateT, UpdateT]:
    """The node that answers from what is in view; `without_model`: what is in view then, where it is something else.

    `writes` is the type of the update, for the check of the wiring; `settings` names the groups of settings that the
    views read. Status `no_answer` where the text doesn't hold the answer, or `researched` where a context alone was
    wanted.
    """

    async def answer(state: StateT, runtime: Runtime[ReaderContext]) -> UpdateT:
        seen = await view(state, runtime)
        return cast(UpdateT, _update(seen, await _asked(seen, runtime)))

    async def answer_without_model(state: StateT, runtime: Runtime[ReaderContext]) -> UpdateT:
        seen = await (without_model or view)(state, runtime)
        return cast(UpdateT, _update(seen, await seen.substitute()))

    for work, given in ((answer, view), (answer_without_model, without_model or view)):
        work.__annotations__ |= {"state": get_type_hints(given)["state"], "return": writes}
        work.__doc__ = given.__doc__
    return StepNode(answer, answer_without_model, settings=settings)


async def _asked(seen: InView, runtime: Runtime[ReaderContext]) -> SaidAnswer:
    try:
        if seen.ask:
            return await seen.ask()
        did = "gave no answer: "
    except NoUsableReply:
        did = "gave no usable answer: "
    if not runtime.context.model:
        return await seen.substitute()
    fell_back(seen.counted_as)
    said = await seen.substitute()
    return said._replace(summary=did + said.summary)


def _update(seen: InView, said: SaidAnswer) -> dict[str, Any]:
    return {
        "answer": said.answer,
        "choice": said.choice,
        "quotes": said.quotes,
        "status": "answered" if said.answer else "researched" if said.context_alone else "no_answer",
        "compression_rate": None if said.words is None else compression_rate(said.words, seen.document),
        "step_summary": said.summary,
        **seen.beside,
    }


def compression_rate(words: int, document: Document) -> float:
    """100 · (1 − words in context / words of the text) (ReadAgent, section 4)."""
    return round(100 * (1 - words / max(document.words, 1)), 2)
