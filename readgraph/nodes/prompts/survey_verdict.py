"""Which parts of a text may give records, seen by the notes that another reading left."""

from pydantic import Field

from readgraph.models.lenient_replies import LenientReply, Numbers
from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording

NAME, VERSION = "survey-verdict", 1

_SYSTEM = (
    "Somebody goes through a long text for records of one kind. You see a note of each page, and say which pages may "
    "hold such records, so that the others need not be read. " + DATA_RULE
)

_WORDS = wording(
    "survey_verdict",
    NAME,
    VERSION,
    _SYSTEM,
    "Which of these pages may hold records of this kind: {record}? Name every page of which the note doesn't rule it "
    "out; a note leaves much out.",
)


class PagesKept(LenientReply):
    """The pages that may hold records."""

    kept: Numbers = Field(description="The numbers of these pages; may be empty.")


def survey_verdict_prompt(notes: str, record: str) -> Prompt:
    """Ask which pages may hold records; `notes`: each note after the tag of its page."""
    return _WORDS.ask(fenced("memory", notes), record=record)
