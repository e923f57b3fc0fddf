"""How datasets are scored, as their papers or official scripts do, and texts made of parts, with the parts' spans."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from readgraph.library.histories import BETWEEN, SessionText
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.formats.html_text import convert
from readgraph.state.files import read_package_toml
from readgraph.state.settings import AnswerForm
from readgraph_evaluation.records import ANY_FORM, Item, Rule, Text, TextSpan


class Scoring(NamedTuple):
    """A dataset's metrics (the leading one first), profile, form of references; from `long_words` texts are `long`.

    `rule`: how a judge decides on a question; `rules`: on those of single categories.
    """

    metrics: tuple[str, ...]
    profile: str = ""
    answers: AnswerForm = ANY_FORM
    long_words: int = 0
    rule: Rule | Literal[""] = ""
    rules: Mapping[str, Rule] = {}


SCORING = {
    name: Scoring(**{**fields, "metrics": tuple(fields["metrics"]), "answers": AnswerForm(**fields.get("answers", {}))})
    for name, fields in read_package_toml(__package__, "scoring.toml").items()
}
MEAN_OF_CATEGORIES = frozenset({"infinite-bench", "beam"})  # whose authors give the mean of categories' means for all
CHOICES = Scoring(("accuracy", "evidence_recall"))
FREE = Scoring(("f1", "rouge_l", "judged_accuracy", "abstention", "evidence_recall"))
BOTH = Scoring(("f1", "accuracy", "rouge_l", "judged_accuracy", "abstention", "evidence_recall"))


def choose_scoring(dataset: str, items: Collection[Item]) -> Scoring:
    """The scoring of a known dataset; for an unknown one it depends on how many questions are multiple choice."""
    if dataset in SCORING:
        return SCORING[dataset]
    choices = sum(bool(item.options) for item in items)
    return CHOICES if choices == len(items) else BOTH if choices else FREE


def rule_for(dataset: str, item: Item) -> Rule | Literal[""]:
    """The rule by which a judge decides on an answerable question of this dataset; "" where it has none of its own."""
    scoring = SCORING.get(dataset, FREE)
    return scoring.rules.get(item.category, scoring.rule)


HTML = re.compile(r"\s*(<!doctype\b|<[a-z]+[\s>])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SpeakerTurn:
    """One speaker's turn."""

    text: str
    speaker: str = ""
    id: str = ""


class SessionTurns(NamedTuple):
    """One session: its turns, and its time, which is the line above them."""

    turns: Sequence[SpeakerTurn]
    time: str = ""


@dataclass(frozen=True, slots=True)
class MemberDocument:
    """One of several documents that are read as one."""

    text: str
    title: str = ""
    id: str = ""


Spans = dict[str, TextSpan]  # the spans of a text's parts, by their ids


def join_sessions(identity: str, title: str, sessions: Iterable[SessionTurns]) -> tuple[Text, Spans]:
    """A history with a turn a line, without empty turns and repeated sessions, and the spans of the turns with ids."""
    spans, texts, end = Spans(), dict[SessionText, None](), 0
    for session in sessions:
        time = _on_a_line(session.time)
        lines, turn_spans = [time] if time else [], Spans()
        start = end + sum(len(line) + 1 for line in lines)
        for turn in session.turns:
            if line := format_turn(turn.speaker, turn.text):
                lines.append(line)
                if turn.id:
                    turn_spans.setdefault(turn.id, TextSpan(start, start + len(line)))
                start += len(line) + 1
        text = SessionText("\n".join(lines), time=time)
        if len(lines) > bool(time) and text not in texts:
            texts[text] = None
            end += len(text.text) + len(BETWEEN)
            spans |= {name: span for name, span in turn_spans.items() if name not in spans}
    return Text.of_sessions(identity, title, tuple(texts)), spans


def join_documents(identity: str, title: str, parts: Iterable[MemberDocument]) -> tuple[Text, Spans]:
    """Documents joined to one text, each under its title, and the spans of those that have ids."""
    spans, texts, start = Spans(), list[str](), 0
    for part in parts:
        text = replace_surrogates(f"{part.title}\n{part.text}".strip())
        if part.id:
            spans.setdefault(part.id, TextSpan(start, start + len(text)))
        texts.append(text)
        start += len(text) + len(BETWEEN)
    return Text(identity, title, BETWEEN.join(texts)), spans


def keep_documents_apart(identity: str, title: str, parts: Iterable[MemberDocument]) -> tuple[Text, Spans]:
    """As `join_documents`, but no page holds text of two documents; repeated documents are left out."""
    texts = {part.id: replace_surrogates(f"{part.title}\n{part.text}".strip()) for part in parts}
    text = Text.of_documents(identity, title, texts.values())
    starts = {document: part.start for document, part in zip(dict.fromkeys(texts.values()), text.parts, strict=True)}
    return text, {name: TextSpan(starts[part], starts[part] + len(part)) for name, part in texts.items()}


def without_html(story: str) -> str:
    """A story as plain text, whether the file holds it as HTML or not."""
    story = replace_surrogates(story)
    return convert(story.encode(), "The story").text if HTML.match(story) else story


def format_turn(speaker: str, text: str) -> str:
    """A turn as a line of text ("Ann: Hello."); "" if its text is empty."""
    words, speaker = replace_surrogates(text).strip(), _on_a_line(speaker)
    return f"{speaker}: {words}" if words and speaker else words


def line_spans(text: str) -> list[TextSpan]:
    """The spans of a text's lines."""
    return [TextSpan(*line.span()) for line in re.finditer(r"^.*$", text, re.MULTILINE)]


def lines_from(lines: Sequence[TextSpan], first: int, last: int) -> TextSpan | None:
    """The span from the first to the last line, both included and counted from 0; None if there are no such lines."""
    return TextSpan(lines[first].start, lines[last].end) if 0 <= first <= last < len(lines) else None


def _on_a_line(text: str) -> str:
    return " ".join(replace_surrogates(text).split())
