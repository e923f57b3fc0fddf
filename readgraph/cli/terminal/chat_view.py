"""How a conversation is shown: to a person on the terminal, or to a program as JSON lines."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from langchain_core.messages import BaseMessage

from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.models.replies.streaming import THOUGHTS
from readgraph.nodes.agent.event_text import call_line, cut_to
from readgraph.nodes.agent.working_context import size_of
from readgraph.state.agents import SPEAKS, Event
from readgraph.state.channels.living import AgentState, IncomingEvent

ARGUMENT_WORDS, RESULT_WORDS = 8, 12

PROMPT = "> "
THOUGHTS_STYLE, MESSAGE_STYLE = "dim italic", "bold"


def typed_so_far() -> str:
    """The line that the user is typing, as far as it goes."""
    readline = sys.modules.get("readline")
    return str(readline.get_line_buffer()) if readline else ""


@dataclass
class StreamedStep:
    """What was shown of a step while the model wrote it; `message_id` is that of its pieces."""

    message_id: str | None = None
    thoughts: str = ""
    message: str = ""


class ChatView:
    """Messages in bold, inner thoughts dimmed, calls in one line; on a terminal, streamed as the model writes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.console = Console()
        self.listens = self.console.is_terminal
        self.step = StreamedStep()
        self.line_is_open = self.asks = False

    def opening(self, last_messages: Sequence[Event]) -> None:
        """Show the last messages; for a new agent, how to begin."""
        for event in last_messages:
            self._print(f"{self._speaker(event)}: {cut_to(event.said, 60)}", "dim")
        if not last_messages:
            self._print(f"{self.name} is a new agent. /help lists the commands.", "dim")

    def event(self, event: Event) -> None:
        """Show one event of a turn; of a call that was streamed, only what was not shown yet."""
        if event.kind in ("system", "timer", "upload"):
            self._print(f"[{event.kind}] {cut_to(event.text, 60)}", "yellow")
        elif event.kind == "call" and event.result is None:
            if self.step.thoughts.strip() != event.text:
                self._print(event.text, THOUGHTS_STYLE)
        elif event.kind == "call":
            streamed, self.step = self.step.message, StreamedStep()
            if event.function != SPEAKS or event.failed:
                self._print_call(event)
            elif streamed != event.said:
                self._print(event.said, MESSAGE_STYLE)
            self.end_line()

    def _print_call(self, event: Event) -> None:
        """Print a call with the first line of its result; on a terminal in one line, unless it failed."""
        outcome = cut_to(str(event.result).partition("\n")[0], RESULT_WORDS)
        line = Text(f"{call_line(event, ARGUMENT_WORDS)} → {outcome}", style="red" if event.failed else "dim")
        self.end_line()
        whole = not self.console.is_terminal
        self.console.print(line, no_wrap=not (whole or event.failed), overflow="ellipsis", soft_wrap=whole)

    def heard(self, piece: BaseMessage) -> None:
        """Show a piece of a step while the model writes it."""
        if piece.id != self.step.message_id:
            self.end_line()
            self.step = StreamedStep(piece.id)
        thoughts, message = str(piece.additional_kwargs.get(THOUGHTS, "")), str(piece.text)
        self._print(thoughts, THOUGHTS_STYLE, open_line=True)
        if message and not self.step.message:
            self.end_line()
        self._print(message, MESSAGE_STYLE, open_line=True)
        self.step.thoughts += thoughts
        self.step.message += message

    @contextmanager
    def prompting(self) -> Iterator[None]:
        """While the user is asked for a line; output meanwhile begins on a line of its own."""
        self.asks = self.line_is_open = True
        try:
            yield
        finally:
            self.asks = self.line_is_open = False

    def woken(self) -> None:
        """A timer's turn is over: show again what the user was typing."""
        if self.asks and not self.line_is_open:
            self._print(PROMPT + typed_so_far(), open_line=True)

    def end_line(self) -> None:
        """Let the next output begin on a new line."""
        if self.line_is_open:
            self.line_is_open = False
            self.console.print()

    def memory(self, life: AgentState | None) -> None:
        """Show the working context and the sizes of the storages."""
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
        """Show the results of a search of recall storage."""
        self._print(f"{total:,} found" + (f", the best {len(events)}:" if total > len(events) else "."), "dim")
        for event in events:
            self._print(f"{event.at[:16].replace('T', ' ')} {self._speaker(event)}: {cut_to(event.said, 60)}")

    def undone(self, taken_back: Sequence[IncomingEvent]) -> None:
        """Show which turns were undone, the user's first."""
        if not taken_back:
            self._print("There is nothing to undo.", "yellow")
            return
        kinds = [event["kind"] for event in taken_back[1:]]
        later = f", and the turns since: {len(kinds)} ({', '.join(sorted({*kinds}))})" if kinds else ""
        self._print(f"Undone: {cut_to(taken_back[0].get('text') or 'the upload', 60)}{later}", "yellow")

    def help(self, text: str) -> None:
        """Show the commands."""
        self._print(text, "dim")

    def warn(self, line: str) -> None:
        """Print a line on standard error."""
        self.end_line()
        Console(stderr=True).print(Text(line, style="yellow"))

    def _speaker(self, event: Event) -> str:
        return {"user": "you", "call": self.name}.get(event.kind, event.kind)

    def _print(self, text: str, style: str = "", *, open_line: bool = False) -> None:
        """Print a text. With `open_line`, the next text of that kind continues on the same line."""
        if not text:
            return
        if not open_line:
            self.end_line()
        whole = open_line or not self.console.is_terminal  # a program gets lines without wrapping
        self.console.print(Text(text, style=style), end="" if open_line else "\n", soft_wrap=whole)
        self.line_is_open = open_line


class JsonView(ChatView):
    """Each event as one line of JSON, a call once it has run; each command's output as a line of its own."""

    def __init__(self) -> None:
        super().__init__("")
        self.listens = False

    def opening(self, last_messages: Sequence[Event]) -> None:
        """Print nothing: a program needs no opening."""

    def event(self, event: Event) -> None:
        """Print one event."""
        if event.kind != "call" or event.result is not None:
            self._line({"event": asdict(event)})

    def memory(self, life: AgentState | None) -> None:
        """Print the agent's state."""
        self._line({"memory": life})

    def found(self, total: int, events: Sequence[Event]) -> None:
        """Print the results of a search."""
        self._line({"found": [asdict(event) for event in events], "total": total})

    def undone(self, taken_back: Sequence[IncomingEvent]) -> None:
        """Print which turns were undone."""
        self._line({"undone": taken_back})

    def help(self, text: str) -> None:
        """Print the commands."""
        self._line({"help": text})

    def _line(self, value: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()
