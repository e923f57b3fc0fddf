"""What every command prints: each option's probe without it and with it, and a line of every command."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.probes import probed
from tests.doubles.model_server import ModelServer
from tests.recording.conftest import Compare
from tests.support.command import Command
from tests.support.every_command import each_line, files_in
from tests.support.options import command_of
from tests.support.probing import Prober

pytestmark = [pytest.mark.slow, pytest.mark.recording]

CHANGES = {"doctor", "trajectories"}
"""Commands that show this machine, or which of two equal replies came first: only their exit codes are compared."""
PROBED: dict[str, list[str]] = {}
for _name, _probe in probed().items():
    if not _probe.fails and _name.split()[0] not in CHANGES:  # which reading fails first is seen by its end
        PROBED.setdefault(command_of(_name) or "readgraph", []).append(_name)


MEASURED = (
    (re.compile(r"127\.0\.0\.1:\d{4,}"), "SERVER"),
    (re.compile(r"\d[\d.,]* ?(ms|s|GB|MB|kB)\b|(?<=seconds\": )[\d.]+|\b0\.\d(?= \d+ %)"), "MEASURED"),
    (re.compile(r"20\d\d-\d\d-\d\dT[\d.:-]+"), "TIME"),
    (re.compile(r"\b\d+ times in a row"), "OFTEN"),
    (re.compile(r"(?<=\": \")\d+(\.\d+)+(?=\")"), "VERSION"),
)
"""What another run or machine gives otherwise."""


def plain_lines(seen: Any, folder: Path) -> list[list[str]]:
    """What was seen as sorted lines, since readings side by side end in any order; without what was measured."""
    return [sorted({_plain(line, folder) for line in str(part).splitlines()}) for part in seen]


def _plain(line: str, folder: Path) -> str:
    line = " ".join(line.replace(str(folder), "TMP").replace(str(folder.parent), "TMP").split())
    for pattern, name in MEASURED:
        line = pattern.sub(name, line)
    return line


@pytest.mark.parametrize("command", PROBED)
def test_options(
    readgraph: Command,
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record: Compare,
    command: str,
) -> None:
    for number, name in enumerate(PROBED[command]):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.setenv("READGRAPH_LIBRARY", str(folder / "library"))
        server.reset()
        server.fault_for = None
        without, with_it = Prober(readgraph, server, folder, monkeypatch).see(probed()[name])
        record(f"{name}: without", plain_lines(without, folder))
        record(f"{name}: with", plain_lines(with_it, folder))


@pytest.mark.parametrize("model", ["openai:double", ""])
def test_lines(
    readgraph: Command,
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record: Compare,
    model: str,
) -> None:
    prober = Prober(readgraph, server, tmp_path / "probes", monkeypatch)
    for number, line in enumerate(each_line(files_in(tmp_path), model)):
        seen = prober.run(" ".join(line))
        record(f"{number} {line[0]}", plain_lines(seen[: 1 if line[0] in CHANGES else 3], tmp_path))
