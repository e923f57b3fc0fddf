"""The log of a command: its beginning, what is told in it, and its end."""

import logging
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readgraph.state.logs import (
    ERROR,
    INFO,
    LOGGER,
    OF_FILE,
    OF_RUN,
    STANDARD_ERROR,
    LogFile,
    RunUsage,
    current_run,
    fault,
    log,
    log_run_end,
    use_run,
)

if TYPE_CHECKING:
    from readgraph.corpus.worker import CorpusLine

STOPPED = 130
"""Exit code of Ctrl-C."""

_log = logging.getLogger(LOGGER)


@dataclass
class _CommandLog:
    """A log that is written, and the run that it is about."""

    file: LogFile
    run: RunUsage
    began: float
    level: int

    def __post_init__(self) -> None:
        self.within = use_run(self.run)
        self.within.__enter__()  # until the command ends: what it does runs in this context
        self.before = {name: os.environ.get(name) for name in (OF_FILE, OF_RUN)}
        file = self.file.file
        where = file if file == STANDARD_ERROR else os.path.abspath(os.path.expanduser(file))
        os.environ.update({OF_FILE: where, OF_RUN: self.run.id})

    def close(self) -> None:
        """Leave all as it was before."""
        self.within.__exit__(None, None, None)
        for name, value in self.before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
        _log.removeHandler(self.file)
        _log.setLevel(self.level)
        self.file.close()


_begun: list[_CommandLog] = []


def begin_log(file: str, command: str) -> None:
    """Append what the command does to this file from now on. Raises `BadInput` where it can't be written."""
    if _begun:  # a group of commands is asked before its command
        return
    written = LogFile(file)
    _log.addHandler(written)
    _begun.append(_CommandLog(written, RunUsage(about={"command": command}), time.perf_counter(), _log.level))
    _log.setLevel(INFO)
    log("run_begun")


def log_of_command() -> RunUsage | None:
    """The run of the command, if it has a log."""
    return _begun[0].run if _begun else None


def logs_to_standard_error() -> bool:
    """Whether the log is on standard error, where nothing else should be drawn."""
    return any(each.file.file == STANDARD_ERROR for each in _begun)


def log_fault(problem: BaseException) -> None:
    """Tell the error that ends the command."""
    log("error", ERROR, **fault(problem))


def log_price(price: tuple[float, float] | None) -> None:
    """Costs are told at this price from now on."""
    if price and (run := current_run()):
        run.price = price


def log_document(line: "CorpusLine") -> None:
    """Tell of a document that a worker has read, and count what it used: workers tell only their own calls."""
    used = line["usage"]
    sums = {
        "calls": used["calls"],
        "recorded": used["cached_calls"],
        "refused": used["refused"],
        "tokens_in": used["input_tokens"],
        "tokens_out": used["output_tokens"],
    }
    if run := current_run():
        run.count(**sums, cost=line["cost"])
    state = "left_out" if not line["document"] else "done" if line["complete"] else "incomplete"
    log("document", document=line["document"], state=state, seconds=used["seconds"], cost=line["cost"], **sums)


def end_log(code: int) -> None:
    """Tell how the command ended, with this exit code, and close its log."""
    state = {0: "done", STOPPED: "stopped"}.get(code, "failed")
    for each in (_begun.pop() for _ in range(len(_begun))):
        log_run_end(each.run, each.began, state=state, exit_code=code)
        each.close()
