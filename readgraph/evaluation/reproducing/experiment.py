"""What an experiment of a paper is, and where its dataset comes from.

This package's registry imports neither LangGraph nor pydantic, since the command's completion lists its names.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

NO_SETTINGS: Mapping[str, Any] = {}


class Size(NamedTuple):
    """A dataset's published size: texts, words of a text on average, questions over all texts.

    `sessions` of a text, where it is a history; `options` of a question; `steps`: questions are steps on web pages.
    """

    texts: int
    words: int
    questions: int
    sessions: int = 0
    options: int = 0
    steps: bool = False


class Source(NamedTuple):
    """A dataset's file, which nobody fetches for you: its title, who publishes it, how the file is called.

    `dataset` is its name among the datasets, by which samples of your own are found too. `files` are patterns of the
    names of files and folders. `form` is named where the file alone doesn't tell it. `made`: it needs no file.
    """

    dataset: str
    title: str
    project: str
    files: tuple[str, ...]
    size: Size
    form: str | None = None
    made: bool = False


class Experiment(NamedTuple):
    """A table or a figure of a paper over one dataset.

    `rows` are as `readgraph evaluate --method` takes them, `settings` what the paper sets besides the dataset's
    profile, `models` the paper's, `runs` how often it asked, `sample` how many questions it drew. `lacking` says what
    can't be had, and why.
    """

    name: str
    paper: str
    place: str
    line: str
    source: Source
    rows: tuple[str, ...]
    models: str
    settings: Mapping[str, Any] = NO_SETTINGS
    runs: int = 1
    sample: int | None = None
    lacking: tuple[str, ...] = ()
