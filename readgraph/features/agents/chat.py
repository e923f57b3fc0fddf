"""`chat`: talk with an agent on a terminal, or send it lines from standard input, and see what it does."""

import importlib
import json
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage

from readgraph.api.documents import store_source
from readgraph.cli.terminal.doing import end_line
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import allow_one_stop, can_ask_user
from readgraph.features.agents.conversation import Audience, Conversation
from readgraph.features.agents.memory import call_line, cut_to, size_of
from readgraph.features.agents.state import AgentState, IncomingEvent
from readgraph.features.agents.store import SPEAKS, Event, proper_name
from readgraph.library.address import LibraryPlace
from readgraph.library.opening import open_library_in_background
from readgraph.models.names import HOW_TO_NAME
from readgraph.models.streaming import THOUGHTS
from readgraph.sources import load
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.loops import background, in_background

ARGUMENT_WORDS, RESULT_WORDS = 8, 12
PROMPT = "> "
THOUGHTS_STYLE, MESSAGE_STYLE = "dim italic", "bold"


def current_line() -> str:
    """The line that the user is typing, as far as it goes."""
    readline = sys.modules.get("readline")
    return str(readline.get_line_buffer()) if readline else ""


@dataclass
class StreamedStep:
    """What was shown of a step while the model wrote it; `message_id` is that of its pieces."""

    message_id: str | None = None
    thoughts: str = ""
    message: str = ""


class ChatView(Audience):
    """Messages in bold, inner thoughts dimmed, calls in one line; on a terminal, streamed as the model writes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.console = Console()
        self.listens = self.console.is_terminal
        self.step = StreamedStep()
        self.line_is_open = self.asks = False

    def show_opening(self, last_messages: Sequence[Event]) -> None:
        """Show the last messages; for a new agent, how to begin."""
        for event in last_messages:
            self._print(f"{self._speaker(event)}: {cut_to(event.spoken_text, 60)}", "dim")
        if not last_messages:
            self._print(f"{self.name} is a new agent. /help lists the commands.", "dim")

    def event(self, event: Event) -> None:
        """Show one event of a turn; of a call that was streamed, only what was not shown yet."""
        if event.kind in ("system", "timer", "upload"):
            self._print(f"[{event.kind}] {cut_to(event.text, 60)}", "yellow")
        elif event.kind == "call" and event.result is None:
            if self.step.thoughts.strip() != event.text and event.text:
                # Without a terminal there is no style by which a reader could tell thoughts from what is said.
                self._print(event.text if self.console.is_terminal else f"(thinks: {event.text})", THOUGHTS_STYLE)
        elif event.kind == "call":
            streamed, self.step = self.step.message, StreamedStep()
            if event.function != SPEAKS or event.failed:  # with the first line of its result
                outcome = cut_to(str(event.result).partition("\n")[0], RESULT_WORDS)
                line = f"{call_line(event, ARGUMENT_WORDS)} → {outcome}"
                self.end_line()
                whole = not self.console.is_terminal
                style, cut = "red" if event.failed else "dim", not (whole or event.failed)
                self.console.print(SafeText(line, style=style), no_wrap=cut, overflow="ellipsis", soft_wrap=whole)
            elif streamed != event.spoken_text:
                self._print(event.spoken_text, MESSAGE_STYLE)
            self.end_line()

    def show_piece(self, piece: BaseMessage) -> None:
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
    def prompt_user(self) -> Iterator[None]:
        """While the user is asked for a line; output meanwhile begins on a line of its own."""
        self.asks = self.line_is_open = True
        try:
            yield
        finally:
            self.asks = self.line_is_open = False

    def note_timer_end(self) -> None:
        """A timer's turn is over: show again what the user was typing."""
        if self.asks and not self.line_is_open:
            self._print(PROMPT + current_line(), open_line=True)

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

    def show_results(self, total: int, events: Sequence[Event]) -> None:
        """Show the results of a search of recall storage."""
        self._print(f"{total:,} found" + (f", the best {len(events)}:" if total > len(events) else "."), "dim")
        for event in events:
            self._print(f"{event.at[:16].replace('T', ' ')} {self._speaker(event)}: {cut_to(event.spoken_text, 60)}")

    def show_undone(self, taken_back: Sequence[IncomingEvent]) -> None:
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
        Console(stderr=True).print(SafeText(line, style="yellow"))

    def _speaker(self, event: Event) -> str:
        return {"user": "you", "call": self.name}.get(event.kind, event.kind)

    def _print(self, text: str, style: str = "", *, open_line: bool = False) -> None:
        """Print a text. With `open_line`, the next text of that kind continues on the same line."""
        if not text:
            return
        if not open_line:
            self.end_line()
        whole = open_line or not self.console.is_terminal  # a program gets lines without wrapping
        self.console.print(SafeText(text, style=style), end="" if open_line else "\n", soft_wrap=whole)
        self.line_is_open = open_line


class JsonView(ChatView):
    """Each event as one line of JSON, a call once it has run; each command's output as a line of its own."""

    def __init__(self) -> None:
        super().__init__("")
        self.listens = False

    def show_opening(self, last_messages: Sequence[Event]) -> None:
        """Print nothing: a program needs no opening."""

    def event(self, event: Event) -> None:
        """Print one event."""
        if event.kind != "call" or event.result is not None:
            self._line({"event": asdict(event)})

    def memory(self, life: AgentState | None) -> None:
        """Print the agent's state."""
        self._line({"memory": life})

    def show_results(self, total: int, events: Sequence[Event]) -> None:
        """Print the results of a search."""
        self._line({"found": [asdict(event) for event in events], "total": total})

    def show_undone(self, taken_back: Sequence[IncomingEvent]) -> None:
        """Print which turns were undone."""
        self._line({"undone": taken_back})

    def help(self, text: str) -> None:
        """Print the commands."""
        self._line({"help": text})

    def _line(self, value: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()


HELP = """/memory          the working context, and how much the agent remembers
/search WORDS    search the conversation
/upload FILE     give the agent a file
/undo            undo your last message or upload, with everything that followed
/quit            leave; the agent stays"""

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def talk(
    agent: str, every: tuple[str, str] | None, context: ReaderContext, library: LibraryPlace | None, *, as_json: bool
) -> None:
    """Talk until the input ends. Raises `BadInput` where the model or the agent's name is missing."""
    agent = proper_name(agent)
    if not context.model:
        raise BadInput(f"A chat needs a model. Give --model, or set READGRAPH_MODEL: {HOW_TO_NAME}")
    wake = (seconds_of(every[0]), every[1]) if every else None
    if wake and not wake[1].strip():
        raise BadInput("The timer has no prompt: give one, such as --every 10m 'What is open?'")
    view = JsonView() if as_json else ChatView(agent)
    with allow_one_stop(), open_library_in_background(library) as opened, warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: view.warn(str(message))
        conversation = Conversation(opened, agent, context, view)
        waking = None
        try:
            view.show_opening(in_background(conversation.open))
            try:
                in_background(conversation.finish)
            except ReadgraphError as problem:  # the user can still undo the interrupted turn
                if not can_ask_user():
                    raise
                view.warn(f"{problem} /undo removes the unfinished turn.")
            waking = background().start_task_soon(conversation.wake, *wake) if wake else None
            _converse(conversation, view)
        finally:
            if waking:
                waking.cancel()
            in_background(conversation.close)
            view.end_line()


def seconds_of(time: str) -> float:
    """The seconds of an interval such as 30s, 10m, 2h, 1d."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", time.strip())
    if not match or not float(match[1]):
        raise BadInput(f"'{time}' is not a time: write 30s, 10m, 2h or 1d.")
    return float(match[1]) * SECONDS[match[2]]


def _converse(conversation: Conversation, view: ChatView) -> None:
    for line in _lines(view):
        try:
            if line in ("/quit", "/exit"):
                return
            if line.startswith("/") and "\n" not in line:  # several pasted lines are always a message
                _command(conversation, view, *line[1:].partition(" ")[::2])
            elif line:
                in_background(conversation.receive, IncomingEvent(kind="user", text=line))
        except ReadgraphError as problem:
            if not can_ask_user():
                raise
            view.warn(str(problem))  # the user sees it and continues; the next turn first finishes a broken one


def _command(conversation: Conversation, view: ChatView, name: str, argument: str) -> None:
    argument = argument.strip()
    if name == "memory":
        view.memory(in_background(conversation.life))
    elif name == "search" and argument:
        view.show_results(*in_background(conversation.search, argument))
    elif name == "upload" and argument:
        # A typed path, plain or quoted as for a shell, as terminals insert a file that is dropped on them.
        path = Path(argument).expanduser()
        with suppress(ValueError):
            path = path if path.exists() else Path(" ".join(shlex.split(argument))).expanduser()
        document = in_background(store_source, conversation.library.pages, load(path))
        for notice in document.notices:
            view.warn(notice)
        in_background(conversation.upload, document.id)
    elif name == "undo":
        view.show_undone(in_background(conversation.undo))
    else:
        known = name in ("help", "search", "upload")
        view.help(HELP if known else f"There is no command /{name}; nothing was sent.\n{HELP}")


def _lines(view: ChatView) -> Iterator[str]:
    """The lines that are typed, or the lines of standard input if it is not a terminal."""
    if not can_ask_user():
        yield from (line.strip() for line in sys.stdin or ())
        return
    with suppress(ImportError):  # line editing, a history, and pasted lines as one message
        importlib.import_module("readline").parse_and_bind("set enable-bracketed-paste on")
    while True:
        try:
            with view.prompt_user():
                end_line()
                line = input(PROMPT)
        except EOFError:
            return
        yield line.strip()
