"""The text of a tree node above the leaves, where its children's are too long (MemWalker, appendix A.1)."""

from collections.abc import Sequence

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.purpose import purpose_line
from readgraph.nodes.prompts.tree_prompt import numbered_parts

NAME, VERSION = "compress", 1

_SYSTEM = (
    "You compress summaries of neighbouring parts of a long text. Keep of each part what tells it from the others: "
    "names, events, subjects. " + DATA_RULE
)


_WORDS = wording(
    "compress",
    NAME,
    VERSION,
    _SYSTEM,
    "{known}Shorten each of the {parts} parts above to its main points, in their order: at most {most_words} words for "
    "all of them together.{keep} Reply with the shortened text only, without headings or tags.",
    keep=" Keep above all what serves that, and of each part what tells it from the others.",
)


def compress_prompt(summaries: Sequence[str], most_words: int, purpose: str = "") -> Prompt:
    """Ask for each summary in much shorter form, in their order; `purpose`: what they are for, or ""."""
    known = purpose_line("shortened text", purpose)
    values = {"known": known, "keep": known, "parts": len(summaries), "most_words": most_words}
    return _WORDS.ask(fenced("memory", numbered_parts(summaries)), **values)
