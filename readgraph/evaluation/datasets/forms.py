"""The forms of datasets' files, each declared beside what reads it, and the dataset made of what is read."""

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from readgraph.evaluation.datasets.assembling import choose_scoring, rule_for
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

LONG = "long"
"""The group of the questions about a dataset's longer texts (MemWalker, table 2)."""

Asked = tuple[str, Text, Iterable[Item]]
"""The place in the file, a text, and questions about it. The same text may come again with further questions."""


def build_dataset(
    path: Path | None, asked: Iterable[Asked], items: int | None, name: str, *, licence: str = "", note: str = ""
) -> Dataset:
    """The first `items` questions (None: all) with their texts, or `BadInput` for ids used twice and what is empty."""
    texts, kept = dict[str, Text](), dict[str, Item]()
    for where, text, questions in asked:
        if text.is_empty:
            raise BadInput(f"In {where}, the text of '{text.id}' is empty: leave it out.")
        for asked_item in islice(questions, None if items is None else items - len(kept)):
            item = replace(asked_item, rule=rule_for(name, asked_item))
            if kept.setdefault(item.id, item) is not item:
                raise BadInput(
                    f"In {where}, the question id '{item.id}' is used twice: give this question another one."
                )
            known = texts.setdefault(text.id, text)
            if (known.whole, known.documents) != (text.whole, text.documents):
                raise BadInput(f"In {where}, the id '{text.id}' is of another text: give this one a new id.")
        if items is not None and len(kept) >= items:
            break
    if not kept:
        raise BadInput(f"{printable_path(path) if path else name} holds no question.")
    metrics, profile, answers, long_words = choose_scoring(name, kept.values())
    long = {text.id for text in texts.values() if text.words >= long_words} if long_words else set[str]()
    asked_items = tuple(
        replace(item, groups=(*item.groups, LONG)) if item.text in long else item for item in kept.values()
    )
    return Dataset(name, tuple(texts.values()), asked_items, metrics, profile, answers, licence, note)


FindFiles = Callable[[Path], Iterable[Path]]  # finds the files of a form in a folder


@dataclass(frozen=True)
class Form:
    """A file form, recognised by the `keys` of a file's first record, a folder by `recognise`; others must be named."""

    name: str
    line: str
    load: Callable[[Path, int | None], Dataset]
    keys: Set[str] = frozenset()
    recognise: Callable[[Path], bool] | None = None


def form(
    name: str,
    line: str,
    keys: Set[str] = frozenset(),
    *,
    recognise: Callable[[Path], bool] | None = None,
    licence: str = "",
) -> Callable[[Callable[[Path], Iterable[Asked]]], Form]:
    """Make a form of the function that reads its questions, with their texts; all have one licence."""

    def declare(read: Callable[[Path], Iterable[Asked]]) -> Form:
        def load(path: Path, items: int | None = None) -> Dataset:
            return build_dataset(path, read(path), items, name, licence=licence)

        return Form(name, line, load, keys, recognise)

    return declare


def folder_with(find: FindFiles) -> Callable[[Path], bool]:
    """What recognises a folder in which such files are found."""
    return lambda path: path.is_dir() and any(True for _ in find(path))


def files_of(path: Path, find: FindFiles, lacking: str) -> list[Path]:
    """The files of a folder, or a file by itself; raises `BadInput` with what a folder without any is `lacking`."""
    files = [*find(path)] if path.is_dir() else [path]
    if not files:
        raise BadInput(f"{printable_path(path)} {lacking}")
    return files
