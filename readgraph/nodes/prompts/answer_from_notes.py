"""Answering from the context that research made (GAM, sections 2.2.2 and 3.5)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.question import question_part

NAME, VERSION = "answer_from_notes", 1

_SYSTEM = (
    "You answer questions about a long text from what was collected on them: notes, and in some cases parts of the "
    "text. Use nothing but what stands there. " + DATA_RULE
)


_WORDS = wording(
    "answer_from_notes",
    NAME,
    VERSION,
    _SYSTEM,
    "{free}{choose}{quote}",
    free="Answer the question.",
    choose="Choose the best option: {letters}.",
    quote=" Quote the words of the text that show it.",
)


def answer_from_notes_prompt(notes: str, evidence: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for the answer; where parts of the text are given as evidence, for quotes from them too."""
    parts = [fenced("text", evidence) if evidence else "", fenced("notes", notes), question_part(question, choices)]
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices), "quote": evidence}
    return _WORDS.ask(*parts, **values)
