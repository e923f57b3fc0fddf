"""The summary of one segment, the leaf of the tree (MemWalker, section 3 and appendix A.1)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.purpose import purpose_line

NAME, VERSION = "summary", 1

_SYSTEM = (
    "You summarise passages of a longer text, so that somebody who reads only your summaries can tell what stands "
    "where. Keep names, numbers, places, and who does or says what. " + DATA_RULE
)


_WORDS = wording(
    "summary",
    NAME,
    VERSION,
    _SYSTEM,
    "{known}Summarise the whole passage above as one fluent text{keep}. Reply with the summary only.",
    keep=", and keep above all what serves that",
)


def summary_prompt(segment: str, purpose: str = "") -> Prompt:
    """Ask for a comprehensive summary in running text; `purpose` says what it is for, where that is known before."""
    known = purpose_line("summary", purpose)
    return _WORDS.ask(fenced("passage", segment), known=known, keep=known)
