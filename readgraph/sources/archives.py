"""Zip archives in memory (EPUB, Word), read with a limit: an archive that would fill the memory is refused."""

import zipfile
import zlib
from io import BytesIO

from readgraph.state.errors import BadInput

MOST_BYTES = 200_000_000
"""Bytes that are unpacked from one archive, all its members together."""

PORTION = 1 << 20

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """A zip archive of some kind ("EPUB", "Word"); every error is a `BadInput` that names the file."""

    def __init__(self, data: bytes, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind
        self._left = MOST_BYTES
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except _BROKEN:
            raise self.broken() from None
        self.members = frozenset(self._zip.namelist())

    def broken(self, detail: str = "") -> BadInput:
        """The error that tells that the file is no such archive, or a damaged one."""
        return BadInput(f"{self.name} is no {self.kind} file, or a broken one{detail and ': '}{detail}.")

    def read(self, member: str) -> bytes:
        """The bytes of a member."""
        portions = []
        try:
            info = self._zip.getinfo(member)
            if info.compress_type not in _PLAIN_METHODS:
                raise self.broken("it is packed in a way that such files aren't")
            with self._zip.open(info) as packed:
                while portion := packed.read(PORTION):
                    self._count(len(portion))
                    portions.append(portion)
        except KeyError:
            raise self.broken(f"it lacks {member!a}") from None
        except BadInput:
            raise
        except _BROKEN:
            raise self.broken() from None
        except RuntimeError:  # zipfile's word for a member under a password
            raise BadInput(f"{self.name} is locked by a password: unlock it first.") from None
        return b"".join(portions)

    def check(self) -> None:
        """Read every member once: nothing is damaged, and all of them together keep the limit."""
        for member in self._zip.namelist():
            self.read(member)

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise BadInput(f"{self.name} would unpack to more than {MOST_BYTES // 1_000_000} MB: it is not read.")
