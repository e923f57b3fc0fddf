"""PDFium reads and draws PDFs in a child process, within limits of size, memory and time.

A small PDF can fill the memory, take for ever, or crash PDFium; and packed streams are measured before PDFium unpacks
them whole, since a kilobyte can hold gigabytes.
"""

import json
import os
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from signal import Signals, strsignal
from threading import BoundedSemaphore
from typing import Any

from readgraph.sources.converting import register_conversion_end, report_page
from readgraph.sources.inputs import most_bytes, too_large_error
from readgraph.sources.pdf.drawing import TALLEST
from readgraph.state.errors import BadInput
from readgraph.state.loops import reset_in_forked
from readgraph.state.words import limit_set

RUN = "import sys; sys.path.append(sys.argv[1]); from readgraph.sources.pdf.child import main; main()"
"""What a child runs; it finds the package last of all, where this process has it from."""

MEMORY_MB = "READGRAPH_MAX_PDF_MEMORY_MB"
PAGE_SECONDS, SECONDS = "READGRAPH_MAX_PDF_PAGE_SECONDS", "READGRAPH_MAX_PDF_SECONDS"
_LIMITS = {
    "memory_mb": (MEMORY_MB, 2_000, "megabytes"),
    "page_seconds": (PAGE_SECONDS, 300, "seconds"),  # of the opening and the first page, too; recognition takes ten
    "seconds": (SECONDS, 14_400, "seconds"),
}
"""What the reading of a PDF may take: the variable that sets another number than this, and what it counts."""

_TIME_OVER = -Signals.SIGALRM if hasattr(Signals, "SIGALRM") else 1  # with this code a child ends whose time is over
_PACKAGES = str(Path(__file__).absolute().parents[3])  # the folder with the package
_SLOTS: dict[str, BoundedSemaphore] = {}


def _free_slots() -> None:
    """Say how many children of a kind run at once; a forked process has none yet. Pictures don't wait for texts."""
    _SLOTS.update(
        text=BoundedSemaphore(max(2, os.cpu_count() or 1)), picture=BoundedSemaphore(2), figures=BoundedSemaphore(2)
    )


_free_slots()
reset_in_forked(_free_slots)


def in_child(task: str, name: str, data: bytes = b"", **asked: object) -> tuple[Any, bytes]:
    """Let a child do a task with the PDF of this name in messages, and give its result and the bytes that belong to it.

    Its pages are shown as they are done. Raises `BadInput` for what it refuses, and where it runs over a limit or ends.
    """
    limits = {limit: limit_set(*of) for limit, of in _LIMITS.items()}
    line = {"task": task, "name": name, "size": len(data), **limits, **asked}
    with _SLOTS[task], _run_child(name) as child:
        assert child.stdin
        register_conversion_end(child.kill)
        began = time.monotonic()
        with suppress(OSError):  # it has ended already: its output is empty
            child.stdin.write(json.dumps(line).encode() + b"\n" + data)
            child.stdin.flush()
        return _read_reply(child, name, limits, began)


@contextmanager
def _run_child(name: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A child process, which has ended after the `with`, and which ends if this process is killed."""
    # A session of its own, so that Ctrl-C reaches only this process, which ends the child. "-P": nothing is imported
    # from the current folder, which may be a stranger's.
    try:
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", RUN, _PACKAGES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as problem:
        raise BadInput(f"{name} can't be read: no process can be started for it ({problem.strerror}).") from None
    try:
        yield child
    finally:
        child.kill()
        with suppress(BrokenPipeError):
            child.communicate()


def _read_reply(child: "subprocess.Popen[bytes]", name: str, limits: dict[str, int], began: float) -> tuple[Any, bytes]:
    assert child.stdout
    pages, of = 0, 0
    while line := child.stdout.readline():
        message = json.loads(line)
        if "refused" in message:
            raise BadInput(message["refused"])
        if "failed" in message:
            raise _child_failure_error(name, message["failed"], limits)
        if "memory" in message:
            raise _over_limit(name, f"{limits['memory_mb']:,} MB of memory", MEMORY_MB)
        if "result" in message:
            return message["result"], child.stdout.read(message["size"])
        pages, of = message["page"], message["of"]
        report_page(name, pages, of)
    code = child.wait()
    if 0 < code != _TIME_OVER:  # not as processes end that run out of something
        raise BadInput(f"{name} can't be read: the process that reads PDFs ended with code {code}.")
    if code != _TIME_OVER:
        raise _child_failure_error(name, f"PDFium ended with {strsignal(-code)}", limits)
    if pages == of > 0 or time.monotonic() - began >= limits["seconds"]:
        raise _over_limit(name, f"{limits['seconds']:,} s", SECONDS)
    raise _over_limit(name, f"{limits['page_seconds']:,} s for page {pages + 1}", PAGE_SECONDS)


def _over_limit(name: str, limit: str, variable: str) -> BadInput:
    return BadInput(
        f"{name} can't be read: it takes more than {limit}, and may have been made to. If you trust it, "
        f"set {variable} to a larger number."
    )


def _child_failure_error(name: str, how: str, limits: dict[str, int]) -> BadInput:
    return BadInput(
        f"{name} can't be read ({how}): it is damaged, or takes more than {limits['memory_mb']:,} MB of memory. "
        f"If you trust it, set {MEMORY_MB} to a larger number."
    )


def pages_with_figures(file: Path, pages: range) -> list[int]:
    """Those of the pages (from 1) that show more than text; a child process looks. Raises `BadInput` where it can't."""
    shown: list[int] = in_child("figures", file.name, file=str(file.absolute()), pages=[pages.start, pages.stop])[0]
    return shown


def page_picture(file: Path, number: int, width: int, height: int = TALLEST) -> bytes:
    """Page `number` (from 1) as a PNG of at most this size, drawn by a child process; raises `BadInput` for none."""
    return in_child("picture", file.name, file=str(file.absolute()), number=number, width=width, height=height)[1]


PORTION = 1 << 16
DEEPEST = 8  # how often a stream may be packed again: no program does it more than once
_BEGINS = re.compile(rb"\bstream\r?\n(?=[\x08\x18\x28\x38\x48\x58\x68\x78])")


def check_streams(data: bytes, name: str) -> None:
    """Raise `BadInput` where a stream packed with Flate, even again and again, unpacks to more than `most_bytes`."""
    most = most_bytes()
    for begins in _BEGINS.finditer(data):
        starts = range(begins.end(), len(data), PORTION)
        _unpack((data[start : start + PORTION] for start in starts), name, most, DEEPEST)


def _unpack(packed: Iterable[bytes], name: str, most: int, depth: int) -> None:
    """Unpack and forget: what comes out, and what that unpacks to if it is packed itself."""
    portions = _inflate_portions(packed, name, most)
    first = next(portions, b"")
    if depth and first[:1] and first[0] & 15 == 8:  # as zlib's data begin
        _unpack(chain([first], portions), name, most, depth - 1)
    for _ in portions:
        pass


def _inflate_portions(packed: Iterable[bytes], name: str, most: int) -> Iterator[bytes]:
    unpacker, size = zlib.decompressobj(), 0
    for portion in packed:
        while portion and not unpacker.eof:
            try:
                unpacked = unpacker.decompress(portion, PORTION)
            except zlib.error:
                return
            portion, size = unpacker.unconsumed_tail, size + len(unpacked)
            if size > most:
                raise too_large_error(name, packed=True)
            if unpacked:
                yield unpacked
        if unpacker.eof:
            return
