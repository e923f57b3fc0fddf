"""How what a walk sees stands in a prompt: the parts below a tree node, and what it carries along."""

from collections.abc import Sequence

from readgraph.models.prompt import fenced, unused_name


def numbered_parts(texts: Sequence[str]) -> str:
    """The texts of a node's children, each after a tag with its number from 0."""
    tag = unused_name("part", texts)
    return "\n\n".join(f"<{tag} {number}>\n{text.strip()}" for number, text in enumerate(texts))


def carried(name: str, texts: Sequence[str]) -> str:
    """Texts that are carried along, in a fence of this name; nothing where there are none."""
    return fenced(name, "\n\n".join(text.strip() for text in texts)) if texts else ""
