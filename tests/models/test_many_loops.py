"""What belongs to an event loop ends with it: a program may begin as many as it likes."""

import asyncio
import gc
import os
import ssl
import weakref
from pathlib import Path
from typing import Any

import pytest

from readgraph import ReaderContext
from readgraph.graphs import read_agent
from readgraph.models.client import model_client
from readgraph.models.embeddings.models import Embedder
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ModelServer

ASKED = ReaderContext(model="openai:double")
DESCRIPTORS = Path("/proc/self/fd")

LOOPS = pytest.mark.parametrize("loops", [5, pytest.param(300, marks=pytest.mark.slow)])

pytestmark = pytest.mark.skipif(not DESCRIPTORS.exists(), reason="open descriptors can't be counted here")


def descriptors() -> int:
    return len(os.listdir(DESCRIPTORS))


@LOOPS
@pytest.mark.filterwarnings("ignore:The graph has no store")
def test_readings_in_loops_of_their_own_leave_nothing_open(server: ModelServer, loops: int) -> None:
    def read(number: int) -> None:
        asked: Any = {"text": "The lamp.", "question": f"Who {number}?"}
        found = asyncio.run(read_agent.graph.ainvoke(asked, context=ASKED))
        assert found["status"] == "answered"

    read(-1)
    resource = pytest.importorskip("resource")
    before, (soft, hard) = descriptors(), resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before + 8, hard))
    try:
        for number in range(loops):
            read(number)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert descriptors() <= before + 4, "the server's own connections may be among them"


@pytest.mark.slow
@LOOPS
def test_clients_of_ended_loops_are_closed_and_let_go(server: ModelServer, loops: int) -> None:
    async def client() -> Any:
        embedded = await embedder.query("lamp")
        assert embedded.ndim == 1
        chat = (await model_client(ASKED)).chat
        await chat.ainvoke("lamp")
        return chat

    embedder = Embedder("openai:double")
    asyncio.run(client())
    gc.collect()
    before, kinds = descriptors(), {"ModelClient", "AsyncOpenAI", "_Client", "_UnixSelectorEventLoop"}

    def alive() -> int:
        return sum(type(held).__name__ in kinds for held in gc.get_objects())

    held = alive()
    for _ in range(loops):
        chat = asyncio.run(client())
    assert chat.http_async_client.is_closed
    del chat
    gc.collect()
    assert descriptors() <= before + 4 and alive() <= held + 4


def test_a_loop_that_is_closed_without_ado_is_let_go(server: ModelServer) -> None:
    loops = []
    for _ in range(4):
        loop = asyncio.new_event_loop()
        loop.run_until_complete(model_client(ASKED))
        loop.close()
        loops.append(weakref.ref(loop))
    del loop
    gc.collect()
    assert sum(made() is not None for made in loops) < 3


def test_certificates_are_read_once_for_all_loops(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(model_client(ASKED))

    def read(*given: Any, **named: Any) -> None:
        raise FileNotFoundError("No such file")

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", read)
    for _ in range(3):
        asyncio.run(model_client(ASKED))
    monkeypatch.setenv("SSL_CERT_FILE", "none.pem")
    with pytest.raises(BadInput, match=r"certificates of SSL_CERT_FILE \(none.pem\) can't be read: No such file"):
        asyncio.run(model_client(ASKED))
