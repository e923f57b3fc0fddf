"""What a person sees: answers, steps, memories."""

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from readgraph.nodes.models import HOW_TO_NAME
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Step, Usage
from readgraph.state.records import Document, Memory, Note

NO_MODEL = f"Read without a model: pages by rule, sentences quoted. To read with one, give --model: {HOW_TO_NAME}"

PLAIN: dict[str, Any] = {"box": None, "header_style": "dim", "padding": (0, 2, 0, 0)}
"""How tables look."""


def counted(number: int, thing: str) -> str:
    """A number of things, in words for a person."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def print_json(value: Any) -> None:
    """JSON for programs, in characters that the output can hold."""
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=ascii_only, indent=2) + "\n")


def print_answer(found: dict[str, Any]) -> None:
    """The answer, what shows it, and what it used."""
    console = Console(highlight=False)
    console.print(_answer(found))
    for citation in found["citations"]:
        quote = " ".join(citation["quote"].split())
        place = f", {citation['place']}" if citation["place"] else ""
        console.print(Padding(Text(f"p. {citation['page']}{place}  “{quote}”", style="italic"), (0, 0, 0, 2)))
    pages = ", ".join(map(str, found["pages_read"])) or "none"
    rate = found["compression_rate"]
    seen = f" · {100 - rate:.0f} % of the text in view" if rate is not None else ""
    _print_footer(f"pages read again: {pages}{seen} · {_used(found['usage'])}", found["fallbacks"])


def _answer(found: dict[str, Any]) -> Text:
    answer = found["answer"]
    if found["choice"]:
        answer = f"{found['choice']}. {answer}"
    if found["status"] == "budget":
        lead = "The budget ran out first. Nearest in what was read: "
        return Text(lead + answer if answer else "The budget ran out before anything was found.", style="bold")
    if found["status"] == "researched":
        return Text(found["context"])
    return Text(answer or "The text doesn't say.", style="bold")


def print_memory(document: Document, memory: Memory, notes: Sequence[Note], found: dict[str, Any], called: str) -> None:
    """What was built; `called` is the method's word for a note."""
    console = Console(highlight=False)
    words = sum(note.words for note in notes)
    pages = f"{counted(memory.pages, 'page')} of {counted(document.words, 'word')}"
    gists = (
        f"{counted(len(notes), called)} of {counted(words, 'word')} ({100 * words / document.words:.0f} % of the text)"
    )
    console.print(Text(f"{document.title}: {pages}", style="bold"))
    console.print(f"  {gists}")
    if not memory.complete:
        console.print("  Not complete: the budget ran out. The same command goes on from here.")
    _print_footer(_used(found["usage"]), found["fallbacks"])


def print_steps(steps: Sequence[Step]) -> None:
    """The trajectory: what each step did, and what it used."""
    table = Table("step", "what it did", "used", **PLAIN)
    for step in steps:
        table.add_row(Text(step["node"]), Text(step["did"]), Text(_used(step["usage"]), style="dim"))
    Console(highlight=False).print(table)


def print_reminder(context: ReaderContext) -> None:
    """Say so where there was no model."""
    if not context.model:
        Console(stderr=True, highlight=False).print(Text(NO_MODEL, style="yellow"))


def _print_footer(line: str, fallbacks: dict[str, int]) -> None:
    console = Console(highlight=False)
    if fallbacks:
        counted = ", ".join(f"{kind} {count}" for kind, count in fallbacks.items())
        line += f" · fall-backs: {counted}"
    console.print(Text(line, style="dim"))


def _used(usage: Usage) -> str:
    calls = counted(usage["calls"], "call") + (f" (+{usage['cached_calls']:,} cached)" if usage["cached_calls"] else "")
    words = f"{usage['input_words'] + usage['output_words']:,} words"
    return f"{calls}, {words}, {usage['seconds']:.1f} s"
