"""What a person sees of a conversation; or a program, as JSON lines."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from langchain_core.messages import BaseMessage

from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.cli.terminal.streamed_step import ComingStep
from readgraph.nodes.agent.event_text import call_line, cut_to
from readgraph.nodes.agent.working_context import size_of
from readgraph.state.agents import SPEAKS, Event
from readgraph.state.living import AgentState, IncomingEvent

ARGUMENT_WORDS, RESULT_WORDS = 8, 12

PROMPT = "> "
THOUGHTS, MESSAGE = "dim italic", "bold"


def typed_so_far() -> str:
    """What stands in the line that is being typed."""
    readline = sys.modules.get("readline")
    return str(readline.get_line_buffer()) if readline else ""


class ChatView:
    """Messages plain, inner thoughts dimmed, function calls in one line; on a terminal as the model says them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.console = Console()
        self.listens = self.console.is_terminal
        self.coming = ComingStep()
        self.line_is_open = self.asks = False

    def opening(self, said: Sequence[Event]) -> None:
        """The last things said, or how to begin."""
        for event in said:
            self._print(f"{self._who(event)}: {cut_to(event.said, 60)}", "dim")
        if not said:
            self._print(f"{self.name} begins to live. /help lists what you can type.", "dim")

    def event(self, event: Event) -> None:
        """One event of a turn as it comes; of a call that was heard, what was not shown yet."""
        if event.kind in ("system", "timer", "upload"):
            self._print(f"[{event.kind}] {cut_to(event.text, 60)}", "yellow")
        elif event.kind == "call" and event.result is None:
            if self.coming.thoughts.strip() != event.text:
                self._print(event.text, THOUGHTS)
        elif event.kind == "call":
            heard, self.coming = self.coming.message, ComingStep()
            if event.function != SPEAKS or event.failed:
                self._called(event)
            elif heard != event.said:
                self._print(event.said, MESSAGE)
            self.end_line()

    def _called(self, event: Event) -> None:
        """A call with the first line of its result; on a terminal in one line, but for what went wrong."""
        outcome = cut_to(str(event.result).partition("\n")[0], RESULT_WORDS)
        line = Text(f"{call_line(event, ARGUMENT_WORDS)} → {outcome}", style="red" if event.failed else "dim")
        self.end_line()
        whole = not self.console.is_terminal
        self.console.print(line, no_wrap=not (whole or event.failed), overflow="ellipsis", soft_wrap=whole)

    def heard(self, piece: BaseMessage) -> None:
        """A piece of a step while the model says it."""
        if piece.id != self.coming.reply:
            self.end_line()
            self.coming = ComingStep(piece.id)
        thoughts, message = self.coming.grow(piece)
        self._print(thoughts, THOUGHTS, open_line=True)
        if message and message == self.coming.message:
            self.end_line()
        self._print(message, MESSAGE, open_line=True)

    @contextmanager
    def prompting(self) -> Iterator[None]:
        """While a line is asked for; what comes meanwhile begins a line of its own."""
        self.asks = self.line_is_open = True
        try:
            yield
        finally:
            self.asks = self.line_is_open = False

    def woken(self) -> None:
        """A timer's turn is over: what was being typed is shown again."""
        if self.asks and not self.line_is_open:
            self._print(PROMPT + typed_so_far(), open_line=True)

    def end_line(self) -> None:
        """What comes next begins a line."""
        if self.line_is_open:
            self.line_is_open = False
            self.console.print()

    def memory(self, life: AgentState | None) -> None:
        """The working context, and the sizes of the storages."""
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
            self._print(f"{event.at[:16].replace('T', ' ')} {self._who(event)}: {cut_to(event.said, 60)}")

    def undone(self, taken: Sequence[IncomingEvent]) -> None:
        """What was taken back, the user's first."""
        if not taken:
            self._print("There is nothing to take back.", "yellow")
            return
        since = [arrival["kind"] for arrival in taken[1:]]
        told = f", and the turns since: {len(since)} ({', '.join(sorted({*since}))})" if since else ""
        self._print(f"Taken back: {cut_to(taken[0].get('text') or 'the upload', 60)}{told}", "yellow")

    def help(self, text: str) -> None:
        """The commands."""
        self._print(text, "dim")

    def warn(self, line: str) -> None:
        """A line on standard error."""
        self.end_line()
        Console(stderr=True).print(Text(line, style="yellow"))

    def _who(self, event: Event) -> str:
        return {"user": "you", "call": self.name}.get(event.kind, event.kind)

    def _print(self, text: str, style: str = "", *, open_line: bool = False) -> None:
        """Print a text; one whose line stays open goes on where such a one before ended."""
        if not text:
            return
        if not open_line:
            self.end_line()
        whole = open_line or not self.console.is_terminal  # a program gets lines as they were said
        self.console.print(Text(text, style=style), end="" if open_line else "\n", soft_wrap=whole)
        self.line_is_open = open_line


class JsonView(ChatView):
    """Each event as one line of JSON, a call once it was run; what commands give as lines of their own."""

    def __init__(self) -> None:
        super().__init__("")
        self.listens = False

    def opening(self, said: Sequence[Event]) -> None:
        """Nothing: a program knows how it began."""

    def event(self, event: Event) -> None:
        """One event."""
        if event.kind != "call" or event.result is not None:
            self._line({"event": asdict(event)})

    def memory(self, life: AgentState | None) -> None:
        """The agent's life."""
        self._line({"memory": life})

    def found(self, total: int, events: Sequence[Event]) -> None:
        """What a search found."""
        self._line({"found": [asdict(event) for event in events], "total": total})

    def undone(self, taken: Sequence[IncomingEvent]) -> None:
        """What was taken back."""
        self._line({"undone": taken})

    def help(self, text: str) -> None:
        """The commands."""
        self._line({"help": text})

    def _line(self, value: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()
