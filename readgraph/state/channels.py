"""What graphs hold of a question: all at its start; research, walks, notes, programs and steps on web pages besides."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, TypeVar, cast, get_args, get_origin

from langgraph.channels import EphemeralValue, UntrackedValue
from pydantic import Field
from typing_extensions import TypedDict, get_type_hints, is_typeddict

from readgraph.features.web.state import Operation
from readgraph.state.reading import (
    Answered,
    Citation,
    Finding,
    Question,
    QuestionTurn,
    Quote,
    ReadingState,
    Sentence,
    Status,
)

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


class NoteTakingOutput(Answered):
    """Output of a reading that takes notes: the last notes, a fact in each line, with the numbers of its pages."""

    notes: str


class NoteTakingState(ReadingState, NoteTakingOutput):
    """All channels of a reading that takes notes.

    `next_page` is the page that is read next; `earlier` holds lines of earlier notes that are shown with it. The
    earlier notes themselves are in the store, under `reading` (see `readgraph.library.earlier_notes`). `blocks` are the
    notes in their blocks, `block_order` these blocks' indexes, the one that was used least recently first.
    """

    blocks: list[str]
    block_order: list[int]
    earlier: str
    next_page: int
    reading: str


class FreshNotes(TypedDict):
    """The channels of note-taking that belong to one question."""

    notes: Annotated[str, Empty]
    blocks: list[str]
    block_order: list[int]
    earlier: str
    next_page: int
    reading: str


class ProgramRun(TypedDict):
    """A program that a model wrote to look at the text, and what came of it.

    `shown` is what it showed, cut to what a prompt holds; `fault` says why it ended early, or is "". `asked` counts its
    sub-calls, `words` those of the pieces that they were about.
    """

    program: str
    shown: str
    fault: str
    asked: int
    words: int


class ProgramsOutput(Answered):
    """Output of a reading by programs: each of them, too."""

    programs: list[ProgramRun]


class ProgramsState(ReadingState, ProgramsOutput):
    """All channels of a reading by programs; `program` runs next, `kept` is what they leave to each other, as JSON."""

    program: str
    kept: str


class FreshPrograms(TypedDict):
    """The channels of programs that belong to one question."""

    programs: Annotated[list[ProgramRun], Empty]
    program: Annotated[str, Empty]
    kept: str


Outcome = Literal["act", "finished", "stuck"]
"""`act`: do this; `finished`: the instruction is carried out; `stuck`: nothing on this page brings it further."""


class WebAction(TypedDict):
    """What is to be done next on a page. Without the outcome `act`, element, operation and value are None.

    `element` is an id in the page's text. `value` is the text to type, or the option as the page has it. `said` is the
    action in words, as the history of the next step takes it, without passwords.
    """

    outcome: Outcome
    element: str | None
    operation: Operation | None
    value: str | None
    said: str
    reason: str


class WebTask(Question):
    """Input of a step: a page, and as the `question` the instruction.

    The page is a `document` of the page store, made by `readgraph.features.web.page.web_page`, or as `text` its HTML.
    `history` says what was done before, the oldest first: the caller keeps it, and adds each action's `said`.
    """

    history: NotRequired[
        Annotated[list[str], Field(description="What was done before, the oldest first."), EphemeralValue]
    ]


class WebStepOutput(Answered):
    """Output of a step: the action too, None without an instruction; `answer` holds it in words."""

    action: WebAction | None


class WebState(ReadingState, WebStepOutput):
    """All channels of a step. `done_before` is the history."""

    history: NotRequired[Annotated[list[str], EphemeralValue]]
    done_before: list[str]
