"""`chat`: talk with an agent on a terminal, or send it lines from standard input."""

import importlib
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from readgraph.cli.run.stopping import stopping_once
from readgraph.cli.terminal.chat_view import PROMPT, ChatView, JsonView
from readgraph.cli.terminal.output_options import person_types
from readgraph.graphs.mem_gpt_conversation import Conversation
from readgraph.models.clients.model_client import HOW_TO_NAME
from readgraph.sources import SourceText, load
from readgraph.state.agents import proper_name
from readgraph.state.channels.living import IncomingEvent
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library_in_background
from readgraph.state.running.background import background, in_background
from readgraph.tools.documents import store_source

HELP = """/memory          the working context, and how much the agent remembers
/search WORDS    search the conversation
/upload FILE     give the agent a file
/undo            undo your last message or upload, with everything that followed
/quit            leave; the agent stays"""

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def talk(
    agent: str, every: tuple[str, str] | None, context: ReaderContext, folder: LibraryPlace | None, *, as_json: bool
) -> None:
    """Talk until the input ends. Raises `BadInput` where the model or the agent's name is missing."""
    agent = proper_name(agent)
    if not context.model:
        raise BadInput(f"A chat needs a model. Give --model, or set READGRAPH_MODEL: {HOW_TO_NAME}")
    wake = (seconds_of(every[0]), every[1]) if every else None
    if wake and not wake[1].strip():
        raise BadInput("The timer has no prompt: give one, such as --every 10m 'What is open?'")
    view = JsonView() if as_json else ChatView(agent)
    with stopping_once(), open_library_in_background(folder) as library, warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: view.warn(str(message))
        conversation = Conversation(library, agent, context, view)
        waking = None
        try:
            view.opening(in_background(conversation.open))
            _finish(conversation, view)
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
            if not person_types():
                raise
            view.warn(str(problem))  # the user sees it and continues; the next turn first finishes a broken one


def _finish(conversation: Conversation, view: ChatView) -> None:
    """Finish an interrupted turn; if that fails, the user can still undo it."""
    try:
        in_background(conversation.finish)
    except ReadgraphError as problem:
        if not person_types():
            raise
        view.warn(f"{problem} /undo removes the unfinished turn.")


def _command(conversation: Conversation, view: ChatView, name: str, argument: str) -> None:
    argument = argument.strip()
    if name == "memory":
        view.memory(in_background(conversation.life))
    elif name == "search" and argument:
        view.found(*in_background(conversation.search, argument))
    elif name == "upload" and argument:
        in_background(_upload, conversation, load(_path(argument)))
    elif name == "undo":
        view.undone(in_background(conversation.undo))
    else:
        known = name in ("help", "search", "upload")
        view.help(HELP if known else f"There is no command /{name}; nothing was sent.\n{HELP}")


def _path(typed: str) -> Path:
    """A typed path, plain or quoted as for a shell, as terminals insert a file that is dropped on them."""
    path = Path(typed).expanduser()
    with suppress(ValueError):
        path = path if path.exists() else Path(" ".join(shlex.split(typed))).expanduser()
    return path


async def _upload(conversation: Conversation, source: SourceText) -> None:
    document = await store_source(conversation.library.pages, source)
    await conversation.upload(document.id)


def _lines(view: ChatView) -> Iterator[str]:
    """The lines that are typed, or the lines of standard input if it is not a terminal."""
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
