"""Parts that several prompts have: the question, the parts below a tree node, and what a walk carries along."""

from collections.abc import Sequence

from readgraph.models.prompt import fenced, unused_name


def question_part(question: str, choices: dict[str, str]) -> str:
    """The question, and its options after their letters."""
    options = "\n".join(f"{letter}. {option}" for letter, option in choices.items())
    return fenced("question", f"{question}\n{options}" if options else question)


def numbered_parts(texts: Sequence[str]) -> str:
    """The texts of a node's children, each after a tag with its number from 0."""
    tag = unused_name("part", texts)
    return "\n\n".join(f"<{tag} {number}>\n{text.strip()}" for number, text in enumerate(texts))


def carried(name: str, texts: Sequence[str]) -> str:
    """Texts that are carried along, in a fence of this name; nothing where there are none."""
    return fenced(name, "\n\n".join(text.strip() for text in texts)) if texts else ""
