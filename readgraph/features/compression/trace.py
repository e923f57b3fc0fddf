"""What a compression gives, and the trace of how it came about."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import reduce
from typing import Any, Literal

from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from readgraph.graphs.wiring.method_graph import run_and_listen
from readgraph.models.metering import ModelExchange, exchanges_to
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.reading import NOTHING_USED, Step, Usage, add_counts, add_usage

CompressionStatus = Literal["whole", "compressed", "answered", "nearest", "no_answer", "budget"]
"""`whole`: the text fits the budget of tokens and is unchanged. With a query: `answered`, `nearest` (without a model:
the passages nearest to the query) or `no_answer` (nothing was found, and the text is empty). `budget`: the budget of
calls or words was spent, and the rest was done without a model."""


@dataclass(frozen=True)
class Compressed:
    """A compressed text; `tokens` is its size, never more than the budget."""

    text: str
    engine: str
    tokens: int
    status: CompressionStatus

    def __str__(self) -> str:
        return self.text


class TraceReply(TypedDict):
    """A model's reply to the prompt named `asked`; `refused` says why it could not be used, or is None."""

    asked: str
    version: int
    reply: str
    refused: str | None
    tokens: tuple[int, int]


class TraceStep(Step):
    """One run of a node, whose model may be "" (none), with its replies."""

    replies: list[TraceReply]


@dataclass(frozen=True)
class CompressionTrace:
    """How a text was compressed, as plain JSON values.

    `parameters` are the engine's; functions stand there by their names. `model` is "" where the text was compressed
    without one, by its own sentences. `fallbacks` counts the replies that were replaced, by kind.
    """

    engine_name: str
    model: str
    parameters: dict[str, Any]
    input_summary: dict[str, Any]
    output_summary: dict[str, Any]
    original_tokens: int
    compressed_tokens: int
    processing_ms: float
    steps: list[TraceStep] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """What all steps used."""
        return reduce(add_usage, (step["usage"] for step in self.steps), NOTHING_USED)

    @property
    def fallbacks(self) -> dict[str, int]:
        """The fall-backs of all steps."""
        return reduce(add_counts, (step["fallbacks"] for step in self.steps), dict[str, int]())

    def as_dict(self) -> dict[str, Any]:
        """The trace as a JSON value."""
        return {**asdict(self), "usage": self.usage, "fallbacks": self.fallbacks}

    def to_json(self) -> str:
        """The trace as JSON, indented."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=2)


async def run_and_trace(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    given: Mapping[str, Any],
    context: ReaderContext,
    steps: list[TraceStep],
    listen: Listen,
) -> dict[str, Any]:
    """Run a graph; returns its output, and adds its steps with their replies to `steps` as they end."""
    exchanges: list[ModelExchange] = []

    def trace(mode: str, event: Any) -> None:
        """Each step that ended gets the exchanges since the step before it."""
        listen(mode, event)
        for update in event.values() if mode == "updates" else ():
            ended = (update or {}).get("steps", [])
            for step in getattr(ended, "value", ended):  # the first node overwrites the channel
                steps.append(_as_trace(step, exchanges))
                exchanges.clear()

    with exchanges_to(exchanges.append):
        return await run_and_listen(graph, given, context=context, listen=trace)


def _as_trace(step: Step, exchanges: Sequence[ModelExchange]) -> TraceStep:
    return TraceStep(
        node=step["node"],
        model=step["model"],
        summary=step["summary"],
        replies=[_as_reply(exchange) for exchange in exchanges],
        usage=step["usage"],
        fallbacks=step["fallbacks"],
    )


def _as_reply(exchange: ModelExchange) -> TraceReply:
    return TraceReply(
        asked=exchange["asked"],
        version=exchange["version"],
        reply=exchange["reply"],
        refused=exchange["refused"],
        tokens=exchange["tokens"][:2],
    )
