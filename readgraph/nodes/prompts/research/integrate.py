"""Integrating: what new pages say on the question is added to the notes (GAM, section 2.2.2)."""

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.replies.lenient_fields import LenientReply, Numbers
from readgraph.models.wording import wording
from readgraph.nodes.prompts.answering.answer import Quotes
from readgraph.nodes.prompts.parts import question_part

NOTES_WORDS = 400
"""Words that the notes are asked to have at most."""

_SYSTEM = (
    "You collect what a long text says on a question. You keep notes, and add to them what is on the pages that were "
    "found: facts with names, numbers, dates and places, nothing that doesn't stand there. A line in brackets at the "
    "top of a page says where it stands; it is no part of the text. " + DATA_RULE
)

INTEGRATE = wording(
    "integrate",
    "integrate",
    2,
    _SYSTEM,
    "{think}{at_once} the notes anew, in at most {most_words} words: keep what they hold and bears on the question, "
    "and add what the pages say on it. They must be understood without the pages. Don't answer the question yet.",
    think="Think about which facts of the pages bear on the question. Then write",
    at_once="Write",
)


class Integrated(LenientReply):
    """The notes with what the pages add to them."""

    DECIDES: ClassVar[tuple[str, ...]] = ("content",)

    content: Annotated[
        str,
        BeforeValidator(lambda value: "" if value is None else value),
        Field(description="The new notes: all facts that bear on the question; empty if there are none."),
    ]
    sources: Annotated[Numbers, Field(description="Numbers of the pages that these facts stand on.")]
    quotes: Annotated[
        Quotes,
        Field(description="One to three quotes from the new pages that show the facts; empty if there are none."),
    ]


def integrate_prompt(
    pages: str, notes: str, question: str, choices: dict[str, str], *, reasoning: bool = True
) -> Prompt:
    """Ask for the notes, brought up to date with the pages."""
    parts = [fenced("pages", pages), fenced("notes", notes) if notes else "", question_part(question, choices)]
    return INTEGRATE.ask(*parts, think=reasoning, at_once=not reasoning, most_words=NOTES_WORDS)
