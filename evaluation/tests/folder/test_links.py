"""Links in an evaluation's folder from somebody else lead to no file of this machine."""

import os
from pathlib import Path

import pytest

from evaluation.tests.folder.test_foreign_folders import WHAT, folder
from readgraph.state.errors import BadInput
from readgraph_evaluation.folder import EvaluationFolder
from tests.security import test_links as of_libraries
from tests.security.test_links import KEPT, replaced_by_link

secret = of_libraries.secret


def evaluation(path: Path) -> EvaluationFolder:
    """A sound folder of an evaluation."""
    path.mkdir()
    return folder(path)


@pytest.mark.parametrize("name", [".lock", "evaluation.json", "answers.jsonl", "report.html", "results.csv", "library"])
def test_a_link_in_an_evaluation_is_refused(tmp_path: Path, secret: Path, name: str) -> None:
    made = evaluation(tmp_path / "ev")
    replaced_by_link(made.path / name, secret)
    with pytest.raises(BadInput, match=r"is a link, and an evaluation has none"), made.open_for(WHAT):
        pass
    assert secret.read_text() == KEPT


def test_a_pipe_in_an_evaluation_that_is_continued(tmp_path: Path) -> None:
    made = evaluation(tmp_path / "ev")
    (made.path / "answers.jsonl").unlink()
    os.mkfifo(made.path / "answers.jsonl")
    with pytest.raises(BadInput, match="it is a pipe"), made.open_for({**WHAT, "rows": {}}):
        pass
