"""QMSum: meetings, and questions for summaries of them (Zhong et al., 2021).

Meetings have no names, so a text is named by its number in the file. Questions about the whole meeting are "general",
those about a part of it "specific"; the latter name the turns that they are about.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, format_turn, line_spans, lines_from
from readgraph.evaluation.datasets.forms import form_of
from readgraph.evaluation.datasets.record_files import DatasetRecord, records
from readgraph.evaluation.records import Item, Text, TextSpan


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


def _read_qmsum(path: Path) -> Iterator[Asked]:
    """The questions of a file, meeting by meeting."""
    for number, (where, meeting) in enumerate(records(path, Meeting), 1):
        identity = f"{path.stem}-{number}"
        turns = [format_turn(turn.speaker, " ".join(turn.content.split())) for turn in meeting.meeting_transcripts]
        text = Text(identity, f"Meeting {number}", "\n".join(turns))
        yield where, text, _items(identity, meeting, line_spans(text.text))


QMSUM = form_of(
    "qmsum",
    "QMSum, such as data/ALL/jsonl/test.jsonl.",
    _read_qmsum,
    {"general_query_list", "specific_query_list", "meeting_transcripts"},
    licence="MIT",
)


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
