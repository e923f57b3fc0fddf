"""The command as a user meets it."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from readgraph.cli.main import run
from tests.conftest import EXAMPLES
from tests.model_server import ChatRequest, Fault, ModelServer
from tests.reader import asked_for, reader

STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"
QUESTION = "Who took the log book?"
ASK = ("ask", QUESTION, STORY)
DOUBLE = ("--model", "openai:double")
NODES = ["open", "read", "look_up", "answer", "cite"]
PROMISED = set("answer choice status citations pages_read steps usage fallbacks compression_rate".split())
NAMES = {"title", "model", "document", "memory"}
SECRET = "sk-hush-hush-0123456789"


def bug(reason: str) -> Any:
    return pytest.mark.xfail(strict=True, reason=reason)


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
    return " ".join(re.sub(r"\x1b\[[\d;]*m|[│╭╮╰╯─]", " ", printed).split())


@pytest.fixture
def readgraph(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["readgraph", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run()
        return Ran(int(ended.value.code or 0), *capsys.readouterr())

    return command


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.nodes.calling._pause", lambda state: 0.0)


def process(*arguments: object, options: tuple[str, ...] = (), **environment: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, *options, "-m", "readgraph.cli", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "COLUMNS": "200", **environment}
    )


def finished(started: "subprocess.Popen[bytes]") -> Ran:
    with started:
        out, err = started.communicate(timeout=30)
    return Ran(started.returncode, out.decode(), err.decode())


def assert_refused(ran: Ran, reason: str) -> None:
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("readgraph: ") and ran.err.count("\n") == 1 and ran.err.endswith("\n")
    assert reason in ran.err and "Traceback" not in ran.err


def kinds(requests: list[ChatRequest]) -> list[str]:
    return [asked_for(request) or "note" for request in requests]


def assert_cited(found: Any, text: str) -> None:
    assert found["citations"]
    for citation in found["citations"]:
        assert set(citation) == {"page", "quote", "start", "end"}
        assert text[citation["start"] : citation["end"]] == citation["quote"] != ""


def test_an_answer_without_model_key_or_network(
    readgraph: Command, monkeypatch: pytest.MonkeyPatch, story: str, tmp_path: Path
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("something is called over the network"))
    ran = readgraph(*ASK)
    quotes = re.findall(r"p\. \d+ “(.+?)”", ran.text)
    assert quotes and all(quote in plain(story) for quote in quotes)
    assert "without a model" in plain(ran.err) and "--model" in ran.err and "openai:" in ran.err
    for library in ("library", "another"):
        again = readgraph(*ASK, "--library", tmp_path / library)
        assert ran.out.partition("pages read")[0] == again.out.partition("pages read")[0]


def test_json_holds_what_is_promised(readgraph: Command, story: str) -> None:
    found = readgraph(*ASK, "--json").json
    assert found.keys() >= PROMISED | NAMES
    assert_cited(found, story)
    assert found["status"] == "answered" and found["choice"] is None and found["fallbacks"] == {}
    assert set(found["usage"]) == {"calls", "cached_calls", "input_words", "output_words", "seconds"}
    assert [step["node"] for step in found["steps"]] == NODES
    assert found["pages_read"] and 0 < found["compression_rate"] < 100


@bug("cli/reading.py:86: stream mode 'values' gives all channels, so asked, choices, looking and quotes come out")
def test_json_holds_nothing_else(readgraph: Command) -> None:
    assert set(readgraph(*ASK, "--json").json) == PROMISED | NAMES


def test_offsets_count_the_characters_of_the_decoded_file(readgraph: Command, tmp_path: Path) -> None:
    text = "Élise wrote \U0001f56f to Zoë.\r\n\r\nThe naïve gardener hid the key under the blue pot — twice.\r\n"
    (tmp_path / "crlf.md").write_bytes(text.encode("utf-8-sig"))
    assert_cited(readgraph("ask", "Where did the gardener hide the key?", tmp_path / "crlf.md", "--json").json, text)


@pytest.mark.parametrize("model", [(), DOUBLE])
def test_options_are_answered_with_a_letter(readgraph: Command, server: ModelServer, model: tuple[str, ...]) -> None:
    options = {"A": "Desmond", "B": "Iolo, for his grandmother", "C": "Femi Lloyd"}
    given = [part for option in options.values() for part in ("--option", option)]
    found = readgraph(*ASK, *given, *model, "--json").json
    assert options[found["choice"]] == found["answer"]
    assert f"{found['choice']}. {found['answer']}" in readgraph(*ASK, *given, *model).text


@pytest.mark.parametrize("strategy", ["parallel", "sequential"])
def test_a_model_reads(readgraph: Command, server: ModelServer, story: str, strategy: str) -> None:
    asked = (*ASK, *DOUBLE, "--strategy", strategy)
    found = readgraph(*asked, "--json").json
    assert (found["answer"], found["status"], found["model"]) == ("It says so.", "answered", "openai:double")
    assert len(found["pages_read"]) == 2 and found["usage"]["calls"] == server.calls > 20
    assert_cited(found, story)
    assert "without a model" not in readgraph(*asked).err
    one = readgraph(*asked, "--max-pages", 1, "--json").json
    assert len(one["pages_read"]) == 1 and one["status"] == "answered"


def test_a_memory_is_built_once(readgraph: Command, server: ModelServer) -> None:
    first = readgraph(*ASK, *DOUBLE, "--json").json
    server.reset()
    for more in ((), ("--rebuild",)):
        again = readgraph(*ASK, *DOUBLE, *more, "--json").json
        assert (again["answer"], again["citations"]) == (first["answer"], first["citations"])
        assert server.calls == again["usage"]["calls"] == 0 and again["usage"]["cached_calls"] == 2
    other = readgraph("ask", "How deep is the well?", STORY, *DOUBLE, "--json").json
    assert kinds(server.requests) == ["PagesToRead", "FreeAnswer"]
    assert (other["usage"]["calls"], other["usage"]["cached_calls"]) == (2, 0)


def test_a_budget_ends_the_reading_and_what_was_paid_for_is_kept(readgraph: Command, server: ModelServer) -> None:
    found = readgraph(*ASK, *DOUBLE, "--max-calls", 5, "--json").json
    assert found["status"] == "budget" and found["usage"]["calls"] == server.calls == 5
    assert "budget ran out" in readgraph(*ASK, *DOUBLE, "--max-calls", 0).text
    assert "Not complete" in readgraph("read", STORY, *DOUBLE, "--max-calls", 0).text
    assert server.calls == 5
    assert readgraph(*ASK, *DOUBLE, "--json").json["status"] == "answered"
    assert len({request.key for request in server.requests}) == server.calls


def test_the_model_may_stand_in_the_environment(
    readgraph: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READGRAPH_MODEL", "openai:double")
    assert readgraph(*ASK, "--json").json["model"] == "openai:double" and server.calls


@bug("nodes/models.py:70: OPENAI_BASE_URL never gets into ModelClient.server, so servers share replies")
def test_another_server_gives_its_own_answer(
    readgraph: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    readgraph(*ASK, *DOUBLE)
    with ModelServer(reader) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        assert readgraph(*ASK, *DOUBLE).code == 0
    assert "FreeAnswer" in kinds(other.requests)


def test_steps_are_shown(readgraph: Command) -> None:
    printed = readgraph(*ASK, "--show-steps").text
    assert [word for word in printed.split() if word in NODES][: len(NODES)] == NODES


def test_read_keeps_a_gist_of_each_page(readgraph: Command, server: ModelServer) -> None:
    made = readgraph("read", STORY, *DOUBLE)
    found = readgraph("read", STORY, *DOUBLE, "--json").json
    assert found["complete"] is True and found["pages"] == found["gists"] == kinds(server.requests).count("note")
    assert f"{found['pages']} pages" in made.text and f"{found['gists']} gists" in made.text
    assert found["usage"]["calls"] == 0 and found["answer"] is None


def test_show_gives_the_library_and_the_pages(readgraph: Command, server: ModelServer, story: str) -> None:
    assert "library is empty" in readgraph("show").text and readgraph("show", "--json").json == []
    kept = readgraph("read", STORY, *DOUBLE, "--json").json
    listed, (record,) = readgraph("show").text, readgraph("show", "--json").json
    assert all(part in listed for part in (STORY.stem, record["id"], "openai:double", str(kept["pages"])))
    assert record["title"] == STORY.stem and record["memories"][0]["recipe"]["model"] == "openai:double"
    for named in (STORY.stem, STORY.stem.upper(), record["id"], record["id"][:6], STORY, os.path.relpath(STORY)):
        pages = readgraph("show", named, "--json").json["pages"]
        assert "".join(story[page["start"] : page["end"]] for page in pages) == story
        printed = readgraph("show", named).text
        assert len(pages) == kept["pages"] and all(plain(page["gist"]) in printed for page in pages)


@bug("cli/reading.py:58: the source is kept as it was typed, so a relative one means another file elsewhere")
def test_show_finds_a_path_from_another_folder(
    readgraph: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(STORY.parent)
    readgraph("read", STORY.name)
    monkeypatch.chdir(tmp_path)
    assert "p. 0" in readgraph("show", STORY).text


@bug("cli/showing.py:93: the library knows a text by the first path it came from only")
def test_show_finds_a_copy_that_was_read(readgraph: Command, tmp_path: Path) -> None:
    (tmp_path / "copy.txt").write_bytes(STORY.read_bytes())
    assert readgraph("read", STORY).code == readgraph("read", tmp_path / "copy.txt").code == 0
    assert "p. 0" in readgraph("show", tmp_path / "copy.txt").text


@bug("state/page_store.py:104 keeps a memory before it has a page; cli/showing.py:65 takes the newest, an empty one")
def test_a_model_name_that_fails_leaves_the_pages_in_view(readgraph: Command) -> None:
    readgraph("read", STORY)
    assert readgraph(*ASK, "--model", "nonsense:x").code == 2
    assert "p. 0" in readgraph("show", STORY).text


@bug("cli/rendering: the table cuts ids with an ellipsis at 80 columns")
def test_ids_are_whole_in_a_narrow_terminal(
    readgraph: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    readgraph("read", STORY, *DOUBLE, "--max-calls", 5)
    (record,) = readgraph("show", "--json").json
    assert record["id"] in readgraph("show").text


TRACEBACK = "a traceback instead of one line: "
BAD_INPUT = [
    ("ask who {tmp}/none.txt", "none.txt"),
    ("ask who {tmp}", "is a folder"),
    ("ask who {tmp}/empty.txt", "empty.txt is empty"),
    ("ask who {tmp}/blank.txt", "blank.txt is empty"),
    ("ask who {tmp}/book.pdf", "book.pdf"),
    ("ask who {tmp}/latin.txt", "UTF-8"),
    ("read {tmp}/latin.txt", "UTF-8"),
    pytest.param(f"ask who {'a' * 300}.txt", "too long", marks=bug(TRACEBACK + "cli/files.py:12 is_dir() raises")),
    ("ask ' \n\t' {story}", "question is empty"),
    ("ask who {story} --option one", "at least two options"),
    ("ask who {story} --option one --option ' '", "option is empty"),
    ("ask who {story} --model nonsense:x", "'nonsense'"),
    ("ask who {story} --model gpt", "'gpt'"),
    ("ask who {story} --model openai:gpt-4.1-mini", "OPENAI_API_KEY"),
    ("ask who {story} --min-page-words 600 --max-page-words 280", "600"),
    ("ask who {story} --library {tmp}/empty.txt", "is a file"),
    ("ask who {story} --library {tmp}", "not a library"),
    ("ask who {story} --library {tmp}/newer", "newer version"),
    ("show --library {tmp}/damaged", "is damaged"),
    pytest.param("show --library {tmp}/odd", "is damaged", marks=bug(TRACEBACK + "state/library.py:98 compares str")),
    pytest.param("show --library {tmp}/spoilt", "spoilt", marks=bug(TRACEBACK + "state/library.py:56, sqlite3 error")),
    ("show nothing", "'nothing'"),
]


@pytest.mark.parametrize("line,reason", BAD_INPUT)
def test_bad_input_is_one_line(readgraph: Command, tmp_path: Path, line: str, reason: str) -> None:
    files = {"empty.txt": "", "blank.txt": " \n\t\r\n", "book.pdf": "%PDF-1.7", "damaged/readgraph.json": "{"}
    files |= {"newer/readgraph.json": '{"format": 99}', "odd/readgraph.json": '{"format": "1"}'}
    files |= {"spoilt/readgraph.json": '{"format": 1}', "spoilt/checkpoints.sqlite": "no database " * 99}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    (tmp_path / "latin.txt").write_bytes("Élise".encode("latin-1"))
    assert_refused(readgraph(*shlex.split(line.format(tmp=tmp_path, story=STORY))), reason)


@pytest.mark.parametrize("line", ["ask who f.txt --nonsense", "ask who f.txt --strategy both", "ask", "nonsense"])
def test_wrong_usage_ends_with_2(readgraph: Command, line: str) -> None:
    ran = readgraph(*line.split())
    assert (ran.code, ran.out) == (2, "") and "Traceback" not in ran.err


def test_a_server_that_is_not_there(readgraph: Command, no_pause: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, so that nobody else listens there
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        assert_refused(readgraph(*ASK, *DOUBLE), "No model server answers")


@pytest.mark.parametrize(
    "key",
    [
        SECRET,
        pytest.param(SECRET + "…", marks=bug(TRACEBACK + "nodes/models.py:92 takes a key that no header can hold")),
    ],
)
def test_a_refused_key_is_not_told(
    readgraph: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    server.fault_for = lambda request, call: Fault(f"Incorrect API key provided: {key}", status=401)
    ran = readgraph(*ASK, *DOUBLE)
    assert_refused(ran, "key")
    assert SECRET not in ran.err


def test_no_key_is_kept_in_the_library(
    readgraph: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    assert readgraph(*ASK, *DOUBLE).code == 0
    files = [path for path in (tmp_path / "library").rglob("*") if path.is_file()]
    assert len(files) >= 3 and not any(SECRET.encode() in path.read_bytes() for path in files)


def test_after_a_failing_server_nothing_is_paid_for_twice(
    readgraph: Command, server: ModelServer, no_pause: None
) -> None:
    server.fault_for = lambda request, call: Fault.server_error() if call > 10 else None
    assert_refused(readgraph(*ASK, *DOUBLE), "failed")
    paid, asked = set(server.answered), len(server.requests)
    server.fault_for = None
    assert readgraph(*ASK, *DOUBLE, "--json").json["status"] == "answered"
    assert len(paid) == 10 and paid.isdisjoint(request.key for request in server.requests[asked:])


@bug("cli/main.py:159 is never reached: typer turns KeyboardInterrupt into exit code 130 without a word")
def test_stopped_it_says_that_it_goes_on_from_there(server: ModelServer, readgraph: Command) -> None:
    hanging = Event()

    def hang(request: ChatRequest, call: int) -> Fault | None:
        return (hanging.set() or Fault.hang()) if call > 10 else None

    server.fault_for = hang
    started = process(*ASK, *DOUBLE, "--concurrency", 1)
    assert hanging.wait(20)
    started.send_signal(signal.SIGINT)
    ran = finished(started)
    paid, asked = set(server.answered), len(server.requests)
    server.fault_for = None
    assert readgraph(*ASK, *DOUBLE).code == 0 and paid.isdisjoint(request.key for request in server.requests[asked:])
    assert (ran.code, ran.out) == (130, "") and "Traceback" not in ran.err
    assert ran.err.startswith("readgraph: stopped") and ran.err.count("\n") == 1


def test_help_and_version(readgraph: Command) -> None:
    assert re.fullmatch(r"readgraph \d+\.\d+\.\d+\S*", readgraph("--version").text)
    assert all(command in readgraph("--help").text for command in ("read", "ask", "show"))
    assert 'readgraph ask "' in readgraph("ask", "--help").text


def test_help_does_not_wait_for_langgraph() -> None:
    ran = finished(process("--help", options=("-X", "importtime")))
    assert ran.code == 0 and "Usage" in ran.out
    assert "typer" in ran.err and "langgraph.graph" not in ran.err


def test_as_a_process() -> None:
    running = [process(*ASK, "--json"), process("ask", "who", "none.txt")]
    answered, refused = map(finished, running)
    assert answered.json["status"] == "answered"
    assert_refused(refused, "none.txt")


@bug("cli/rendering.py:26: a traceback where the terminal's encoding lacks a character, as in a Windows pipe")
def test_a_terminal_without_unicode() -> None:
    ran = finished(process(*ASK, PYTHONIOENCODING="ascii"))
    assert ran.code == 0 and "Traceback" not in ran.err
