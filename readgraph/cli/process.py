"""The process of a command: Ctrl-C is one line while what it needs is imported, and its time counts from its start."""

import os
import signal
import time
from pathlib import Path
from types import FrameType

STOPPED = 130  # exit code of Ctrl-C
_begun: list[float] = []


def begin_command() -> None:
    """The command begins: until what it needs is imported, Ctrl-C ends the process at once."""
    _begun.append(time.monotonic() - _seconds_of_process())
    for each in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(each) in (signal.default_int_handler, signal.SIG_DFL):  # a shell's background ignores it
            signal.signal(each, _stop_at_once)


def _stop_at_once(number: int, _: FrameType | None) -> None:
    """End the process: nothing is open yet."""
    os.write(2, b"readgraph: stopped.\n")
    os._exit(STOPPED)


def begin_work() -> None:
    """The command's own function begins: from now on Ctrl-C interrupts it, and it ends in order."""
    if signal.getsignal(signal.SIGINT) is _stop_at_once:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupt the command; among imports end the process, since an error there could be lost, or be told as theirs.

    A command imports what it needs in its body, so that the help of all commands waits for none of it.
    """
    here = frame
    while here:
        if here.f_code.co_filename == "<frozen importlib._bootstrap>":
            _stop_at_once(number, frame)
        here = here.f_back
    signal.default_int_handler(number, frame)


def command_seconds() -> float | None:
    """How long the process has run; None where the command was called within another program."""
    return time.monotonic() - _begun[0] if _begun else None


def _seconds_of_process() -> float:
    """How long ago the process began, as far as the system tells: before that, Python itself was loaded."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, AttributeError):
        return 0.0
