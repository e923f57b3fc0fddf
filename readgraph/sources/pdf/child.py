"""The process that reads one PDF, or draws a page of one, within limits: a file of a stranger may have no end.

It gets a line of JSON and the file's bytes on its standard input, and tells in lines of JSON: each page that is done,
then the result, or what is wrong. It ends with its parent.
"""

import faulthandler
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO, NoReturn

from readgraph.sources.converting import show_conversion
from readgraph.state.errors import BadInput
from readgraph.state.own_process import limit_memory

Tell = Callable[..., None]


def main() -> NoReturn:
    """Do what the first line says, and end without a look back: nothing of this process is kept."""
    tell = _own_output()
    asked = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read(asked["size"])
    Thread(target=_end_with_parent, daemon=True).start()
    limit_memory(asked["memory_mb"] * 1_000_000)
    try:
        _TASKS[asked["task"]](tell, data, asked)
    except BadInput as refused:
        tell(refused=str(refused))
    except MemoryError:
        tell(memory=True)
    except Exception as problem:  # what damage can do to a parser has no list
        tell(failed=" ".join(f"{type(problem).__name__}: {problem}".split())[:200])
    os._exit(0)


def _own_output() -> Tell:
    """What tells the parent; what a library prints goes elsewhere."""
    output: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def tell(data: bytes = b"", **message: object) -> None:
        with suppress(OSError):  # the parent has ended, and this process does in a moment
            output.write(json.dumps(message | {"size": len(data)}).encode() + b"\n" + data)
            output.flush()

    return tell


def _end_with_parent() -> NoReturn:
    while os.read(0, 1):
        pass
    os._exit(1)


def _end_in(seconds: float) -> None:
    """End this process after so many seconds from now, whatever it does then; the system sees to it where it can."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    else:
        faulthandler.dump_traceback_later(max(seconds, 0.001), exit=True)


def _text(tell: Tell, data: bytes, asked: dict[str, Any]) -> None:
    from readgraph.sources.pdf.pdf_text import convert_here, pages_of_picture

    ends = time.monotonic() + asked["seconds"]

    def show(name: str, number: int, of: int) -> None:
        left = ends - time.monotonic()
        _end_in(min(left, asked["page_seconds"]) if number < of else left)
        tell(page=number, of=of)

    _end_in(min(asked["seconds"], asked["page_seconds"]))
    with show_conversion(show):
        if asked.get("is_picture"):
            data = pages_of_picture(data, asked["name"])
        text, places, title, problems, *_ = convert_here(data, asked["name"])
    tell(result=[text, [astuple(place) for place in places], title, problems])


def _picture(tell: Tell, data: bytes, asked: dict[str, Any]) -> None:
    from readgraph.sources.pdf.drawing import page_picture_here

    _end_in(asked["page_seconds"])
    tell(page_picture_here(Path(asked["file"]), asked["number"], asked["width"], asked["height"]), result=True)


def _figures(tell: Tell, data: bytes, asked: dict[str, Any]) -> None:
    from readgraph.sources.pdf.figures import pages_with_figures_here

    _end_in(asked["page_seconds"])
    tell(result=pages_with_figures_here(Path(asked["file"]), range(*asked["pages"])))


_TASKS: dict[str, Callable[[Tell, bytes, dict[str, Any]], None]] = {
    "text": _text,
    "picture": _picture,
    "figures": _figures,
}
