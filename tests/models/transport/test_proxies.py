"""Proxies: never on the way to this machine, otherwise as the environment says, and named where they refuse."""

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from readgraph.models.asking import ask_text
from readgraph.models.embeddings.models import Embedder
from readgraph.sources.inputs import fetch
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.proxies import except_this_machine, is_this_machine, proxy_for
from tests.doubles.hurried import Hurried
from tests.doubles.model_server import ModelServer
from tests.doubles.wires import Certificate, Proxy, Wire, respond
from tests.models.test_asking import PROMPT, houses, make_runtime
from tests.models.transport.test_certificates import AskAt, port_of
from tests.support.command import assert_refused

pytestmark = pytest.mark.quick

REMOTE = "http://model.example/v1"
NOBODY = "http://127.0.0.1:9"
VARIABLES = ("HTTP_PROXY", "all_proxy", "OPENAI_PROXY")


@pytest.mark.parametrize("variable", VARIABLES)
def test_no_proxy_to_loopback(
    server: ModelServer, ask_at: AskAt, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("NO_PROXY", "")
    with Proxy(port_of(server)) as proxy:
        monkeypatch.setenv(variable, proxy.url)
        ran = ask_at(server.url.replace("127.0.0.1", "localhost"))
        assert ran.code == 0 and ran.err == "" and server.calls > 0
        asyncio.run(Embedder("openai:double").query("a lamp"))
        with pytest.raises(BadInput, match="404"):
            fetch(server.url)
        assert server.embedding_calls == 1 and proxy.heads == []


@pytest.mark.parametrize("variable", VARIABLES)
def test_other_servers_are_reached_through_the_proxy(
    server: ModelServer, ask_at: AskAt, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    with Proxy(port_of(server)) as proxy:
        monkeypatch.setenv(variable, proxy.url.removeprefix("http://"))  # as some write it
        ran = ask_at(REMOTE)
        assert ran.code == 0 and ran.err == ""
        asyncio.run(Embedder("openai:double").query("a lamp"))
        assert server.calls > 0 and server.embedding_calls == 1
        assert all("model.example" in head for head in proxy.heads) and proxy.heads


def test_encryption_goes_through_the_proxy_and_names_it(
    server: ModelServer, ask_at: AskAt, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = Certificate(tmp_path, "other.example")
    with made.front(port_of(server)) as front, Proxy(front.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        assert_refused(
            ask_at("https://model.example/v1"), f"https://model.example (through the proxy {proxy.url}) shows a"
        )
        assert proxy.heads[0].startswith("CONNECT model.example:443")


OWN = ["localhost", "LOCALHOST.", "api.localhost", "127.0.0.1", "127.9.9.9", "127.1", "::1", "[::1]", "0.0.0.0", "::"]


@pytest.mark.parametrize("host", [*OWN, "::ffff:127.0.0.1", socket.gethostname()])
def test_this_machine_is_known(host: str) -> None:
    assert is_this_machine(host)


@pytest.mark.parametrize("host", ["", "localhost.example", "notlocalhost", "128.0.0.1", "10.0.0.1", "1.example", "::2"])
def test_other_machines_are_others(host: str) -> None:
    assert not is_this_machine(host)


@pytest.mark.parametrize(
    ("host", "excepted", "not_excepted"),
    [
        ("model.example:8000", "* ; , *;model.example;.model.example;example;.example;*.example;MODEL.EXAMPLE.", ""),
        ("model.example:8000", "model.example:8000;a.example b.example,model.example;http://model.example", ""),
        ("model.example:8000", "", "del.example;other;model.example:80;10.0.0.0/8;"),
        ("10.1.2.3", "10.0.0.0/8", "11.0.0.0/8;10.1.2.3:81"),
        ("10.1.2.3:81", "10.1.2.3:81", ""),
        ("[fd00::1]", "fd00::/8;[fd00::1]", "fd01::/16"),
        ("[fd00::1]:81", "[fd00::1]:81", ""),
    ],
)
def test_no_proxy_in_its_forms(monkeypatch: pytest.MonkeyPatch, host: str, excepted: str, not_excepted: str) -> None:
    monkeypatch.setenv("ALL_PROXY", "user:hush@proxy.example:3128/")
    for expected, lists in (("", excepted), ("http://user:hush@proxy.example:3128", not_excepted)):
        for listed in lists.split(";") if lists else ():
            monkeypatch.setenv("NO_PROXY", listed)
            assert proxy_for(f"http://{host}/v1") == expected, listed


@pytest.mark.parametrize(
    ("proxy", "reason"),
    [
        ("ftp://proxy.example", "HTTP_PROXY names no proxy that can be used (ftp://)"),
        ("socks4://proxy.example:1080", "can be used (socks4://): write http://HOST:PORT or socks5://HOST:PORT"),
        ("http://", "HTTP_PROXY names no proxy that can be used: write"),
        ("http://proxy.example:port", "HTTP_PROXY names no proxy that can be used: write"),
        ("socks://hush@proxy.example:1080", "HTTP_PROXY names a SOCKS proxy, which needs one more package: pip"),
        ("socks5://proxy.example:1080", "pip install socksio"),
        ("socks5h://proxy.example:1080", "pip install socksio"),
    ],
)
def test_a_proxy_that_cant_be_used_is_told_only_where_it_would_be(
    server: ModelServer, ask_at: AskAt, monkeypatch: pytest.MonkeyPatch, hurried: Hurried, proxy: str, reason: str
) -> None:
    monkeypatch.setattr("readgraph.state.proxies.find_spec", lambda name: None)  # where socksio is not installed
    monkeypatch.setenv("HTTP_PROXY", proxy)
    ran = ask_at(server.url)
    assert ran.code == 0 and ran.err == ""
    ran = ask_at(REMOTE)
    assert_refused(ran, reason)
    assert "hush" not in ran.err and not hurried.pauses


@pytest.mark.parametrize("address", [REMOTE, "https://model.example/v1"])
@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        ("407 Proxy Authentication Required", "wants a user and a password (407): write http://USER:PASSWORD@"),
        ("403 Forbidden", "refuses the way to the model server (403)"),
        ("200 OK", ""),
    ],
)
def test_a_proxy_that_refuses(
    ask_at: AskAt, monkeypatch: pytest.MonkeyPatch, hurried: Hurried, address: str, refusal: str, reason: str
) -> None:
    with Proxy(0, refusal, "<html>Log in, hush</html>") as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url.replace("://", "://me:hush@"))
        ran = ask_at(address)
        assert_refused(ran, reason)
        assert f"proxy {proxy.url}" in ran.err and "hush" not in ran.err
        assert not hurried.pauses or (refusal.startswith("200") and sum(hurried.pauses) <= 12)
        assert "proxy-authorization" in proxy.heads[0].lower()


@pytest.mark.parametrize("address", [REMOTE, "https://model.example/v1"])
def test_a_proxy_that_does_not_reach_the_server_is_tried_again_and_named(
    ask_at: AskAt, monkeypatch: pytest.MonkeyPatch, hurried: Hurried, address: str
) -> None:
    with Proxy(0, "503 Service Unavailable", "<html>No such host</html>") as proxy:
        monkeypatch.setenv("ALL_PROXY", f"'{proxy.url}/' ")
        assert_refused(ask_at(address), f"{address} (through the proxy {proxy.url})")
    assert len(hurried.pauses) > 1


def test_a_proxy_that_is_away_is_named(ask_at: AskAt, monkeypatch: pytest.MonkeyPatch, hurried: Hurried) -> None:
    monkeypatch.setenv("ALL_PROXY", NOBODY)
    assert_refused(ask_at(REMOTE), f"The proxy {NOBODY} does not answer: check the variable that names it.")
    with pytest.raises(ModelUnavailable, match=r"The proxy .* does not answer"):
        asyncio.run(Embedder("openai:double").query("a lamp"))
    assert not hurried.pauses


def test_a_proxy_that_ends_while_it_is_used_is_waited_for_and_named(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, hurried: Hurried
) -> None:
    async def ask_twice() -> None:
        with Proxy(port_of(server)) as proxy:
            monkeypatch.setenv("ALL_PROXY", proxy.url)
            runtime = make_runtime(retry_seconds=10)
            await ask_text(runtime, PROMPT)
            proxy.end_connections()
        with pytest.raises(ModelUnavailable, match=rf"at {REMOTE} \(through the proxy {proxy.url}\): check the proxy"):
            await ask_text(runtime, houses(1)[0])

    monkeypatch.setenv("OPENAI_BASE_URL", REMOTE)
    asyncio.run(ask_twice())
    assert len(hurried.pauses) > 1


def test_an_address_that_is_fetched_takes_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def serve(connection: Any) -> None:
        wire.read_head(connection)
        respond(connection, "200 OK", "content-type: text/plain", body="A lamp.")

    with Wire(serve) as wire, Proxy(wire.port) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert fetch(f"http://127.0.0.1:{wire.port}/lamp.txt") == (b"A lamp.", ".txt") and not proxy.heads
        assert fetch("http://page.example/lamp.txt") == (b"A lamp.", ".txt") and len(proxy.heads) == 1


@pytest.mark.parametrize(("set_to", "kept"), [("", ""), ("a.example", "a.example,"), ("*", "*,")])
def test_other_packages_know_of_this_machine(monkeypatch: pytest.MonkeyPatch, set_to: str, kept: str) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, set_to)
    except_this_machine()
    assert os.environ["NO_PROXY"] == set_to, "no proxy is set"
    monkeypatch.setenv("all_proxy", NOBODY)
    except_this_machine()
    assert os.environ["NO_PROXY"] == os.environ["no_proxy"] == f"{kept}localhost,127.0.0.0/8,127.0.0.1,::1"
