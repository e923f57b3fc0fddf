"""Runs the lines of `tests/cli/probes.py` over files of their own, and gives what can be seen of each."""

import io
import itertools
import json
import re
from pathlib import Path

import pytest
import typer

from tests.cli.probes import Probe
from tests.doubles.model_server import Fault, ModelServer
from tests.doubles.own_workers import no_cluster, own_workers
from tests.doubles.still_driver import StillDriver
from tests.support.command import Command
from tests.support.every_command import SERVE, any_reply

CHANGING = re.compile(r"run\d+|\d+\.\d s|\d{4}-\d\d-\S+( \d\d:\d\d)?|[0-9a-f]{12,}|\d+\.\d+,?$", re.M)
"""What differs from run to run: seconds, times, ids."""

Seen = tuple[object, ...]


class Prober:
    """Runs a probe's lines; servers only say what they were given, and the model double gives any reply."""

    def __init__(self, readgraph: Command, server: ModelServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.readgraph, self.server, self.folder, self.monkeypatch = readgraph, server, folder, monkeypatch
        self.runs = itertools.count()
        self.places = _files_in(folder)
        _put_doubles(monkeypatch)
        server.respond = any_reply

    def run(self, line: str) -> Seen:
        """The exit code, what was printed, and the files that are there."""
        self.monkeypatch.setattr("sys.stdin", io.StringIO("Hello.\n/memory\n"))
        ran = self.readgraph(*line.format(**self.places, run=f"run{next(self.runs)}").split())
        printed = [CHANGING.sub("", each) for each in (ran.out, ran.err)]
        there = (str(path) for path in self.folder.rglob("*"))
        files = sorted(path for path in there if "library" not in path and "linked" not in path)
        return (ran.code, *printed, files)

    def see(self, probe: Probe) -> tuple[Seen, Seen]:
        """What a probe's line shows without its option, and with it."""
        self.server.latency = 0.3 if "timeout" in probe.option else 0
        if probe.fails:
            self.server.fault_for = lambda request, call: Fault("no", status=400)
        assert probe.anew or all(self.run(line)[0] == 0 for line in probe.before)
        self._run_prepared(probe, probe.line)
        return self._run_prepared(probe, probe.line), self._run_prepared(probe, f"{probe.line} {probe.option}")

    def _run_prepared(self, probe: Probe, line: str) -> Seen:
        if probe.anew:
            self.monkeypatch.setenv("READGRAPH_LIBRARY", str(self.folder / f"library{next(self.runs)}"))
            assert all(self.run(each)[0] == 0 for each in probe.before)
        return self.run(line)


def _files_in(tmp: Path) -> dict[str, Path]:
    folder = tmp / "folder"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("The goat stood on the gallery. The lamp was lit.\n\nThe keeper slept.")
    (folder / "b.md").write_text("The gander was late.")
    asked = [{"question": who, "answer": "It says so."} for who in ("Who stood?", "Who slept?")]
    (tmp / "own.jsonl").write_text(json.dumps({"doc_id": "a", "text": "The goat stood.", "questions": asked}))
    (tmp / "linked").mkdir()
    (tmp / "linked" / "b.md").write_text("The gander was late.")
    (tmp / "linked" / "link.txt").symlink_to(folder / "a.txt")
    (tmp / "text.txt").write_bytes((folder / "a.txt").read_bytes())
    (tmp / "draft.md").write_text("The goat stood on the gallery. The keeper sailed to Norway with a crate of herring.")
    (tmp / "chat.txt").write_text("12.03.24, 23:58 - Ann: Who stood?\n13.03.24, 00:02 - Bo: The goat. PIN: 4711\n")
    names = {
        "chat": "chat.txt",
        "folder": "folder",
        "linked": "linked",
        "text": "text.txt",
        "own": "own.jsonl",
        "draft": "draft.md",
    }
    return {"tmp": tmp} | {name: tmp / file for name, file in names.items()}


def _put_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    for served in SERVE.values():
        monkeypatch.setattr(served, lambda *given, **more: typer.echo(repr((given, more))))
    monkeypatch.setattr("webbrowser.open", typer.echo)
    monkeypatch.setattr("readgraph.features.web.run.ChromiumDriver", StillDriver)
    monkeypatch.setattr("readgraph.doors.corpus.run.processes", own_workers)
    monkeypatch.setattr("readgraph.doors.corpus.run.on_ray", no_cluster)
