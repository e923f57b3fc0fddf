"""Many sources at once: files, folders, standard input."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

from readgraph.sources.addresses import Address
from readgraph.sources.loading import IN_FOLDERS, load, shown
from readgraph.sources.source_text import SourceText
from readgraph.state.errors import BadInput

Loaded = TypeVar("Loaded")

_NUMBER = re.compile(r"(\d+)")


def stop_at(problem: BadInput) -> None:
    """Raise the error of a file that can't be read."""
    raise problem


@overload
def load_all(
    paths: Sequence[Path], glob: str | None = None, left_out: Callable[[BadInput], None] = stop_at
) -> list[SourceText]: ...
@overload
def load_all(
    paths: Sequence[Path],
    glob: str | None,
    left_out: Callable[[BadInput], None],
    load_file: Callable[[Path], Loaded],
    suffixes: Sequence[str] = IN_FOLDERS,
    is_whole: Callable[[Path], bool] = lambda _: False,
) -> list[Loaded]: ...
def load_all(
    paths: Sequence[Path],
    glob: str | None = None,
    left_out: Callable[[BadInput], None] = stop_at,
    load_file: Callable[[Path], Any] = load,
    suffixes: Sequence[str] = IN_FOLDERS,
    is_whole: Callable[[Path], bool] = lambda _: False,
) -> list[Any]:
    """The texts of files and folders, in the given order; "-" is standard input.

    A folder stands for all files of known kinds below it, without hidden ones, sorted by path with numbers by value
    (chapter 2 before chapter 10). `glob` selects among them ("*.md", "notes/*.txt", "2024/**/*.html"); it does not
    apply to files that are named directly. A file that occurs twice is loaded once. `left_out` is called with the error
    of each file that can't be read, and of each folder that holds no file, as long as there is something else to read;
    by default it raises the error. `load_file` loads a file in another way, `suffixes` are the endings of the files
    that a folder stands for, and a folder that `is_whole` stands for itself.
    Raises `BadInput` if nothing can be read.
    """
    texts, problems = list[Any](), list[BadInput]()
    note = stop_at if left_out is stop_at else problems.append
    for file in chosen_files(paths, glob, suffixes, is_whole, note):
        try:
            texts.append(load_file(file))
        except BadInput as problem:
            note(problem)
    for unreadable in problems:
        (left_out if texts else stop_at)(unreadable)
    return texts


def chosen_files(
    paths: Sequence[Path],
    glob: str | None,
    suffixes: Sequence[str] = IN_FOLDERS,
    is_whole: Callable[[Path], bool] = lambda _: False,
    left_out: Callable[[BadInput], None] = stop_at,
) -> list[Path]:
    """The files that `load_all` loads, of the kinds with these endings; a folder that `is_whole` stands for itself."""
    chosen: dict[str, Path] = {}
    for path in paths:
        try:
            files = _files(path, glob, suffixes) if os.path.isdir(path) and not is_whole(path) else [path]
        except BadInput as problem:
            left_out(problem)
            continue
        for file in files:
            named = str(file) == "-" or isinstance(file, Address)
            chosen.setdefault(str(file) if named else os.path.realpath(file), file)
    return list(chosen.values())


def _files(folder: Path, glob: str | None, suffixes: Sequence[str]) -> list[Path]:
    files = [file for file in _walk(folder) if file.suffix.lower() in suffixes]
    if glob is not None:
        matching = _matching(folder, glob)
        files = [file for file in files if file in matching]
    if not files:
        wanted = "file of a known kind" if glob is None else f"file of a known kind that matches {glob!a}"
        raise BadInput(f"{shown(folder)} holds no {wanted}: {', '.join(suffixes)}.")
    return sorted(files, key=lambda file: _natural(file.relative_to(folder)))


def _walk(folder: Path) -> Iterator[Path]:
    """The files below a folder, without hidden ones and the lock files of open Word documents."""
    for inside, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith((".", "~$")) and os.path.exists(file := Path(inside, name)):
                yield file


def _refuse(problem: OSError) -> None:
    raise BadInput(f"{shown(Path(problem.filename))} can't be read: {problem.strerror}.") from None


def _matching(folder: Path, glob: str) -> set[Path]:
    try:
        return set(folder.rglob(glob))
    except (ValueError, NotImplementedError, IndexError):
        raise BadInput(f"{glob!a} is not a pattern for files below a folder: try '*.md'.") from None


def _natural(path: Path) -> list[list[tuple[int, int, str]]]:
    """The key to sort paths folder by folder, numbers by value, and letters without regard to case."""
    return [[(0, int(run), run) if run.isdecimal() else (1, 0, run.casefold()) for run in _NUMBER.split(part)]
            for part in path.parts]  # fmt: skip
