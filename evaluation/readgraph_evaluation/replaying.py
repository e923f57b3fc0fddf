"""A published run, read and checked, since it may come from anybody, and compared with a replayed one."""

import csv
import io
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from math import isclose
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

from langgraph.store.memory import InMemoryStore
from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from readgraph import ReaderContext, ReadgraphError
from readgraph.models.reply import Flaw, ModelReply, PublishedReplies, replay_published
from readgraph.sources.loading import fault_of, printable_path
from readgraph.state.files import check_format
from readgraph.state.reading import Tokens
from readgraph_evaluation import publishing
from readgraph_evaluation.folder import SCORES, EvaluationFolder
from readgraph_evaluation.judges.judging import exchanges_of, judge
from readgraph_evaluation.line_shapes import OpenLine, read_file_as, read_text
from readgraph_evaluation.metrics import METRICS, Raters
from readgraph_evaluation.records import Dataset, Judgement, Key, Outcome
from readgraph_evaluation.results import results_of

ScoreKey = tuple[str, str, str, str]  # method, run, item and metric of a score
Count = Annotated[int, Field(ge=1)]


@with_config(ConfigDict(extra="forbid"))
class _QuestionSelection(TypedDict, total=False):
    limit: Count | None
    half: Literal["development", "report"] | None
    sample: Count | None
    seed: int
    metrics: str | None


class RunRecord(OpenLine):
    """What run.json says of a run, as far as it is used."""

    dataset: str
    methods: list[str]
    runs: Count
    judge: str | None
    settings: dict[str, Any]
    file: dict[str, str] | None
    asked: _QuestionSelection
    budget: dict[str, Any]
    models: dict[str, str]
    scores: dict[str, dict[str, float]]
    use: dict[str, dict[str, float | None]]


class _ReplyLine(TypedDict):
    key: str
    asked: str
    reply: str
    cut: bool
    tokens: tuple[int, int]
    flaw: NotRequired[Flaw]


def run_of(folder: Path) -> RunRecord:
    """What run.json says; raises `BadInput` where the folder holds no published run."""
    if not (folder / publishing.RUN).exists():
        raise fault_of(folder, "holds no published run: 'readgraph evaluate … --publish FOLDER' makes one.")
    text = read_text(folder / publishing.RUN)
    kept = read_file_as(folder / publishing.RUN, dict[str, Any], text)
    if kept.get("readgraph") != "run":
        raise fault_of(folder / publishing.RUN, "describes no published run.")
    check_format(f"The run in {printable_path(folder)}", kept.get("format"), publishing.FORMAT)
    run: RunRecord = read_file_as(folder / publishing.RUN, RunRecord, text)
    return run


def read_published_replies(folder: Path) -> PublishedReplies:
    """The replies of a published run."""
    replies = defaultdict[str, list[ModelReply]](list)
    for line in _lines(folder / publishing.REPLIES, _ReplyLine):
        reply = ModelReply(line["reply"], line["cut"], Tokens(*line["tokens"]), line.get("flaw", ""))
        replies[line["key"]].append(reply)
    return PublishedReplies(replies)


def read_published_answers(folder: Path) -> dict[Key, Outcome]:
    """The answers of a published run, without words of the dataset."""
    path = folder / publishing.ANSWERS
    return _index_unique(path, [(outcome.key, outcome) for outcome in _lines(path, Outcome)])


def read_published_judgements(folder: Path) -> list[Judgement]:
    """The judgements of a published run."""
    return _lines(folder / publishing.JUDGEMENTS, Judgement)


def read_published_scores(folder: Path) -> dict[ScoreKey, float]:
    """Every score of a published run."""
    try:
        lines = [
            ((row["method"], row["run"], row["item"], row["metric"]), float(row["score"]))
            for row in csv.DictReader(io.StringIO(read_text(folder / SCORES)))
        ]
    except (KeyError, TypeError, ValueError, csv.Error):
        lines = [(("", "", "", ""), math.nan)]
    if not all(math.isfinite(score) for _, score in lines):
        raise fault_of(folder / SCORES, "can't be read: it holds a row without a score.")
    return _index_unique(folder / SCORES, lines)


def _index_unique(path: Path, lines: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """The lines by their names; of two with one name, nobody could say which one counts."""
    name, count = next(iter(Counter(name for name, _ in lines).most_common(1)), ("", 1))
    if count > 1:
        raise fault_of(path, f"holds two lines for {name}: remove one.")
    return dict(lines)


def _lines(path: Path, shape: Any) -> list[Any]:
    return [read_file_as(path, shape, line) for line in read_text(path).split("\n") if line]


COMPARED = ("answer", *publishing.ANSWER_FIELDS[3:-1])  # what must be the same in an answer, beside what names it
EXACT, OF_EMBEDDINGS = 1e-6, 0.1  # by how much two scores may differ that are the same; servers of embeddings round


class RunComparison(NamedTuple):
    """How many answers, scores and figures of run.json were compared; and a line for each that differs."""

    answers: int
    scores: int
    figures: int
    differences: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def value(self) -> dict[str, Any]:
        """The comparison as a plain JSON value."""
        return {"equal": self.equal, **self._asdict()}


def compare_with_published(theirs: Path, folder: EvaluationFolder) -> RunComparison:
    """Compare a replayed evaluation with the published run."""
    answers, scores = read_published_answers(theirs), read_published_scores(theirs)
    ours = {outcome.key: outcome for outcome in folder.outcomes()}
    run, results = run_of(theirs), results_of(folder.dataset(), folder)
    figures = _flat(run, run["scores"], {method: of.get("calls") for method, of in run["use"].items()})
    calls = {row["method"]: row["figures"]["calls"] for row in results["methods"]}
    recomputed = _flat(results["what"], publishing.scores_of(results), calls)
    differences = (
        _answer_differences(answers, ours),
        _judgement_differences(theirs, folder),
        _list_differences(scores, read_published_scores(folder.path), "published", "replayed"),
        _list_differences(figures, recomputed, f"in {publishing.RUN}", "recomputed"),
    )
    listed = tuple(chain.from_iterable(map(sorted, differences)))
    return RunComparison(len(answers), len(scores), len(figures), listed)


async def judge_again(theirs: Path, dataset: Dataset, folder: EvaluationFolder, rater: ReaderContext) -> None:
    """Judge the answers that are the same by the judge's published replies; what rests on embeddings is asked again."""
    answers, ours = read_published_answers(theirs), {outcome.key: outcome for outcome in folder.outcomes()}
    items, model = dataset.by_id, str(folder.what()["settings"]["model"])
    raters = Raters.of(rater)
    metrics, name = raters.metrics_with_model(dataset.metrics), raters.model_names(dataset.metrics)
    rater = replace(rater, reply_form="json_schema")  # in which a judge's replies are kept
    for judgement in read_published_judgements(theirs):
        mine = ours.get(judgement.key)
        if mine is None or mine.status == "failed" or judgement.rater != name:
            continue
        if mine.item in items and not _difference(answers.get(mine.key), mine):
            replies = defaultdict[str, list[ModelReply]](list)
            for name_of_prompt, said in judgement.said.items():  # in the order of the references or points
                replies[name_of_prompt.partition(" ")[0]].append(ModelReply(said, False))
            with replay_published(PublishedReplies(replies, by_name=True)), exchanges_of(rater):
                try:
                    again = await judge(items[mine.item], mine.by_method(model), metrics, rater, InMemoryStore())
                except ReadgraphError:
                    continue  # it has no score then, which differs from the published one
            if again:
                folder.keep_judgement(replace(again, rater=name))


def _answer_differences(published: Mapping[Key, Outcome], ours: Mapping[Key, Outcome]) -> Iterator[str]:
    for key in published.keys() | ours.keys():
        mine = ours.get(key)
        if told := _difference(published.get(key), mine):
            why = f" ({mine.problem})" if mine and mine.problem else ""
            yield f"{_format_key(key)}: {told}{why}"


def _difference(published: Outcome | None, replayed: Outcome | None) -> str:
    if published is None or replayed is None:
        return "is only in the published run" if published else "is only in the replayed run"
    mine = publishing.without_option(replayed)
    differing = [name for name in COMPARED if getattr(published, name) != getattr(mine, name)]
    return f"another {' and '.join(differing)}" if differing else ""


def _judgement_differences(theirs: Path, folder: EvaluationFolder) -> Iterator[str]:
    """The judgements whose scores are not those that follow from the judge's replies."""
    again = {(one.key, one.rater): one.scores for one in folder.judgements()}
    for one in read_published_judgements(theirs):
        scores = again.get((one.key, one.rater))
        if scores is not None and (told := [*_list_differences(one.scores, scores, "published", "by its replies")]):
            yield f"{_format_key(one.key)}: {'; '.join(told)}"


def _flat(
    what: Mapping[str, Any], scores: Mapping[str, Mapping[str, float]], calls: Mapping[str, float | None]
) -> dict[tuple[str, ...], Any]:
    """What in run.json follows from the other files, by its place there."""
    flat: dict[tuple[str, ...], Any] = {(name,): what.get(name) for name in publishing.FOLLOWS}
    flat |= {(method, name): mean for method, of in scores.items() for name, mean in of.items()}
    return flat | {(method, "calls"): of for method, of in calls.items()}


def _list_differences(one: Mapping[Any, Any], other: Mapping[Any, Any], of_one: str, of_other: str) -> Iterator[str]:
    for name in one.keys() | other.keys():
        first, second = one.get(name), other.get(name)
        same = first == second
        if isinstance(first, int | float) and isinstance(second, int | float):
            metric = METRICS.get(name if isinstance(name, str) else name[-1])
            within = OF_EMBEDDINGS if metric and metric.rater == "embeddings" else EXACT
            same = isclose(first, second, rel_tol=0, abs_tol=within)
        if not same:
            called = name if isinstance(name, str) else " ".join(name)
            yield f"{called}: {_format_compared_value(first)} {of_one}, {_format_compared_value(second)} {of_other}"


def _format_compared_value(value: Any) -> str:
    if isinstance(value, Iterable) and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return "none" if value in (None, "") else str(value)


def _format_key(key: Key) -> str:
    method, run, item = key
    return f"{method} run {run} {item}"
