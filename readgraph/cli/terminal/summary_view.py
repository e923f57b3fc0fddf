"""Summaries on the terminal."""

from typing import Any

from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.places import read_again
from readgraph.cli.terminal.rendering import footer, print_citations, used
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.words import count_words, counted

EXTRACTED = "Extracted, the text's own sentences: "
"""What stands before a summary that no model wrote."""

UNUSABLE = "The model gave no summary that could be used, and no sentence of the text shares a word with this."
"""What stands in place of a summary about a subject, where none could be extracted either."""


def print_summary(found: dict[str, Any], screen: Screen) -> None:
    """Print the summary, the quotes that show its sentences, what is not supported, and what it used."""
    console = Console()
    console.print(Text(_said(found), style="bold"))
    print_citations(found["citations"])
    if problem := doubts(found):
        console.print(Text(problem, style="yellow"))
    if screen.quiet:
        return
    about = ", ".join(part["name"] for part in found["parts"])
    size = f"{counted(count_words(found['answer'] or ''), 'word')}{f' of {about}' if about else ''}"
    line = f"{size} · in full{read_again(found)} · {used(found['usage'], found['cost'])}"
    console.print(footer(line, found["fallbacks"], found["usage"]))


def _said(found: dict[str, Any]) -> str:
    spent = found["status"] == "budget"
    if not found["marked_answer"]:
        nothing = UNUSABLE if found["fallbacks"].get("summary") else "The text says nothing of this."
        return "The budget ran out before anything was found." if spent else nothing
    lead = "The budget ran out first. " if spent else ""
    return f"{lead}{EXTRACTED if found['by_rule'] else ''}{found['marked_answer']}"


def doubts(found: dict[str, Any]) -> str:
    """How many sentences their pages don't support, were not checked, or no model wrote; "" where there are none.

    Of a summary that is extracted as a whole, which says so before, the last are not counted.
    """
    number = counted(len(found["sentences"]), "sentence")
    own = 0 if found["by_rule"] else sum(each["extracted"] for each in found["sentences"])
    wrong = f"{found['unsupported']} of {number} not supported by the places named" if found["unsupported"] else ""
    left = f"{found['unchecked']} of {number} not checked against the text" if found["unchecked"] else ""
    extracted = f"{own} of {number} extracted, since the model gave no usable reply" if own else ""
    return "; ".join(filter(None, [wrong, left, extracted]))
