"""The state of research over a memory (GAM, section 2.2.2): numbers, queries and bounded notes, no page texts."""

from typing import Annotated

from langgraph.channels import UntrackedValue
from typing_extensions import TypedDict

from readgraph.state.channels.fresh_reading import Cleared, Empty
from readgraph.state.reading import Answered, Citation, ReadingState


class Plan(TypedDict):
    """What one round looks for: the needs in words, queries for each search tool, and page numbers to read."""

    needs: list[str]
    keyword: list[str]
    vector: list[str]
    page: list[int]


class SearchHit(TypedDict):
    """A page that a search found, with the tools that found it and its score after their rankings were fused."""

    page: int
    tools: list[str]
    score: float


class Round(TypedDict):
    """One round of research. `pages_shown`: pages whose text was read. `enough` is None if reflection was skipped."""

    requests: list[str]
    plan: Plan
    hits: list[SearchHit]
    pages_shown: list[int]
    notes: str
    sources: list[int]
    enough: bool | None
    missing: list[str]


class NotMemorised(TypedDict):
    """How much of the document the memory does not hold: sessions of a history (else 0), and words of the text."""

    sessions: int
    words: int


class Researched(Answered):
    """Output of graphs that research.

    `notes` is the integrated result, `sources` the pages that it rests on, and `snippets` are exact spans of the
    document that support it. `context` is what a client gets: the notes, with pages or snippets if the settings ask
    for them; it is made at the end and not checkpointed. `not_memorised` is what research over an existing memory could
    not look up, because the document has grown since, or was never read to its end.
    """

    rounds: list[Round]
    notes: str
    sources: list[int]
    snippets: list[Citation]
    context: Annotated[str, UntrackedValue]
    not_memorised: NotMemorised


class ResearchState(Researched, ReadingState):
    """All channels of research; `requests` is what this round looks for, if not the question itself."""

    requests: list[str]
    plan: Plan
    hits: list[SearchHit]


class FreshResearch(TypedDict):
    """The channels of research that belong to one question."""

    requests: list[str]
    plan: Annotated[Plan, Cleared]
    hits: Annotated[list[SearchHit], Cleared]
    rounds: Annotated[list[Round], Empty]
    notes: Annotated[str, Empty]
    sources: list[int]
    snippets: list[Citation]
    context: Annotated[str, Cleared]
    not_memorised: NotMemorised


def pages_of_round(pages_read: list[int], rounds: list[Round]) -> list[int]:
    """The pages that were read since these rounds ended."""
    return pages_read[sum(len(done["pages_shown"]) for done in rounds) :]


def no_plan() -> Plan:
    """A plan that looks for nothing."""
    return {"needs": [], "keyword": [], "vector": [], "page": []}


def fresh_research() -> FreshResearch:
    """The channels of research at the start of a question."""
    return {
        "requests": [],
        "plan": no_plan(),
        "hits": [],
        "rounds": [],
        "notes": "",
        "sources": [],
        "snippets": [],
        "context": "",
        "not_memorised": {"sessions": 0, "words": 0},
    }
