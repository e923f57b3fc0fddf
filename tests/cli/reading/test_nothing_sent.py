"""What a command says was sent where no model was called: nothing, unless something did leave this machine."""

import socket

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from tests.doubles.model_server import ModelServer
from tests.doubles.wires import Wire, respond
from tests.support.command import ASK, STORY, Command, finished, process

COMMANDS = [
    ASK,
    (*ASK, "--show-steps"),
    (*ASK, "--verbose"),
    (*ASK, "--estimate"),
    ("read", STORY),
    ("summarise", STORY),
    ("ask", "Who?", STORY, "--method", "bm25"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(map(str, words[-2:])))
def test_nothing_is_said_to_be_sent_only_where_nothing_was(
    readgraph: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    ran = readgraph(*words)
    assert ran.code == 0 and "nothing" in ran.out + ran.err
    monkeypatch.setattr("readgraph.nodes.opening.tracing_is_enabled", lambda: True)
    ran = readgraph(*words)
    assert ran.code == 0
    assert "nothing sent" not in ran.out + ran.err and "nothing is sent" not in ran.out + ran.err
    monkeypatch.setattr("readgraph.nodes.opening.tracing_is_enabled", lambda: False)
    monkeypatch.setattr(trace, "get_tracer_provider", TracerProvider)
    assert "nothing sent" not in readgraph(*words).out


def test_texts_for_an_embedding_model_are_counted(server: ModelServer, readgraph: Command) -> None:
    searched = (*ASK, "--method", "dense", "--embeddings", "openai:double")
    ran = readgraph(*searched)
    assert ran.code == 0 and server.embedding_calls > 0 and server.calls == 0
    assert "no call to a model, " in ran.out and "sent for vectors" in ran.out and "nothing sent" not in ran.out
    assert "nothing sent" in readgraph(*searched).out, "the vectors are kept"
    used = readgraph("ask", "Where is the lamp?", *searched[2:], "--json").json["usage"]
    assert used["embedded_texts"] > 0 and used["calls"] == 0
    assert "embedded_texts" not in readgraph(*ASK, "--json").json["usage"]
    assert "nothing is sent" not in readgraph(*searched, "--estimate").out


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING"])
def test_traces_that_are_sent_are_told(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    def collect(connection: socket.socket) -> None:
        collector.read_head(connection)
        respond(connection, "202 Accepted", "content-type: application/json", body="{}")

    with Wire(collect) as collector:
        monkeypatch.setenv(variable, "true")
        monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{collector.port}")
        monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2-not-a-real-key")
        ran = finished(process(*ASK))
    assert ran.code == 0 and "LangSmith tracing is on" in ran.err
    assert "no call to a model · " in ran.out and "nothing sent" not in ran.out + ran.err
    assert any("/runs" in head.splitlines()[0] for head in collector.heads), "something was sent"
