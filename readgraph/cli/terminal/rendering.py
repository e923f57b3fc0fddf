"""Answers with their places, tables, steps, walks and memories on the terminal."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text as RichText
from rich.tree import Tree

from readgraph.api.answer_text import answer_lead, place_or_part, plain_answer, quote_in_words
from readgraph.cli.log import log_of_command
from readgraph.cli.process import command_seconds
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText, escape_json, visible
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.models.names import HOW_TO_NAME
from readgraph.models.prices import in_dollars
from readgraph.nodes.answering.citations import without_long_runs
from readgraph.nodes.opening import is_traced
from readgraph.sources.places import BELOW, page_of, pages_among, place_in_words
from readgraph.state.channels import Action, Hop
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Citation, Step, Usage
from readgraph.state.records import Document, Memory, Note
from readgraph.state.tables import NO_TABLE, markdown_of
from readgraph.state.words import format_count, with_numbers

__all__ = ["print_walk"]
MOST_UNREAD = 20
LONGEST_PLACES = 100  # characters of the places that are listed in one line; of more, the first ones


def format_read_again(output: dict[str, Any]) -> str:
    """Where the pages that were read again begin, and what is cited of them: pages of the source, places, or parts."""
    places, share = output["places_read"], output["percent_read"]
    if not places or share == 100:
        cut = ", cut to the window" if "prompt_cut" in output["fallbacks"] else ""
        return f": all of the text{cut}" if places else ": nothing"
    named = list[str | None]()
    for page, begins in zip(output["pages_read"], places, strict=True):
        cited = [
            citation["place"]
            for citation in output["citations"]
            if citation["page"] == page and "document" not in citation
        ]
        above = begins is None or any(place.startswith(f"{begins}{BELOW}") for place in filter(None, cited))
        named += [*([] if cited and above else [begins]), *cited]
    if share and not any(named):
        return f": {percent(share)} of the text"
    where = _where(named, output["pages_read"], in_one=not output["documents"])
    return f"{where} ({percent(share)} of the text)" if share else where


def format_missing_records(output: Mapping[str, Any]) -> str:
    """Where a survey's records are missing, and what to do; "" where all parts could be read."""
    if not (unread := output.get("unread")):
        return ""
    where = _where(output["places_unread"][:MOST_UNREAD], unread[:MOST_UNREAD], in_one=not output["documents"])
    more = f" … and {len(unread) - MOST_UNREAD:,} more" if len(unread) > MOST_UNREAD else ""
    missing = f"Records are missing{where}{more}" if output["pages_read"] else "All records are missing"
    return f"{missing}. Run the same command again with --again to ask for what is missing."


def _where(places: Sequence[str | None], numbers: Sequence[int], *, in_one: bool) -> str:
    """Where the pages with these places and numbers are; `in_one`: in one document."""
    pages = pages_among(filter(None, places))
    if pages and in_one and all(place and page_of(place) for place in places):
        listed = ", ".join(page.printed or str(page.number) for page in pages)
        return f": page{'s' if len(pages) > 1 else ''} {listed}"
    if not any(places):
        return f": {with_numbers('part', numbers)}"
    named = [*dict.fromkeys(map(place_in_words, filter(None, places)))]
    sizes = accumulate(len(name) + 2 for name in named)
    fitting = max(1, sum(size <= LONGEST_PLACES for size in sizes))
    more = f" and {len(named) - fitting:,} more" if fitting < len(named) else ""
    return f": {'; '.join(named[:fitting])}{more}"


def size_of(document: Document, labels: Iterable[str]) -> str:
    """How long a document is: "40 pages, 28,653 words"; `labels` are its places, which may name its source's pages."""
    last = max((page.number for page in pages_among(labels)), default=0)
    return ", ".join(filter(None, [format_count(last, "page") if last else "", format_count(document.words, "word")]))


def percent(share: float) -> str:
    """A percentage without decimals; of what is neither nothing nor all, it says neither."""
    if 0 < share < 1:
        return "less than 1 %"
    return f"{min(round(share), 99) if share < 100 else 100} %"


def lists_rows(output: Mapping[str, Any]) -> bool:
    """Whether an answer is a table of Markdown, made of the table of a survey."""
    table: Any = output.get("table") or NO_TABLE
    return bool(table["rows"]) and (output["answer"] or "").startswith(markdown_of(table, 0) + "\n")


def print_rows(output: Mapping[str, Any], lead: str) -> None:
    """The rows that an answer lists, each with the mark of its citation; `lead` stands above them."""
    console, made, rows = Console(), output["table"], output["table"]["rows"]
    numbers = {(citation["start"], citation["end"]): citation["number"] for citation in output["citations"]}
    _, _, *lines = output["answer"].split("\n")
    listed = [line for line in lines if line.startswith("| ")]
    table = table_with_columns([*made["columns"], ""], [*made["kinds"], "text"])
    for row in rows[: len(listed)]:
        number = next((numbers.get((citation["start"], citation["end"])) for citation in row["citations"]), None)
        table.add_row(*map(SafeText, row["values"]), SafeText(f"[{number}]" if number else ""))
    if lead:
        console.print(SafeText(lead, style="bold"))
    console.print(table)
    for line in lines[len(listed) :]:
        console.print(line)


def print_table(columns: Iterable[str], kinds: Iterable[str], rows: Iterable[Sequence[str]], markdown: str) -> None:
    """Print a table on a terminal; to a file or a pipe its Markdown."""
    console = Console()
    if not console.is_terminal:
        console.file.write(visible(markdown))
        return
    shown = table_with_columns(columns, kinds)
    for row in rows:
        shown.add_row(*map(SafeText, row))
    console.print(shown)


def table_with_columns(columns: Iterable[str], kinds: Iterable[str]) -> Table:
    """An empty table with these columns; numbers stand on the right."""
    table = Table(**PLAIN)
    for name, kind in zip(columns, kinds, strict=True):
        table.add_column(SafeText(name), justify="right" if kind == "number" else "left", overflow="fold")
    return table


TO_READ_WITH_ONE = f"To read with one, give --model: {HOW_TO_NAME}"
NO_MODEL = f"Read without a model: quotes only. {TO_READ_WITH_ONE}"
ASK_AGAIN = "; --again asks the model again"


def print_json(value: Any, screen: OutputOptions | None = None) -> None:
    """Print JSON for programs; with a log also the id of the run, and with a screen the files that were left out."""
    if isinstance(value, dict) and (run := log_of_command()):
        value = {**value, "run": run.id}
    if isinstance(value, dict) and screen and screen.left_out:
        value = {**value, "left_out": screen.left_out}
    write_json(value, indent=2)


def write_json(value: Any, indent: int | None = None) -> None:
    """Write JSON at once, in characters that the output's encoding has; without `indent`, in one line."""
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(escape_json(json.dumps(value, ensure_ascii=ascii_only, indent=indent)) + "\n")
    if indent is None:
        sys.stdout.flush()


def print_answer(output: dict[str, Any], screen: OutputOptions) -> None:
    """Print the answer, the quotes that support it, and what it used."""
    console = Console()
    print_answer_or_table(output)
    picked = output.get("picked", [])
    book, extracted = picked[0]["title"] if len(picked) == 1 else "", output["status"] == "extracted"
    print_citations(output["citations"], book, extracted=extracted)
    print_doubts(output, screen.notices_left(output.get("notices", ())))
    if screen.quiet:
        return
    if why := output.get("why"):
        console.print(SafeText(f"{output['way']}, since {why}".capitalize(), style="dim"))
    if "picked" in output:
        titles = ", ".join(
            f"'{name}'" for name in titles_told_apart((each["id"], each["title"]) for each in picked).values()
        )
        console.print(SafeText(f"picked from the library: {titles}", style="dim"))
    if corrected := output.get("corrected_notes"):
        plural = "s" if len(corrected) > 1 else ""
        console.print(SafeText(f"used your correction{plural} of {with_numbers('part', corrected)}", style="dim"))
    of_notes = output["status"] in ("summarised", "extracted") and not output["pages_read"]
    did = [] if of_notes else [f"looked at{format_read_again(output)}"]
    if "hops" in output:
        places = dict(zip(output["pages_read"], output["places_read"], strict=True))
        for finding in output["findings"] if output["answer"] is None else []:
            where = place_or_part(places.get(finding["page"]), finding["page"])
            console.print(Padding(SafeText(f"Learned from {where}: {finding['text']}"), (0, 0, 0, 2), expand=False))
        back = sum(hop["action"] == "revert" for hop in output["hops"])
        did.insert(0, f"walked {format_count(len(output['hops']), 'step')}, {back:,} of them back")
    console.print(footer(output, *did))


def print_doubts(output: Mapping[str, Any], notices: Iterable[str]) -> None:
    """Print what is doubtful in an answer: sentences that the text does not support, records left out, notices."""
    for doubt in filter(None, (answer_doubts(output), format_missing_records(output), *notices)):
        Console().print(SafeText(doubt, style="yellow"))


def answer_doubts(output: Mapping[str, Any]) -> str:
    """How many sentences that a model wrote are not supported by the text, or not checked; "" where there are none."""
    number = format_count(len(output["sentences"]), "sentence")
    wrong = f"{output['unsupported']} of {number} not supported by the text" if output["unsupported"] else ""
    unchecked = 0 if output["by_rule"] else output["unchecked"]
    left = f"{unchecked} of {number} not checked against the text" if unchecked else ""
    return "; ".join(filter(None, [wrong, left]))


def print_answer_or_table(output: dict[str, Any]) -> None:
    """Print the answer; one that lists the rows of a table, as a table."""
    console = Console()
    if console.is_terminal and lists_rows(output):
        print_rows(output, answer_lead(output))
    else:
        console.print(answer_text(output))


def titles_told_apart(named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The titles of documents by their ids, of (id, title) pairs; those of one title are followed by their ids."""
    titles = dict(named)
    alike = Counter(titles.values())
    return {each: f"{title} ({each})" if alike[title] > 1 else title for each, title in titles.items()}


def print_citations(citations: Sequence[Citation], book: str = "", *, extracted: bool = False) -> None:
    """Print the quotes that support an answer, each with the number of its mark, and the `book` if nobody named it.

    An `extracted` answer consists of its quotes: only their places are printed.
    """
    console = Console()
    for number, citation in enumerate(citations, 1):
        where = ", ".join(filter(None, [book, place_or_part(citation["place"], citation["page"])]))
        quote = "" if extracted else f"  {quote_in_words(citation)}"
        line = SafeText(f"[{number}] {where}{quote}", style="italic")
        console.print(Padding(line, (0, 0, 0, 2), expand=False))


def answer_text(output: dict[str, Any]) -> SafeText:
    """The answer as it is printed."""
    text = plain_answer({**output, "marked_answer": without_long_runs(output["marked_answer"] or "")})
    plain = output["status"] == "researched" or (lists_rows(output) and not output["choice"])
    return SafeText(text, style="" if plain else "bold")


def print_memory(
    document: Document,
    memory: Memory,
    notes: Sequence[Note],
    output: dict[str, Any],
    screen: OutputOptions,
    labels: Sequence[str] = (),
) -> None:
    """Print what was built; `labels` are the places of the source."""
    console = Console()
    words = sum(note.words for note in notes)
    heading = f"{document.title}: {size_of(document, labels)}, read as {format_count(memory.pages, 'part')}"
    console.print(SafeText(heading, style="bold"))
    if words:
        share = f"{100 * words / document.words:.0f} % of the text"
        console.print(f"  notes for {format_count(len(notes), 'part')}: {format_count(words, 'word')} ({share})")
    if substitutes := sum(note.is_substitute for note in notes):
        console.print(f"  {substitutes:,} of them are not the model's, whose replies were unusable{ASK_AGAIN}.")
    if memory.levels:
        levels = " + ".join(f"{count:,}" for count in (memory.pages, *memory.levels))
        console.print(f"  summaries of them in a tree: {levels}")
    if not memory.complete:
        console.print("  Not complete: the budget ran out. Run the same command again to continue.")
    if not screen.quiet:
        console.print(footer(output))


def print_steps(steps: Sequence[Step]) -> None:
    """Print the trajectory: what each step did, and what it used."""
    table = Table("step", "what it did", "used", **PLAIN)
    for step in steps:
        did = " ".join(step["summary"].split())
        table.add_row(SafeText(step["node"]), SafeText(did), SafeText(format_usage(step["usage"]), style="dim"))
    Console().print(table)


def print_reminder(context: ReaderContext, screen: OutputOptions) -> None:
    """Print a reminder if no model was used."""
    if not context.model and not screen.quiet and not screen.as_json:
        Console(stderr=True).print(SafeText(NO_MODEL, style="yellow"))


def footer(output: Mapping[str, Any], *did: str, by: str = "") -> SafeText:
    """A line on what was done and what it used, and the replies that were not usable; `by`: who did it.

    Its time is that of the whole command so far.
    """
    seconds = command_seconds() or output["usage"]["seconds"]
    usage: Any = {**output["usage"], "seconds": seconds}
    used = format_usage(usage, output["cost"]) + by
    return SafeText(" · ".join(filter(None, [*did, used, missing_replies(output)])), style="dim")


def missing_replies(output: Mapping[str, Any]) -> str:
    """The fall-backs by their kinds, and how the model is asked again for these; "" where there are none."""
    counts = dict(output["fallbacks"])
    cut = counts.pop("prompt_cut", 0)
    kinds = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    missing = f"no usable reply for {kinds}" + (ASK_AGAIN if output["usage"]["refused"] else "") if kinds else ""
    return " · ".join(filter(None, [f"{format_count(cut, 'prompt')} cut to the window" if cut else "", missing]))


def format_usage(usage: Usage, cost: float | None = None) -> str:
    """Calls, words, cost and time in one line."""
    seconds, kept = f"{usage['seconds']:.1f} s", format_count(usage["cached_calls"], "saved reply")
    if not usage["calls"]:
        return f"{_sent_without_calls(usage)}{f', {kept} used' if usage['cached_calls'] else ''} · {seconds}"
    calls = format_count(usage["calls"], "call") + (f" and {kept}" if usage["cached_calls"] else "")
    words = f"{usage['input_words'] + usage['output_words']:,} words"
    money = f", {in_dollars(cost)}" if cost else ""
    held = usage.get("cache_read_tokens", 0)  # older ones count no cache
    cached = f" ({percent(100 * held / usage['input_tokens'])} of them from the provider's cache)" if held else ""
    return f"{calls}, {words}{cached}{money} · {seconds}"


def _sent_without_calls(usage: Usage) -> str:
    """What left this machine although no model was called: texts for their vectors, traces of the run, or nothing."""
    if embedded := usage.get("embedded_texts", 0):
        return f"no call to a model, {format_count(embedded, 'text')} sent for vectors"
    return "no call to a model" if is_traced() else "nothing sent"


_STYLES: dict[Action, str] = {
    **{"child": "", "revert": "strike", "exhausted": "strike"},
    **{"answer": "bold green", "keep": "green", "unusable": "red"},
}
_MARKS: dict[Action, str] = {"answer": "✓ ", "keep": "+ ", "unusable": "? "}
_OUTCOMES: dict[Action, str] = {
    **{"revert": "back", "exhausted": "nothing left", "keep": "kept", "unusable": "no usable reply"}
}


def print_walk(hops: Sequence[Hop]) -> None:
    """Print the drawing of a walk; nothing if there was no walk."""
    if hops:
        Console().print(draw_walk(hops))


def draw_walk(hops: Sequence[Hop]) -> Tree:
    """The nodes that were visited, each below the one it was reached from, with the last decision made there."""
    last = {hop["node"]: hop for hop in hops}
    root = hops[0]["node"]
    drawn = {root: Tree(_label(last[root], ""))}
    for hop in hops:
        if hop["node"] not in drawn:  # the state was edited, which moved the walk there
            drawn[hop["node"]] = drawn[root].add(_label(last[hop["node"]], ""))
        child = hop["next_node"]
        if hop["action"] == "child" and child and child not in drawn:
            name = hop.get("next_heading") or child
            drawn[child] = drawn[hop["node"]].add(_label(last.get(child), hop["reasoning"], name))
    return drawn[root]


def _label(hop: Hop | None, why: str, node: str = "") -> RichText:
    """A node with why it was chosen and the outcome; `hop` is the last decision there, None if the hops ran out."""
    if hop is None:
        return SafeText.assemble(node, (f"  {why}", "dim"), ("  → the walk ended here", "dim"))
    action = hop["action"]
    label = SafeText.assemble((_MARKS.get(action, "") + (hop.get("heading") or hop["node"]), _STYLES[action]))
    if why:
        label.append(f"  {why}", "dim")
    if action != "child":
        reason = f": {hop['reasoning']}" if hop["reasoning"] else ""
        label.append(f"  → {_OUTCOMES.get(action, action)}{reason}", _STYLES[action])
    return label
