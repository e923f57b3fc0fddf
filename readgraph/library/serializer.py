"""How values of checkpoints are written: by LangGraph's serialiser, compressed, and limited to what runs no code."""

import zlib
from collections.abc import Callable
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from readgraph.state.errors import LibraryError
from readgraph.state.files import unpack

WRITTEN_AS = ("null", "bytes", "bytearray", "msgpack")
"""The encodings that we write. LangGraph's serialiser can read others, which may run code."""

COMPRESSED = "zlib+"  # what an encoding begins with where its bytes are compressed
FEWEST_BYTES = 200  # shorter values are not compressed
WINDOW, MEMORY = 13, 6
"""zlib's window of 8 kB, and its memory level: its usual 256 kB take longer to set up than a checkpoint to compress."""

MOST_BYTES = 1 << 30
"""A longer value counts as damaged: a few compressed bytes of a stranger's file could otherwise fill the memory."""


class StrictSerializer(JsonPlusSerializer):
    """LangGraph's serialiser, limited so that no row of the library can run code; an unreadable row means damage.

    It reads plain objects and LangGraph's own, such as interrupts, but no JSON with constructors and no pickles.
    """

    def __init__(self, damaged: Callable[[], LibraryError]) -> None:
        super().__init__(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=None)
        self._damage_error = damaged

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """A value's encoding and bytes."""
        written_as, data = super().dumps_typed(obj)
        if len(data) < FEWEST_BYTES:
            return written_as, data
        packing = zlib.compressobj(1, zlib.DEFLATED, WINDOW, MEMORY)
        return COMPRESSED + written_as, packing.compress(data) + packing.flush()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value; raises `LibraryError` for what was never written here."""
        written_as, value = data
        try:
            if written_as.startswith(COMPRESSED):
                written_as, value = written_as.removeprefix(COMPRESSED), unpack(value, MOST_BYTES)
            if written_as not in WRITTEN_AS:
                raise self._damage_error()
            return super().loads_typed((written_as, value))
        except (ValueError, TypeError, RecursionError, zlib.error) as problem:
            raise self._damage_error() from problem
