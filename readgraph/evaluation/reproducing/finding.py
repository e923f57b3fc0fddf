"""Find the file of a dataset in a folder of downloaded datasets."""

from pathlib import Path

from readgraph.evaluation.datasets.forms import own
from readgraph.evaluation.datasets.record_files import first_value
from readgraph.evaluation.reproducing.experiment import Source
from readgraph.sources.loading import shown
from readgraph.state.errors import BadInput, ReadgraphError

DEEPEST = 3
"""Folders within folders that are searched."""


def found(source: Source, data: Path | None) -> Path | None:
    """The dataset's file in this folder, by its published name, or a file in readgraph's form that names the dataset.

    None where it is not there, and for a dataset that is made. Raises `BadInput` for a file that names another dataset.
    """
    if source.made or data is None:
        return None
    if not data.exists():
        raise BadInput(f"There is no folder {shown(data)}: name the folder that holds the datasets.")
    if data.is_file():
        if named_in(data) not in (None, "", source.dataset):
            raise BadInput(f"{shown(data)} holds {named_in(data)}, and this needs {source.dataset}: name another file.")
        return data
    there = sorted(_within(data, DEEPEST))
    named = (path for pattern in source.files for path in there if path.match(pattern))
    fitting = (path for path in named if named_in(path) in (None, source.dataset))
    return next(fitting, None) or next((path for path in there if named_in(path) == source.dataset), None)


def needed(source: Source, data: Path | None) -> Path | None:
    """The same; raises `BadInput` where a file is missing, with one line that says which, and who publishes it."""
    path = found(source, data)
    if path is None and not source.made:
        where = f"{shown(data)} does not hold it" if data else "name its folder with --data"
        raise BadInput(
            f"This needs {source.title} ({' or '.join(source.files)}), from {source.project}: {where}; "
            "nothing is downloaded for you."
        )
    return path


def form_of(source: Source, path: Path | None) -> str | None:
    """The form to read the dataset's file in; None for readgraph's own form, which names its dataset."""
    return None if path and named_in(path) is not None else source.form


def named_in(path: Path) -> str | None:
    """The dataset that a file in readgraph's own form names, "" if it names none; None for any other file."""
    if not (path.is_file() and path.suffix == ".jsonl"):
        return None
    try:
        first = first_value(path)
    except (ReadgraphError, OSError, ValueError):
        return None
    return str(first.get("dataset", "")) if isinstance(first, dict) and first.keys() >= own.KEYS else None


def _within(folder: Path, depth: int) -> list[Path]:
    """What the folder and those in it hold."""
    if not depth:
        return []
    try:
        inside = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError:
        return []
    return [*inside, *(deeper for path in inside if path.is_dir() for deeper in _within(path, depth - 1))]
