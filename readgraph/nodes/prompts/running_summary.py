"""The running summary: what is carried from one piece of a text to the next (MemWalker, section 4.3)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording

NAME, VERSION = "running_summary", 1

_SYSTEM = (
    "You read a long text piece by piece. Of what you have read you keep nothing but one summary, which you write anew "
    "after each piece. Keep names, numbers, places, and who does or says what. " + DATA_RULE
)


_WORDS = wording(
    "running_summary",
    NAME,
    VERSION,
    _SYSTEM,
    "{anew}{first}, in at most {most_words} words. Reply with the summary only.",
    anew="Write the summary anew, so that it tells what it told before and what the passage adds",
    first="Summarise the passage",
)


def running_summary_prompt(summary: str, passage: str, most_words: int) -> Prompt:
    """Ask for the summary of all that was read so far; with the first piece there is none yet."""
    parts = [fenced("summary", summary) if summary else "", fenced("passage", passage)]
    return _WORDS.ask(*parts, anew=summary, first=not summary, most_words=most_words)
