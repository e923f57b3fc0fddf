"""`ask --method gam` as a user meets it."""

from pathlib import Path

import pytest

from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for, reader
from tests.doubles.researcher import QUESTION, TRAIL, researcher, trail_pages
from tests.support.command import Command
from tests.support.examples import EXAMPLES

STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    file = tmp_path / "trail.txt"
    file.write_text("".join(trail_pages()), encoding="utf-8")
    return file


def test_a_question_is_researched_and_its_rounds_are_shown(
    server: ModelServer, readgraph: Command, trail: Path
) -> None:
    server.respond = lambda request: reader(request) if asked_for(request) == "MemoAndHeader" else researcher(request)
    ask = ("ask", QUESTION, trail, "--method", "gam", "--model", "openai:double", "--memo-page-words", 70)
    shown = readgraph(*ask, "--rounds", 5, "--pages-per-tool", 3, "--show-steps")
    assert shown.code == 0
    out = shown.out
    assert "At elm." in out and "Round 4" in out and "Round 5" not in out
    assert "requests: What did the note at birch say?" in out and "enough: yes" in out
    found = readgraph(*ask, "--rounds", 5, "--pages-per-tool", 3, "--json").json
    assert (found["answer"], found["usage"]["calls"], len(found["rounds"])) == ("At elm.", 0, 4)
    assert len(found["sources"]) == len(TRAIL) == len(found["snippets"])


def test_the_context_alone_without_a_model(readgraph: Command) -> None:
    question = "What did the keeper's Remarks for 19 January say about a goat?"
    ran = readgraph("ask", question, STORY, "--method", "gam", "--context-only", "--evidence", "snippets")
    assert (ran.code, "Goat on gallery" in ran.out, "without a model" in ran.err) == (0, True, True)
    question = "What did Marian Prosser buy at the auction?"
    found = readgraph("ask", question, STORY, "--method", "gam", "--rounds", 1, "--tools", "page", "--json").json
    used = {tool for hit in found["rounds"][0]["hits"] for tool in hit["tools"]}
    assert used == {"page"}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--tools", "keyword,web"], "'keyword', 'vector' or 'page'"),
        (["--tools", "vector"], "needs an embedding model"),
        (["--embeddings", "words"], "is not the name of an embedding model"),
        (["--rounds", "0", "--without-memory"], "there must be research"),
    ],
)
def test_bad_options_are_one_clear_line(readgraph: Command, options: list[str], complaint: str) -> None:
    ran = readgraph("ask", "Who?", STORY, "--method", "gam", *options)
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err and "Traceback" not in ran.err
