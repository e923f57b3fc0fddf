"""QMSum: meetings, and questions for summaries of them (Zhong et al., 2021).

Meetings have no names, so a text is named by its number in the file. Questions about the whole meeting are "general",
those about a part of it "specific"; the latter name the turns that they are about.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, build_dataset, format_turn, line_spans, lines_from
from readgraph.evaluation.datasets.record_files import DatasetRecord, records
from readgraph.evaluation.records import Dataset, Item, Text, TextSpan

KEYS = frozenset({"general_query_list", "specific_query_list", "meeting_transcripts"})


class QmsumQuery(DatasetRecord):
    """A question with its answer; `relevant_text_span` holds the first and the last turn of each part, from 0."""

    query: str
    answer: str
    relevant_text_span: tuple[tuple[int, int], ...] = ()


class QmsumTurn(DatasetRecord):
    """A turn of the meeting."""

    speaker: str = ""
    content: str


class Meeting(DatasetRecord):
    """One meeting."""

    general_query_list: tuple[QmsumQuery, ...] = ()
    specific_query_list: tuple[QmsumQuery, ...] = ()
    meeting_transcripts: list[QmsumTurn] = Field(min_length=1)


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, meeting by meeting."""
    return build_dataset(path, _read_qmsum(path), items, "qmsum", licence="MIT")


def _read_qmsum(path: Path) -> Iterator[Asked]:
    for number, (where, meeting) in enumerate(records(path, Meeting), 1):
        identity = f"{path.stem}-{number}"
        turns = [format_turn(turn.speaker, " ".join(turn.content.split())) for turn in meeting.meeting_transcripts]
        text = Text(identity, f"Meeting {number}", "\n".join(turns))
        yield where, text, _items(identity, meeting, line_spans(text.text))


def _items(identity: str, meeting: Meeting, turns: list[TextSpan]) -> Iterator[Item]:
    kinds = {"general": meeting.general_query_list, "specific": meeting.specific_query_list}
    for kind, queries in kinds.items():
        for number, asked in enumerate(queries):
            parts = [lines_from(turns, first, last) for first, last in asked.relevant_text_span]
            yield Item(
                id=f"{identity}-{kind}{number}",
                text=identity,
                question=asked.query,
                references=(asked.answer,),
                evidence=tuple(part for part in parts if part),
                category=kind,
                summary=kind == "general",
            )
