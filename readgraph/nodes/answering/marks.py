"""Numbered marks, which tie an answer to its citations: "Ben took the book. [1] He gave it to Ida. [2][3]"."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from readgraph.state.reading import Citation
from readgraph.state.search.terms import content_words
from readgraph.state.summary import SentenceFlag, sentence_flags
from readgraph.state.survey import Table, table_line, without_unread
from readgraph.state.text.sentences import sentence_spans

LEAST_SHARE = 0.5
"""The least share of a sentence's words that a quote holds if its mark stands after that sentence."""


def with_marks(found: Mapping[str, Any]) -> dict[str, Any]:
    """A graph's output with numbered citations, and the answer with their marks as `marked_answer`.

    Each citation gets its `number`, from 1, and `mark_at`, the offset in the answer where its mark stands; both
    `mark_at` and `marked_answer` are None where there is no answer. Of an answer that lists the rows of a table, the
    marks of each row stand at its end. `flags`: what is said of single sentences of a summary or of a long answer,
    with the offsets where it stands.
    """
    answer: str | None = found["answer"]
    if answer is None:
        places: Sequence[int | None] = [None] * len(found["citations"])
        marks = list[tuple[int, int]]()
    elif marks := row_marks(answer, found):
        first = {number: at for at, number in reversed(marks)}
        places = [first.get(number, len(answer)) for number in range(1, len(found["citations"]) + 1)]
    else:
        places = mark_offsets(answer, found["citations"]) if answer else [None] * len(found["citations"])
        marks = [(at, number) for number, at in enumerate(places, 1) if at is not None]
    numbered = [
        {"number": number, **citation, "mark_at": place}
        for number, (citation, place) in enumerate(zip(found["citations"], places, strict=True), 1)
    ]
    flags = sentence_flags(found) if found.get("sentences") else []
    marked_answer = marked(answer, marks, flags) if answer else None
    return {**found, "citations": numbered, "marked_answer": marked_answer, "flags": flags}


def row_marks(answer: str, found: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Where rows of a table end in an answer that lists them, with the number of the citation that shows each.

    A table of Markdown has a row in each line; a table of one column is a list in one line.
    """
    table: Table | None = found.get("table")
    if not table or not table["rows"]:
        return []
    numbers = {(each["start"], each["end"]): number for number, each in enumerate(found["citations"], 1)}
    lined = answer.startswith(table_line(table["columns"]) + "\n")
    if not lined and len(table["columns"]) > 1:
        return []
    at, marks = len("\n".join(answer.split("\n")[:2])) + 1 if lined else 0, list[tuple[int, int]]()
    for row in table["rows"]:
        said = table_line(row["values"]) if lined else row["values"][0]
        if not answer.startswith(said, at):
            break
        cited = row["citations"][0] if row["citations"] else None
        if cited and (number := numbers.get((cited["start"], cited["end"]))):
            marks.append((at + len(said.removesuffix(" |") if lined else said), number))
        at += len(said) + len("\n" if lined else "; ")
    return marks


def without_long_runs(text: str) -> str:
    """A marked answer in which a long run of marks is written by its ends: "[1]–[40]"."""
    return re.sub(r"(\[\d+\])(?:\[\d+\]){4,}(\[\d+\])", r"\1–\2", text)


def mark_offsets(answer: str, citations: Sequence[Citation]) -> list[int]:
    """Where the mark of each citation stands: after the sentence of the answer whose words its quote holds most of.

    At the end of the answer where the quote holds less than half of the words of each sentence. A citation that says
    itself where its mark stands has it there.
    """
    answer = without_unread(answer)
    sentences = [(end, {*content_words(answer[start:end])}) for start, end in sentence_spans(answer)]

    def end_of_supported(citation: Citation) -> int:
        quoted = {*content_words(citation["quote"])}
        shares = [(len(words & quoted) / len(words), end) for end, words in sentences if words]
        share, end = max(shares, default=(0, 0))
        return end if share >= LEAST_SHARE else len(answer)

    return [citation["mark_at"] if "mark_at" in citation else end_of_supported(citation) for citation in citations]


def marked(answer: str, marks: Sequence[tuple[int, int]], flags: Sequence[SentenceFlag] = ()) -> str:
    """The answer with marks: each with its offset, and the number that it shows.

    `flags`: what else stands in brackets, after the marks.
    """
    text, before = "", 0
    for place in sorted({*(place for place, _ in marks), *(flag["at"] for flag in flags)}):
        here = "".join(f"[{number}]" for at, number in marks if at == place)
        here += "".join(f"[{flag['said']}]" for flag in flags if flag["at"] == place)
        text += f"{answer[before:place]} {here}"
        before = place
    return text + answer[before:]
