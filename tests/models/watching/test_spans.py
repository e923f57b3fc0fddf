"""Spans: a trace of each run, with its nodes and calls, in whatever tasks and threads they run; and no text."""

from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from readgraph.graphs import read_agent
from readgraph.models.watching import NO_SPAN, is_tracing_enabled, span
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ModelUnavailable
from tests.doubles.model_server import Fault, ModelServer
from tests.support.command import SECRET

TEXT = "\n\n".join(f"In year {year} the keeper heard a xylophone beneath the stair. " * 4 for year in range(4))
CONTEXT = ReaderContext(model="openai:double", min_page_words=20, max_page_words=45)
ASKED = {"text": TEXT, "question": "Where is the marzipan?"}


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What a user's provider collects; a process can set one only once, so it takes the place of the API's."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    yield exporter
    provider.shutdown()


def graph() -> Any:
    return read_agent.build().compile(store=InMemoryStore(), name="read_agent")


def names_of(spans: InMemorySpanExporter) -> dict[str, set[str]]:
    """The names of the spans, each with those of its parents; all are of one trace."""
    made = spans.get_finished_spans()
    by_id = {each.context.span_id: each for each in made}
    assert len({each.context.trace_id for each in made}) == 1
    found: dict[str, set[str]] = {}
    for each in made:
        found.setdefault(each.name, set()).add(by_id[each.parent.span_id].name if each.parent else "")
    return found


TREE = {
    "run read-agent": {""},
    **{f"node {name}": {"run read-agent"} for name in ("open", "read", "merge", "look_up", "answer", "cite")},
    "chat double": {"node read", "node look_up", "node answer"},
}


@pytest.mark.parametrize("how", ["invoke", "ainvoke", "stream", "astream"])
async def test_calls_belong_to_their_nodes(server: ModelServer, spans: InMemorySpanExporter, how: str) -> None:
    begun = getattr(graph(), how)(ASKED, context=CONTEXT)
    assert [each async for each in begun] if how == "astream" else list(await begun if how == "ainvoke" else begun)
    assert names_of(spans) == TREE


def test_a_program_s_own_span_is_the_parent_and_nothing_of_the_text_is_kept(
    server: ModelServer, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with trace.get_tracer("program").start_as_current_span("program"):
        graph().invoke(ASKED, context=CONTEXT)
    assert names_of(spans) == {**TREE, "run read-agent": {"program"}, "program": {""}}
    shown = "".join(each.to_json() for each in spans.get_finished_spans())
    words = ("xylophone", "marzipan", "keeper", "In short", "It says so", SECRET)
    assert [word for word in words if word in shown] == []
    called = next(each for each in spans.get_finished_spans() if each.name == "chat double")
    attributes: dict[str, Any] = dict(called.attributes or {})
    assert called.kind is trace.SpanKind.CLIENT
    assert attributes["gen_ai.operation.name"] == "chat" and attributes["gen_ai.request.model"] == "double"
    assert attributes["gen_ai.provider.name"] == "openai" and attributes["server.address"] == "127.0.0.1"
    assert attributes["gen_ai.usage.input_tokens"] > 0 and attributes["gen_ai.usage.output_tokens"] > 0
    assert {attributes[f"readgraph.{name}"] for name in ("outcome", "try", "version")} == {"answered", 1}


def test_a_failure_is_told_by_its_type_alone(server: ModelServer, spans: InMemorySpanExporter) -> None:
    server.fault_for = lambda request, call: Fault.unauthorized()
    with pytest.raises(ModelUnavailable):
        graph().invoke(ASKED, context=CONTEXT)
    failed = {each.name for each in spans.get_finished_spans() if not each.status.is_ok and not each.status.is_unset}
    assert {"run read-agent", "node read", "chat double"} <= failed
    assert all(not each.events for each in spans.get_finished_spans())
    called = next(each for each in spans.get_finished_spans() if each.name == "chat double")
    assert dict(called.attributes or {})["error.type"] == called.status.description == "ModelUnavailable"


def test_without_a_provider_nothing_is_made() -> None:
    with span("nothing", {}) as made:
        assert made is NO_SPAN and not is_tracing_enabled()
