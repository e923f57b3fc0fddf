"""A question's part of a prompt, the same in all prompts."""

from readgraph.models.prompt import fenced


def question_part(question: str, choices: dict[str, str]) -> str:
    """The question, and its options after their letters."""
    options = "\n".join(f"{letter}. {option}" for letter, option in choices.items())
    return fenced("question", f"{question}\n{options}" if options else question)
