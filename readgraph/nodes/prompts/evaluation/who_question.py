"""A question of a summary that begins with "who" (MemWalker, section 4.1: SummScreenFD and GovReport)."""

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording

_SYSTEM = (
    "You write questions that test whether somebody has read a long text. You see a summary of it; who is asked sees "
    "the text itself, and not the summary. " + DATA_RULE
)

WHO_QUESTION = wording(
    "who_question",
    "who_question",
    1,
    _SYSTEM,
    "Write one question that begins with 'Who' and has exactly one right answer, which stands in the summary above. "
    "Say in the question which event it is about, and don't give the answer away.",
)


class WhoQuestion(BaseModel):
    """A question with its answer."""

    question: str = Field(description="One question that begins with 'Who', clear without the summary.")
    answer: str = Field(description="The person or body it asks for, by the name that the summary uses, and no more.")


def who_question_prompt(summary: str) -> Prompt:
    """Ask for one question that the summary answers."""
    return WHO_QUESTION.ask(fenced("summary", summary))
