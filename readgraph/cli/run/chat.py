"""`chat`: talk with an agent, on a terminal or with lines from standard input."""

import importlib
import re
import shlex
import signal
import sys
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from readgraph.cli.run.documents import store_source
from readgraph.cli.terminal.chat_view import PROMPT, ChatView, JsonView
from readgraph.cli.terminal.output_options import person_types
from readgraph.graphs.mem_gpt_conversation import Conversation
from readgraph.models.clients import HOW_TO_NAME
from readgraph.sources import SourceText, load
from readgraph.state.agents import proper_name
from readgraph.state.background import background
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.library import open_library_in_background
from readgraph.state.living import IncomingEvent

HELP = """/memory          the working context, and how much the agent remembers
/search WORDS    what was said about something
/upload FILE     give the agent a file
/undo            take back what you said or uploaded last, with all that came of it
/quit            leave; the agent stays"""

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

T = TypeVar("T")


def talk(
    agent: str, every: tuple[str, str] | None, context: ReaderContext, folder: Path | None, *, as_json: bool
) -> None:
    """Talk until the input ends. Raises `BadInput` where no model is named, or nobody to talk with."""
    agent = proper_name(agent)
    if not context.model:
        raise BadInput(f"A chat needs a model. Give --model, or set READGRAPH_MODEL: {HOW_TO_NAME}")
    wake = (seconds_of(every[0]), every[1]) if every else None
    if wake and not wake[1].strip():
        raise BadInput("The timer has no prompt: say what the agent shall do, such as --every 10m 'What is open?'")
    view = JsonView() if as_json else ChatView(agent)
    with stopping_once(), open_library_in_background(folder) as library, warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: view.warn(str(message))
        conversation = Conversation(library, agent, context, view)
        waking = None
        try:
            view.opening(_run(conversation.open))
            _finish(conversation, view)
            waking = background().start_task_soon(conversation.wake, *wake) if wake else None
            _converse(conversation, view)
        finally:
            if waking:
                waking.cancel()
            _run(conversation.close)
            view.end_line()


@contextmanager
def stopping_once() -> Iterator[None]:
    """Ctrl-C stops the chat; another one would break off what closes it, and is passed over."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    yield
    signal.signal(signal.SIGINT, before)


def seconds_of(time: str) -> float:
    """The seconds of a time such as 30s, 10m, 2h, 1d."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", time.strip())
    if not found or not float(found[1]):
        raise BadInput(f"'{time}' is no time: write 30s, 10m, 2h or 1d.")
    return float(found[1]) * SECONDS[found[2]]


def _converse(conversation: Conversation, view: ChatView) -> None:
    for line in _lines(view):
        try:
            if line in ("/quit", "/exit"):
                return
            if line.startswith("/") and "\n" not in line:  # several pasted lines are a message, however they begin
                _command(conversation, view, *line[1:].partition(" ")[::2])
            elif line:
                _run(conversation.receive, IncomingEvent(kind="user", text=line))
        except ReadgraphError as problem:
            if not person_types():
                raise
            view.warn(str(problem))  # a person sees it and goes on; a broken turn is finished with the next one


def _finish(conversation: Conversation, view: ChatView) -> None:
    """Go on with a turn that was broken off; where that fails, a person may still take it back."""
    try:
        _run(conversation.finish)
    except ReadgraphError as problem:
        if not person_types():
            raise
        view.warn(f"{problem} /undo takes back the turn that waits to be finished.")


def _command(conversation: Conversation, view: ChatView, name: str, rest: str) -> None:
    rest = rest.strip()
    if name == "memory":
        view.memory(_run(conversation.life))
    elif name == "search" and rest:
        view.found(*_run(conversation.search, rest))
    elif name == "upload" and rest:
        _run(_upload, conversation, load(_path(rest)))
    elif name == "undo":
        view.undone(_run(conversation.undo))
    else:
        known = name in ("help", "search", "upload")
        view.help(HELP if known else f"There is no /{name}, and nothing was sent.\n{HELP}")


def _path(typed: str) -> Path:
    """A path as it stands, or quoted as for a shell, which is how a terminal puts in a file that is dropped on it."""
    path = Path(typed).expanduser()
    with suppress(ValueError):
        path = path if path.exists() else Path(" ".join(shlex.split(typed))).expanduser()
    return path


async def _upload(conversation: Conversation, source: SourceText) -> None:
    document = await store_source(conversation.library, source)
    await conversation.upload(document.id)


def _run(work: Callable[..., Awaitable[T]], *given: Any) -> T:
    """Run in the background event loop; Ctrl-C stops the work too."""
    running: Any = background().start_task_soon(work, *given)
    try:
        result: T = running.result()
        return result
    except KeyboardInterrupt:
        running.cancel()
        raise


def _lines(view: ChatView) -> Iterator[str]:
    """What is typed; of standard input that is no terminal, its lines."""
    if not person_types():
        yield from (line.strip() for line in sys.stdin or ())
        return
    with suppress(ImportError):  # line editing, a history, and pasted lines as one message
        importlib.import_module("readline").parse_and_bind("set enable-bracketed-paste on")
    while True:
        try:
            with view.prompting():
                line = input(PROMPT)
        except EOFError:
            return
        yield line.strip()
