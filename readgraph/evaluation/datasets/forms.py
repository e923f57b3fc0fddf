"""A form of datasets' files: its name, what recognises it, and what loads it, declared in the file that reads it."""

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from pathlib import Path

from readgraph.evaluation.datasets.assembling import Asked, build_dataset
from readgraph.evaluation.records import Dataset
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

FindFiles = Callable[[Path], Iterable[Path]]
"""Finds the files of a form in a folder."""


@dataclass(frozen=True)
class Form:
    """A file form: its name, a line about it, and its loader.

    A file is recognised by the `keys` of its first record, a folder by `recognise`; a form without both must be named.
    """

    name: str
    line: str
    load: Callable[[Path, int | None], Dataset]
    keys: Set[str] = frozenset()
    recognise: Callable[[Path], bool] | None = None


def form_of(
    name: str,
    line: str,
    read: Callable[[Path], Iterable[Asked]],
    keys: Set[str] = frozenset(),
    *,
    recognise: Callable[[Path], bool] | None = None,
    licence: str = "",
) -> Form:
    """A form whose questions, with their texts, this function reads from a file or folder; all have one licence."""

    def load(path: Path, items: int | None = None) -> Dataset:
        return build_dataset(path, read(path), items, name, licence=licence)

    return Form(name, line, load, keys, recognise)


def folder_with(find: FindFiles) -> Callable[[Path], bool]:
    """What recognises a folder in which such files are found."""
    return lambda path: path.is_dir() and any(True for _ in find(path))


def files_of(path: Path, find: FindFiles, lacking: str) -> list[Path]:
    """The files of a folder, or a file by itself; raises `BadInput` with what a folder without any is `lacking`."""
    files = [*find(path)] if path.is_dir() else [path]
    if not files:
        raise BadInput(f"{printable_path(path)} {lacking}")
    return files
