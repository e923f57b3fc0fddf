"""Keys are neither shown nor kept: one is planted, every command is run, and all that was written is searched."""

import io
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from tests.doubles.model_server import Fault, ModelServer
from tests.doubles.still_driver import StillDriver
from tests.support.command import SECRET, Command, assert_refused
from tests.support.every_command import LINES, SERVE, any_reply, each_line, every_command, files_in

SETTINGS = f"""[models.desk]
model = "double"
base_url = "http://ann:{SECRET}@127.0.0.1:%d/v1"
api_key_env = "DESK_KEY"
headers = {{ "X-Own" = "{SECRET}", "X-Named" = "$DESK_KEY" }}
"""


def in_the_environment(server: ModelServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    return "openai:double"


def in_the_address(server: ModelServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    host = server.url.removeprefix("http://")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://ann:{SECRET}@{host}")
    return "openai:double"


def in_the_settings(server: ModelServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DESK_KEY", SECRET)
    port = int(server.url.rsplit(":", 1)[1].partition("/")[0])
    (folder / "settings.toml").write_text(SETTINGS % port)
    return "desk"


PLANTED: dict[str, Callable[[ModelServer, Path, pytest.MonkeyPatch], str]] = {
    "environment": in_the_environment,
    "address": in_the_address,
    "settings": in_the_settings,
}
FAULTS: dict[str, Callable[[], Fault] | None] = {
    "answers": None,
    "401": lambda: Fault(f"Incorrect API key provided: {SECRET}", status=401),
    "400": lambda: Fault(f"The header 'Bearer {SECRET}' is unknown.", status=400),
    "no JSON": lambda: Fault.foreign(f"<html>{SECRET}"),
    "no reply": lambda: Fault.foreign(f'{{"error": {{"message": "{SECRET}", "{SECRET}": 1}}}}'),
    "odd reply": lambda: Fault.foreign(f'{{"choices": "{SECRET}"}}'),
}


CASES = [
    *((planted, "answers") for planted in PLANTED),
    *(("environment", fault) for fault in FAULTS if FAULTS[fault]),
    *((planted, "401") for planted in ("address", "settings")),
]


def test_every_command_has_a_line() -> None:
    lines = {" ".join(line.split()[:2]) for line in LINES}
    assert not [name for name in every_command() if not any(f"{line} ".startswith(f"{name} ") for line in lines)]


@pytest.mark.slow
@pytest.mark.parametrize(("planted", "fault"), CASES)
def test_no_command_shows_or_keeps_a_key(
    readgraph: Command,
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    planted: str,
    fault: str,
) -> None:
    caplog.set_level(logging.DEBUG, "readgraph")
    for function in SERVE.values():
        monkeypatch.setattr(function, lambda *given, **more: typer.echo("served"))
    monkeypatch.setattr("readgraph.features.web.run.ChromiumDriver", StillDriver)
    server.respond = any_reply
    model = PLANTED[planted](server, tmp_path, monkeypatch)
    make = FAULTS[fault]
    server.fault_for = (lambda request, call: make()) if make else None
    codes = dict[str, int]()
    for line in each_line(files_in(tmp_path), model):
        if (make or planted != "environment") and model not in line and line[0] != "show":
            continue  # no model is asked
        monkeypatch.setattr("sys.stdin", io.StringIO("Hello.\n/memory\n"))
        ran = readgraph(*line)
        assert SECRET not in ran.out + ran.err, line
        codes[" ".join(line)] = ran.code
        assert "Traceback" not in ran.err and ran.code in (0, 1, 2), line
    assert make or {*codes.values()} == {0}, {line: code for line, code in codes.items() if code}
    assert server.calls > 3
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "settings.toml"]
    assert len(kept) > 4 and not [path for path in kept if SECRET.encode() in path.read_bytes()]
    assert not [record for record in caplog.records if SECRET in record.getMessage()]


@pytest.mark.parametrize(
    "table",
    [
        f'[models.desk]\nmodel = "double"\napi_key = "{SECRET}"',
        f'[models.desk]\nmodel = "double"\nbase_url = "ftp://ann:{SECRET}@127.0.0.1"',
        f'[models.desk]\nmodel = "double"\nbase_url = "http://ann:{SECRET}@[127.0.0.1"',
        f'[models.desk]\nmodel = "double"\napi_key_env = "{SECRET}"',
        f'[models.desk]\nmodel = "double"\nheaders = "{SECRET}"',
        f'api_key = "{SECRET}"',
        f'model = "openai:{SECRET}',
        f'model = ["{SECRET}"]',
    ],
)
def test_a_wrong_settings_file_is_refused_without_its_key(readgraph: Command, tmp_path: Path, table: str) -> None:
    (tmp_path / "settings.toml").write_text(table)
    text = files_in(tmp_path)["text"]
    ran = readgraph("ask", "Who?", text, "--model", "desk")
    assert_refused(ran, "")
    assert SECRET not in ran.err, ran.err
