"""`--log-json`: what a command does, one JSON object a line, and never what was read, asked, replied or kept secret."""

import inspect
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from readgraph.cli.options.output import with_log
from readgraph.state.files import replace_file
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import SECRET, Command, assert_refused, finished, process
from tests.support.options import COMMAND

PLANTED = {"text": "xylophone", "question": "marzipan", "reply": "quicksand", "title": "zeppelin", "key": SECRET}
"""Words that stand in the text, the question, replies, a title and the key, and nowhere else."""

TEXT = "\n\n".join(f"In year {year} the keeper heard a xylophone beneath the stair. " * 4 for year in range(4))
SIZES = ("--min-page-words", 20, "--max-page-words", 45)
DOUBLE = ("--model", "openai:double")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A text; its name is its title."""
    (tmp_path / "zeppelin.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path / "zeppelin.txt"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@pytest.fixture
def server(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """A double whose notes and answers hold a planted word."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    def respond(request: ChatRequest) -> Any:
        if asked_for(request) == "FreeAnswer":
            return {"answer": "It was quicksand.", "quotes": []}
        reply = reader(request)
        return f"In short: quicksand. {reply}" if isinstance(reply, str) else reply

    server.respond = respond
    return server


def lines(log: Path, event: str = "") -> list[dict[str, Any]]:
    """The events of a log, of one kind or all; each has its time, level and run."""
    told = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert all(each["time"].endswith("Z") and each["level"] and each["run"] for each in told)
    return [each for each in told if event in ("", each["event"])]


def assert_hushed(log: Path) -> None:
    said = log.read_text("utf-8").casefold()
    assert [what for what, word in PLANTED.items() if word in said] == []


@pytest.mark.slow
def test_a_log_tells_a_question_from_its_beginning_to_its_end(
    readgraph: Command, server: ModelServer, file: Path, log: Path
) -> None:
    server.faults.append(Fault.server_error(503))
    no_form = [Fault("no form", answer="no such form: quicksand")]
    server.fault_for = lambda request, call: no_form.pop() if no_form and asked_for(request) == "PagesToRead" else None
    asked = (
        "ask",
        "Where is the marzipan?",
        file,
        "--method",
        "read-agent",
        *SIZES,
        *DOUBLE,
        "--json",
        "--log-json",
        log,
    )
    found = readgraph(*asked, "--price", "1/2").json
    told = lines(log)
    assert {each["run"] for each in told} == {found["run"]} and {each["command"] for each in told} == {"ask"}
    assert (told[0]["event"], told[-1]["event"]) == ("run_begun", "run_ended")
    assert [each["node"] for each in told if each["event"] == "node_ended"] == [
        *("open", "read", "merge", "look_up", "answer", "cite")
    ]
    calls, used = lines(log, "call"), found["usage"]
    assert {(each["method"], each["document"]) for each in calls} == {("read-agent", found["document"])}
    assert Counter(each["outcome"] for each in calls) == {"answered": used["calls"] - 1, "refused": 1}
    (refused,) = [each for each in calls if each["outcome"] == "refused"]
    assert (refused["level"], refused["why"], refused["try"], refused["node"]) == ("warning", "form", 1, "look_up")
    assert {each["try"] for each in calls} == {1, 2} and all(each["seconds"] >= 0 for each in calls)
    assert {"gist", "look_up", "answer"} == {each["prompt"] for each in calls}
    assert sum(each["tokens_in"] for each in calls) == used["input_tokens"]
    (waited,) = lines(log, "waiting")
    assert "503" in waited["why"] and waited["wait_seconds"] > 0
    end = told[-1]
    assert (end["state"], end["status"], end["exit_code"]) == ("done", "answered", 0)
    assert (end["calls"], end["refused"], end["waits"]) == (used["calls"], 1, 1)
    assert (end["tokens_out"], end["cost"]) == (used["output_tokens"], pytest.approx(found["cost"]))
    assert_hushed(log)

    readgraph(*asked)
    again = lines(log)[len(told) :]
    kept = [each for each in again if each["event"] == "call"]
    assert all(each["outcome"] == "recorded" or each["recorded"] for each in kept) and kept
    assert again[0]["run"] != found["run"] and again[-1]["recorded"] and "calls" not in again[-1]


def test_a_log_tells_what_failed(
    readgraph: Command, server: ModelServer, file: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.fault_for = lambda request, call: Fault.unauthorized()
    monkeypatch.setenv("READGRAPH_LOG_JSON", str(log))
    assert_refused(readgraph("read", file, *SIZES, *DOUBLE), "refused the key")
    (failed,) = lines(log, "error")
    assert failed["error"] == "ModelUnavailable" and "refused the key" in failed["problem"]
    (end,) = lines(log, "run_ended")
    assert (end["level"], end["state"], end["exit_code"]) == ("error", "failed", 2)
    assert {each["outcome"] for each in lines(log, "call")} <= {"failed", "cancelled"}
    assert [each["state"] for each in lines(log, "node_ended") if each["node"] == "read"] == ["failed"]
    assert_hushed(log)


@pytest.mark.slow
def test_a_full_disk_ends_no_command(readgraph: Command, file: Path) -> None:
    assert readgraph("ask", "Who?", file, "--method", "bm25", "--log-json", "/dev/full").code == 0


@pytest.mark.parametrize("where", ["{tmp}", "{tmp}/no/log", ""])
def test_a_log_that_can_t_be_written_is_refused(readgraph: Command, tmp_path: Path, where: str) -> None:
    assert_refused(readgraph("methods", "--log-json", where.format(tmp=tmp_path)), "log")


@pytest.fixture
def without_posix_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `os` lacks on Windows is gone."""
    for name in ("O_NONBLOCK", "set_blocking", "get_blocking"):
        monkeypatch.delattr(os, name)


@pytest.mark.usefixtures("without_posix_calls")
def test_files_are_written_without_what_windows_lacks(readgraph: Command, tmp_path: Path) -> None:
    for _ in range(2):
        assert readgraph("methods", "--log-json", tmp_path / "log").code == 0
    assert len(lines(tmp_path / "log", "run_ended")) == 2
    with replace_file(Path(os.devnull)) as file:
        file.write("Die Lampe brennt.\n")


def test_without_a_log_results_name_no_run(readgraph: Command, file: Path) -> None:
    assert "run" not in readgraph("ask", "Who?", file, "--method", "bm25", "--json").json


@pytest.mark.slow
def test_on_standard_error_each_line_is_an_object() -> None:
    told = [json.loads(line) for line in finished(process("methods", "--log-json", "-")).err.splitlines()]
    assert [each["event"] for each in told] == ["run_begun", "run_ended"]


def each_command() -> Iterator[tuple[str, Any]]:
    """Every command with what Click knows of it, also the groups that are commands too."""

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        if path and (not hasattr(command, "commands") or command.invoke_without_command):
            yield " ".join(path), command
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, (*path, name))

    yield from walk(COMMAND, ())


def test_a_command_takes_the_option_once() -> None:
    def command() -> None: ...

    assert with_log(with_log(command)) is not command
    assert [*inspect.signature(with_log(with_log(command))).parameters] == ["log_json"]


def test_every_command_has_a_log() -> None:
    opts = {name: {each for option in command.params for each in option.opts} for name, command in each_command()}
    assert [name for name, taken in opts.items() if "--log-json" not in taken] == []


LINES = {
    "read": ("read", "{file}", *SIZES),
    "mem-walker": ("ask", "Where is the marzipan?", "{file}", "--method", "mem-walker", "--segment-words", 20),
    "gam": ("ask", "Where is the marzipan?", "{file}", "--method", "gam", "--memo-page-words", 50),
    "mem-gpt": ("ask", "Where is the marzipan?", "{file}", "--method", "mem-gpt", *SIZES),
    "summarise": ("summarise", "{file}", "--words", 20),
    "table": ("table", "{file}", "every marzipan: name"),
    "compress": ("compress", "{file}", "--budget", 20),
    "remember": ("remember", "days", "{file}"),
    "corpus": ("corpus", "{folder}", "--workers", 2, *SIZES),
    "evaluate": ("evaluate", "{questions}", "--methods", "read-agent,bm25", "--out", "{tmp}/out"),
}


@pytest.mark.slow
@pytest.mark.parametrize("faulty", [False, True])
@pytest.mark.parametrize("name", LINES)
def test_no_log_holds_a_text_or_a_key(
    readgraph: Command, server: ModelServer, file: Path, log: Path, tmp_path: Path, name: str, faulty: bool
) -> None:
    if faulty:
        server.fault_for = lambda request, call: [
            *(Fault("no form", answer="quicksand"), Fault.passing(), Fault.server_error(500)),
            Fault("cut off", limit=3),
        ][call % 4]
    asked = {"doc_id": "a", "text": TEXT, "questions": [{"question": "A marzipan?", "answer": "quicksand"}]}
    (tmp_path / "own.jsonl").write_text(json.dumps(asked), encoding="utf-8")
    places = {"file": file, "tmp": tmp_path, "questions": tmp_path / "own.jsonl", "folder": tmp_path / "folder"}
    places["folder"].mkdir()
    for number in range(2):
        (places["folder"] / f"zeppelin-{number}.txt").write_text(f"{number} {TEXT}", encoding="utf-8")
    line = [part.format(**places) if isinstance(part, str) else part for part in LINES[name]]
    readgraph(*line, *DOUBLE, "--log-json", log)
    assert_hushed(log)
    (end,) = lines(log, "run_ended")
    assert {each["run"] for each in lines(log)} == {end["run"]}
    answered = [each for each in lines(log, "call") if each["outcome"] in ("answered", "refused")]
    made = [each for each in answered if not each.get("recorded")]
    assert end.get("calls", 0) == len(made) > 0
    assert end.get("refused", 0) == sum(each["outcome"] == "refused" for each in answered)
    stood_in = sum(each["times"] for each in lines(log, "fell_back"))
    assert name == "corpus" or end.get("fallbacks", 0) == stood_in, "workers count only their own calls"
    assert all("node" in each and {"method", "engine"} & each.keys() for each in lines(log, "node_ended"))
    assert not faulty or end.get("waits") or end.get("refused") or len(made) < 3
