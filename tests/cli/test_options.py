"""Every option of every command has an effect, or is refused in one line.

What is a setting is captured where it reaches a graph (test_settings_as_options.py); each other option has a probe in
probes.py, which runs a command without it and with it, and compares what can be seen. An option without a probe fails
the first test. `--log-json`, which every command has, is tested in test_log.py.
"""

import io
import itertools
import json
import re
from pathlib import Path

import pytest
import typer

from readgraph.state.declaring import RENAMED
from tests.cli.probes import PROBES, ROWS, probed
from tests.doubles.model_server import Fault, ModelServer
from tests.doubles.own_workers import no_cluster, own_workers
from tests.doubles.reader import asked_for, reader
from tests.doubles.still_driver import StillDriver
from tests.doubles.web_agent import does
from tests.support.command import Command
from tests.support.options import OPTIONS, each_option

OF_TYPER = {"readgraph --install-completion", "readgraph --show-completion"}

CHANGING = re.compile(r"run\d+|\d+\.\d s|\d{4}-\d\d-\S+( \d\d:\d\d)?|[0-9a-f]{12,}|\d+\.\d+,?$", re.M)
"""What differs from run to run: seconds, times, ids."""


def test_every_option_has_a_probe() -> None:
    assert len(ROWS) == len(PROBES), "each has one"
    plain = {name for name, option in each_option() if option.name not in {*OPTIONS, *RENAMED}}
    plain |= {"models --timeout"}
    assert (
        probed().keys() == {name for name in plain if name not in OF_TYPER and not name.endswith(" --help-all")}
        and PROBES.keys() <= probed().keys()
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", probed())
def test_an_option_can_be_seen_to_do_something(
    readgraph: Command, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    probe, folder = probed()[name], tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("The goat stood on the gallery. The lamp was lit.\n\nThe keeper slept.")
    (folder / "b.md").write_text("The gander was late.")
    asked = [{"question": who, "answer": "It says so."} for who in ("Who stood?", "Who slept?")]
    (tmp_path / "own.jsonl").write_text(json.dumps({"doc_id": "a", "text": "The goat stood.", "questions": asked}))
    (tmp_path / "text.txt").write_bytes((folder / "a.txt").read_bytes())
    (tmp_path / "chat.txt").write_text("12.03.24, 23:58 - Ann: Who stood?\n13.03.24, 00:02 - Bo: The goat.\n")
    places = {
        "tmp": tmp_path,
        "chat": tmp_path / "chat.txt",
        "folder": folder,
        "text": tmp_path / "text.txt",
        "own": tmp_path / "own.jsonl",
    }
    monkeypatch.setattr(
        "readgraph.cli.run.serving.studio.serve", lambda *given, **more: typer.echo(repr((given, more)))
    )
    for server_of in ("mcp.serve", "serve.serve_library"):
        monkeypatch.setattr(
            f"readgraph.cli.run.serving.{server_of}", lambda *given, **more: typer.echo(repr((given, more)))
        )
    monkeypatch.setattr("webbrowser.open", typer.echo)
    monkeypatch.setattr("readgraph.cli.run.reading.browse.ChromiumDriver", StillDriver)
    monkeypatch.setattr("readgraph.cli.run.reading.corpus.processes", own_workers)
    monkeypatch.setattr("readgraph.cli.run.reading.corpus.on_ray", no_cluster)
    replies = {"Counted": {"count": 3}, "NextAction": does("click", "1")}
    server.respond = lambda request: replies.get(asked_for(request) or "") or reader(request)
    server.latency = 0.3 if "timeout" in name else 0

    if probe.fails:
        server.fault_for = lambda request, call: Fault("no", status=400)
    runs = itertools.count()

    def run(line: str) -> tuple[object, ...]:
        monkeypatch.setattr("sys.stdin", io.StringIO("Hello.\n/memory\n"))
        ran = readgraph(*line.format(**places, run=f"run{next(runs)}").split())
        printed = [CHANGING.sub("", each) for each in (ran.out, ran.err)]
        return (ran.code, *printed, sorted(str(path) for path in tmp_path.rglob("*") if "library" not in str(path)))

    def prepared(line: str) -> tuple[object, ...]:
        if probe.anew:
            monkeypatch.setenv("READGRAPH_LIBRARY", str(tmp_path / f"library{next(runs)}"))
            assert all(run(each)[0] == 0 for each in probe.before)
        return run(line)

    assert probe.anew or all(run(line)[0] == 0 for line in probe.before)
    prepared(probe.line)
    assert prepared(probe.line) != prepared(f"{probe.line} {probe.option}")
