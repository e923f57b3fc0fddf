"""The text of a tree node above the leaves, where its children's are too long (MemWalker, appendix A.1)."""

from collections.abc import Sequence

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.nodes.prompts.tree_prompt import numbered_parts

NAME, VERSION = "compress", 1

_SYSTEM = (
    "You compress summaries of neighbouring parts of a long text. Keep of each part what tells it from the others: "
    "names, events, subjects. " + DATA_RULE
)


def compress_prompt(summaries: Sequence[str], most_words: int) -> Prompt:
    """Ask for each summary in much shorter form, in their order."""
    task = (
        f"Shorten each of the {len(summaries)} parts above to its main points, in their order: at most {most_words} "
        "words for all of them together. Reply with the shortened text only, without headings or tags."
    )
    return Prompt(NAME, VERSION, _SYSTEM, f"{fenced('memory', numbered_parts(summaries))}\n\n{task}")
