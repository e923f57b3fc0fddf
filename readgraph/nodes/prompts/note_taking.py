"""Taking notes on a question: the notes are written anew after each page (MemAgent)."""

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.replies.lenient_fields import LenientReply, Texts
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import question_part

_SYSTEM = (
    "You read a long text page by page, to answer a question at its end. Of what you have read you keep nothing but "
    "your notes, which you write anew after each page: what you leave out is gone. " + DATA_RULE
)

TAKE_NOTES = wording(
    "take_notes",
    "take_notes",
    1,
    _SYSTEM,
    "The passage is page {page}. Write the notes anew, in at most {most_words} words. Give each fact a line of its "
    "own, which ends with the numbers of its pages in brackets, such as [{page}]. {keep}Add what the passage says on "
    "the question, with names, numbers and dates, and its own words in quotation marks where they matter.{earlier}"
    "{look_back} Don't answer the question yet.",
    keep="Keep what the notes hold and bears on the question, with its page numbers. ",
    earlier=" What stands in earlier-notes you had noted, and left out since: take back what bears on the question.",
    look_back=" If you miss something that you had noted on an earlier page, name in look_back what to search for.",
)


def _lines(value: Any) -> list[str]:
    """The lines among what was given: a list of them, or one text."""
    parts = value if isinstance(value, list) else [value]
    return [line.strip() for part in parts if isinstance(part, str) for line in part.splitlines() if line.strip()]


class NotesAlone(LenientReply):
    """The notes after a page."""

    DECIDES: ClassVar[tuple[str, ...]] = ("notes",)
    NAMED: ClassVar[tuple[str, ...]] = ("notes",)

    notes: Annotated[
        list[str],
        BeforeValidator(_lines),
        Field(description="All notes, one fact in each, with its page numbers; empty if there are none."),
    ]


class NewNotes(NotesAlone):
    """The notes after a page, and what of the earlier ones is missed."""

    look_back: Annotated[
        Texts, Field(description="Words to search your earlier notes for, to see with the next page; mostly empty.")
    ]


def take_notes_prompt(
    passage: str,
    notes: str,
    earlier: str,
    question: str,
    choices: dict[str, str],
    *,
    page: int,
    most_words: int,
    look_back: bool = True,
) -> Prompt:
    """Ask for the notes after a page; `earlier`: lines of earlier notes that were found for what was missed."""
    parts = [
        fenced("passage", passage),
        fenced("notes", notes) if notes else "",
        fenced("earlier-notes", earlier) if earlier else "",
        question_part(question, choices),
    ]
    values = {"page": page, "most_words": most_words, "keep": notes, "earlier": earlier, "look_back": look_back}
    return TAKE_NOTES.ask(*parts, **values)
