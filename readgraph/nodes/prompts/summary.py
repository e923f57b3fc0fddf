"""A summary of a text, or of a part of it, whose sentences name the pages that they rest on."""

from pydantic import Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.replies.lenient_fields import LenientReply, Numbers
from readgraph.models.wording import wording

_SYSTEM = (
    "You summarise a long text from notes of its pages; some pages may stand there in full. Use nothing but what "
    "stands there. " + DATA_RULE
)

WRITE_SUMMARY = wording(
    "write_summary",
    "write_summary",
    1,
    _SYSTEM,
    "Summarise what stands above as one fluent text of {whole}{about}, in its own order. Give main points rather than "
    "details, and no remarks on the notes or pages themselves.{subject} Write it sentence by sentence, and give with "
    "each sentence the numbers of the pages that it rests on.",
    whole="{least_words} to {most_words} words",
    about="at most {most_words} words",
    subject=" It is for somebody who wants to know of the subject: leave out all that has nothing to do with it, and "
    "reply without a sentence where nothing has.",
)


class WrittenSentence(LenientReply):
    """A sentence of a summary."""

    text: str = Field(description="One sentence of the summary, without page numbers in it.")
    pages: Numbers = Field(description="The numbers of the pages that it rests on, as few as say it.")


class WrittenSummary(LenientReply):
    """A summary, sentence by sentence."""

    sentences: list[WrittenSentence] = Field(description="The sentences of the summary, in their order.")


def write_summary_prompt(notes: str, least_words: int, most_words: int, about: str = "") -> Prompt:
    """Ask for a summary of these notes; `about`: the subject that it is to be about, or "".

    There may be little of a subject, so there is no least number of words then.
    """
    parts = [fenced("memory", notes), fenced("subject", about) if about else ""]
    values = {"whole": not about, "about": about, "subject": about}
    return WRITE_SUMMARY.ask(*parts, least_words=least_words, most_words=most_words, **values)
