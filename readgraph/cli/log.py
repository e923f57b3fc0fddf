"""The log of a command: its beginning, what is told in it, and its end."""

import logging
import os
import time
from contextlib import ExitStack
from typing import NamedTuple

from readgraph.cli.process import STOPPED
from readgraph.state import logs

_log = logging.getLogger(logs.LOGGER)


class _CommandLog(NamedTuple):
    """A log that is written, the run that it is about, its beginning, and how all is left as it was before."""

    file: str
    run: logs.RunUsage
    began: float
    closing: ExitStack


_begun: list[_CommandLog] = []


def begin_log(file: str, command: str) -> None:
    """Append what the command does to this file from now on. Raises `BadInput` where it can't be written."""
    if _begun:  # a group of commands is asked before its command
        return
    written, run, closing = logs.LogFile(file), logs.RunUsage(about={"command": command}), ExitStack()
    closing.callback(written.close)
    closing.callback(_log.setLevel, _log.level)
    closing.callback(_log.removeHandler, written)
    _log.addHandler(written)
    where = file if file == logs.STANDARD_ERROR else os.path.abspath(os.path.expanduser(file))
    for name, value in ((logs.OF_FILE, where), (logs.OF_RUN, run.id)):
        closing.callback(_set_variable, name, os.environ.get(name))
        os.environ[name] = value
    closing.enter_context(logs.use_run(run))  # until the command ends: what it does runs in this context
    _begun.append(_CommandLog(file, run, time.perf_counter(), closing))
    _log.setLevel(logs.INFO)
    logs.log("run_begun")


def _set_variable(name: str, value: str | None) -> None:
    os.environ.pop(name)
    if value is not None:
        os.environ[name] = value


def log_of_command() -> logs.RunUsage | None:
    """The run of the command, if it has a log."""
    return _begun[0].run if _begun else None


def logs_to_standard_error() -> bool:
    """Whether the log is on standard error, where nothing else should be drawn."""
    return any(command_log.file == logs.STANDARD_ERROR for command_log in _begun)


def log_fault(problem: BaseException) -> None:
    """Tell the error that ends the command."""
    logs.log("error", logs.ERROR, **logs.fault(problem))


def log_price(price: tuple[float, float] | None) -> None:
    """Costs are told at this price from now on."""
    if price and (run := logs.current_run()):
        run.price = price


def end_log(code: int) -> None:
    """Tell how the command ended, with this exit code, and close its log."""
    state = {0: "done", STOPPED: "stopped"}.get(code, "failed")
    while _begun:
        ended = _begun.pop()
        logs.log_run_end(ended.run, ended.began, state=state, exit_code=code)
        ended.closing.close()
