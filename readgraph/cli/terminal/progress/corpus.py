"""A corpus on the terminal: how far its reading has come, what can't be read, and the sum."""

import json
import sys
from dataclasses import asdict

from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.progress.evaluation import EvaluationProgress
from readgraph.cli.terminal.rendering import footer, used
from readgraph.cli.terminal.safe_text import Console, Text, escaped, one_line
from readgraph.corpus.job import Line
from readgraph.corpus.reading import Sum
from readgraph.state.words import counted


class CorpusProgress(EvaluationProgress):
    """The bar of an evaluation, over documents; what can't be read is printed above it."""

    def __init__(self, documents: int, screen: Screen) -> None:
        super().__init__("Reading", documents, screen, counts="tokens")
        self.problems = self.console if not screen.quiet else Console(stderr=True)

    def take(self, line: Line) -> None:
        """Show what became of one more document."""
        usage = line["usage"]
        self.one_more(usage["calls"], usage["input_tokens"] + usage["output_tokens"], line["cost"])
        if line["problem"]:
            self.problems.print(Text(f"readgraph: Left out: {one_line(line['problem'])}"), soft_wrap=True)
        elif self.screen.verbose:
            self.problems.print(Text(f"{line['title']}: {_sizes(line)} ({used(usage, line['cost'])})", style="dim"))


def _sizes(line: Line) -> str:
    if line["known"]:
        return "read before"
    ended = "" if line["complete"] else ", not complete"
    return f"{counted(line['words'], 'word')}, {counted(line['pages'], 'part')}{ended}"


def print_line(line: Line) -> None:
    """Print what became of a document as one line of JSON, at once."""
    _print(dict(line))


def print_sum(total: Sum, called: str, screen: Screen) -> None:
    """Print what became of all; `called` is the method's word for a note."""
    if screen.as_json:
        _print({"sum": asdict(total)})
        return
    console = Console()
    states = {"read": total.read, "read before": total.known, "not complete": total.incomplete}
    states |= {"left out": total.left_out, "not begun": total.not_begun}
    shown = ", ".join(f"{number:,} {state}" for state, number in states.items() if number) or "none read"
    console.print(Text(f"{counted(total.documents + total.not_begun, 'document')}: {shown}", style="bold"))
    if total.words:
        share = 100 * total.note_words / total.words
        notes = f"{counted(total.notes, called)} of {counted(total.note_words, 'word')} ({share:.0f} % of the text)"
        console.print(f"  {counted(total.words, 'word')}, {counted(total.pages, 'part')}, {notes}")
    if total.incomplete or total.not_begun:
        console.print("  Not complete: the budget ran out. Run the same command again to continue.")
    if total.ended:
        times = counted(total.ended, "document")
        console.print(f"  {times} lost a worker at every try; what these had paid for is not in the figures below.")
    if not screen.quiet:
        usage = {**total.usage, "seconds": total.seconds}
        workers = f" with {counted(total.workers, 'worker')}" if total.workers else ""
        console.print(footer(f"{used(usage, total.cost)}{workers}", total.fallbacks, usage))  # type: ignore[arg-type]


def _print(value: object) -> None:
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(escaped(json.dumps(value, ensure_ascii=ascii_only)) + "\n")
    sys.stdout.flush()
