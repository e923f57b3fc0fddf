"""The command as a user runs it: in this process, or as a process of its own."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for
from tests.support.examples import STORY as STORY

ASK = ("ask", "Who took the log book?", STORY)
DOUBLE = ("--model", "openai:double")
NODES = ["open", "read", "merge", "look_up", "answer", "cite"]
PROMISED = {
    *"answer choice status by_rule findings citations pages_read percent_read steps usage fallbacks".split(),
    "compression_rate",
    "corrected_notes",
    *"sentences unsupported unchecked".split(),
}
NAMES = {
    *"title model method document documents memory cost marked_answer".split(),
    *"places_read flags says notices searched_by".split(),
}
SECRET = "sk-hush-hush-0123456789"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def text(self) -> str:
        assert self.code == 0, self.err
        return plain(self.out)


Command = Callable[..., Ran]


def plain(printed: str) -> str:
    """Without colours, frames and line breaks."""
    return " ".join(re.sub(r"\x1b\[[\d;]*m|[│╭╮╰╯─]", " ", printed).split())


def process(*arguments: object, options: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
    """The command as a process of its own."""
    command = [sys.executable, *options, "-m", "readgraph", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


def finished(started: "subprocess.Popen[str]") -> Ran:
    try:
        out, err = started.communicate(timeout=30)
    finally:
        started.kill()
    return Ran(started.returncode, out, err)


def assert_refused(ran: Ran, reason: str, code: int = 2) -> None:
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("readgraph: ") and ran.err.count("\n") == 1 and ran.err.endswith("\n")
    assert reason in ran.err and "Traceback" not in ran.err


def kinds(requests: list[ChatRequest]) -> list[str]:
    return [asked_for(request) or "note" for request in requests]


def assert_cited(found: Any, text: str) -> None:
    for citation in found["citations"]:
        assert set(citation) - {"number", "mark_at"} == {"page", "quote", "start", "end", "place"}
        assert text[citation["start"] : citation["end"]] == citation["quote"] != ""
    assert found["citations"]
