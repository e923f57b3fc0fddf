"""Encryption that does not come about: one line with the true cause, at once, and none of a server's words."""

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from readgraph.models.asking import ask_text
from readgraph.models.embeddings.models import Embedder
from readgraph.state.certificates import explain_tls
from readgraph.state.errors import ModelUnavailable
from tests.doubles.hurried import Hurried
from tests.doubles.model_server import ModelServer
from tests.doubles.wires import Certificate, Wire, respond
from tests.models.test_asking import PROMPT, make_runtime
from tests.models.transport.test_other_providers import Raising, Use, told_again
from tests.support.command import Ran, assert_refused

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def certificates_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the other tests do without."""
    real: Any = ssl.SSLContext.__mro__[1]
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", real.load_verify_locations)


AskAt = Callable[[str], Ran]


def port_of(server: ModelServer) -> int:
    return int(server.url.rpartition(":")[2].partition("/")[0])


@pytest.mark.parametrize(
    ("names", "days", "reason"),
    [
        (("127.0.0.1",), (-1, 1), "that nothing here vouches for"),
        (("127.0.0.1",), (-9, -1), "that has expired"),
        (("127.0.0.1",), (1, 9), "that is not valid yet"),
        (("other.example",), (-1, 1), "for another name"),
        (("127.0.0.2", "localhost"), (-1, 1), "for another name"),
    ],
)
def test_a_certificate_that_cant_be_trusted(
    server: ModelServer,
    ask_at: AskAt,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    hurried: Hurried,
    names: tuple[str, ...],
    days: tuple[int, int],
    reason: str,
) -> None:
    made = Certificate(tmp_path, *names, days=days)
    unknown = "vouches" in reason
    if not unknown:
        monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    with made.front(port_of(server)) as front:
        address = f"https://127.0.0.1:{front.port}"
        ran = ask_at(f"{address}/v1")
        assert_refused(ran, f"The model server at {address} shows a certificate {reason}")
        assert ("set SSL_CERT_FILE" in ran.err) == unknown
        assert not hurried.pauses and server.calls == 0
        if unknown:
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(made.file))
            assert "; REQUESTS_CA_BUNDLE is for other programs" in ask_at(f"{address}/v1").err


async def test_a_certificate_that_is_named_is_trusted_for_chat_and_embeddings(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = Certificate(tmp_path, "127.0.0.1")
    with made.front(port_of(server)) as front:
        monkeypatch.setenv("OPENAI_BASE_URL", f"https://127.0.0.1:{front.port}/v1")
        with pytest.raises(ModelUnavailable, match=r"nothing here vouches for .*set SSL_CERT_FILE"):
            await Embedder("openai:double").query("a lamp")
        monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
        assert len(await Embedder("openai:double").query("a lamp")) > 1
        assert server.embedding_calls == 1


@pytest.mark.parametrize(("days", "reason"), [((-1, 1), "nothing here vouches for"), ((-9, -1), "has expired")])
async def test_other_providers_packages_meet_the_same(
    server: ModelServer, use: Use, tmp_path: Path, hurried: Hurried, days: tuple[int, int], reason: str
) -> None:
    made = Certificate(tmp_path, "127.0.0.1", days=days)
    context = ssl.create_default_context(cafile=made.file if "expired" in reason else None)
    with made.front(port_of(server)) as front, pytest.raises(httpx.ConnectError) as met:
        httpx.get(f"https://127.0.0.1:{front.port}", verify=context)
    use(chat := Raising(problem=told_again(met.value)))
    with pytest.raises(ModelUnavailable, match=f"^The model server shows a certificate that {reason}"):
        await ask_text(make_runtime(model=f"mistralai:{days[0]}"), PROMPT)
    assert chat.calls == 1 and not hurried.pauses


KEY_ALONE = b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    ("variable", "held", "reason"),
    [
        ("SSL_CERT_FILE", None, "can't be read: No such file or directory. Name a file"),
        ("SSL_CERT_FILE", "a folder", "can't be read: it is a folder, which SSL_CERT_DIR may name"),
        ("SSL_CERT_FILE", b"", "it holds none in PEM form"),
        ("SSL_CERT_FILE", KEY_ALONE, "it holds none in PEM form"),
        ("SSL_CERT_FILE", bytes(range(256)), "it holds none in PEM form"),
        ("SSL_CERT_DIR", None, "The folder of SSL_CERT_DIR"),
        ("SSL_CERT_DIR", b"", "The folder of SSL_CERT_DIR"),
    ],
)
def test_certificates_that_cant_be_read(
    ask_at: AskAt,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    variable: str,
    held: bytes | str | None,
    reason: str,
) -> None:
    named = tmp_path / "named.pem"
    if isinstance(held, bytes):
        named.write_bytes(held)
    elif held:
        named.mkdir()
    monkeypatch.setenv(variable, str(named))
    ran = ask_at(server.url)
    assert_refused(ran, reason)
    assert variable in ran.err and str(named) in ran.err


def test_https_before_a_server_without_encryption(server: ModelServer, ask_at: AskAt, hurried: Hurried) -> None:
    ran = ask_at(server.url.replace("http:", "https:"))
    assert_refused(ran, "answers https:// without encryption: write http:// in its address")
    assert not hurried.pauses


def test_http_before_a_server_of_https(server: ModelServer, ask_at: AskAt, tmp_path: Path, hurried: Hurried) -> None:
    with Certificate(tmp_path, "127.0.0.1").front(port_of(server)) as front:
        address = f"127.0.0.1:{front.port}"
        assert_refused(ask_at(f"http://{address}/v1"), f"{address} wants encryption: write https:// in its")
    assert not hurried.pauses


def test_a_plain_server_that_refuses_is_no_server_that_wants_encryption(ask_at: AskAt) -> None:
    def refuse(connection: Any) -> None:
        connection.recv(65_536)
        respond(connection, "400 Bad Request", "content-type: text/html", body="<html>No</html>")

    with Wire(refuse) as wire:
        assert "encryption" not in ask_at(f"http://127.0.0.1:{wire.port}/v1").err


def test_other_errors_say_nothing_of_encryption() -> None:
    assert explain_tls(ConnectionRefusedError("refused"), "It") == ""
    assert explain_tls(ssl.SSLEOFError(8, "EOF occurred in violation of protocol"), "It") == ""
