"""Answers, steps and memories on the terminal."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.padding import Padding
from rich.table import Table

from readgraph.cli.terminal.command_log import log_of_command
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.places import not_read, place_or_part, read_again, size_of
from readgraph.cli.terminal.safe_text import PLAIN, Console, Text, escaped
from readgraph.cli.terminal.tables import lists_rows, print_rows
from readgraph.models.clients.model_client import HOW_TO_NAME
from readgraph.models.names.prices import in_dollars
from readgraph.nodes.answering.marks import without_long_runs
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Citation, Step, Usage
from readgraph.state.records import Document, Memory, Note
from readgraph.state.survey import told_unread
from readgraph.state.words import counted, with_numbers

TO_READ_WITH_ONE = f"To read with one, give --model: {HOW_TO_NAME}"

NO_MODEL = f"Read without a model: parts cut by rule, sentences quoted. {TO_READ_WITH_ONE}"

ASK_AGAIN = "; refused replies are kept, --again asks the model again"

BY_PATTERN = "Filled by patterns, without a model: names and amounts as they are written, dates as YYYY-MM-DD."

GUESSED = "A guess by shared words, no better than chance"

NOTHING_SHARED = "No passage that was looked at shares words with your question."


def print_json(value: Any) -> None:
    """Print JSON for programs, in characters that the output's encoding has; with a log also the id of the run."""
    if isinstance(value, dict) and (run := log_of_command()):
        value = {**value, "run": run.id}
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(escaped(json.dumps(value, ensure_ascii=ascii_only, indent=2)) + "\n")


def print_answer(found: dict[str, Any], screen: Screen) -> None:
    """Print the answer, the quotes that support it, and what it used."""
    console = Console()
    print_said(found)
    print_citations(found["citations"])
    for problem in filter(None, (answer_doubts(found), not_read(found), *found.get("notices", ()))):
        console.print(Text(problem, style="yellow"))
    if screen.quiet:
        return
    if "picked" in found:
        titles = ", ".join(f"'{each['title']}'" for each in found["picked"])
        console.print(Text(f"picked from the library: {titles}", style="dim"))
    if corrected := found.get("corrected_notes"):
        console.print(Text(f"used your {_corrections(corrected)}", style="dim"))
    walked = _walked(console, found) if "hops" in found else ""
    _print_footer(f"{walked}read again{read_again(found)} · {used(found['usage'], found['cost'])}", found)


def answer_doubts(found: Mapping[str, Any]) -> str:
    """How many sentences of a long answer the text doesn't support, or were not checked; "" where there are none.

    What was quoted without a model is not counted: it says itself that no model wrote it.
    """
    number = counted(len(found["sentences"]), "sentence")
    wrong = f"{found['unsupported']} of {number} not supported by the text" if found["unsupported"] else ""
    unchecked = 0 if found["by_rule"] else found["unchecked"]
    left = f"{unchecked} of {number} not checked against the text" if unchecked else ""
    return "; ".join(filter(None, [wrong, left]))


def print_said(found: dict[str, Any]) -> None:
    """Print the answer; one that lists the rows of a table, as a table."""
    console = Console()
    if console.is_terminal and lists_rows(found):
        print_rows(found, _lead(found))
    else:
        console.print(answer_text(found))


def _corrections(parts: Sequence[int]) -> str:
    return f"correction{'s' if len(parts) > 1 else ''} of {with_numbers('part', parts)}"


def _walked(console: Console, found: dict[str, Any]) -> str:
    """Print what a walk learned if it found no answer; returns a summary of its hops."""
    places = dict(zip(found["pages_read"], found["places_read"], strict=True))
    for finding in found["findings"] if found["answer"] is None else []:
        where = place_or_part(places.get(finding["page"]), finding["page"])
        console.print(Padding(Text(f"Learned from {where}: {finding['text']}"), (0, 0, 0, 2), expand=False))
    reverts = counted(sum(hop["action"] == "revert" for hop in found["hops"]), "revert")
    return f"{counted(len(found['hops']), 'hop')}, {reverts} · "


def print_citations(citations: Sequence[Citation]) -> None:
    """Print the quotes that support an answer, each with the number of its mark."""
    console = Console()
    for number, citation in enumerate(citations, 1):
        quote = " ".join(citation["quote"].split())
        where = place_or_part(citation["place"], citation["page"])
        console.print(Padding(Text(f"[{number}] {where}  “{quote}”", style="italic"), (0, 0, 0, 2), expand=False))


def answer_text(found: dict[str, Any]) -> Text:
    """The answer as it is printed."""
    answer = without_long_runs(found["marked_answer"] or "") or None
    if found.get("table") and answer and not found["choice"]:
        lead = _lead(found)
        return Text(f"{lead}\n{answer}" if lead else answer, style="" if lists_rows(found) else "bold")
    if found["choice"]:
        answer = f"{found['choice']}. {answer}"
    if found["status"] == "budget":
        guessed = found["choice"] and found["by_rule"]
        lead = f"The budget ran out first. {GUESSED if guessed else 'Nearest in what was read'}: "
        return Text(lead + answer if answer else "The budget ran out before anything was found.", style="bold")
    if found["status"] == "researched":
        return Text(found["context"])
    if found["status"] == "nearest":
        return Text(_nearest(found), style="bold")
    nothing = "The text doesn't say." if found["steps"][-1]["model"] else NOTHING_SHARED
    if found["by_rule"] and found["steps"][-1]["model"]:
        nothing = "The model gave no answer that could be used."
    if unread := found.get("unread"):
        read = found["pages_read"]
        nothing = "Nothing was found in what was read" if read else nothing.removesuffix(".")
        nothing += f": {told_unread(len(read), len(unread))}."
    return Text(answer or nothing, style="bold")


def _lead(found: dict[str, Any]) -> str:
    """What stands above an answer from a table that isn't the model's own, or isn't of the whole text; else ""."""
    if found["status"] == "budget":
        of_all = "In what was read until then:" if found.get("unread") else "The table:"
        return f"The budget ran out first. {BY_PATTERN if found.get('by_pattern') else of_all}"
    if found["status"] != "nearest":
        return ""
    return BY_PATTERN if found.get("by_pattern") else "The model wrote no answer that could be used. The table:"


def _nearest(found: dict[str, Any]) -> str:
    """What stands above the nearest passages, which are printed as citations."""
    if found["choice"]:
        option = f"{found['choice']}. {found['marked_answer']}"
        return f"{GUESSED}: {option}"
    if not found["citations"]:
        return f"Nearest passage: {found['answer']}"
    passages = "passage" if len(found["citations"]) == 1 else "passages"
    if len(found["answer"]) < len(found["citations"][0]["quote"]):
        return f"From the nearest {passages}: {found['marked_answer']}"
    return f"Nearest {passages}:"


def print_memory(
    document: Document,
    memory: Memory,
    notes: Sequence[Note],
    found: dict[str, Any],
    called: str,
    screen: Screen,
    labels: Sequence[str] = (),
) -> None:
    """Print what was built; `called` is the method's word for a note, `labels` are the places of the source."""
    console = Console()
    words = sum(note.words for note in notes)
    gists = (
        f"{counted(len(notes), called)} of {counted(words, 'word')} ({100 * words / document.words:.0f} % of the text)"
    )
    console.print(
        Text(f"{document.title}: {size_of(document, labels)}, read as {counted(memory.pages, 'part')}", style="bold")
    )
    if words:
        console.print(f"  {gists}")
    if substitutes := sum(note.is_substitute for note in notes):
        console.print(f"  {substitutes:,} of them written by a substitute: --again asks the model again.")
    if memory.levels:
        console.print(f"  a tree of {' + '.join(f'{count:,}' for count in (memory.pages, *memory.levels))} nodes")
    if not memory.complete:
        console.print("  Not complete: the budget ran out. Run the same command again to continue.")
    if not screen.quiet:
        _print_footer(used(found["usage"], found["cost"]), found)


def print_steps(steps: Sequence[Step]) -> None:
    """Print the trajectory: what each step did, and what it used."""
    table = Table("step", "what it did", "used", **PLAIN)
    for step in steps:
        did = " ".join(step["summary"].split())
        table.add_row(Text(step["node"]), Text(did), Text(used(step["usage"]), style="dim"))
    Console().print(table)


def print_reminder(context: ReaderContext, screen: Screen) -> None:
    """Print a reminder if no model was used."""
    if not context.model and not screen.quiet and not screen.as_json:
        Console(stderr=True).print(Text(NO_MODEL, style="yellow"))


def _print_footer(line: str, found: Mapping[str, Any]) -> None:
    Console().print(footer(line, found["fallbacks"], found["usage"]))


def footer(line: str, fallbacks: dict[str, int], usage: Usage) -> Text:
    """A line on what was done, with the fall-backs by their kinds, and how the model is asked again for these."""
    if fallbacks:
        kinds = ", ".join(f"{kind} {count}" for kind, count in fallbacks.items())
        line += f" · fall-backs: {kinds}" + (ASK_AGAIN if usage["refused"] else "")
    return Text(line, style="dim")


def used(usage: Usage, cost: float | None = None) -> str:
    """Calls, words, cost and time in one line."""
    calls = counted(usage["calls"], "call") + (f" (+{usage['cached_calls']:,} cached)" if usage["cached_calls"] else "")
    words = f"{usage['input_words'] + usage['output_words']:,} words"
    money = f", {in_dollars(cost)}" if cost else ""
    return f"{calls}, {words}{money}, {usage['seconds']:.1f} s"
