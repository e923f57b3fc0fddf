"""The command in processes of its own that are forked where its modules are there already: importing them takes longer
than most of what a test makes such a process do. They can be killed as any other.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

_forking = multiprocessing.get_context("forkserver")
_forking.set_forkserver_preload(
    [
        "readgraph.cli.main",
        "readgraph.cli.run.chat",
        "readgraph.cli.run.read",
        "readgraph.graphs.mem_gpt",
        "readgraph.graphs.read_agent",
        "readgraph.models.openai_chat",
        "openai.resources.chat",
    ]
)


def forked(*arguments: object, said: str | Path = os.devnull) -> BaseProcess:
    """The command as it begins in a process of its own, which reads its standard input from a file."""
    process = _forking.Process(target=_command, args=([*map(str, arguments)], dict(os.environ), str(said)))
    process.start()
    return process


def ended(process: BaseProcess) -> int | None:
    """The exit code of a process that ends by itself or is killed; a negative one is the signal."""
    process.join(60)
    return process.exitcode


def _command(arguments: Sequence[str], environment: Mapping[str, str], said: str) -> None:
    from readgraph.cli.main import run

    os.environ.clear()
    os.environ.update(environment)
    for stream, name, flags in ((sys.stdin, said, os.O_RDONLY), (sys.stdout, os.devnull, os.O_WRONLY)):
        os.dup2(os.open(name, flags), stream.fileno())
    sys.argv = ["readgraph", *arguments]
    run()


def forked_call(function: Callable[..., object], *arguments: object) -> BaseProcess:
    """A function of a test's module in a process of its own."""
    process = _forking.Process(target=function, args=arguments)
    process.start()
    return process
