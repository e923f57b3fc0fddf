"""Summaries: of a segment, of parts of a tree, and the running one (MemWalker, sections 3 and 4.3, appendix A.1)."""

from collections.abc import Sequence

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import numbered_parts
from readgraph.nodes.prompts.purpose import purpose_line

_SUMMARY_SYSTEM = (
    "You summarise passages of a longer text, so that somebody who reads only your summaries can tell what stands "
    "where. Keep names, numbers, places, and who does or says what. " + DATA_RULE
)

SUMMARY = wording(
    "summary",
    "summary",
    1,
    _SUMMARY_SYSTEM,
    "{known}Summarise the whole passage above as one fluent text{keep}. Reply with the summary only.",
    keep=", and keep above all what serves that",
)
"""The summary of one segment, the leaf of the tree (MemWalker, section 3 and appendix A.1)."""


def summary_prompt(segment: str, purpose: str = "") -> Prompt:
    """Ask for a comprehensive summary in running text; `purpose` says what it is for, where that is known before."""
    known = purpose_line("summary", purpose)
    return SUMMARY.ask(fenced("passage", segment), known=known, keep=known)


_COMPRESS_SYSTEM = (
    "You compress summaries of neighbouring parts of a long text. Keep of each part what tells it from the others: "
    "names, events, subjects. " + DATA_RULE
)

COMPRESS = wording(
    "compress",
    "compress",
    1,
    _COMPRESS_SYSTEM,
    "{known}Shorten each of the {parts} parts above to its main points, in their order: at most {most_words} words for "
    "all of them together.{keep} Reply with the shortened text only, without headings or tags.",
    keep=" Keep above all what serves that, and of each part what tells it from the others.",
)
"""The text of a tree node above the leaves, where its children's are too long (MemWalker, appendix A.1)."""


def compress_prompt(summaries: Sequence[str], most_words: int, purpose: str = "") -> Prompt:
    """Ask for each summary in much shorter form, in their order; `purpose`: what they are for, or ""."""
    known = purpose_line("shortened text", purpose)
    values = {"known": known, "keep": known, "parts": len(summaries), "most_words": most_words}
    return COMPRESS.ask(fenced("memory", numbered_parts(summaries)), **values)


_RUNNING_SUMMARY_SYSTEM = (
    "You read a long text piece by piece. Of what you have read you keep nothing but one summary, which you write anew "
    "after each piece. Keep names, numbers, places, and who does or says what. " + DATA_RULE
)

RUNNING_SUMMARY = wording(
    "running_summary",
    "running_summary",
    1,
    _RUNNING_SUMMARY_SYSTEM,
    "{anew}{first}, in at most {most_words} words. Reply with the summary only.",
    anew="Write the summary anew, so that it tells what it told before and what the passage adds",
    first="Summarise the passage",
)
"""The running summary: what is carried from one piece of a text to the next (MemWalker, section 4.3)."""


def running_summary_prompt(summary: str, passage: str, most_words: int) -> Prompt:
    """Ask for the summary of all that was read so far; with the first piece there is none yet."""
    parts = [fenced("summary", summary) if summary else "", fenced("passage", passage)]
    return RUNNING_SUMMARY.ask(*parts, anew=summary, first=not summary, most_words=most_words)
