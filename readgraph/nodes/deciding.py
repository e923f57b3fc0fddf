"""The step that lets the model decide: what is settled needs no call, and an unusable reply has a substitute."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, get_args, get_type_hints

from langgraph.runtime import Runtime
from typing_extensions import is_typeddict

from readgraph.models.metering import fell_back
from readgraph.nodes.step import StateT, StepNode, UpdateT, Work
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups
from readgraph.state.errors import NoUsableReply


@dataclass(frozen=True)
class Choice(Generic[UpdateT]):
    """What the model is to decide: `ask` asks it and makes the update, with errors as in `models.asking`.

    `otherwise` gives the update where no usable reply came: that is counted under `counted_as`.
    """

    ask: Callable[[], Awaitable[UpdateT]]
    otherwise: Callable[[NoUsableReply], Awaitable[UpdateT]]
    counted_as: str


Choosing: TypeAlias = Callable[[StateT, Runtime[ReaderContext]], Awaitable[UpdateT | Choice[UpdateT]]]
"""A method's part of deciding: `(state, runtime) -> Choice`, or the update itself where there is nothing to decide."""


def deciding(
    without_model: Work[StateT, UpdateT], *, settings: Groups = ()
) -> Callable[[Choosing[StateT, UpdateT]], StepNode[StateT, UpdateT]]:
    """Make a method's part a node that decides; its types say what the node reads and writes.

    `without_model` decides without a model; `settings` names the groups of settings that both read.
    """

    def made(make_choice: Choosing[StateT, UpdateT]) -> StepNode[StateT, UpdateT]:
        async def decide(state: StateT, runtime: Runtime[ReaderContext]) -> UpdateT:
            choice = await make_choice(state, runtime)
            if not isinstance(choice, Choice):
                return choice
            try:
                return await choice.ask()
            except NoUsableReply as problem:
                fell_back(choice.counted_as)
                return await choice.otherwise(problem)

        hints = get_type_hints(make_choice)
        (update,) = (kind for kind in get_args(hints["return"]) if is_typeddict(kind))
        decide.__annotations__ |= {"state": hints["state"], "return": update}
        decide.__doc__, decide.__module__ = make_choice.__doc__, make_choice.__module__
        return StepNode(decide, without_model, settings=settings)

    return made
