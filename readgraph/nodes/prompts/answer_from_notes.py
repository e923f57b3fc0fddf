"""Answering from the context that research made (GAM, sections 2.2.2 and 3.5)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.nodes.prompts.question import question_part

NAME, VERSION = "answer_from_notes", 1

_SYSTEM = (
    "You answer questions about a long text from what was collected on them: notes, and in some cases parts of the "
    "text. Use nothing but what stands there. " + DATA_RULE
)


def answer_from_notes_prompt(notes: str, evidence: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for the answer; where parts of the text are given as evidence, for quotes from them too."""
    task = f"Choose the best option: {', '.join(choices)}." if choices else "Answer the question."
    if evidence:
        task += " Quote the words of the text that show it."
    parts = [fenced("text", evidence) if evidence else "", fenced("notes", notes), question_part(question, choices)]
    return Prompt(NAME, VERSION, _SYSTEM, "\n\n".join(filter(None, [*parts, task])))
