"""Nothing is reached but the model server that is named; without a model nothing at all."""

import io
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import typer

from readgraph.graphs.methods import METHODS, ROWS, WEB_METHODS
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ModelServer
from tests.doubles.still_driver import StillDriver
from tests.support.command import Command
from tests.support.every_command import SERVE, any_reply, each_line, files_in
from tests.support.sockets import only_port
from tests.support.web_pages import html

CONTEXT = ReaderContext(
    embeddings="openai:double-embeddings", segment_words=60, min_page_words=40, max_page_words=90, children=3
)
EVERY = {**METHODS, ROWS["summary"].name: ROWS["summary"], **WEB_METHODS}


def port_of(server: ModelServer) -> int:
    return urlsplit(server.url).port or 0


def test_the_guard_sees_what_is_tried(server: ModelServer) -> None:
    with only_port(port_of(server)) as tried:
        socket.create_connection(("127.0.0.1", port_of(server))).close()
        for host in ("192.0.2.1", "readgraph.invalid", "127.0.0.1"):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((host, 443))
    assert tried.let_through >= 1 and len(tried.refused) == 3


@pytest.mark.slow
@pytest.mark.parametrize("method", EVERY)
async def test_a_method_reaches_its_model_alone(library: Library, server: ModelServer, story: str, method: str) -> None:
    server.respond = any_reply
    graph = EVERY[method].build().compile(checkpointer=library.checkpointer, store=library.store)
    given: dict[str, Any] = {"text": html("shop") if method in WEB_METHODS else story[:1500]}
    if method != ROWS["summary"].name:
        given["question"] = "Who took the log book?"
    config: Any = {"configurable": {"thread_id": "1"}}
    with only_port(port_of(server)) as tried:
        await graph.ainvoke(given, config, context=replace(CONTEXT, model="openai:double"))
    assert tried.let_through and not tried.refused
    if not EVERY[method].needs_embeddings:
        with only_port(None) as tried:
            await graph.ainvoke(
                {**given, "text": f"{given['text']} More."}, config, context=replace(CONTEXT, embeddings="")
            )
        assert not tried.refused


@pytest.mark.slow
@pytest.mark.parametrize("model", ["openai:double", ""])
def test_a_command_reaches_its_model_alone(
    readgraph: Command, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    for function in SERVE.values():
        monkeypatch.setattr(function, lambda *given, **more: typer.echo("served"))
    monkeypatch.setattr("readgraph.features.web.run.ChromiumDriver", StillDriver)
    server.respond = any_reply
    with only_port(port_of(server) if model else None) as tried:
        for line in each_line(files_in(tmp_path), model):
            monkeypatch.setattr("sys.stdin", io.StringIO("Hello.\n"))
            ran = readgraph(*line)
            assert not tried.refused, (line, tried.refused)
            assert ran.code in ((0,) if model else (0, 2)), (line, ran.err)
    assert bool(tried.let_through) == bool(model)
