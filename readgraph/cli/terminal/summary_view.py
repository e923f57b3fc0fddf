"""Summaries on the terminal."""

from typing import Any

from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.places import read_again
from readgraph.cli.terminal.rendering import footer, print_citations, used
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.words import count_words, counted


def print_summary(found: dict[str, Any], screen: Screen) -> None:
    """Print the summary, the quotes that show its sentences, what is not supported, and what it used."""
    console = Console()
    lead = "The budget ran out first. " if found["status"] == "budget" else ""
    lead += "Extracted, the text's own sentences: " if found["by_rule"] and found["answer"] else ""
    console.print(Text(lead + (found["marked_answer"] or "The text says nothing of this."), style="bold"))
    print_citations(found["citations"])
    if problem := doubts(found):
        console.print(Text(problem, style="yellow"))
    if screen.quiet:
        return
    about = ", ".join(part["name"] for part in found["parts"])
    size = f"{counted(count_words(found['answer'] or ''), 'word')}{f' of {about}' if about else ''}"
    line = f"{size} · in full{read_again(found)} · {used(found['usage'], found['cost'])}"
    console.print(footer(line, found["fallbacks"]))


def doubts(found: dict[str, Any]) -> str:
    """How many sentences their pages don't support, and how many were not checked; "" where all are supported."""
    number = counted(len(found["sentences"]), "sentence")
    wrong = f"{found['unsupported']} of {number} not supported by the places named" if found["unsupported"] else ""
    left = f"{found['unchecked']} of {number} not checked against the text" if found["unchecked"] else ""
    return "; ".join(filter(None, [wrong, left]))
