"""Spans of OpenTelemetry: one for each run of a graph, each node and each call, where somebody collects them.

Nothing is imported and nothing is made until a program has set a tracer provider. Spans hold names, numbers and times,
never a text. Calls have the attributes of the semantic conventions for generative AI.
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from langgraph.errors import GraphBubbleUp

from readgraph.state.version import __version__

API = "opentelemetry.trace"

Attributes = Mapping[str, str | int | float | bool | None]
"""Attributes by their names; those that are None or "" are left out."""


def collected() -> bool:
    """Whether somebody collects spans: the API was imported, and a provider was set."""
    trace = sys.modules.get(API)
    return trace is not None and not isinstance(
        trace.get_tracer_provider(), (trace.ProxyTracerProvider, trace.NoOpTracerProvider)
    )


def flush() -> None:
    """Send what a provider has collected, before the process ends at once."""
    if collected() and (sends := getattr(sys.modules[API].get_tracer_provider(), "force_flush", None)):
        sends()


class Span:
    """A span that lasts, or none where nobody collects them."""

    def __init__(self, inner: Any = None) -> None:
        self.inner = inner

    def add(self, attributes: Attributes) -> None:
        """Add attributes."""
        if self.inner is not None:
            self.inner.set_attributes(_known(attributes))

    def fail(self, kind: str) -> None:
        """Say that it failed, and with which type of error."""
        if self.inner is not None:
            trace = sys.modules[API]
            self.inner.set_status(trace.Status(trace.StatusCode.ERROR, kind))
            self.inner.set_attribute("error.type", kind)


NO_SPAN = Span()


@contextmanager
def span(name: str, attributes: Attributes, *, client: bool = False) -> Iterator[Span]:
    """A span around what is done inside of the `with`, also in the tasks and threads that begin there.

    `client`: it is a request to another program.
    """
    if not collected():
        yield NO_SPAN
        return
    with lasting(begun(name, attributes, client=client)) as made:
        yield made


def begun(name: str, attributes: Attributes, *, client: bool = False) -> Any:
    """A span that has begun, and is not yet the one in hand; None where nobody collects them."""
    if not collected():
        return None
    trace = sys.modules[API]
    kind = trace.SpanKind.CLIENT if client else trace.SpanKind.INTERNAL
    return trace.get_tracer("readgraph", __version__).start_span(name, kind=kind, attributes=_known(attributes))


@contextmanager
def lasting(inner: Any) -> Iterator[Span]:
    """Inside of the `with` this span is the one in hand; it ends with it."""
    made = Span(inner)
    try:
        with in_hand(inner):
            yield made
    except BaseException as problem:
        if not isinstance(problem, GraphBubbleUp | asyncio.CancelledError | GeneratorExit):
            made.fail(type(problem).__name__)  # its text may hold what was read
        raise
    finally:
        inner.end()


@contextmanager
def in_hand(inner: Any) -> Iterator[None]:
    """Inside of the `with`, what begins is a part of this span."""
    with sys.modules[API].use_span(inner, end_on_exit=False, record_exception=False, set_status_on_exception=False):
        yield


def _known(attributes: Attributes) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None and value != ""}
