"""What a step on a web page takes and gives, and what it holds meanwhile."""

from typing import Annotated, Literal, NotRequired

from langgraph.channels import EphemeralValue
from pydantic import Field
from typing_extensions import TypedDict

from readgraph.features.web.elements import Operation
from readgraph.state.reading import Answered, Question, ReadingState

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
