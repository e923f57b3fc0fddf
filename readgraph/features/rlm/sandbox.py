"""Run a program that a model wrote, in a process of its own (`sandbox_process`, the extra `rlm`), and what it asks.

The process has nothing but the text and the program: no key, no setting. It is ended where the engine's own bound of
time doesn't hold, as within one long search for a pattern; else it waits for the next program.
"""

import asyncio
import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from readgraph.library.stored_items import replace_surrogates
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.loops import all_finished

SECONDS = 10.0  # of a program's own time, from its start or from the replies that it waited for
GRACE = 5.0  # seconds after which the process is ended, where the engine did not stop by itself
MOST_REFUSED = 100  # calls that were refused after which a program that makes further ones is ended
LARGE = 5_000_000  # characters of a text after which the process is not kept for the next program


class SubCallRefused(ReadgraphError):
    """A call that a program may not make; the program is told why, and may go on."""


Ask = Callable[[str, str], Awaitable[str | None]]
"""Asks a model a question about a piece; raises `SubCallRefused` for one that can't be asked."""


@dataclass
class ProgramEnd:
    """What came of a program: what it showed and kept (JSON), why it ended early, and its answer.

    `finished`: it gave an answer, or None for none; `quotes`: what it named as the text's own words.
    """

    kept: str
    shown: str = ""
    fault: str = ""
    finished: bool = False
    answer: str | None = None
    quotes: list[str] = field(default_factory=list)


def check_sandbox() -> None:
    """Raise `BadInput` where the engine is not installed, before anything is paid for."""
    if not find_spec("quickjs_rs"):
        raise BadInput("The method rlm runs programs, which needs one more package: pip install 'readgraph[rlm]'.")


async def run_program(program: str, text: str, kept: str, ask: Ask) -> ProgramEnd:
    """Run a program over a text.

    Args:
        program: JavaScript, as the body of an async function.
        text: What it finds as `text`.
        kept: What earlier programs left in `kept`, as JSON.
        ask: Answers its sub-calls, those that it makes together at the same time. Its errors end the program.

    Raises:
        BadInput: If the engine is not installed.
    """
    await asyncio.to_thread(check_sandbox)
    replies = dict[tuple[str, str], tuple[str | None, str]]()
    async with _engine(text) as engine:
        while True:
            answered = [[*asked, *reply] for asked, reply in replies.items()]
            order = {"program": program, "kept": kept, "replies": answered, "seconds": SECONDS}
            ran = await asyncio.to_thread(engine.run, order)
            if ran is None:
                slow = f"it took more than {SECONDS:g} seconds of its own time"
                return ProgramEnd(
                    kept, fault=slow if engine.is_over else "it took too much memory, or broke the engine"
                )
            if ran["finished"] or not ran["asked"]:
                answer, quotes = ran["finished"] or (None, [])
                return ProgramEnd(ran["kept"], ran["shown"], ran["fault"], bool(ran["finished"]), answer, quotes)
            if sum(bool(refused) for _, refused in replies.values()) > MOST_REFUSED:
                return ProgramEnd(ran["kept"], ran["shown"], "it asked again and again what it may not ask")
            new = [*dict.fromkeys((question, piece) for question, piece in ran["asked"])]
            replies |= zip(new, await all_finished(_reply(ask, *asked) for asked in new), strict=True)


async def _reply(ask: Ask, question: str, piece: str) -> tuple[str | None, str]:
    """The reply, and why the call was refused."""
    try:
        return await ask(question, piece), ""
    except SubCallRefused as refusal:
        return None, str(refusal)


class _Engine:
    """A child process that runs programs, one after the other."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "readgraph.features.rlm.sandbox_process"]
        environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "SYSTEMROOT") if name in os.environ}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self.owner = os.getpid()
        self.text: str | None = None  # of the programs that come, until it is sent
        self.is_over = False  # it was ended since a program took too long

    def run(self, order: dict[str, Any]) -> dict[str, Any] | None:
        """What came of a program; None where the process has ended, and can run no other."""
        sent = order if self.text is None else {**order, "text": self.text}
        stopping = threading.Timer(SECONDS + GRACE, self._stop)
        stopping.start()
        try:
            assert self.process.stdin and self.process.stdout
            self.process.stdin.write(json.dumps(sent).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = b""
        finally:
            stopping.cancel()
            stopping.join()  # from here on it ends nothing
        self.text = None
        if self.is_over or not line.endswith(b"\n"):
            self.end()
            return None
        return dict(replace_surrogates(json.loads(line)))

    def _stop(self) -> None:
        self.is_over = True
        self.process.kill()

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        with suppress(OSError):
            self.process.communicate()


_waiting: list[_Engine] = []  # at most one process that waits for its next program


@atexit.register
def _end_waiting() -> None:
    """End the process that waits, before this one ends."""
    for engine in _waiting:
        if engine.owner == os.getpid():
            engine.end()


@asynccontextmanager
async def _engine(text: str) -> AsyncIterator[_Engine]:
    """A process with this text, started and ended off the loop; it is ended where it may still run a program."""
    engine = await asyncio.to_thread(_take_engine)
    engine.text = text
    try:
        yield engine
    except BaseException:
        await asyncio.to_thread(engine.end)
        raise
    if _waiting or len(text) > LARGE or engine.process.poll() is not None:
        await asyncio.to_thread(engine.end)
    else:
        _waiting.append(engine)


def _take_engine() -> _Engine:
    """The process that waits, or a new one."""
    with suppress(IndexError):  # in another thread another program may take it
        engine = _waiting.pop()
        if engine.owner == os.getpid() and engine.process.poll() is None:
            return engine
    return _Engine()
