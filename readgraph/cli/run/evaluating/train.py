"""`trajectories`: write an evaluation's prompts and replies as JSON lines for training."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO

from readgraph.cli.terminal.safe_text import Console, Text, escaped
from readgraph.evaluation.folder.evaluation_folder import EvaluationFolder
from readgraph.evaluation.trajectories import FORMS
from readgraph.sources.loading import STANDARD_INPUT, shown
from readgraph.state.errors import BadInput
from readgraph.state.files.whole_files import written_whole
from readgraph.state.words import counted


def write_trajectories(folder: Path, form: str, out: Path, *, quiet: bool) -> None:
    """Write the examples of a format, one per line."""
    if form not in FORMS:
        raise BadInput(f"There is no format '{form}': choose one of {', '.join(FORMS)}.")
    examples = iter(FORMS[form](EvaluationFolder(folder)))
    first = list(islice(examples, 1))  # an error is reported before an existing file is emptied
    count = 0
    with _opened(out) as file:
        for count, example in enumerate(chain(first, examples), 1):  # noqa: B007
            file.write(escaped(json.dumps(example, ensure_ascii=False)) + "\n")
    if not quiet:
        message = f"{counted(count, 'example')} written."
        if not count:
            message += " Examples need a correct answer, or two runs that differ; this evaluation has neither."
        Console(stderr=True).print(Text(message, style="dim"))


@contextmanager
def _opened(out: Path) -> Iterator[IO[str]]:
    if str(out) == STANDARD_INPUT:
        yield sys.stdout
        return
    try:
        with written_whole(out, errors="replace") as file:
            yield file
    except OSError as problem:
        raise BadInput(f"{shown(out)} can't be written: {problem.strerror}.") from None
