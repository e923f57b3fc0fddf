"""Whatever a path leads to, nothing hangs, and nothing fills the memory: questions are read record by record."""

from pathlib import Path

import pytest

from readgraph.state.errors import BadInput
from readgraph_evaluation.datasets.forms import DatasetRecord, records
from tests.sources import test_given_files as of_texts
from tests.sources.test_given_files import MB
from tests.support.command import Command, assert_refused

endless = of_texts.endless

READING = {
    "own form": ("evaluate", "{}", "--out", "{}.out"),
    "another form": ("evaluate", "{}", "--dataset", "quality", "--out", "{}.out"),
}


@pytest.mark.parametrize("line", READING.values(), ids=READING)
def test_no_command_opens_what_never_ends(readgraph: Command, endless: Path, line: tuple[str, ...]) -> None:
    assert_refused(readgraph(*(part.format(endless) for part in line)), str(endless))


@pytest.mark.parametrize("line", READING.values(), ids=READING)
def test_a_record_that_is_too_large_is_not_read(
    readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...]
) -> None:
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "1")
    file = tmp_path / "large.txt"
    with file.open("wb") as opened:
        opened.truncate(200 * MB + 1)
    assert_refused(readgraph(*(part.format(file) for part in line)), "more than 1 MB")


@pytest.mark.slow
def test_a_record_of_a_dataset_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "1")
    file = tmp_path / "large.jsonl"
    file.write_text('{"a": 1}\n' * 200_000 + '{"a": "' + "a" * MB + '"}')
    read = records(file, DatasetRecord)
    for _ in range(200_000):
        next(read)
    with pytest.raises(BadInput, match=r"line 200001 of .* has more than 1 MB"):
        next(read)
