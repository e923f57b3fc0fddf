"""A server that has moved: followed with the text and the key only where both may go, else refused with the address."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from readgraph.features.batches.calls import BatchedCalls
from readgraph.models.client import model_client
from readgraph.models.embeddings.models import Embedder
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ModelUnavailable
from tests.doubles.hurried import Hurried
from tests.doubles.model_server import ModelServer
from tests.doubles.wires import Certificate, Proxy, Wire, join, respond
from tests.models.transport.test_certificates import AskAt, port_of
from tests.models.transport.test_certificates import certificates_are_read as certificates_are_read
from tests.support.command import assert_refused

pytestmark = pytest.mark.quick


class Moved(Wire):
    """Sends on what is asked below /old, and serves the rest as the server behind it does."""

    def __init__(self, port: int, status: str, location: str) -> None:
        super().__init__()
        self.target, self.status, self.location = port, status, location

    def answer(self, connection: socket.socket) -> None:
        head, body = self.read_head(connection)
        if (path := head.split()[1]).startswith("/old/"):
            places = {"port": self.port, "rest": path.removeprefix("/old/"), "target": self.target}
            headers = [f"location: {self.location.format(**places)}"] if self.location else []
            return respond(connection, self.status, *headers, body="moved")
        with socket.create_connection(("127.0.0.1", self.target)) as server:
            lines = [line for line in head.split("\r\n") if not line.lower().startswith("connection:")]
            server.sendall("\r\n".join([*lines, "connection: close", "", ""]).encode() + body)
            join(connection, server)
        return None

    def use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{self.port}/old")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as entered:
        yield entered


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary", "308 Permanent"])
@pytest.mark.parametrize("location", ["/v1/{rest}", "http://127.0.0.1:{port}/v1/{rest}", "../../v1/{rest}?a=1"])
async def test_the_same_server_is_followed_with_text_and_key(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, stack: ExitStack, status: str, location: str
) -> None:
    moved = stack.enter_context(Moved(port_of(server), status, location))
    moved.use(monkeypatch)
    server.respond = lambda request: f"You said {request.last}"
    client = await model_client(ReaderContext(model="openai:double"))
    assert (await client.chat.ainvoke("seven")).text == "You said seven"
    assert "".join([piece.text async for piece in client.chat.astream("eight")]) == "You said eight"
    assert server.requests[0].headers["authorization"] == "Bearer sk-not-a-real-key"
    await Embedder("openai:double").query("a lamp")
    assert server.embedding_calls == 1
    moved.location = ""  # each request asks the old address first
    with pytest.raises(ModelUnavailable, match="doesn't say where it has moved"):
        await client.chat.ainvoke("nine")


async def test_its_encrypted_address_is_followed_and_then_verified(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, stack: ExitStack, tmp_path: Path
) -> None:
    made = Certificate(tmp_path, "127.0.0.1")
    front = stack.enter_context(made.front(port_of(server)))
    location = f"https://127.0.0.1:{front.port}/v1/{{rest}}"
    stack.enter_context(Moved(0, "301 Moved Permanently", location)).use(monkeypatch)
    server.respond = lambda request: "seven"
    client = await model_client(ReaderContext(model="openai:double"))
    with pytest.raises(ModelUnavailable, match="nothing here vouches for"):
        await client.chat.ainvoke("How many?")
    assert server.calls == 0
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    client = await model_client(ReaderContext(model="openai:double", timeout=99))
    assert (await client.chat.ainvoke("How many?")).text == "seven"
    assert server.requests[0].headers["authorization"] == "Bearer sk-not-a-real-key"


@pytest.mark.parametrize(
    ("status", "location", "reason"),
    [
        ("301 M", "http://localhost:{port}/v1/{rest}", "(301) to http://localhost:{port}/v1/{chat}, another"),
        ("308 M", "http://127.0.0.1:{target}/v1/{rest}", "(308) to http://127.0.0.1:{target}/v1/{chat}, another port"),
        ("307 M", "https://hub.example/v1/{rest}", "(307) to https://hub.example/v1/{chat}, another server"),
        ("302 F", "/login?next=hush", "(302) to http://127.0.0.1:{port}/login, which is no address of a model"),
        ("302 F", "https://me:hush@login.example/?a=hush", "(302) to https://login.example, another server"),
        ("303 S", "/v1/{rest}", "(303) to http://127.0.0.1:{port}/v1/{chat}, which is no"),
        ("301 M", "", "answers 301, and doesn't say where it has moved"),
        ("300 M", "", "answers 300, and doesn't say where it has moved"),
        ("301 M", "ftp://files.example/{rest}", "sends requests on (301) to no web address"),
        ("301 M", "/old/{rest}", "sends requests on without end"),
    ],
)
def test_another_place_gets_neither_text_nor_key(
    server: ModelServer, ask_at: AskAt, hurried: Hurried, status: str, location: str, reason: str
) -> None:
    with Moved(port_of(server), status, location) as moved:
        address = f"http://127.0.0.1:{moved.port}"
        ran = ask_at(f"{address}/old")
    assert_refused(ran, f"The model server at {address} ")
    places = {"port": moved.port, "target": moved.target, "chat": "chat/completions"}
    assert reason.format(**places) in ran.err and "hush" not in ran.err
    assert server.calls == 0 and not hurried.pauses


async def test_a_file_elsewhere_is_fetched_without_the_key(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, stack: ExitStack, tmp_path: Path
) -> None:
    """A batch endpoint may keep its files at a store that the address itself opens."""
    made = Certificate(tmp_path, "store.example")

    def serve(connection: socket.socket) -> None:
        store.read_head(connection)
        respond(connection, "200 OK")

    store = stack.enter_context(Wire(serve))
    proxy = stack.enter_context(Proxy(stack.enter_context(made.front(store.port)).port))
    stack.enter_context(Moved(0, "302 Found", "https://store.example/{rest}?sig=1")).use(monkeypatch)
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    client = await model_client(ReaderContext(model="openai:double", batch=True))
    assert isinstance(client.sender, BatchedCalls)
    assert await client.sender.endpoint.responses(("file-1",)) == {}
    await client.sender.close()
    assert "/files/file-1/content?sig=1" in store.heads[0] and "sk-not" not in "".join(store.heads)
