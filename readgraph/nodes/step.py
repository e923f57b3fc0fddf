"""A step: a coroutine that serves as a graph node under `invoke` and `ainvoke`, metered and recorded."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Generic, NotRequired, TypeVar, cast, get_type_hints, overload

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.errors import GraphInterrupt
from langgraph.runtime import get_runtime
from langgraph.types import Overwrite
from typing_extensions import TypedDict

from readgraph.library.page_store import PageStore, page_store
from readgraph.library.stored_items import ROOT
from readgraph.models.metering import CallBudget, Meter, current_meter, let_node_substitute, start_meter
from readgraph.models.names import check_transport, within_window
from readgraph.models.watching import watch_node
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.memory import forget_opened
from readgraph.state.context import ReaderContext, run_context
from readgraph.state.declaring import Groups
from readgraph.state.errors import BadInput, BudgetSpent, Forgotten
from readgraph.state.loops import end_this_task_when_left, in_background, raise_first_error
from readgraph.state.reading import NOTHING_USED, Status, Step, Usage, add_usage
from readgraph.state.records import Recipe
from readgraph.state.settings import Budget, Concurrency, Model, ReadingModel, Tenant, Window, settings_of_calls

__all__ = ["node"]

INTERRUPTED = (ROOT, "interrupted")  # usages by LangGraph's ids of tasks, which stay the same until a task is done


@asynccontextmanager
async def count_interrupted_usage(meter: Meter, store: PageStore) -> AsyncIterator[None]:
    """Count what the same task used before an interrupt; inside the `with`, the step runs."""
    run = (var_child_runnable_config.get() or {}).get("configurable", {})  # None: the node runs by itself
    if not run.get("__pregel_checkpointer"):  # then nothing can be resumed
        yield
        return
    task, before = str(run.get("__pregel_task_id", "")), Usage(**NOTHING_USED)
    earlier = (await store.get(INTERRUPTED, [task]))[0] if run.get("__pregel_resuming") else None
    if earlier is not None:
        before = Usage(**{**NOTHING_USED, **earlier})  # type: ignore[typeddict-item]
        meter.before = add_usage(meter.before, before)
    try:
        yield
    except GraphInterrupt:
        used: dict[str, Any] = {**_together(before, add_usage(meter.used, meter.inside))}
        await store.put([(INTERRUPTED, task, used)])
        raise
    if earlier is not None:
        meter.used = _together(before, meter.used)
        await store.delete(INTERRUPTED, [task])


LOOKED_AGAIN = 0.3  # seconds between two checks, during a build, that the document still exists


@asynccontextmanager
async def cancel_if_forgotten(store: PageStore, document: str) -> AsyncIterator[None]:
    """Stop as soon as the document is forgotten, and raise `Forgotten`."""

    async def watch() -> None:
        while True:
            await asyncio.sleep(LOOKED_AGAIN)
            try:
                await store.document(document)
            except BadInput:
                raise Forgotten("The document was forgotten by another command while it was read.") from None

    with raise_first_error():
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(watch())
            yield
            watching.cancel()


def _together(before: Usage, again: Usage) -> Usage:
    """The usage of a step that was run again: replies that it was given the first time are no recorded ones."""
    both = add_usage(before, again)
    both["cached_calls"] = max(again["cached_calls"] - before["calls"], before["cached_calls"])
    both["refused"] = max(before["refused"], again["refused"])
    return both


StateT = TypeVar("StateT")
UpdateT = TypeVar("UpdateT", bound=Mapping[str, object])

Work = Callable[[StateT, ReaderRuntime], Awaitable[UpdateT]]
"""The coroutine of a node: what it reads of the state, and what it writes."""

MakeRecipe = Callable[[ReaderContext], Recipe]  # the recipe of the memory that a step builds or finds


INSTEAD = {
    "Command": "its update as a dictionary; edges are chosen by what the state then holds",
    "BaseModel": "its fields: .model_dump()",
    "generator": "the dictionary with `return`, not `yield`",
    "async_generator": "the dictionary with `return`, not `yield`",
    "coroutine": "what it gives: `await` it",
}
"""What a node is to return instead of some things, by the names of their classes, or of one that they derive from."""


def what_instead(kind: type[Any]) -> str:
    """What a node that returns this is to return: the end of a sentence; "" where nothing special is known."""
    return next((f" Return {INSTEAD[base.__name__]}." for base in kind.__mro__ if base.__name__ in INSTEAD), "")


def as_update(name: str, update: object) -> dict[str, Any]:
    """What a node with this name returned, as a dictionary of what changed; raises `BadInput` for anything else."""
    if isinstance(update, Mapping | None):
        return dict(update or {})
    raise BadInput(
        f"The node '{name}' must return a dictionary of what changed: it returned {update!r:.60}."
        f"{what_instead(type(update))}"
    )


class BudgetState(TypedDict):
    """What every step reads, besides what its coroutine declares, so that budgets carry over from step to step."""

    document: NotRequired[str]
    status: NotRequired[Status]
    usage: NotRequired[Usage]


class StepNode(Runnable[Any, Any], Generic[StateT, UpdateT]):
    """What `node` makes of a coroutine `(state, runtime) -> update`: a node of graphs, which LangGraph runs.

    In a graph it runs by `invoke` and `ainvoke`: a meter counts the calls that it makes and what they use, and a step
    with its usage is added to its update. Where there is no model, or the budget is spent, its `without_model` runs in
    its place. Inside of another step it is called as a function, and counts as a part of that step.

    Its attributes are the arguments of `node`; made of another node, it runs the same coroutines.
    """

    check_update: Callable[[Mapping[str, Any]], None] | None = None
    """Refuses an update that the graph can't take, if the graph says so."""

    name: str
    work: Work[StateT, UpdateT]
    without_model: Work[StateT, UpdateT] | None
    recipe: MakeRecipe | None
    alone: bool

    def __init__(
        self,
        work: Work[StateT, UpdateT],
        without_model: Work[StateT, UpdateT] | None = None,
        *,
        starts_question: bool = False,
        builds: bool = False,
        settings: Groups = (),
        needs: Collection[str] = (),
        alone: bool = False,
        recipe: MakeRecipe | None = None,
    ) -> None:
        if isinstance(work, StepNode):
            other: StepNode[StateT, UpdateT] = work
            work, without_model, recipe = other.work, without_model or other.without_model, recipe or other.recipe
            alone = alone or other.alone
        self.needs, self.recipe, self.alone = frozenset(needs), recipe, alone
        reading = (ReadingModel,) if builds else ()
        self.settings: Groups = (
            *(Model, Window, Concurrency, *settings_of_calls(), Budget, Tenant),
            *reading,
            *settings,
        )
        self.work, self.without_model, self.starts_question, self.builds = work, without_model, starts_question, builds
        self.__doc__ = work.__doc__
        self.name = work.__name__

    def __repr__(self) -> str:
        return f"StepNode({self.name})"

    @property
    def input_schema(self) -> type[Any] | None:  # type: ignore[override]
        """The channels that the coroutine reads, by its first parameter's annotation, and the record; None: all."""
        first = next(iter(inspect.signature(self.work).parameters))
        try:
            declared = get_type_hints(self.work).get(first)
        except NameError:  # names that exist only for type checkers
            return None
        if not (isinstance(declared, type) and get_type_hints(declared)):
            return None
        channels = get_type_hints(BudgetState, include_extras=True) | get_type_hints(declared, include_extras=True)
        return TypedDict(declared.__name__, channels)  # type: ignore[operator, no-any-return]

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run in the background event loop, with the caller's context variables."""
        return in_background(self.ainvoke, input, config, runtime=get_runtime(ReaderContext), waits=True)

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, *, runtime: ReaderRuntime | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Run the coroutine as a node, and add to its update what it used and its line in the trajectory.

        Args:
            input: What it reads of the state.
            config: LangGraph's; it names the node and what the run is about.
            runtime: The settings, the store and the stream; by default, those of LangGraph's run.
            **kwargs: Not used: `waits` says that a thread waits for the result.
        """
        runtime = runtime or get_runtime(ReaderContext)
        context = run_context(runtime.context)
        check_transport(context)
        runtime = runtime.override(context=self.own_context(context))
        if self.starts_question:
            forget_opened()
        metadata = (config or {}).get("metadata", {})
        meter = self._make_meter({} if self.starts_question else input, runtime, metadata)
        outer = start_meter(meter)
        labels: dict[str, str] = {name: str(metadata[name]) for name in ("method", "document") if name in metadata}
        with end_this_task_when_left(), watch_node(meter, labels) as ended:
            store = page_store(runtime)  # held while the step runs: all that it calls share it
            async with count_interrupted_usage(meter, store), self._while_remembered(meter, store):
                update = await self._update(input, runtime)
            if self.check_update:
                self.check_update(update)
            meter.end(outer)
            if meter.budget.spent or (meter.budget.spent_before and "status" in update):
                update["status"] = "budget"
            ended.update(update)
        return self._add_record(update, meter)

    async def __call__(self, state: StateT, runtime: ReaderRuntime) -> UpdateT:
        """Run inside of another step: what it uses counts as that step's; it has its own substitute."""
        runtime = runtime.override(context=self.own_context(runtime.context))
        return cast("UpdateT", await self._update(state, runtime))

    def own_context(self, context: ReaderContext) -> ReaderContext:
        """The context of a run as this node has it: with the model that works here, and what that model holds."""
        if self.builds and context.reading_model:
            context = replace(context, model=context.reading_model)
        return within_window(context)

    async def _update(self, state: StateT, runtime: ReaderRuntime) -> dict[str, Any]:
        if self.without_model is None:
            return as_update(self.name, await self.work(state, runtime))
        if not runtime.context.model:
            return as_update(self.name, await self.without_model(state, runtime))
        meter = current_meter()
        if not meter.budget.spent_before:
            with suppress(BudgetSpent), let_node_substitute():
                return as_update(self.name, await self.work(state, runtime))
        meter.remarks.went_without = True
        return as_update(self.name, await self.without_model(state, runtime))

    def _make_meter(self, channels: Mapping[str, Any], runtime: ReaderRuntime, metadata: Mapping[str, Any]) -> Meter:
        return Meter(
            runtime.context,
            before=channels.get("usage") or Usage(**NOTHING_USED),
            stream=runtime.stream_writer,
            document=channels.get("document", ""),
            node=str(metadata.get("langgraph_node", "")) or self.work.__name__,
            budget=CallBudget(spent_before=channels.get("status") == "budget"),
        )

    def _while_remembered(self, meter: Meter, store: PageStore) -> AbstractAsyncContextManager[None]:
        """A build ends as soon as somebody has the library forget its document."""
        if self.builds and meter.document:
            return cancel_if_forgotten(store, meter.document)
        return nullcontext()

    def _add_record(self, update: dict[str, Any], meter: Meter) -> dict[str, Any]:
        fallbacks = dict(meter.fallbacks)
        model, summary = str(meter.context.model), str(update.pop("step_summary", ""))
        step = Step(
            node=meter.node, model=model, summary=meter.remarks.add_to(summary), usage=meter.used, fallbacks=fallbacks
        )
        if meter.remarks.by_meaning:
            step["by_meaning"] = True
        if meter.pictures:
            step["pictures"] = sorted(meter.pictures, key=lambda place: (len(place), place))
        record: dict[str, Any] = {"steps": [step], "usage": meter.used, "fallbacks": fallbacks}
        if meter.corrected or self.starts_question:
            record["corrected_notes"] = sorted(meter.corrected)
        if self.starts_question:
            record = {channel: Overwrite(value) for channel, value in record.items()}
        return {**record, **update}  # steps that ran inside of this one have recorded themselves


@overload
def node(work: Work[StateT, UpdateT], /) -> StepNode[StateT, UpdateT]: ...
@overload
def node(
    *,
    starts_question: bool = False,
    builds: bool = False,
    settings: Groups = (),
    needs: Collection[str] = (),
    alone: bool = False,
    recipe: MakeRecipe | None = None,
) -> Callable[[Work[StateT, UpdateT]], StepNode[StateT, UpdateT]]: ...
@overload
def node(
    *,
    without_model: Work[StateT, UpdateT] | None,
    starts_question: bool = False,
    builds: bool = False,
    settings: Groups = (),
    needs: Collection[str] = (),
    alone: bool = False,
    recipe: MakeRecipe | None = None,
) -> Callable[[Work[StateT, UpdateT]], StepNode[StateT, UpdateT]]: ...
def node(
    work: Work[Any, Any] | None = None,
    /,
    *,
    without_model: Work[Any, Any] | None = None,
    starts_question: bool = False,
    builds: bool = False,
    settings: Groups = (),
    needs: Collection[str] = (),
    alone: bool = False,
    recipe: MakeRecipe | None = None,
) -> Any:
    """Make a coroutine `(state, runtime) -> update` a node of graphs.

    Its types say what it reads and writes, and an update may hold `step_summary`: one line for the trajectory. Inside
    of another step it is called as it is: `await look_up(state, runtime)`; what it uses counts as that step's.

    Args:
        work: The coroutine, where the decorator has no arguments.
        without_model: The coroutine that runs instead where the context names no model, or the budget is spent. Leave
            it out where the step can go on by itself (`ask_reply(…, fallback=…)` gives None, `can_ask` is false).
        starts_question: It is the first node of a graph, which resets what belongs to one question.
        builds: It builds a memory, for which the context's reading model is the model.
        settings: The groups of settings that it reads, besides those of every step.
        needs: The parameters that the recipe of its memory must have.
        alone: It may wait for a person, or what it does can't be done again: it is joined with no other step.
        recipe: Makes the recipe of the memory that it finds or builds.

    Returns:
        The node, or what makes a coroutine one.
    """
    if work is not None:
        return StepNode(work)
    return partial(
        StepNode,
        without_model=without_model,
        starts_question=starts_question,
        builds=builds,
        settings=settings,
        needs=needs,
        alone=alone,
        recipe=recipe,
    )
