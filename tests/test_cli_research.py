"""`ask --method gam` as a user meets it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from readgraph.cli.main import run
from tests.examples import EXAMPLES
from tests.model_server import ModelServer
from tests.reader import reader
from tests.researcher import QUESTION, TRAIL, researcher, trail_pages, wanted_reply

STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    file = tmp_path / "trail.txt"
    file.write_text("".join(trail_pages()), encoding="utf-8")
    return file


@pytest.fixture
def readgraph(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """The command, run in this process; gives exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["readgraph", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run()
        return int(ended.value.code or 0), *capsys.readouterr()

    return command


def test_a_question_is_researched_and_its_rounds_are_shown(server: ModelServer, readgraph: Any, trail: Path) -> None:
    server.respond = lambda request: (
        reader(request) if wanted_reply(request) == "MemoAndHeader" else researcher(request)
    )
    ask = ("ask", QUESTION, trail, "--method", "gam", "--model", "openai:double", "--session-page-words", 70)
    code, out, _ = readgraph(*ask, "--rounds", 5, "--pages-per-tool", 3, "--show-steps")
    assert code == 0
    assert "At elm." in out and "Round 4" in out and "Round 5" not in out
    assert "after: What did the note at birch say?" in out and "enough: yes" in out
    code, out, _ = readgraph(*ask, "--rounds", 5, "--pages-per-tool", 3, "--json")
    found = json.loads(out)
    assert (found["answer"], found["usage"]["calls"], len(found["rounds"])) == ("At elm.", 0, 4)
    assert len(found["sources"]) == len(TRAIL) == len(found["snippets"])


def test_the_context_alone_without_a_model(readgraph: Any) -> None:
    question = "What did the keeper's Remarks for 19 January say about a goat?"
    code, out, err = readgraph("ask", question, STORY, "--method", "gam", "--context-only", "--evidence", "snippets")
    assert (code, "Goat on gallery" in out, "without a model" in err) == (0, True, True)
    code, out, _ = readgraph("ask", question, STORY, "--method", "gam", "--rounds", 1, "--tools", "page", "--json")
    used = {tool for hit in json.loads(out)["rounds"][0]["hits"] for tool in hit["tools"]}
    assert (code, used) == (0, {"page"})


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--tools", "keyword,web"], "'keyword', 'vector' or 'page'"),
        (["--tools", "vector"], "needs an embedding model"),
        (["--embeddings", "words"], "names no embedding model"),
        (["--rounds", "0", "--without-memory"], "there must be research"),
    ],
)
def test_bad_options_are_one_clear_line(readgraph: Any, options: list[str], complaint: str) -> None:
    code, out, err = readgraph("ask", "Who?", STORY, "--method", "gam", *options)
    assert (code, out) == (2, "")
    assert complaint in err and "Traceback" not in err
