"""Answers of other systems, from a file of theirs: they get the metrics, intervals and paired tests of a method's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, NotRequired, cast

from pydantic import NonNegativeFloat, NonNegativeInt

from readgraph import BadInput
from readgraph.graphs.methods import METHODS
from readgraph.models.windows.window import TOKENS_PER_WORD
from readgraph.nodes.answering.citations import find_quote
from readgraph.sources.loading import printable_path
from readgraph.state.reading import NOTHING_USED, Usage
from readgraph.state.words import format_count
from readgraph_evaluation.line_shapes import OpenLine, read_as, read_text
from readgraph_evaluation.metrics.answers import normalise_words, option_letter
from readgraph_evaluation.plan import digest_of
from readgraph_evaluation.records import Dataset, Item, Outcome, TextSpan
from readgraph_evaluation.rows import SUMMARY

__all__ = ["SystemAnswers", "load_answers"]

EXAMPLE = '{"id": "q1", "answer": "Paris", "retrieved": ["I flew to Paris."], "tokens": 2100, "seconds": 1.2}'


class AnswerLine(OpenLine):
    """An answer: `answer` null declines, `choice` is an option's letter, `retrieved` what was in view, by its words."""

    id: str
    answer: NotRequired[str | None]
    choice: NotRequired[str | None]
    retrieved: NotRequired[list[str]]
    tokens: NotRequired[NonNegativeInt]
    seconds: NotRequired[NonNegativeFloat]
    cost: NotRequired[NonNegativeFloat]
    confidence: NotRequired[float]
    run: NotRequired[NonNegativeInt]


@dataclass(frozen=True)
class SystemAnswers:
    """What a system answered; `lost` counts retrieved passages that don't stand in the text, `unknown` other ids."""

    name: str
    file: Path
    outcomes: list[Outcome] = field(default_factory=list)
    lost: int = 0
    unknown: int = 0

    @property
    def notes(self) -> Iterator[str]:
        """What was not used of the file."""
        if self.lost:
            yield f"{self.name}: {format_count(self.lost, 'retrieved passage')} not found in the texts, and not counted"
        if self.unknown:
            yield f"{self.name}: {format_count(self.unknown, 'answer')} to other questions left out"

    @property
    def line(self) -> dict[str, str]:
        """The file as the evaluation's record names it."""
        return {"name": self.file.name, "sha256": digest_of(self.file)}


def load_answers(file: Path, dataset: Dataset) -> SystemAnswers:
    """The answers in a file, one JSON object a line; questions without a line count as failed.

    Raises:
        BadInput: If the file can't be read, a line is no answer, or none is about a question of the dataset.
    """
    name, shown = file.stem, printable_path(file)
    if name in METHODS or name == SUMMARY.name or "@" in name:
        raise BadInput(f"The answers in {shown} would be called '{name}' like a row of ours: name the file otherwise.")
    items, texts = dataset.by_id, {text.id: text for text in dataset.texts}
    outcomes, lost, unknown, tells_read = dict[tuple[int, str], Outcome](), 0, 0, False
    for number, line in _lines(file):
        if line["id"] not in items:
            unknown += 1
            continue
        item, run = items[line["id"]], line.get("run", 0)
        if (run, item.id) in outcomes:
            raise BadInput(f"{shown} answers '{item.id}' twice, the second time in line {number}: keep one.")
        whole = texts[item.text].text
        spans = [find_quote(passage, whole, 0, len(whole)) for passage in line.get("retrieved", [])]
        lost, tells_read = lost + spans.count(None), tells_read or "retrieved" in line
        read = [TextSpan(*span) for span in spans if span]
        choice = _choice_of(line.get("choice"), item, f"{shown}, line {number}")
        outcomes[run, item.id] = _outcome_of(line, item, name, choice, read)
    if not outcomes:
        raise BadInput(f"{shown} answers none of the questions of {dataset.name}: give each line the id of a question.")
    for run, missing in product(sorted({run for run, _ in outcomes}), items):
        failed = Outcome(missing, name, run, "failed", problem=f"{file.name} has no line for it")
        outcomes.setdefault((run, missing), failed)
    told = [replace(outcome, tells_read=tells_read) for outcome in outcomes.values()]
    return SystemAnswers(name, file, told, lost, unknown)


def _lines(file: Path) -> Iterator[tuple[int, AnswerLine]]:
    for number, text in enumerate(read_text(file).removeprefix("\ufeff").split("\n"), 1):
        if text.strip():
            try:
                yield number, read_as(AnswerLine, text)
            except ValueError as problem:
                raise BadInput(f"{printable_path(file)}, line {number}: {problem}. A line is like {EXAMPLE}") from None


def _choice_of(letter: str | None, item: Item, where: str) -> int | None:
    if not letter:
        return None
    letters = [*map(option_letter, range(len(item.options)))]
    if letter.strip().upper() not in letters:
        raise BadInput(f"{where}: '{letter}' is no option of '{item.id}', which has {len(item.options)}.")
    return letters.index(letter.strip().upper())


def _choice_said(answer: str, item: Item) -> int | None:
    """The option that an answer names by its letter, its words or both; None where it names none."""
    said = normalise_words(answer)
    for number, option in enumerate(item.options):
        letter, words = option_letter(number).lower(), normalise_words(option, ())
        if normalise_words(answer, ()) in ([letter], words, [letter, *words]) or said == normalise_words(option):
            return number
    return None


def _outcome_of(line: AnswerLine, item: Item, system: str, choice: int | None, spans: Sequence[TextSpan]) -> Outcome:
    answer, tokens = line.get("answer"), line.get("tokens", 0)
    if answer and choice is None and item.options:
        choice = _choice_said(answer, item)
    if choice is not None:
        answer = item.options[choice]
    used: dict[str, Any] = {**NOTHING_USED, "input_tokens": tokens, "seconds": line.get("seconds", 0.0)}
    status = "answered" if answer else "no_answer"
    return Outcome(
        *(item.id, system, line.get("run", 0), status, answer or None, choice),
        read=tuple(spans),
        usage=cast("Usage", used),
        input_words=round(tokens / TOKENS_PER_WORD),
        cost=line.get("cost"),
        confidence=line.get("confidence"),
    )
