"""What nodes and calls do, as records of logs and as spans of OpenTelemetry: names, numbers and times, never a text."""

import asyncio
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from langgraph.errors import GraphBubbleUp

from readgraph.models.metering import Meter, current_meter
from readgraph.models.names import find_model_entry
from readgraph.models.prices import Price, price_to_pay
from readgraph.models.prompt import Prompt
from readgraph.state import logs
from readgraph.state.errors import BudgetSpent
from readgraph.state.installed import __version__
from readgraph.state.reading import NO_TOKENS
from readgraph.state.variables import is_silent

if TYPE_CHECKING:  # imported when a model is asked
    from readgraph.models.client import ModelClient

API = "opentelemetry.trace"
Attributes = Mapping[str, str | int | float | bool | None]  # by their names; None and "" are left out


def is_tracing_enabled() -> bool:
    """Whether somebody collects spans: the API was imported, and a provider was set."""
    trace = sys.modules.get(API)
    if trace is None or is_silent():
        return False
    return not isinstance(trace.get_tracer_provider(), (trace.ProxyTracerProvider, trace.NoOpTracerProvider))


def flush() -> None:
    """Send what a provider has collected, before the process ends at once."""
    if is_tracing_enabled() and (sends := getattr(sys.modules[API].get_tracer_provider(), "force_flush", None)):
        sends()


class TraceSpan:
    """A span that lasts, or none where nobody collects them."""

    def __init__(self, inner: Any = None) -> None:
        self.inner = inner

    def in_hand(self) -> AbstractContextManager[Any]:
        """Inside of the `with`, what begins is a part of this span."""
        if self.inner is None:
            return nullcontext()
        as_it_is = {"end_on_exit": False, "record_exception": False, "set_status_on_exception": False}
        inside: AbstractContextManager[Any] = sys.modules[API].use_span(self.inner, **as_it_is)
        return inside

    def add(self, attributes: Attributes) -> None:
        """Add attributes."""
        if self.inner is not None:
            self.inner.set_attributes(_drop_empty_attributes(attributes))

    def fail(self, kind: str) -> None:
        """Say that it failed, and with which type of error."""
        if self.inner is not None:
            trace = sys.modules[API]
            self.inner.set_status(trace.Status(trace.StatusCode.ERROR, kind))
            self.inner.set_attribute("error.type", kind)

    def end(self) -> None:
        """End it."""
        if self.inner is not None:
            self.inner.end()


NO_SPAN = TraceSpan()


def begin_span(name: str, attributes: Attributes, *, client: bool = False) -> TraceSpan:
    """A span that has begun, and is not yet the one in hand; `client`: it is a request to another program."""
    if not is_tracing_enabled():
        return NO_SPAN
    trace = sys.modules[API]
    kind = trace.SpanKind.CLIENT if client else trace.SpanKind.INTERNAL
    tracer = trace.get_tracer("readgraph", __version__)
    return TraceSpan(tracer.start_span(name, kind=kind, attributes=_drop_empty_attributes(attributes)))


@contextmanager
def span(name: str, attributes: Attributes, *, client: bool = False) -> Iterator[TraceSpan]:
    """A span around what is done inside of the `with`, also in the tasks and threads that begin there."""
    trace_span = begin_span(name, attributes, client=client)
    try:
        with trace_span.in_hand():
            yield trace_span
    except BaseException as problem:
        if not isinstance(problem, GraphBubbleUp | asyncio.CancelledError | GeneratorExit):
            trace_span.fail(type(problem).__name__)  # its text may hold what was read
        raise
    finally:
        trace_span.end()


def _drop_empty_attributes(attributes: Attributes) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None and value != ""}


REQUESTED = "gen_ai.request.model"
OURS = "readgraph."  # what the names of our own attributes begin with


def has_listeners() -> bool:
    """Whether anybody listens."""
    return logs.is_log_enabled() or is_tracing_enabled()


class Call:
    """One prompt to a model, the `number`th in a row for one answer, from the beginning of a `with` to its end.

    It is told what became of it: answered, recorded or refused; it failed if an error ends it. Nothing is told where
    nobody listens as it begins.
    """

    def __init__(self, client: "ModelClient", prompt: Prompt, number: int, share: float) -> None:
        self.client, self.prompt, self.number, self.share = client, prompt, number, share
        self.outcome, self.why, self.tokens, self.began = "answered", "", NO_TOKENS, 0.0
        self._listened, self._span, self._lasting = has_listeners(), NO_SPAN, ExitStack()

    @property
    def _about(self) -> dict[str, Any]:
        return {"prompt": self.prompt.name, "version": self.prompt.version, "try": self.number}

    def mark_sent(self) -> None:
        """The request is sent now."""
        self.began = time.perf_counter()
        if self._listened and is_tracing_enabled():
            named = {f"{OURS}{name}": value for name, value in self._about.items()}
            server, chat = urlsplit(self.client.server), _gen_ai("chat", self.client.name)
            node = {"server.address": server.hostname, "server.port": server.port, f"{OURS}node": current_meter().node}
            manager = span(f"chat {chat[REQUESTED]}", {**chat, **node, **named}, client=True)
            self._span = self._lasting.enter_context(manager)

    def __enter__(self) -> "Call":
        return self

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if not self._listened or isinstance(problem, BudgetSpent):  # then no call was made
            return
        if problem is not None:
            self.outcome = "failed" if isinstance(problem, Exception) else "cancelled"
        new = self.began > 0
        tokens = self.tokens if new else NO_TOKENS
        seconds = round(time.perf_counter() - self.began, 4) if new else None
        dollars = self._cost() if new else None
        self._count(new, dollars)
        self._span.add(
            {
                "gen_ai.usage.input_tokens": tokens.sent or None,
                "gen_ai.usage.output_tokens": tokens.received or None,
                "gen_ai.usage.cache_read.input_tokens": tokens.cache_read or None,
                "gen_ai.usage.cache_creation.input_tokens": tokens.cache_written or None,
                f"{OURS}outcome": self.outcome,
                f"{OURS}why": self.why,
                f"{OURS}cost": dollars,
            }
        )
        if self.outcome == "failed":
            self._span.fail(type(problem).__name__)
        self._lasting.close()
        logs.log(
            "call",
            logs.WARNING if self.outcome in ("refused", "failed") else logs.INFO,
            model=self.client.name,
            **self._about,
            outcome=self.outcome,
            why=self.why,
            recorded=not new if self.outcome == "refused" else None,
            tokens_in=tokens.sent or None,
            tokens_out=tokens.received or None,
            tokens_cached=tokens.cache_read or None,
            seconds=seconds,
            cost=dollars,
            **(logs.fault(problem) if problem is not None and self.outcome == "failed" else {}),
        )

    def _count(self, new: bool, dollars: float | None) -> None:
        if run := logs.current_run():
            made = new and self.outcome in ("answered", "refused")
            run.count(calls=made, recorded=self.outcome == "recorded", refused=self.outcome == "refused")
            run.count(failed=self.outcome == "failed", cost=dollars)
            run.count(tokens_in=self.tokens.sent if new else 0, tokens_out=self.tokens.received if new else 0)

    def _cost(self) -> float | None:
        run = logs.current_run()
        given = Price(*run.price) if run and run.price else None
        price = price_to_pay(given, self.client.name, self.share) if self.tokens.sent else None
        return round(price.of_tokens(self.tokens), 6) if price else None


@contextmanager
def watch_embedding(model: str, texts: int) -> Iterator[None]:
    """Tell of a request for the vectors of so many texts."""
    if not has_listeners():
        yield
        return
    began = time.perf_counter()
    fields: dict[str, Any] = {"model": model, "texts": texts}
    about = {**_gen_ai("embeddings", model), f"{OURS}texts": texts}
    with span(f"embeddings {about[REQUESTED]}", about, client=True):
        try:
            yield
        except Exception as problem:
            logs.log("embedding", logs.WARNING, **fields, outcome="failed", **logs.fault(problem))
            raise
    logs.log("embedding", **fields, outcome="answered", seconds=round(time.perf_counter() - began, 4))


@contextmanager
def watch_node(meter: Meter, about: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Tell of a node; what is put into the dictionary is its update."""
    update: dict[str, Any] = {}
    if not has_listeners():
        yield update
        return
    part = logs.new_run_part(**{"document": meter.document, **about, "node": meter.node})
    attributes = {f"{OURS}{name}": value for name, value in {"run": part.id, **part.about}.items()}
    with logs.use_run(part), span(f"node {meter.node}", attributes) as lasts:
        logs.log("node_begun")
        try:
            yield update
        except BaseException as problem:
            state, failed = logs.end_state(problem)
            if isinstance(problem, GraphBubbleUp):
                state, failed = "paused", {}
            told: dict[str, Any] = {"state": state, "seconds": round(meter.seconds, 4), **failed}
            logs.log("node_ended", logs.ERROR if failed else logs.INFO, **told)
            raise
        _end_node(part, meter, update, lasts)


def _end_node(part: logs.RunUsage, meter: Meter, update: Mapping[str, Any], lasts: TraceSpan) -> None:
    status = update.get("status")
    if isinstance(status, str):
        part.set_status(status)
    used = meter.used
    sums = {"calls": used["calls"], "recorded": used["cached_calls"], "refused": used["refused"]}
    sums |= {"fallbacks": sum(meter.fallbacks.values())}
    sums |= {"tokens_in": used["input_tokens"], "tokens_out": used["output_tokens"]}
    known: dict[str, Any] = {} if "document" in part.about else {"document": str(update.get("document", ""))}
    told = {"status": part.status, **{name: value for name, value in sums.items() if value}, **known}
    lasts.add({f"{OURS}{name}": value for name, value in told.items()})
    logs.log("node_ended", state="done", seconds=round(meter.seconds, 4), **told)


def _gen_ai(operation: str, model: str) -> dict[str, Any]:
    """What the semantic conventions for generative AI say of a request to a model."""
    named = find_model_entry(model)
    full = named.table.full_name if named and named.table else model
    provider, name = full.split(":", 1) if ":" in full else ("", full)
    return {"gen_ai.operation.name": operation, "gen_ai.provider.name": provider, REQUESTED: name}
