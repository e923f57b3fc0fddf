"""The command in processes of its own, forked from one in which its modules are imported already, since importing them
takes longer than most of what a test makes such a process do. The processes can be killed like any other.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

_forking: Any = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
)
_forking.set_forkserver_preload(
    [
        "readgraph.cli.main",
        "readgraph.features.agents.chat",
        "readgraph.cli.run.read",
        "readgraph.features.agents.mem_gpt",
        "readgraph.graphs.read_agent",
        "readgraph.models.openai.chat",
        "openai.resources.chat",
    ]
)


def forked(
    *arguments: object,
    said: str | Path = os.devnull,
    out: str | Path = os.devnull,
    first: Callable[[], None] | None = None,
) -> BaseProcess:
    """Start the command in a process of its own, with these files, or named pipes, as standard input and output.

    `first` is called there before the command.
    """
    given = ([*map(str, arguments)], dict(os.environ), str(said), str(out), first)
    process: BaseProcess = _forking.Process(target=_command, args=given)
    process.start()
    return process


def ended(process: BaseProcess) -> int | None:
    """The exit code of a process that ends by itself or is killed; a negative code is the signal's number."""
    process.join(60)
    return process.exitcode


def _command(
    arguments: Sequence[str], environment: Mapping[str, str], said: str, out: str, first: Callable[[], None] | None
) -> None:
    from readgraph.cli.main import run

    os.environ.clear()
    os.environ.update(environment)
    for stream, name, flags in ((sys.stdin, said, os.O_RDONLY), (sys.stdout, out, os.O_WRONLY)):
        os.dup2(os.open(name, flags), stream.fileno())
    sys.stdin, sys.stdout = os.fdopen(sys.stdin.fileno()), os.fdopen(sys.stdout.fileno(), "w")  # a pipe is no file
    sys.argv = ["readgraph", *arguments]
    if first:
        first()
    run()


def forked_call(function: Callable[..., object], *arguments: object) -> BaseProcess:
    """Run a function of a test module in a process of its own."""
    process: BaseProcess = _forking.Process(target=function, args=arguments)
    process.start()
    return process
