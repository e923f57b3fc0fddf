"""Packed streams of a PDF are measured before pdfium unpacks them whole: a kilobyte can hold gigabytes."""

import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain

from readgraph.sources.given_files import most_bytes
from readgraph.state.errors import BadInput

PORTION = 1 << 16

DEEPEST = 8
"""How often a stream may be packed again: no program does it more than once."""

_BEGINS = re.compile(rb"\bstream\r?\n(?=[\x08\x18\x28\x38\x48\x58\x68\x78])")


class _TooLarge(Exception):
    """A stream would unpack to more than is allowed."""


def check_streams(data: bytes, name: str) -> None:
    """Raise `BadInput` where a stream packed with Flate, even again and again, unpacks to more than `most_bytes`."""
    most = most_bytes()
    try:
        for begins in _BEGINS.finditer(data):
            _unpack(_portions(memoryview(data)[begins.end() :]), most, DEEPEST)
    except _TooLarge:
        raise BadInput(
            f"{name} would unpack to more than {most // 1_000_000} MB: set READGRAPH_MAX_FILE_MB to a larger number."
        ) from None


def _unpack(packed: Iterable[bytes], most: int, depth: int) -> None:
    """Unpack and forget: what comes out, and what that unpacks to if it is packed itself."""
    portions = _unpacked(packed, most)
    first = next(portions, b"")
    if depth and first[:1] and first[0] & 15 == 8:  # as zlib's data begin
        _unpack(chain([first], portions), most, depth - 1)
    for _ in portions:
        pass


def _unpacked(packed: Iterable[bytes], most: int) -> Iterator[bytes]:
    unpacker, size = zlib.decompressobj(), 0
    for portion in packed:
        while portion and not unpacker.eof:
            try:
                unpacked = unpacker.decompress(portion, PORTION)
            except zlib.error:
                return
            portion, size = unpacker.unconsumed_tail, size + len(unpacked)
            if size > most:
                raise _TooLarge
            if unpacked:
                yield unpacked
        if unpacker.eof:
            return


def _portions(data: memoryview) -> Iterator[bytes]:
    for at in range(0, len(data), PORTION):
        yield bytes(data[at : at + PORTION])
