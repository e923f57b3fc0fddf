"""What a person sees of a conversation; or a program, as JSON lines."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from readgraph.cli.safe_text import Text
from readgraph.nodes.event_text import call_line, cut_to
from readgraph.nodes.working_context import size_of
from readgraph.state.agents import SPEAKS, Event
from readgraph.state.living import Arrival, Life

RESULT_WORDS = 12


class ChatView:
    """Messages plain, inner thoughts dimmed, function calls in one line."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.console = Console(highlight=False)

    def opening(self, said: Sequence[Event]) -> None:
        """The last things said, or how to begin."""
        for event in said:
            self._print(f"{'you' if event.kind != 'call' else self.name}: {cut_to(event.said, 60)}", "dim")
        if not said:
            self._print(f"{self.name} begins to live. /help lists what you can type.", "dim")

    def event(self, event: Event) -> None:
        """One event of a turn as it comes."""
        if event.kind in ("system", "timer", "upload"):
            self._print(f"[{event.kind}] {cut_to(event.text, 60)}", "yellow")
        elif event.kind == "call" and event.result is None:
            self._print(event.text, "dim italic")
        elif event.kind == "call" and event.function == SPEAKS and not event.failed:
            self._print(event.said, "bold")
        elif event.kind == "call":
            outcome = cut_to(" ".join(str(event.result).split()), RESULT_WORDS)
            self._print(f"{call_line(event)} → {outcome}", "red" if event.failed else "dim")

    def memory(self, life: Life | None) -> None:
        """The working context, and how much there is behind it."""
        if life is None:
            self._print("Nothing has happened yet.", "dim")
            return
        for block in life["blocks"]:
            self._print(f"{block['label']} ({size_of(block)} words): {block['about']}", "bold")
            self._print(block["text"] or "(empty)")
        self._print(
            f"{life['events']:,} events in recall storage, {life['events'] - life['queue_from']:,} of them in view; "
            f"{life['passages']:,} passages and {len(life['documents']):,} documents in archival storage.",
            "dim",
        )

    def found(self, total: int, events: Sequence[Event]) -> None:
        """What a search of recall storage found."""
        self._print(f"{total:,} found" + (f", the best {len(events)}:" if total > len(events) else "."), "dim")
        for event in events:
            who = self.name if event.kind == "call" else event.kind
            self._print(f"{event.at[:16].replace('T', ' ')} {who}: {cut_to(event.said, 60)}")

    def undone(self, arrival: Arrival | None) -> None:
        """What was taken back."""
        said = cut_to(arrival.get("text", ""), 60) if arrival else ""
        self._print(f"Taken back: {said}" if arrival else "There is nothing to take back.", "yellow")

    def help(self, text: str) -> None:
        """The commands."""
        self._print(text, "dim")

    def warn(self, line: str) -> None:
        """A line on standard error."""
        Console(stderr=True, highlight=False).print(Text(line, style="yellow"))

    def _print(self, text: str, style: str = "") -> None:
        if text:
            self.console.print(Text(text, style=style))


class JsonView(ChatView):
    """Each event as one line of JSON, a call once it was run; what commands give as lines of their own."""

    def __init__(self) -> None:
        super().__init__("")

    def opening(self, said: Sequence[Event]) -> None:
        """Nothing: a program knows how it began."""

    def event(self, event: Event) -> None:
        """One event."""
        if event.kind != "call" or event.result is not None:
            self._line({"event": asdict(event)})

    def memory(self, life: Life | None) -> None:
        """The agent's life."""
        self._line({"memory": life})

    def found(self, total: int, events: Sequence[Event]) -> None:
        """What a search found."""
        self._line({"found": [asdict(event) for event in events], "total": total})

    def undone(self, arrival: Arrival | None) -> None:
        """What was taken back."""
        self._line({"undone": arrival})

    def help(self, text: str) -> None:
        """The commands."""
        self._line({"help": text})

    def _line(self, value: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()
