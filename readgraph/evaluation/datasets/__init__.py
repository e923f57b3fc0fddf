"""Datasets in their official file forms, each read in a file of its own, and recognised by what the file holds."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from readgraph.evaluation.datasets import own
from readgraph.evaluation.records import Dataset
from readgraph.state.errors import BadInput


class Form(NamedTuple):
    """A file form: its name, a line on it, whether a file has it (from its beginning), and what reads it."""

    name: str
    line: str
    recognise: Callable[[Path], bool]
    load: Callable[[Path], Dataset]


FORMS = {
    form.name: form
    for form in (Form("readgraph", "A document with its questions on each line.", own.recognise, own.load),)
}


def load_dataset(path: Path, name: str | None = None) -> Dataset:
    """The dataset of a file, or folder, in the form of this name, else in the one that is recognised.

    Raises `BadInput`, which names the line, where the file is in no form that is known, or not in the form named.
    """
    if name is not None and name not in FORMS:
        raise BadInput(f"There is no dataset form '{name}': choose one of {', '.join(FORMS)}.")
    if not path.exists():
        raise BadInput(f"There is no file {path}.")
    form = FORMS[name] if name else next((form for form in FORMS.values() if form.recognise(path)), None)
    if form is None:
        raise BadInput(f"{path} is in no form that is known ({', '.join(FORMS)}): name one with --dataset.")
    return form.load(path)
