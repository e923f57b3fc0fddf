"""Bad input and faults: one clear line, exit code 2, nothing lost."""

import random
import shlex
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from tests.doubles.model_server import Fault, ModelServer, echo
from tests.support.command import ASK, DOUBLE, SECRET, STORY, Command, assert_refused
from tests.support.source_files import encrypt_pdf, write_pdf_lines, write_zip

BAD_INPUT = [
    ("ask who {tmp}/none.txt", "none.txt"),
    ("ask who {tmp}/hollow", "holds no file"),
    ("ask who ''", "file name is empty"),
    ("read ''", "file name is empty"),
    ("ask who {tmp}/notes", "pipe it into standard input"),
    ("ask who", "name a file"),
    ("ask who --continue", "no question to follow up"),
    ("ask who {story} --price cheap", "is not a price"),
    ("ask who {story} --price 1/-1", "0 or more"),
    ("ask who {story} --method none", "choose one of auto, read-agent"),
    ("ask who {tmp}/empty.txt", "empty.txt is empty"),
    ("ask who {tmp}/blank.txt", "blank.txt is empty"),
    ("ask who {tmp}/noise.txt", "noise.txt holds no text"),
    ("read {tmp}/sheet.csv", "holds no row with text"),
    ("read http://127.0.0.1:1/page", "doesn't answer"),
    ("remember log {tmp}/other.json", "holds no chat"),
    ("ask who {tmp}/book.pdf", "book.pdf is no PDF"),
    ("ask who {tmp}/picture.pdf", "picture.pdf is no PDF"),
    ("read {tmp}/locked.pdf", "locked.pdf is locked by a password"),
    ("read {tmp}/archive.epub", "archive.epub is not a valid EPUB file"),
    ("read {tmp}/archive.docx", "archive.docx is not a valid Word file"),
    pytest.param(f"read {'a' * 300}.txt", "too long"),
    ("ask ' \n\t' {story}", "question is empty"),
    ("ask who {story} --option one", "at least two options"),
    ("ask who {story} --option one --option one", "at least two options"),
    ("ask who {story} --option one --option ' '", "option is empty"),
    ("ask who {story} --model nonsense:x", "'nonsense'"),
    ("ask who {story} --model gpt", "'gpt'"),
    ("ask who {story} --model openai:", "is not the name of a model"),
    ("ask who {story} --model openai:gpt-5.4-mini", "OPENAI_API_KEY"),
    ("ask who {story} --min-page-words 600 --max-page-words 280", "600"),
    pytest.param(f"read {{story}} --max-page-words {10**30}", "'max_page_words' can't be used"),
    pytest.param(f"read {{story}} --concurrency {10**30}", "--concurrency wants a number up to 1000."),
    ("ask who {story} --library {tmp}/empty.txt", "is a file"),
    ("ask who {story} --library {tmp}", "not a library"),
    ("ask who {story} --library {tmp}/newer", "newer version"),
    ("show --library {tmp}/damaged", "is damaged"),
    pytest.param("show --library {tmp}/odd", "is damaged"),
    pytest.param("show --library {tmp}/spoilt", "is damaged: put a copy of it back"),
    ("show nothing", "'nothing'"),
    ("replies import {tmp}/none.jsonl", "no file"),
    ("replies import {tmp}/hollow", "can't be read"),
    ("replies import {tmp}/noise.txt", "can't be read"),
    ("replies import {tmp}/empty.txt", "Line 1 is not JSON"),
    ("replies import {tmp}/deep.jsonl", "Line 1 is not JSON"),
    ("replies import {tmp}/cut.jsonl", "Line 2 is not JSON"),
    ("replies import {tmp}/other.jsonl", "newer version"),
    ("replies export {tmp}/none/run.jsonl", "There is no folder"),
]


@pytest.fixture
def bad_files(tmp_path: Path) -> None:
    files = {
        "empty.txt": "",
        "blank.txt": " \n\t\r\n",
        "book.pdf": "%PDF-1.7",
        "sheet.csv": ",,",
        "other.json": "{}",
        "damaged/readgraph.json": "{",
    }
    files |= {"newer/readgraph.json": '{"format": 99}', "odd/readgraph.json": '{"format": "1"}'}
    files |= {"spoilt/readgraph.json": '{"format": 1}', "spoilt/checkpoints.sqlite": "no database " * 99}
    files |= {
        "deep.jsonl": "[" * 100_000,
        "cut.jsonl": '{"readgraph": "replies", "format": 1}\n{"key": "a',
        "hollow/.x": "",
        "notes": "a text",
    }
    files |= {"other.jsonl": '{"readgraph": "replies", "format": 2}\n'}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    noise = random.Random(7).randbytes(5000)
    (tmp_path / "noise.txt").write_bytes(noise)
    (tmp_path / "picture.pdf").write_bytes(b"\x89PNG\r\n\x1a\n" + noise)
    for name in ("archive.epub", "archive.docx"):
        write_zip(tmp_path / name, {"a.txt": "no book"})
    encrypt_pdf(write_pdf_lines(tmp_path / "locked.pdf", [["Some words."]]), "secret", "AES-256")


@pytest.mark.parametrize("line,reason", BAD_INPUT)
def test_bad_input_is_one_line(readgraph: Command, bad_files: None, tmp_path: Path, line: str, reason: str) -> None:
    assert_refused(readgraph(*shlex.split(line.format(tmp=tmp_path, story=STORY))), reason)


WRONG_USAGE = [
    ("ask who f.txt --nonsense", "No such option: --nonsense"),
    ("ask who f.txt --strategy both", "'--strategy': "),
    ("ask who f.txt --max-pages few", "--max-pages wants a whole number"),
    ("ask", "Say what you want to know: readgraph ask \"Who …?\" FILE. See 'readgraph ask --help'."),
    ("agents forget", "Missing argument 'NAME'. See 'readgraph agents forget --help'."),
    ("reed book.txt", "Did you mean 'read'? See 'readgraph --help'."),
    ("replies", "Missing command. See 'readgraph replies --help'."),
]


@pytest.mark.parametrize("line,reason", WRONG_USAGE)
def test_wrong_usage_is_one_line(readgraph: Command, line: str, reason: str) -> None:
    assert_refused(readgraph(*line.split()), reason)


def test_an_empty_name_names_no_document(readgraph: Command) -> None:
    readgraph("read", STORY)
    assert_refused(readgraph("forget", "", "--yes"), "no document ''")
    assert STORY.stem in readgraph("show").out


@pytest.mark.parametrize(
    "text,reason",
    [
        ("colour = 1", "unknown setting 'colour'"),
        ("max-pages = 1", "do you mean 'max_pages'?"),
        ("max_pages = -1", "'max_pages' can't be used"),
        ("model = 3", "'model' can't be used"),
        ("model = ", "can't be read"),
        ("model = '\0'", "can't be read"),
        ("min_page_words = 900", "min_page_words (900) must be smaller"),
    ],
)
def test_a_settings_file_that_is_damaged_or_unknown(readgraph: Command, tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "settings.toml").write_text(text)
    assert_refused(readgraph("read", STORY), reason)
    assert readgraph("show").code == 0


def test_a_settings_file_that_is_none(readgraph: Command, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").mkdir()
    assert_refused(readgraph("read", STORY), "can't be read")


def test_a_settings_file_may_begin_with_a_mark_of_its_encoding(readgraph: Command, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("method = 'bm25' # für später", encoding="utf-8-sig")
    assert readgraph("ask", "Who?", STORY, "--json").json["method"] == "bm25"


def test_a_server_that_is_not_there(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, so that nobody else listens there
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        assert_refused(readgraph(*ASK, *DOUBLE), "No model server answers")


@pytest.mark.parametrize("address", ["localhost", "http://[", "ftp://127.0.0.1", "http://127.0.0.1:99999", "\udcff"])
def test_an_address_that_is_none(readgraph: Command, monkeypatch: MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    assert_refused(readgraph("models", *DOUBLE[1:]), "write it as https://HOST/v1")


GISTS = ("--method", "read-agent")
FAILING: dict[str, tuple[Callable[[], Fault], str]] = {
    "401": (Fault.unauthorized, "refused the key"),
    "403": (lambda: Fault("forbidden", status=403), "may not use the model"),
    "404": (lambda: Fault("not found", status=404), "'openai:double': check its name, and the address"),
    "429": (Fault.rate_limited, "go on later, or check your credit there"),
    "500": (Fault.server_error, "times in a row (500)"),
    "hangs": (Fault.hang, "did not answer in time"),
    "breaks off": (Fault.cut, "broke its answer off"),
    "a web page": (lambda: Fault.foreign("<html>Welcome!</html>"), "sent no usable reply"),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in ("403", "404", "a web page") else []) for name in FAILING],
)
@pytest.mark.slow
def test_after_a_failing_server_nothing_is_paid_for_twice(readgraph: Command, server: ModelServer, name: str) -> None:
    fault, reason = FAILING[name]
    server.fault_for = lambda request, call: fault() if call > 10 else None
    quick = ("--timeout", 0.2, "--retry-seconds", 2) if name == "hangs" else ()
    assert_refused(readgraph(*ASK, *DOUBLE, *GISTS, *quick), reason)
    paid, asked = set(server.answered), len(server.requests)
    server.fault_for = None
    assert "of about" in readgraph("show").out
    assert readgraph(*ASK, *DOUBLE, *GISTS, "--json").json["status"] == "answered"
    assert len(paid) == 10 and paid.isdisjoint(request.key for request in server.requests[asked:])


@pytest.mark.parametrize(
    "body",
    [
        *("{}", "[1]", '"yes"', "no JSON", "", '{"choices": []}', '{"choices": null}', '{"error": {"message": "x"}}'),
        *('{"choices": [{"message": null}]}', '{"choices": [{"message": {"role": "assistant", "content": 5}}]}'),
    ],
)
def test_what_is_no_model_server_is_said(readgraph: Command, server: ModelServer, body: str) -> None:
    server.respond, server.fault_for = echo, lambda request, call: Fault.foreign(body)
    assert_refused(readgraph("models", *DOUBLE[1:]), "doesn't speak its provider's protocol")


def test_a_key_in_the_address_is_neither_reported_nor_kept(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, tmp_path: Path
) -> None:
    host = server.url.removeprefix("http://")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://ann:{SECRET}@{host}")
    assert readgraph(*ASK, *DOUBLE, "--report", tmp_path / "report.html").code == 0
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert readgraph(*ASK, *DOUBLE, "--json").json["usage"]["calls"] == 0, "replies are those of the same server"
    assert readgraph("replies", "export", tmp_path / "replies.jsonl").code == 0
    for secret in (f"http://ann:{SECRET}@{host}?api-key={SECRET}#{SECRET}", f"http://{host}/{SECRET}?[{SECRET}"):
        monkeypatch.setenv("OPENAI_BASE_URL", secret.replace(f"/{SECRET}?", "?"))
        for line in (("models", *DOUBLE[1:]), (*ASK, *DOUBLE, "--max-page-words", 700)):
            assert SECRET not in "".join((ran := readgraph(*line)).out + ran.err)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 5 and not any(SECRET.encode() in path.read_bytes() for path in files)


def test_a_key_is_neither_reported_nor_kept(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server.faults.append(Fault(f"Incorrect API key provided: {SECRET}", status=401))
    refused = readgraph(*ASK, *DOUBLE, "--concurrency", 1)
    assert_refused(refused, "refused the key")
    assert SECRET not in refused.err and readgraph(*ASK, *DOUBLE).code == 0
    files = [path for path in (tmp_path / "library").rglob("*") if path.is_file()]
    assert len(files) >= 3 and not any(SECRET.encode() in path.read_bytes() for path in files)
