"""The command as a user meets it."""

import io
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
from pytest import MonkeyPatch

from readgraph.cli.main import run
from tests.conftest import EXAMPLES
from tests.model_server import ChatRequest, Fault, ModelServer
from tests.reader import asked_for, reader

STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"
ASK = ("ask", "Who took the log book?", STORY)
DOUBLE = ("--model", "openai:double")
NODES = ["open", "read", "merge", "look_up", "answer", "cite"]
PROMISED = set("answer choice status citations pages_read steps usage fallbacks compression_rate".split())
NAMES = {"title", "model", "document", "memory"}
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


@pytest.fixture
def readgraph(monkeypatch: MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, run in this process."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("readgraph.nodes.calling._pause", lambda state: 0.0)

    def command(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["readgraph", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run()
        return Ran(int(ended.value.code or 0), *capsys.readouterr())

    return command


def process(*arguments: object, options: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
    """The command as a process of its own."""
    command = [sys.executable, *options, "-m", "readgraph.cli", *map(str, arguments)]
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
        assert set(citation) == {"page", "quote", "start", "end", "place"}
        assert text[citation["start"] : citation["end"]] == citation["quote"] != ""
    assert found["citations"]


def test_an_answer_without_model_key_or_network(
    readgraph: Command, monkeypatch: MonkeyPatch, story: str, tmp_path: Path
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("something is called over the network"))
    ran = readgraph(*ASK)
    quotes = re.findall(r"p\. \d+, [^“]+ “(.+?)”", ran.text)
    assert quotes and all(quote in plain(story) for quote in quotes)
    assert "without a model" in plain(ran.err) and "--model" in ran.err and "openai:" in ran.err
    for library in ("library", "another"):
        again = readgraph(*ASK, "--library", tmp_path / library)
        assert ran.out.partition("pages read")[0] == again.out.partition("pages read")[0]


def test_json_holds_what_is_promised(readgraph: Command, story: str, tmp_path: Path) -> None:
    text = "\U0001f56f Élise, naïve\r\n\r\n" + story.replace("\n", "\r\n")
    (tmp_path / "windows.md").write_bytes(text.encode("utf-8-sig"))
    found = readgraph("ask", ASK[1], tmp_path / "windows.md", "--json").json
    assert found.keys() >= PROMISED | NAMES
    assert_cited(found, text)
    assert found["status"] == "answered" and found["choice"] is None and found["fallbacks"] == {}
    assert set(found["usage"]) == {
        "calls",
        "cached_calls",
        "refused",
        "input_words",
        "output_words",
        "input_tokens",
        "output_tokens",
        "seconds",
    }
    assert [step["node"] for step in found["steps"]] == NODES
    assert found["pages_read"] and 0 < found["compression_rate"] < 100
    shown = readgraph(*ASK, "--show-steps").out.splitlines()
    assert [line.split()[0] for line in shown[1 : 1 + len(NODES)]] == NODES


def test_json_holds_nothing_else(readgraph: Command) -> None:
    assert set(readgraph(*ASK, "--json").json) == PROMISED | NAMES


@pytest.mark.parametrize("model", [(), DOUBLE])
def test_options_are_answered_with_a_letter(readgraph: Command, server: ModelServer, model: tuple[str, ...]) -> None:
    options = {"A": "Desmond", "B": "Iolo, for his grandmother", "C": "Femi Lloyd"}
    given = [part for option in options.values() for part in ("--option", option)]
    found = readgraph(*ASK, *given, *model, "--json").json
    assert options[found["choice"]] == found["answer"]
    assert f"{found['choice']}. {found['answer']}" in readgraph(*ASK, *given, *model).text


@pytest.mark.parametrize("strategy", ["parallel", "sequential"])
def test_a_model_reads(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, story: str, strategy: str
) -> None:
    monkeypatch.setenv("READGRAPH_MODEL", "openai:double")
    asked = (*ASK, "--strategy", strategy)
    found = readgraph(*asked, "--json").json
    assert (found["answer"], found["status"], found["model"]) == ("It says so.", "answered", "openai:double")
    assert len(found["pages_read"]) == 2 and found["usage"]["calls"] == server.calls > 20
    assert ("NextPage" if strategy == "sequential" else "PagesToRead") in kinds(server.requests)
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
    assert len({request.key for request in server.requests}) == server.calls > 20


def test_another_server_is_asked(readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch) -> None:
    readgraph(*ASK, *DOUBLE)
    with ModelServer(reader) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        assert readgraph(*ASK, *DOUBLE).code == 0
    assert "FreeAnswer" in kinds(other.requests)


def test_what_was_read_is_shown(readgraph: Command, server: ModelServer, story: str) -> None:
    assert "library is empty" in readgraph("show").text and readgraph("show", "--json").json == []
    made, kept = readgraph("read", STORY, *DOUBLE).text, readgraph("read", STORY, *DOUBLE, "--json").json
    assert kept["complete"] is True and kept["pages"] == kept["notes"] == kinds(server.requests).count("note")
    assert f"{kept['pages']} pages" in made and f"{kept['notes']} gists" in made
    listed, (record,) = readgraph("show").text, readgraph("show", "--json").json
    assert all(part in listed for part in (STORY.stem, record["id"], "openai:double", str(kept["pages"])))
    assert record["title"] == STORY.stem and record["memories"][0]["recipe"]["model"] == "openai:double"
    for named in (STORY.stem, STORY.stem.upper(), record["id"], record["id"][:6], STORY, os.path.relpath(STORY)):
        pages, printed = readgraph("show", named, "--json").json["pages"], readgraph("show", named).text
        assert "".join(story[page["start"] : page["end"]] for page in pages) == story
        assert len(pages) == kept["pages"] and all(plain(page["gist"]) in printed for page in pages)


def test_show_finds_a_path_from_any_folder(readgraph: Command, monkeypatch: MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(STORY.parent)
    readgraph("read", STORY.name)
    monkeypatch.chdir(tmp_path)
    assert "p. 0" in readgraph("show", STORY).text


def test_a_model_that_fails_leaves_the_pages_in_view(readgraph: Command) -> None:
    readgraph("read", STORY)
    assert readgraph(*ASK, "--model", "nonsense:x").code == 2
    assert "p. 0" in readgraph("show", STORY).text


BAD_INPUT = [
    ("ask who {tmp}/none.txt", "none.txt"),
    ("ask who {tmp}", "is a folder"),
    ("ask who {tmp}/empty.txt", "empty.txt is empty"),
    ("ask who {tmp}/blank.txt", "blank.txt is empty"),
    ("ask who {tmp}/book.pdf", "book.pdf"),
    pytest.param(f"read {'a' * 300}.txt", "too long"),
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
    pytest.param("show --library {tmp}/odd", "is damaged"),
    pytest.param("show --library {tmp}/spoilt", "spoilt"),
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
    assert_refused(readgraph(*shlex.split(line.format(tmp=tmp_path, story=STORY))), reason)


@pytest.mark.parametrize("line", ["ask who f.txt --nonsense", "ask who f.txt --strategy both", "ask", "nonsense"])
def test_wrong_usage_ends_with_2(readgraph: Command, line: str) -> None:
    ran = readgraph(*line.split())
    assert (ran.code, ran.out) == (2, "") and "Traceback" not in ran.err


def test_a_server_that_is_not_there(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, so that nobody else listens there
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        assert_refused(readgraph(*ASK, *DOUBLE), "No model server answers")


def test_a_key_is_neither_told_nor_kept(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server.faults.append(Fault(f"Incorrect API key provided: {SECRET}", status=401))
    refused = readgraph(*ASK, *DOUBLE, "--concurrency", 1)
    assert_refused(refused, "refused the key")
    assert SECRET not in refused.err and readgraph(*ASK, *DOUBLE).code == 0
    files = [path for path in (tmp_path / "library").rglob("*") if path.is_file()]
    assert len(files) >= 3 and not any(SECRET.encode() in path.read_bytes() for path in files)


def test_after_a_failing_server_nothing_is_paid_for_twice(readgraph: Command, server: ModelServer) -> None:
    server.fault_for = lambda request, call: Fault.server_error() if call > 10 else None
    assert_refused(readgraph(*ASK, *DOUBLE), "failed")
    paid, asked = set(server.answered), len(server.requests)
    server.fault_for = None
    assert readgraph(*ASK, *DOUBLE, "--json").json["status"] == "answered"
    assert len(paid) == 10 and paid.isdisjoint(request.key for request in server.requests[asked:])


def test_stopped_it_says_that_it_goes_on_from_there(readgraph: Command, server: ModelServer) -> None:
    hanging = Event()

    def hang(request: ChatRequest, call: int) -> Fault | None:
        if call > 10:
            hanging.set()
        return Fault.hang() if call > 10 else None

    server.fault_for = hang
    started = process(*ASK, *DOUBLE, "--concurrency", 1)
    reached = hanging.wait(20)
    started.send_signal(signal.SIGINT)
    stopped = finished(started)
    assert reached
    assert_refused(stopped, "stopped", code=130)


def test_help_and_version(readgraph: Command) -> None:
    assert re.fullmatch(r"readgraph \d+\.\d+\.\d+\S*", readgraph("--version").text)
    assert all(command in readgraph("--help").text for command in ("read", "ask", "show"))
    assert 'readgraph ask "' in readgraph("ask", "--help").text
    timed = finished(process("--help", options=("-X", "importtime")))
    assert timed.code == 0 and "typer" in timed.err and "langgraph.graph" not in timed.err


def test_as_a_process() -> None:
    running = [process(*ASK, "--json"), process("ask", "who", "none.txt")]
    answered, refused = map(finished, running)
    assert answered.json["status"] == "answered"
    assert_refused(refused, "none.txt")


def test_a_document_is_forgotten(readgraph: Command) -> None:
    readgraph("read", str(STORY))
    assert_refused(readgraph("forget", STORY.stem), "say --yes")
    assert "Forgot" in readgraph("forget", str(STORY), "--yes").out
    assert "empty" in readgraph("show").out
    assert_refused(readgraph("forget", STORY.stem, "--yes"), "holds no document")


def test_a_profile_sets_the_sizes_that_were_not_given(readgraph: Command) -> None:
    readgraph("read", str(STORY), "--profile", "movie", "--max-page-words", "1200")
    (kept,) = json.loads(readgraph("show", "--json").out)
    parameters = kept["memories"][0]["recipe"]["parameters"]
    assert (parameters["min_page_words"], parameters["max_page_words"], parameters["gist_words"]) == (600, 1200, 96)
    assert_refused(readgraph("read", str(STORY), "--profile", "poem"), "choose one of quality")


def test_a_model_is_checked(readgraph: Command, server: ModelServer) -> None:
    server.respond = lambda request: {"count": 3}
    assert "typed replies by a JSON schema" in readgraph("models", "openai:double").out
    server.supports = frozenset({"tools"})
    assert "by a function call" in readgraph("models", "openai:double").out
    server.fault_for = lambda request, call: Fault.not_json()
    ran = readgraph("models", "openai:double", "--json")
    assert (ran.code, json.loads(ran.out)["usable"]) == (0, False)
    assert_refused(readgraph("models"), "PROVIDER:NAME")


def test_an_html_page_is_cited_by_its_headings(readgraph: Command, tmp_path: Path) -> None:
    page = "<h1>The log</h1><p>The lamp was lit at nine.</p><h2>The well</h2><p>The well is thirty-one feet deep.</p>"
    (tmp_path / "log.html").write_text(f"<html><body>{page}</body></html>")
    found = readgraph("ask", "How deep is the well?", tmp_path / "log.html", "--json").json
    assert any("The well" in citation["place"] for citation in found["citations"])


def test_standard_input_is_read(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    text = "The well is thirty-one feet deep. The lamp was lit at nine."
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert "thirty-one feet" in readgraph("ask", "How deep is the well?", "-").out


def test_replies_move_to_another_library(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    readgraph(*ASK, *DOUBLE)
    assert "Exported" in readgraph("replies", "export", tmp_path / "run.jsonl", "--document", STORY.stem).out
    assert_refused(readgraph("replies", "export", tmp_path / "run.jsonl"), "there already")
    assert "Imported" in readgraph("replies", "import", tmp_path / "run.jsonl", "--library", tmp_path / "other").out
    calls = server.calls
    readgraph(*ASK, *DOUBLE, "--library", tmp_path / "other")
    assert server.calls == calls
    assert_refused(readgraph("replies", "import", STORY), "no JSON")


def test_a_folder_is_read(readgraph: Command, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    for name in ("1.md", "2.md", "3.txt"):
        (tmp_path / "letters" / name).write_text(f"The lamp of letter {name} was lit at nine.")
    built = json.loads(readgraph("read", tmp_path / "letters", "--glob", "*.md", "--json").out)
    assert [document["title"] for document in built] == ["1", "2"]
    assert all(document["complete"] for document in built)
    assert readgraph("read", tmp_path / "letters").out.count("1 gist of") == 3
    assert_refused(readgraph("read", tmp_path / "letters", "--glob", "*.pdf"), "holds no file")


def test_settings_are_read_from_their_file(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('model = "openai:double"\nmin_page_words = 400\nmax_page_words = 900\n')
    readgraph("read", STORY, "--max-page-words", "1000")
    (kept,) = json.loads(readgraph("show", "--json").out)
    recipe = kept["memories"][0]["recipe"]
    sizes = (recipe["parameters"]["min_page_words"], recipe["parameters"]["max_page_words"])
    assert (recipe["model"], sizes) == ("openai:double", (400, 1000))
    for text, reason in (
        ("colour = 1", "unknown setting 'colour'"),
        ("max_pages = -1", "'max_pages' can't be used"),
        ("model = ", "can't be read"),
    ):
        (tmp_path / "settings.toml").write_text(text)
        assert_refused(readgraph("read", STORY), reason)
