"""What the lines of an evaluation's files hold, checked as they are read: a folder may come from somebody else."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import fsum
from pathlib import Path
from typing import Any, NotRequired

from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from readgraph.models.metering import ModelExchange
from readgraph.sources.inputs import read_bytes
from readgraph.sources.loading import fault_of, printable_path
from readgraph.state.files import NOT_UTF8
from readgraph.state.words import count_words
from readgraph_evaluation.records import Item, Judgement, Outcome

MOST_DIGITS = 18  # of an integer: it fits 64 bits


class OpenLine(TypedDict):
    """A line that may hold more than its fields."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]


class _RecordSettings(OpenLine):
    model: str
    embeddings: str


class _RowLine(OpenLine):
    method: str
    settings: dict[str, Any]


class EvaluationRecord(OpenLine):
    """The record of what was run (`evaluation.json`)."""

    format: int
    dataset: str
    methods: list[str]
    rows: NotRequired[dict[str, _RowLine]]
    answers: NotRequired[dict[str, dict[str, str]]]
    runs: int
    judge: str | None
    begun: str
    settings: _RecordSettings
    licence: NotRequired[str]
    note: NotRequired[str]
    half: NotRequired[str]
    questions: int
    texts: NotRequired[int]
    prompts: dict[str, int]
    own_prompts: NotRequired[dict[str, str]]
    packages: dict[str, str | None]
    file: NotRequired[dict[str, Any] | None]


class _QuestionsHeader(OpenLine):
    dataset: str
    metrics: list[str]
    licence: str


class _BuildingLine(OpenLine):
    method: str
    run: int
    text: str
    call: NotRequired[str]
    process: NotRequired[str]
    purpose: NotRequired[str]
    memory: NotRequired[str]
    fingerprint: NotRequired[str]
    words: NotRequired[int]
    page_words: NotRequired[list[int]]
    note_words: NotRequired[list[int]]
    calls: NotRequired[int]
    input_words: NotRequired[int]
    output_words: NotRequired[int]
    refused: NotRequired[int]
    seconds: NotRequired[float]
    cost: NotRequired[float | None]
    fallbacks: NotRequired[dict[str, int]]


class CalibrationLine(OpenLine):
    """A judge's verdicts on answers that are known to be right or wrong."""

    judge: str
    basis: str
    verdicts: dict[str, bool]
    calls: int
    input_words: int
    output_words: int
    refused: int
    cost: float | None


class _ExchangeLine(OpenLine):
    method: str
    run: int
    text: str
    item: str
    asked: str
    version: int
    messages: list[tuple[str, str]]
    reply: str
    refused: str | None


LINES = {
    **{"about": _QuestionsHeader, "questions": Item, "answers": Outcome, "memories": _BuildingLine},
    **{"exchanges": _ExchangeLine, "judgements": Judgement, "calibrations": CalibrationLine},
}  # what the lines of a file hold; the first one of the questions is about all of them


def read_as(shape: Any, text: str) -> Any:
    """The value of this shape that a JSON text holds; raises `ValueError` with one line if it holds another."""
    try:
        json.loads(text, parse_int=_integer, parse_float=_finite, parse_constant=_finite)
        return _adapter(shape).validate_json(text, strict=True)
    except ValidationError as problem:
        fault = problem.errors(include_url=False, include_context=False, include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, fault['loc'])) or 'the line'}: {fault['msg']}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_file_as(path: Path, shape: Any, text: str) -> Any:
    """The value of this shape that this text of a file holds; raises `BadInput` if it can't be read."""
    try:
        return read_as(shape, text)
    except ValueError as problem:
        raise fault_of(path, f"can't be read: {problem}.") from None


def read_text(path: Path) -> str:
    """The text of a file; raises `BadInput` if it can't be read."""
    try:
        return read_bytes(path, printable_path(path)).decode()
    except UnicodeDecodeError:
        raise fault_of(path, f"can't be read: {NOT_UTF8}.") from None


def json_lines(values: Iterable[Any]) -> str:
    """Values as lines of JSON."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError("a number is too large")
    return int(digits)


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError("a number is too large, or none")
    return value


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


Cost = Callable[[ModelExchange], float | None]  # the cost of an exchange in dollars, or None if it is unknown
COUNTS = ("calls", "input_words", "output_words", "refused")


def count_usage(exchanges: Sequence[ModelExchange], cost: Cost) -> dict[str, Any]:
    """Calls, words sent and received, refused replies, and the cost in dollars (None unless it is known for all)."""
    dollars = whole_cost(map(cost, exchanges))
    return {
        "calls": len(exchanges),
        "input_words": sum(count_words(text) for exchange in exchanges for _, text in exchange["messages"]),
        "output_words": sum(count_words(exchange["reply"]) for exchange in exchanges),
        "refused": sum(exchange["refused"] is not None for exchange in exchanges),
        "cost": None if dollars is None else round(dollars, 6),
    }


def whole_cost(costs: Iterable[float | None]) -> float | None:
    """The sum of these costs; None if any of them is unknown."""
    dollars = list(costs)
    known = [cost for cost in dollars if cost is not None]
    return fsum(known) if len(known) == len(dollars) else None
