"""What strangers wrote is shown as text: no escape code on the terminal, no element or attribute in a report."""

import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from lxml import etree, html

from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.still_driver import StillDriver
from tests.graphs.test_odd_texts import RAW
from tests.support.command import Command
from tests.support.every_command import SERVE, any_reply, each_line, files_in
from tests.support.hostile_texts import hostile_texts

TAKEN = "\x1b]0;taken\x07\x9b2J\u202e</script></title><script>taken()</script><svg onload=taken()>'\"><b id=taken>"
SAID = ("answer", "memo", "header", "reason", "found", "inner_thoughts", "content", "text", "message")


def hostile_reply(request: ChatRequest) -> Any:
    """The usual reply, with more than text in all that it says."""

    def more(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {each: more(part, each) for each, part in value.items()}
        if isinstance(value, list):
            return [more(part, name) for part in value]
        return value + TAKEN if isinstance(value, str) and name in SAID else value

    reply = any_reply(request)
    return reply + TAKEN if isinstance(reply, str) else more(reply)


@pytest.fixture
def every_line(
    readgraph: Command, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Run every line over a text, and return all that was printed."""
    for function in SERVE.values():
        monkeypatch.setattr(function, lambda *given, **more: typer.echo("served"))
    monkeypatch.setattr("readgraph.features.web.run.ChromiumDriver", StillDriver)

    def run(folder: str, name: str, more: str, respond: Any) -> str:
        (tmp_path / folder).mkdir()
        monkeypatch.setenv("READGRAPH_LIBRARY", str(tmp_path / folder / "library"))
        server.respond, printed = respond, ""
        for line in each_line(files_in(tmp_path / folder, name, more), "openai:double"):
            monkeypatch.setattr("sys.stdin", io.StringIO(f"Hello. {more}\n/memory\n".replace("\x00", "")))
            ran = readgraph(*line)
            assert ran.code in (0, 1, 2) and "Traceback" not in ran.err, (line, ran.err)
            printed += ran.out + ran.err
        return printed

    return run


def markup(page: Path) -> Counter[str]:
    """The elements of a page, each with the names of its attributes."""
    tree = html.fromstring(page.read_bytes(), parser=html.HTMLParser(encoding="utf-8"))
    return Counter(f"{each.tag!s} {sorted(map(str, each.attrib))}" for each in tree.iter(etree.Element))


@pytest.mark.slow
def test_no_command_prints_an_escape_code_or_writes_markup(every_line: Callable[..., str], tmp_path: Path) -> None:
    parts = [text for name, text in hostile_texts().items() if name.endswith("alone") and len(text) < 2_000]
    every_line("tame", "text", "", any_reply)
    printed = every_line("odd", TAKEN.replace("/", "\u2215"), TAKEN + " ".join(parts), hostile_reply)
    assert len(printed) > 5_000
    assert not RAW.search(printed.replace("\n", "").replace("\t", ""))
    pages = sorted((tmp_path / "tame").rglob("*.html"))
    assert len(pages) >= 5
    for page in pages:
        other = tmp_path / "odd" / page.relative_to(tmp_path / "tame")
        tame, odd = markup(page), markup(other)
        assert {*odd} <= {*tame} and tame["script []"] == odd["script []"], other.name
        assert b"taken" in other.read_bytes() or "out" in str(other)
