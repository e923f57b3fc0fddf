"""The summary of one segment, the leaf of the tree (MemWalker, section 3 and appendix A.1)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced

NAME, VERSION = "summary", 1

_SYSTEM = (
    "You summarise passages of a longer text, so that somebody who reads only your summaries can tell what stands "
    "where. Keep names, numbers, places, and who does or says what. " + DATA_RULE
)


def summary_prompt(segment: str) -> Prompt:
    """Ask for a comprehensive summary in running text."""
    task = "Summarise the whole passage above as one fluent text. Reply with the summary only."
    return Prompt(NAME, VERSION, _SYSTEM, f"{fenced('passage', segment)}\n\n{task}")
