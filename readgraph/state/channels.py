"""What graphs hold of a question: all at its start; research and walks besides."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, TypeVar, cast, get_args, get_origin

from langgraph.channels import UntrackedValue
from typing_extensions import TypedDict, get_type_hints, is_typeddict

from readgraph.state.reading import Answered, Citation, Finding, QuestionTurn, Quote, ReadingState, Sentence, Status

ChannelsT = TypeVar("ChannelsT")
MOST_QUESTION_TURNS = 5  # a follow-up question sees at most this many questions and answers before it


class Cleared:
    """Marks a key that is only reset: a node that reads it needs another node that writes it (see `graphs.wiring`)."""


class Empty:
    """Marks a key that begins empty, and may be read so: but some node before its reader must be there to fill it."""


def empty_channels(kind: type[ChannelsT], **given: Any) -> ChannelsT:
    """The channels of this kind at the start of a question: some as they are given, all others empty."""
    hints = _hints_of(cast(Any, kind))
    return cast(ChannelsT, {name: given[name] if name in given else _empty(hint) for name, hint in hints.items()})


_hints_of = cache(get_type_hints)


def _empty(hint: Any) -> Any:
    if is_typeddict(hint):
        return empty_channels(hint)
    return None if type(None) in get_args(hint) else (get_origin(hint) or hint)()


class FreshReading(TypedDict):
    """The channels that belong to one question."""

    question_turns: list[QuestionTurn]
    question_text: str
    choices: dict[str, str]
    continue_search: Annotated[bool, Empty]
    pages_read: Annotated[list[int], Empty]
    findings: Annotated[list[Finding], Empty]
    quotes: Annotated[list[Quote], Cleared]
    answer: Annotated[str | None, Cleared]
    choice: Annotated[str | None, Empty]
    citations: Annotated[list[Citation], Cleared]
    sentences: list[Sentence]
    unsupported: int
    unchecked: int
    percent_read: Annotated[float | None, Empty]
    compression_rate: Annotated[float | None, Empty]
    status: Status
    by_rule: bool


def fresh_reading(question: str, options: list[str], before: Sequence[QuestionTurn] = ()) -> FreshReading:
    """The channels at the start of a question, with those `before` if it follows on from them; options get letters."""
    turns = before[-MOST_QUESTION_TURNS:]
    earlier = [
        f"Asked before: {turn['question']}\nAnswered: {turn['answer'] or 'not found in the text'}" for turn in turns
    ]
    return empty_channels(
        FreshReading,
        question_turns=[*turns, QuestionTurn(question=question, answer=None)],
        question_text="\n\n".join([*earlier, f"Asked now: {question}"]) if earlier else question,
        choices={chr(ord("A") + number): option for number, option in enumerate(options)},
        status="reading",
    )


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


class ResearchOutput(Answered):
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


class ResearchState(ResearchOutput, ReadingState):
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
    return empty_channels(Plan)


Action = Literal["child", "revert", "exhausted", "answer", "keep", "unusable"]
"""A decision at a node: go down to a child; go back up (`revert`); go up without asking, since every child was visited
(`exhausted`); at a leaf, answer, or keep the findings and go on; no usable reply, which ends the walk."""


class Hop(TypedDict):
    """One decision of a walk. `walk` counts from 0; `next_node` is the node that follows, None at the walk's end.

    `memory_words` is the size of the working memory, `shown_words` the size of the notes or the segment shown. Where
    the tree is one of sections, `heading` and `next_heading` are what the two nodes are called.
    """

    walk: int
    node: str
    action: Action
    next_node: str | None
    reasoning: str
    memory_words: int
    shown_words: int
    valid: bool
    heading: NotRequired[str]
    next_heading: NotRequired[str | None]


class WalkOutput(Answered):
    """Output of a walk: every decision, too."""

    hops: list[Hop]


class WalkState(ReadingState, WalkOutput):
    """All channels of a walk; `current_node` is its position, `walk` its number."""

    current_node: str
    walk: int


class WalkResearchOutput(WalkOutput, ResearchOutput):
    """Output of graphs that walk and reflect: what both give."""


class WalkResearchState(WalkState, ResearchState):
    """All channels of a walk, and of research that goes on from what it found."""
