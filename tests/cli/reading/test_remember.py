"""The command `remember`: sessions of files into a history."""

import io
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest import MonkeyPatch

from readgraph.sources.sessions import SESSION_HEADING, load_sessions
from readgraph.state.errors import BadInput
from tests.cli.stopping.test_kill import KillingReader
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import between
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.examples import EXAMPLES
from tests.support.forking import ended

CHAT = EXAMPLES / "allotment-chat.txt"


def memos(readgraph: Command, named: object = "chat") -> list[dict[str, Any]]:
    pages: list[dict[str, Any]] = readgraph("show", named, "--json").json["pages"]
    return pages


def test_a_chat_is_remembered_by_its_sessions(readgraph: Command, server: ModelServer) -> None:
    ran = readgraph("remember", "chat", CHAT, *DOUBLE)
    assert "Added 17 sessions; 'chat' has 17 sessions." in ran.text
    assert "17 parts" in ran.text and "notes for 17 parts" in ran.text and "17 calls" in ran.text
    assert [between(request, "place") for request in server.requests][:2] == [
        "session 1, 11 February 2024, 19:05",
        "session 2, 22 February 2024, 20:10",
    ]
    again = readgraph("remember", "chat", CHAT, *DOUBLE, "--json").json
    assert (again["added"], again["known"], again["sessions"], again["complete"]) == (0, 17, 17, True)
    assert (again["pages"], again["notes"], again["usage"]["calls"]) == (17, 17, 0)
    assert server.calls == 17


def test_what_is_new_is_appended_and_memorised(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text("# Notes\n\n## Session 1, Monday 5 May\n\nA: one\n")
    readgraph("remember", "chat", tmp_path / "chat.txt", *DOUBLE)
    before = memos(readgraph)
    with (tmp_path / "chat.txt").open("a") as chat:
        chat.write("\n## Session 2, Tuesday 6 May\n\nA: two\n\n## Session 3: Plans\n\nA: three\n")
    grown = readgraph("remember", "chat", tmp_path / "chat.txt", *DOUBLE, "--json").json
    assert (grown["added"], grown["known"], grown["usage"]["calls"], server.calls) == (2, 1, 2, 3)
    after = memos(readgraph)
    assert after[: len(before)] == before and [page["header"] for page in after] == [
        "Of session 1, Monday 5 May.",
        "Of session 2, Tuesday 6 May.",
        "Of session 3, Plans.",
    ]


def test_a_history_is_shown_and_forgotten(readgraph: Command) -> None:
    assert "Added 17 sessions" in readgraph("remember", "our allotment", CHAT).text
    assert "our allotment" in readgraph("show").text
    shown = readgraph("show", "our allotment").text
    assert all(page["header"].split(":")[0] in shown for page in memos(readgraph, "our allotment"))
    assert "Deleted 'our allotment'" in readgraph("forget", "our allotment", "--yes").text
    assert "library is empty" in readgraph("show").text


def test_a_history_is_asked_by_its_name(readgraph: Command, monkeypatch: MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    readgraph("remember", "our allotment", CHAT)
    question = "Whose is the red Hohner accordion?"
    found = readgraph("ask", question, "our allotment", "--json").json
    assert found["title"] == "our allotment"
    assert any(citation["place"] == "session 2, 22 February 2024, 20:10" for citation in found["citations"])
    (tmp_path / "our allotment").write_text("A file comes before a history of its name.")
    assert_refused(readgraph("ask", question, "our allotment"), "is not of a kind that can be read")
    assert_refused(readgraph("ask", question, "another"), "There is no file another, and no document")


def test_standard_input_folders_and_json_lines(readgraph: Command, monkeypatch: MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Said on the pipe.")))
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "2.md").write_text("Second.")
    (tmp_path / "logs" / "10.md").write_text("Tenth.")
    turns = [{"speaker": "Ann", "text": "Hello."}, {"text": "(a door)"}]
    sessions = [
        {"text": "Plain.", "title": "Lamp", "time": "noon"},
        {"session": 2, "date_time": "8 May", "turns": turns},
        {"session": "Night", "text": "Late."},
    ]
    (tmp_path / "logs" / "x.jsonl").write_text("\n\n".join(map(json.dumps, sessions)) + "\n")
    assert readgraph("remember", "log", "-", tmp_path / "logs", "--json").json["added"] == 6
    document = readgraph("show", "--json").json[0]
    assert document["sessions"] == 6
    headers = [page["header"].split(":")[0] for page in memos(readgraph, "log")]
    assert headers == [
        "session 1, standard input",
        "session 2, 2",
        "session 3, 10",
        "session 4, Lamp, noon",
        "session 5, 8 May",
        "session 6, Night",
    ]
    assert load_sessions([tmp_path / "logs" / "x.jsonl"])[1].text == "Ann: Hello.\n(a door)"
    only = readgraph("remember", "other", tmp_path / "logs", "--glob", "*.md", "--json").json
    assert (only["added"], only["known"]) == (2, 0)


def test_sessions_begin_where_the_user_says(readgraph: Command, tmp_path: Path) -> None:
    text = "Before.\n[2024-05-01] A: one\nB: two\n[2024-05-02] A: three\n"
    (tmp_path / "log.txt").write_text(text)
    file = tmp_path / "log.txt"
    assert [one.text for one in load_sessions([file])] == [text]
    dated = load_sessions([file], heading=r"^\[(?P<time>[\d-]+)\]")
    assert [one.time for one in dated] == ["2024-05-01", "2024-05-02"]
    assert "".join(one.text for one in dated) == text and dated[1].text.startswith("[2024-05-02] A: three")
    assert [one.title for one in load_sessions([file], heading="A:")] == [
        "[2024-05-01] A: one",
        "[2024-05-02] A: three",
    ]
    assert readgraph("remember", "log", file, "--sessions-at", r"^\[", "--json").json["sessions"] == 2


@pytest.mark.parametrize(
    ("heading", "named"),
    [
        ("## Session 3, 12 March 2024, 19:40", ("", "12 March 2024, 19:40")),
        ("# SESSION 12", ("", "")),
        ("### Session 4 - The long night", ("The long night", "")),
        ("Session 4", None),
        ("## Sessions of May", None),
    ],
)
def test_headings_of_sessions(tmp_path: Path, heading: str, named: tuple[str, str] | None) -> None:
    (tmp_path / "f.txt").write_text(f"{heading}\n\nA: one\n")
    (session,) = load_sessions([tmp_path / "f.txt"])
    assert (session.title, session.time) == (named or ("f", "")), SESSION_HEADING


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.jsonl", "{", "Line 1 of"),
        ("a.jsonl", '{"text": "x"}\n[1]', "Line 2 of"),
        ("a.jsonl", '{"text": " "}', "is not a session"),
        ("a.jsonl", '{"sessions": []}', "it needs a 'text'"),
        ("a.jsonl", '{"turns": ["hello"]}', "a turn without a 'text'"),
        ("a.jsonl", '{"turns": []}', "is not a session"),
        ("a.jsonl", "\n\n", "is empty"),
        ("a.txt", "", "is empty"),
    ],
)
def test_files_that_hold_no_session_are_refused(
    readgraph: Command, tmp_path: Path, name: str, content: str, reason: str
) -> None:
    (tmp_path / name).write_text(content)
    assert_refused(readgraph("remember", "log", tmp_path / name), reason)
    assert readgraph("show", "--json").json == []


def test_other_bad_input_is_one_line(readgraph: Command, tmp_path: Path) -> None:
    assert_refused(readgraph("remember", "log", tmp_path / "none.jsonl"), "no file")
    assert_refused(readgraph("remember", "log", CHAT, "--sessions-at", "("), "is not a regular expression")
    assert_refused(readgraph("remember", " ", CHAT), "no name")
    with pytest.raises(BadInput, match="binary"):
        (tmp_path / "b.jsonl").write_bytes(bytes(range(256)) * 9)
        load_sessions([tmp_path / "b.jsonl"])


def test_a_spent_budget_is_reported_and_the_reading_continues(readgraph: Command, server: ModelServer) -> None:
    assert "Not complete" in readgraph("remember", "chat", CHAT, *DOUBLE, "--max-calls", 3).text
    server.latency = 0.01
    options = ("--block", 8, "--two-calls")
    whole = readgraph("remember", "chat", CHAT, *DOUBLE, *options, "--json").json
    assert whole["complete"] and whole["usage"]["calls"] == 34 and server.most_in_flight > 1


@pytest.mark.slow
def test_killed_it_goes_on_and_nothing_is_paid_for_twice(
    readgraph: Command, server: ModelServer, tmp_path: Path
) -> None:
    server.latency = 0.02
    server.respond = answers = KillingReader()
    command = ("remember", "chat", CHAT, *DOUBLE, "--block", 3)
    answers.kill_at = 8
    assert ended(answers.start(*command)) == -signal.SIGKILL
    answers.kill_at = sys.maxsize
    paid = {*server.answered}
    asked = len(server.requests)
    whole = readgraph(*command, "--json").json
    assert whole["complete"] and whole["sessions"] == whole["notes"] == 17
    repeated = [request.key for request in server.requests[asked:] if request.key in paid]
    assert len(repeated) <= 3, "more than the calls that were in flight were paid for twice"
    assert len(server.requests) <= 17 + 3
