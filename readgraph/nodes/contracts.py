"""What the shared steps read and write, so that one node can replace another; every `build()` checks it."""

from collections.abc import Awaitable
from typing import Annotated, Any, NamedTuple, NotRequired, Protocol, TypeAlias, TypeVar

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableLambda, RunnableSerializable
from langgraph.pregel.protocol import PregelProtocol
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups
from readgraph.state.reading import Absence, Citation, QuestionTurn, Quote, ReadingState, Sentence, Status, Usage
from readgraph.state.tables import Table

__all__ = [
    "AnswerState",
    "AnswerUpdate",
    "AnswerWrites",
    "AskedState",
    "CiteState",
    "CiteUpdate",
    "CiteWrites",
    "LookUpState",
    "LookUpUpdate",
    "LookUpWrites",
    "Node",
]

ReadsT = TypeVar("ReadsT", contravariant=True)
WritesT = TypeVar("WritesT", covariant=True)


class Step(Protocol[ReadsT, WritesT]):
    """A node as a call: a step, a function or a coroutine from what it reads of the state to what changed.

    After the state it may take the runtime, or by name `config`, `store`, `writer` and `runtime`.
    """

    def __call__(
        self, state: ReadsT, /, *args: Any, **kwargs: Any
    ) -> WritesT | dict[str, Any] | Awaitable[WritesT | dict[str, Any] | None] | None:
        """What changed; a `dict` whose keys are not declared is only checked when it runs."""


class MadeStep(Protocol[WritesT]):
    """A step that `node` made: it may read what other steps of a graph write, which `build` checks."""

    settings: Groups

    def __call__(self, state: Any, runtime: Any, /) -> Awaitable[WritesT]:
        """What changed."""


OtherNode: TypeAlias = PregelProtocol[Any, Any, Any, Any] | RunnableLambda[Any, Any] | RunnableSerializable[Any, Any]
OfAnyState: TypeAlias = Step[dict[str, Any], WritesT] | Step[ReadingState, WritesT] | MadeStep[WritesT]
Node: TypeAlias = Step[ReadsT, WritesT] | OfAnyState[WritesT] | OtherNode
"""What a `build` takes for a step that reads and writes this: a call, a compiled graph, or another runnable."""

ReaderRuntime = Runtime[ReaderContext]  # what a node is given beside the state: the settings, the store, the stream


class StepUpdate(TypedDict):
    """What every step writes: its line in the trajectory, which is no channel."""

    step_summary: NotRequired[str]


class AskedQuestion(TypedDict):
    """A question with those before it, its options by their letters; the last of `question_turns` is it alone."""

    question_text: str
    question_turns: NotRequired[list[QuestionTurn]]
    choices: dict[str, str]


PAGES_ALONE = "pages alone"  # marks a `memory` of which a node takes the pages alone: notes were paid for in vain


class AskedDocument(AskedQuestion):
    """A question about a document, and the pages read so far."""

    document: str
    pages_read: list[int]
    status: Status
    usage: NotRequired[Usage]
    messages: NotRequired[list[AnyMessage]]


class AskedState(AskedDocument):
    """A question about a document's memory, and the pages read so far."""

    memory: str


class AskedPages(AskedDocument):
    """The same about the pages of a memory: its notes are not used."""

    memory: Annotated[str, PAGES_ALONE]


class LookUpState(AskedState):
    """What a look-up reads."""


class LookUpWrites(TypedDict):
    """What a look-up must write: all pages read so far in order, and whether to look again."""

    pages_read: list[int]
    continue_search: bool


class LookUpUpdate(LookUpWrites, StepUpdate):
    """What a look-up writes."""


class AnswerState(AskedState):
    """What an answer reads."""


class AnswerWrites(TypedDict):
    """What an answer must write: quotes as the model gave them, not yet found in the document."""

    answer: str | None
    quotes: list[Quote]
    status: Status


class AnswerUpdate(AnswerWrites, StepUpdate):
    """What an answer writes."""

    choice: str | None
    by_rule: NotRequired[bool]
    compression_rate: float | None
    percent_read: NotRequired[float | None]
    messages: NotRequired[list[AnyMessage]]


class AnswerDraft(NamedTuple):
    """An answer, or none where the text doesn't hold it; its quotes are not yet found in the text.

    `words` of the content it was made from; `summary`: one line on it; `context_alone`: no answer was wanted;
    `nearest`: a passage near the question, of which no model said that it answers, or none.
    """

    answer: str | None
    choice: str | None
    quotes: list[Quote]
    words: int | None = None
    summary: str = ""
    context_alone: bool = False
    nearest: bool = False


class CiteState(TypedDict):
    """What citing reads, of further documents too. What is not required is for the check of a long answer."""

    document: str
    more_documents: NotRequired[list[str]]
    memory: Annotated[str, PAGES_ALONE]
    quotes: list[Quote]
    usage: NotRequired[Usage]
    fallbacks: NotRequired[dict[str, int]]
    status: NotRequired[Status]
    question_text: NotRequired[str]
    answer: NotRequired[str | None]
    choice: NotRequired[str | None]
    by_rule: NotRequired[bool]
    pages_read: NotRequired[list[int]]
    table: NotRequired[Table]
    choices: NotRequired[dict[str, str]]
    question_turns: NotRequired[list[QuestionTurn]]
    messages: NotRequired[list[AnyMessage]]
    absence: NotRequired[Absence | None]


class CiteWrites(TypedDict):
    """What citing must write: the quotes that stand in the document."""

    citations: list[Citation]


class CiteUpdate(CiteWrites, StepUpdate):
    """What citing writes: also the sentences of a long answer, and what a proof of absence found instead.

    An answer that was found so is written with its `pages_read`, which is not declared: no other step may rest on that.
    """

    sentences: NotRequired[list[Sentence]]
    unsupported: NotRequired[int]
    unchecked: NotRequired[int]
    absence: NotRequired[Absence | None]
