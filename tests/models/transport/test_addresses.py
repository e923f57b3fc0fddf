"""Addresses of model servers as people write them: each works, or is refused in a line that says how to write it."""

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from langchain_core.load import dumpd

from readgraph.features.batches.calls import BatchedCalls
from readgraph.models.client import model_client
from readgraph.models.embeddings.models import Embedder
from readgraph.models.openai.address import read_address, without_secrets
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ModelServer
from tests.doubles.wires import Proxy
from tests.models.transport.test_certificates import port_of
from tests.support.command import ASK, DOUBLE, SECRET, Command, assert_refused

pytestmark = pytest.mark.quick

WORKING = [
    *["{}/v1/", "{}/v1/chat/completions", "{}/v1/chat/completions/?api-version=1", "{}/v1#models", "{}/v1/embeddings"],
    *[" {}/v1 ", '"{}/v1"', "'{}/v1/'", "“{}/v1”", "{}/v1\n"],
]


@pytest.mark.parametrize("form", WORKING)
@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
async def test_an_address_works_as_copied(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, form: str, variable: str
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.setenv(variable, form.format(server.url.removesuffix("/v1")))
    client = await model_client(ReaderContext(model="openai:double"))
    assert client.server == server.url, "what replies are recorded under"
    server.respond = lambda request: "seven"
    assert (await client.chat.ainvoke("How many?")).text == "seven"
    await Embedder("openai:double").query("a lamp")
    assert server.embedding_calls == 1


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("localhost:8080/v1", "OPENAI_BASE_URL lacks http:// or https:// before the address: write it as https://"),
        *[(f"me:{SECRET}@host/v1", "lacks http:// or https://"), ("//host/v1", "lacks http:// or https://")],
        ("http:/host/v1", "lacks http:// or https://"),
        ("htps://host/v1", "begins with htps://, which no model server does"),
        ("ws://host/v1", "begins with ws://"),
        ("http://::1:8080/v1", "an IPv6 address as http://[::1]:8080/v1"),
        *[("http://[::1:8080/v1", "can't be read"), ("http://host:port/v1", "can't be read")],
        *[("http://host:99999/v1", "can't be read"), ("http:///v1", "can't be read")],
        *[("http://my host/v1", "can't be read"), (f"http://host/v1?key={SECRET}&key=2", "twice")],
    ],
)
def test_an_address_that_cant_be_used_is_one_line(
    server: ModelServer, readgraph: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str, reason: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    ran = readgraph(*ASK, *DOUBLE)
    assert_refused(ran, reason)
    assert SECRET not in ran.err
    with pytest.raises(BadInput, match="OPENAI_BASE_URL"):
        Embedder("openai:double")
    write_table(tmp_path, address)
    ran = readgraph(*ASK, "--model", "mine")
    assert_refused(ran, reason.removeprefix("OPENAI_BASE_URL "))
    assert "[models.mine] in " in ran.err and "'base_url' " in ran.err
    assert SECRET not in ran.err


def write_table(folder: Path, address: str) -> None:
    """Name a model of the server at this address "mine"."""
    (folder / "settings.toml").write_text(f"[models.mine]\nmodel = 'double'\nbase_url = '{address}'\n")


def paths_of(proxy: Proxy) -> list[str]:
    """What was asked for first on each connection, with its query."""
    return [head.splitlines()[0].split()[1].partition("gateway.example/")[2] for head in proxy.heads]


def test_the_query_is_each_requests_own_and_no_one_reads_it(
    server: ModelServer, readgraph: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = f"api-version=2024-10-21&sig=a%2Fb+{SECRET}"
    with Proxy(port_of(server)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://gateway.example/v1?{asked}")
        for method in ("read-agent", "full-text"):  # which asks for the model's window, too
            ran = readgraph(*ASK, *DOUBLE, "--json", "--method", method)
            assert ran.code == 0 and SECRET not in ran.out + ran.err
        asyncio.run(Embedder("openai:double").query("a lamp"))
        write_table(tmp_path, f"http://gateway.example/v1/?{asked}")
        ran = readgraph(*ASK, "--model", "mine")
        assert ran.code == 0 and SECRET not in ran.out + ran.err
    lines = paths_of(proxy)
    assert {line.partition("?")[0] for line in lines} > {"v1/chat/completions", "v1/embeddings", "v1/models", "props"}
    for line in lines:
        query = parse_qsl(line.partition("?")[2])
        assert query == [("api-version", "2024-10-21"), ("sig", f"a/b {SECRET}")]
    for file in (tmp_path / "library").rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


async def test_batches_and_lists_ask_with_the_query_too(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with Proxy(port_of(server)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("OPENAI_BASE_URL", "http://gateway.example/v1?api-version=1&team=a")
        client = await model_client(ReaderContext(model="openai:double", batch=True))
        assert isinstance(client.sender, BatchedCalls) and client.server == "http://gateway.example/v1"
        endpoint = client.sender.endpoint
        assert await endpoint.find_batch("no-file") == ""
        file = await endpoint.upload(b"{}\n")
        assert file
        sdk: Any = client.chat
        assert "team" not in repr(dumpd(sdk)) + repr(sdk), "what traces show of a model"
        assert [model.id async for model in sdk.root_async_client.models.list()] == ["test-model"]
        await client.sender.close()
    lines = paths_of(proxy)
    assert lines and all("api-version=1&team=a" in line for line in lines)


@pytest.mark.parametrize(
    ("address", "named"),
    [
        *[("http://h/v1", "http://h/v1"), ("http://h/v1/", "http://h/v1"), ("HTTP://H:80/v1", "http://H:80/v1")],
        *[("http://me:hush@h/v1/?a=hush", "http://h/v1"), ("http://h", "http://h"), ("http://h/v1/?", "http://h/v1")],
        *[(same := "http://[::1]:8/v1", same), (same := "http://h/openai/deployments/m", same)],
        ("http://h/my/embeddings", "http://h/my/embeddings"),
    ],
)
def test_what_names_a_server_is_as_it_always_was(address: str, named: str) -> None:
    assert without_secrets(read_address(address, "OPENAI_BASE_URL").url) == without_secrets(address) == named
