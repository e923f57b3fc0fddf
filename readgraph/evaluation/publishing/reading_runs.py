"""What the folder of a published run holds, read and checked: it may come from anybody."""

import csv
import io
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, NamedTuple, NotRequired, TypeVar

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from readgraph.evaluation.folder.evaluation_folder import SCORES
from readgraph.evaluation.folder.line_shapes import read_as
from readgraph.evaluation.publishing.published_run import ANSWERS, FORMAT, JUDGEMENTS, REPLIES, RUN
from readgraph.evaluation.records import Judgement
from readgraph.models.replies.message import Flaw, ModelReply
from readgraph.models.replies.replaying import Published
from readgraph.sources.loading import shown
from readgraph.state.errors import BadInput
from readgraph.state.files.formats import check_format
from readgraph.state.files.regular_files import check_regular

Key = tuple[str, int, str]
"""Method, run and item of an answer."""

ScoreKey = tuple[str, str, str, str]
"""Method, run, item and metric of a score."""


Name = TypeVar("Name")
Value = TypeVar("Value")


class _Kept(TypedDict):
    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]


Count = Annotated[int, Field(ge=1)]


@with_config(ConfigDict(extra="forbid"))
class Asked(TypedDict, total=False):
    """How the questions and metrics were chosen."""

    limit: Count | None
    sample: Count | None
    seed: int
    metrics: str | None


class RunUse(_Kept):
    """What a row took a question."""

    calls: float | None


class RunRecord(_Kept):
    """What run.json says of a run, as far as it is used."""

    dataset: str
    methods: list[str]
    runs: Count
    judge: str | None
    settings: dict[str, Any]
    file: dict[str, str] | None
    asked: Asked
    budget: dict[str, Any]
    models: dict[str, str]
    scores: dict[str, dict[str, float]]
    use: dict[str, RunUse]


class ReplyLine(TypedDict):
    """A reply with the digest of its prompt."""

    key: str
    asked: str
    reply: str
    cut: bool
    tokens: tuple[int, int]
    flaw: NotRequired[Flaw]


class AnswerLine(TypedDict):
    """An answer, without words of the dataset."""

    item: str
    method: str
    run: int
    status: str
    choice: int | None
    by_rule: bool
    read: list[list[int]]
    cited: list[list[int]]
    action: list[Any] | None
    calls: int
    answer: str | None


class RowFigures(NamedTuple):
    """A row's figures by the run's records: the mean of each metric, questions, and calls a question."""

    scores: dict[str, float]
    questions: int
    calls: float | None


def run_of(folder: Path) -> RunRecord:
    """What run.json says; raises `BadInput` where the folder holds no published run."""
    if not (folder / RUN).exists():
        raise BadInput(f"{shown(folder)} holds no published run: 'readgraph evaluate … --publish FOLDER' makes one.")
    text = _text(folder / RUN)
    kept = _value(folder / RUN, dict[str, Any], text)
    if kept.get("readgraph") != "run":
        raise BadInput(f"{shown(folder / RUN)} describes no published run.")
    check_format(f"The run in {shown(folder)}", kept.get("format"), FORMAT)
    run: RunRecord = _value(folder / RUN, RunRecord, text)
    return run


def published_replies(folder: Path) -> Published:
    """The replies of a published run."""
    replies = defaultdict[str, list[ModelReply]](list)
    for line in _lines(folder / REPLIES, ReplyLine):
        replies[line["key"]].append(ModelReply(line["reply"], line["cut"], line["tokens"], line.get("flaw", "")))
    return Published(replies)


def published_answers(folder: Path) -> dict[Key, AnswerLine]:
    """The answers of a published run."""
    lines = [((line["method"], line["run"], line["item"]), line) for line in _lines(folder / ANSWERS, AnswerLine)]
    return _each_once(folder / ANSWERS, lines)


def published_judgements(folder: Path) -> list[Judgement]:
    """The judgements of a published run."""
    return [*_lines(folder / JUDGEMENTS, Judgement)]


def published_scores(folder: Path) -> dict[ScoreKey, float]:
    """Every score of a published run."""
    try:
        lines = [
            ((row["method"], row["run"], row["item"], row["metric"]), float(row["score"]))
            for row in csv.DictReader(io.StringIO(_text(folder / SCORES)))
        ]
    except (KeyError, TypeError, ValueError, csv.Error):
        lines = [(("", "", "", ""), math.nan)]
    if not all(math.isfinite(score) for _, score in lines):
        raise BadInput(f"{shown(folder / SCORES)} can't be read: it holds a row without a score.")
    return _each_once(folder / SCORES, lines)


def recorded_figures(folder: Path) -> dict[str, RowFigures]:
    """The figures of each row, from the records alone: run.json only repeats them, and may say anything.

    A mean is over the questions, each question's runs averaged first (each step on web pages is a question).
    """
    scores, answers = published_scores(folder), published_answers(folder).values()
    of_questions: dict[str, Any] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for (method, _, item, metric), score in scores.items():
        of_questions[method][metric][item].append(score)
    found = {}
    for method in dict.fromkeys([*of_questions, *(line["method"] for line in answers)]):
        mine = [line for line in answers if line["method"] == method]
        calls = [line["calls"] for line in mine if line["status"] != "failed"]
        means = {metric: fmean(map(fmean, items.values())) for metric, items in of_questions[method].items()}
        found[method] = RowFigures(means, len({line["item"] for line in mine}), fmean(calls) if calls else None)
    return found


def _each_once(path: Path, lines: Iterable[tuple[Name, Value]]) -> dict[Name, Value]:
    """The lines by their names; of two with one name, nobody could say which one counts."""
    kept = [*lines]
    name, count = next(iter(Counter(name for name, _ in kept).most_common(1)), ("", 1))
    if count > 1:
        raise BadInput(f"{shown(path)} holds two lines for {name}: remove one.")
    return dict(kept)


def _lines(path: Path, shape: Any) -> Iterator[Any]:
    for line in _text(path).removesuffix("\n").split("\n"):
        if line:
            yield _value(path, shape, line)


def _value(path: Path, shape: Any, text: str) -> Any:
    try:
        return read_as(shape, text)
    except ValueError as problem:
        raise BadInput(f"{shown(path)} can't be read: {problem}.") from None


def _text(path: Path) -> str:
    try:
        check_regular(path, shown(path))
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise BadInput(f"{shown(path)} can't be read: {reason}.") from None
