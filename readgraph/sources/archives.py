"""Zip archives (EPUB, Word) in memory, read up to a limit: an archive that would fill the memory is refused."""

import zipfile
import zlib
from io import BytesIO

from readgraph.sources.given_files import most_bytes
from readgraph.state.errors import BadInput

PORTION = 1 << 20

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """A zip archive of some kind ("EPUB", "Word"); every error is a `BadInput` that names the file."""

    def __init__(self, data: bytes, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind
        self._left = most_bytes()
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except _BROKEN:
            raise self.broken() from None
        self.members = frozenset(self._zip.namelist())

    def broken(self, detail: str = "") -> BadInput:
        """The error for a file that is not such an archive, or is damaged."""
        return BadInput(f"{self.name} is not a valid {self.kind} file{detail and ': '}{detail}.")

    def read(self, member: str) -> bytes:
        """The bytes of a member; raises `BadInput` if it can't be read."""
        portions = []
        try:
            info = self._zip.getinfo(member)
            if info.compress_type not in _PLAIN_METHODS:
                raise self.broken("its compression method is not one that such files use")
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
        except RuntimeError:  # zipfile's error for a member with a password
            raise BadInput(f"{self.name} is locked by a password: remove the password first.") from None
        return b"".join(portions)

    def check(self) -> None:
        """Read every member once, to check that none is damaged and that together they stay within the limit."""
        for member in self._zip.namelist():
            self.read(member)

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            most = most_bytes() // 1_000_000
            raise BadInput(
                f"{self.name} would unpack to more than {most} MB: set READGRAPH_MAX_FILE_MB to a larger number."
            )
