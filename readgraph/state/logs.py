"""The run in hand, and what it does, as records of Python's logger "readgraph" with their fields in `extra`.

Records hold names, numbers and times: never a text, a prompt, a reply, a question, a title or a key. A command is a
run, and so is each run of a server, and a graph that is called from Python, outside of any.
"""

import json
import logging
import os
import stat
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from readgraph.state.errors import BadInput, NoUsableReply, ReadgraphError
from readgraph.state.files import open_without_waiting
from readgraph.state.variables import is_silent, set_variable

__all__ = ["JsonLines"]

SUMS = ("calls", "recorded", "refused", "failed", "waits", "fallbacks", "tokens_in", "tokens_out", "cost")
"""What is summed up over a run: `cost` in dollars, of the calls whose price is known."""

_counting = threading.Lock()


@dataclass
class RunUsage:
    """One run, or a part of one, with the same id; what it uses counts into the one around it, `outer`."""

    id: str = field(default_factory=lambda: uuid4().hex[:12])
    about: dict[str, Any] = field(default_factory=dict)  # told with each event
    price: tuple[float, float] | None = None  # dollars per million tokens in and out, where one was given
    outer: "RunUsage | None" = None
    status: str = ""  # of the newest reading in it
    sums: dict[str, float] = field(default_factory=dict)

    def count(self, **used: float | None) -> None:
        """Add to the sums; from any thread."""
        with _counting:
            for name, value in used.items():
                if value:
                    self.sums[name] = self.sums.get(name, 0) + value
        if self.outer:
            self.outer.count(**used)

    def set_status(self, status: str) -> None:
        """Keep the status of its newest reading."""
        self.status = status
        if self.outer:
            self.outer.set_status(status)


_run: ContextVar[RunUsage | None] = ContextVar("readgraph_run", default=None)


def current_run() -> RunUsage | None:
    """The run in hand, if there is one."""
    return _run.get()


def use_run(run: RunUsage) -> AbstractContextManager[Any]:
    """Inside of the `with`, this is the run in hand, in the tasks and threads that begin there too."""
    return set_variable(_run, run)


def new_run_part(**about: str) -> RunUsage:
    """A part of the run in hand, about something more; a run of its own where there is none."""
    outer = _run.get()
    more = {name: value for name, value in about.items() if value}
    return RunUsage(outer.id, {**outer.about, **more}, outer.price, outer) if outer else RunUsage(about=more)


def new_inner_run(identity: str = "", price: tuple[float, float] | None = None, **about: str) -> RunUsage:
    """A run with an id of its own, inside of the one in hand, such as a server's."""
    part = new_run_part(**about)
    part.id = identity or uuid4().hex[:12]
    part.price = price or part.price
    return part


LOGGER = "readgraph"
STANDARD_ERROR = "-"
OF_FILE, OF_RUN = "READGRAPH_LOG_JSON", "READGRAPH_LOG_RUN"  # tell a command's workers of its log
INFO, WARNING, ERROR = logging.INFO, logging.WARNING, logging.ERROR
_log = logging.getLogger(LOGGER)
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def is_log_enabled(level: int = INFO) -> bool:
    """Whether anybody takes records of this level; without a handler nothing is made, or printed."""
    return _log.isEnabledFor(level) and _log.hasHandlers() and not is_silent()


def log(event: str, level: int = INFO, **fields: Any) -> None:
    """Tell an event of the run in hand; fields that are None or "" are left out."""
    if not is_log_enabled(level):
        return
    run = current_run()
    whole = {"event": event, **({"run": run.id, **run.about} if run else {}), **fields}
    shown = {name: value for name, value in whole.items() if value not in (None, "") and name not in _OWN}
    line = " ".join([str(shown["event"]), *(f"{name}={value}" for name, value in shown.items() if name != "event")])
    _log.log(level, "%s", line, extra=shown)


@contextmanager
def log_run(run: RunUsage) -> Iterator[RunUsage]:
    """Inside of the `with` this is the run in hand; its beginning and its end, with what it used, are told."""
    began = time.perf_counter()
    with use_run(run):
        log("run_begun")
        try:
            yield run
        except BaseException as problem:
            log_run_end(run, began, problem)
            raise
        log_run_end(run, began)


def log_run_end(run: RunUsage, began: float, problem: BaseException | None = None, **more: Any) -> None:
    """Tell how the run in hand ended, which began at this time of `perf_counter`; `more` may name another state."""
    state, failed = end_state(problem)
    fields = {"state": state, "status": run.status, "seconds": round(time.perf_counter() - began, 4), **failed, **more}
    sums = {name: round(run.sums[name], 6) for name in SUMS if run.sums.get(name)}  # dollars to a millionth
    log("run_ended", ERROR if fields["state"] == "failed" else INFO, **fields, **sums)


def end_state(problem: BaseException | None) -> tuple[str, dict[str, str]]:
    """How something ended: done, stopped or failed; and of a failure what `fault` tells."""
    if problem is None:
        return "done", {}
    from asyncio import CancelledError  # which the command's help need not wait for

    if isinstance(problem, CancelledError | GeneratorExit | KeyboardInterrupt):
        return "stopped", {}
    return "failed", fault(problem)


def fault(problem: BaseException) -> dict[str, str]:
    """What a log says of an error: its type, and the line of errors in our own words."""
    ours = isinstance(problem, ReadgraphError) and not isinstance(problem, NoUsableReply)  # which quotes replies
    return {"error": type(problem).__name__, **({"problem": " ".join(str(problem).split())} if ours else {})}


def join_log(run: RunUsage) -> RunUsage:
    """In a worker: append to the log of the command that started it, as a part of its run, if there is one."""
    file, identity = os.environ.get(OF_FILE), os.environ.get(OF_RUN)
    if file and identity:
        _log.addHandler(LogFile(file))
        _log.setLevel(INFO)
        run.id = identity
    return run


class JsonLines(logging.Formatter):
    """Records as JSON, one object a line: `time` (UTC), `level`, `event` and the record's fields.

    Of an exception it shows the type and where it was raised, not its text.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        shown: dict[str, Any] = {"time": at, "level": record.levelname.lower()}
        fields = {name: value for name, value in vars(record).items() if name not in _OWN}
        if "event" not in fields:  # another record of the package's
            fields = {"event": "message", "logger": record.name, "message": record.getMessage()}
        if record.exc_info and record.exc_info[1]:
            frames = traceback.extract_tb(record.exc_info[2])[-5:]
            places = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
            fields |= {"error": type(record.exc_info[1]).__name__, "raised_at": places}
        return json.dumps({**shown, **fields}, ensure_ascii=False, default=str)


class LogFile(logging.Handler):
    """Appends records to a file, one JSON object a line; "-" stands for standard error.

    Each is written at once, so that processes can share a file. Raises `BadInput` where it can't be opened.
    """

    def __init__(self, file: str) -> None:
        super().__init__(INFO)
        self.setFormatter(JsonLines())
        self.file, self._descriptor = file, 2 if file == STANDARD_ERROR else -1
        if file == STANDARD_ERROR:
            return
        if not file:
            raise BadInput("The log has no file: name one after --log-json, or - for standard error.")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        try:
            descriptor = open_without_waiting(Path(file).expanduser(), flags, 0o600)
        except OSError as problem:
            raise BadInput(f"The log {file} can't be written: {problem.strerror}.") from None
        kind = os.fstat(descriptor).st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISCHR(kind) or stat.S_ISFIFO(kind)):
            os.close(descriptor)
            raise BadInput(f"The log {file} can't be written: it is no file.")
        self._descriptor = descriptor

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; where that fails, the run goes on without."""
        line = (self.format(record) + "\n").encode("utf-8", "backslashreplace")
        with suppress(OSError):  # such as a full disk
            while line:
                line = line[os.write(self._descriptor, line) :]

    def close(self) -> None:
        """Close the file."""
        if self.file != STANDARD_ERROR and self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        super().close()
