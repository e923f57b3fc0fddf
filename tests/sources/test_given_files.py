"""Whatever a path leads to, nothing hangs and nothing fills the memory: regular files are read, of a bounded size."""

import io
import os
import socket
from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.state.errors import BadInput
from tests.support.command import STORY, Command, assert_refused

MB = 1_000_000

READING = {
    "read": ("read", "{}"),
    "ask": ("ask", "Who?", "{}"),
    "ask, estimated": ("ask", "Who?", "{}", "--estimate"),
    "remember": ("remember", "days", "{}"),
    "compare": ("compare", "Who?", "{}"),
    "import replies": ("replies", "import", "{}"),
    "import an agent": ("agents", "import", "{}"),
}
"""Every command that opens a file which it is given."""


@pytest.fixture(params=["pipe", "link to a device", "socket", "device"])
def endless(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What never ends when it is read, under the name of a text."""
    path = tmp_path / "endless.txt"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "socket":
        monkeypatch.chdir(tmp_path)  # the whole path may be too long for an address
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    elif request.param == "link to a device":
        path.symlink_to("/dev/zero")
    return Path("/dev/zero") if request.param == "device" else path


@pytest.mark.parametrize("line", READING.values(), ids=READING)
def test_no_command_opens_what_never_ends(readgraph: Command, endless: Path, line: tuple[object, ...]) -> None:
    assert_refused(readgraph(*(str(part).format(endless) for part in line)), str(endless))


def test_beside_a_file_it_is_left_out(readgraph: Command, endless: Path) -> None:
    ran = readgraph("ask", "What of the goat?", STORY, endless)
    assert ran.code == 0 and ran.out and ran.err.startswith(f"readgraph: Left out: {endless} ")


def test_settings_and_results_are_regular_files_too(
    readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    ran = readgraph("ask", "What of the goat?", STORY, "--quiet", "--report", pipe)
    assert ran.code == 2 and ran.out and "can't be written" in ran.err
    monkeypatch.setenv("READGRAPH_SETTINGS", str(pipe))
    assert_refused(readgraph("read", STORY), "it is a pipe")


def test_a_folder_leaves_them_out_and_says_so(readgraph: Command, tmp_path: Path) -> None:
    (folder := tmp_path / "folder").mkdir()
    os.mkfifo(folder / "a.txt")
    (folder / "b.txt").symlink_to("/dev/zero")
    assert_refused(readgraph("read", folder), "leads out of the folder")
    (folder / "c.txt").write_text("The lamp was lit.")
    ran = readgraph("read", folder, "--json")
    assert [read["title"] for read in ran.json] == ["c"]
    assert [line for line in ran.err.splitlines() if "Left out" in line] == [
        f"readgraph: Left out: {folder}/b.txt is a link that leads out of the folder: --follow-links reads it too.",
        f"readgraph: Left out: {folder}/a.txt can't be read, it is a pipe: name a file.",
    ]


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(STORY)
    assert load(tmp_path / "link.txt").text == load(STORY).text


@pytest.mark.parametrize("line", READING.values(), ids=READING)
def test_a_file_that_is_too_large_is_not_opened(readgraph: Command, tmp_path: Path, line: tuple[object, ...]) -> None:
    file = tmp_path / "large.txt"
    with file.open("wb") as opened:
        opened.truncate(200 * MB + 1)
    assert_refused(readgraph(*(str(part).format(file) for part in line)), "more than 200 MB")


def test_the_limit_is_set_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file.txt"
    file.write_text("The lamp was lit. " * 60_000)
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "1")
    with pytest.raises(BadInput, match="more than 1 MB: split it, or set READGRAPH_MAX_FILE_MB to a larger number"):
        load(file)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a" * (MB + 1))))
    with pytest.raises(BadInput, match="Standard input has more than 1 MB"):
        load(Path("-"))
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "2")
    assert len(load(file).text) > MB
    for wrong in ("0", "much", "-1"):
        monkeypatch.setenv("READGRAPH_MAX_FILE_MB", wrong)
        with pytest.raises(BadInput, match="number of megabytes"):
            load(file)
