"""The only place that opens zip archives and parses HTML and XML: from memory, within a limit.

There is no network access, and the file's own entities are not followed.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from html.entities import html5
from io import BytesIO
from typing import TYPE_CHECKING, Any

from readgraph.sources.converting import on_a_line
from readgraph.sources.inputs import most_bytes, too_large_error
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from lxml.etree import _Element, _ListErrorLog

PORTION = 1 << 20
RESOURCE_LIMIT = 114  # libxml2's XML_ERR_RESOURCE_LIMIT, for which lxml 6.0 has no name
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """A zip archive of some kind ("EPUB", "Word"); every error is a `BadInput` that names the file."""

    def __init__(self, data: bytes, name: str, kind: str, left: list[int] | None = None) -> None:
        self.name = name
        self.kind = kind
        self._left = [most_bytes()] if left is None else left  # shared with the archives in it
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except _DAMAGE:
            raise self.invalid_error() from None
        self.members = frozenset(self._zip.namelist())

    def invalid_error(self, detail: str = "") -> BadInput:
        """The error for a file that is not such an archive, or is damaged."""
        return BadInput(f"{self.name} is not a valid {self.kind} file{detail and ': '}{detail}.")

    def read(self, member: str) -> bytes:
        """The bytes of a member; raises `BadInput` if it can't be read."""
        portions = []
        try:
            info = self._zip.getinfo(member)
            if info.compress_type not in _PLAIN_METHODS:
                raise self.invalid_error("its compression method is not one that such files use")
            with self._zip.open(info) as packed:
                while portion := packed.read(PORTION):
                    self._left[0] -= len(portion)
                    if self._left[0] < 0:
                        raise too_large_error(self.name, packed=True)
                    portions.append(portion)
        except KeyError:
            raise self.invalid_error(f"it lacks {member!r}") from None
        except BadInput:
            raise
        except _DAMAGE:
            raise self.invalid_error() from None
        except RuntimeError:  # zipfile's error for a member with a password
            raise BadInput(f"{self.name} is locked by a password: remove the password first.") from None
        return b"".join(portions)

    def open(self, member: str) -> "Archive":
        """An archive that is a member; what both unpack to counts together."""
        return Archive(self.read(member), f"{self.name} ({member!r})", self.kind, self._left)

    def check(self) -> None:
        """Read every member once, to check that none is damaged and that together they stay within the limit."""
        for member in self._zip.namelist():
            self.read(member)

    def parse(self, member: str, parse: "Callable[[bytes], _Element | None]") -> "_Element":
        """The root of a member's XML; raises `BadInput` if it can't be read."""
        data = self.read(member)
        check_tags(data.count(b"<"), self.name)
        root = parse(data)
        if root is None:
            raise self.invalid_error(f"{member!r} can't be read")
        return root

    def title(self, member: str) -> str:
        """The title in a member with the document's properties; "" where there is none."""
        root = parse_document(self.read(member)) if member in self.members else None
        return text_of_first(elements_named(root, "title"))


MOST_TAGS = 4_000_000  # of a part of a file, whose tree takes half a gigabyte; a thousand pages have half as many

MOST_HTML_TAGS = 1_500_000  # of a page, each of which takes more time


def check_tags(tags: int, name: str, most: int = MOST_TAGS) -> None:
    """Raise `BadInput` for a file that would take too much memory or time."""
    if tags > most:
        raise BadInput(f"{name} has a part of more than {most:,} tags: split it, or save its text as a file.")


def open_office_archive(data: bytes, name: str, kind: str, ending: str) -> Archive:
    """An archive of Microsoft Office; raises `BadInput`, also for a file of the time before there were archives."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise BadInput(
            f"{name} is locked by a password, or is an old {ending[:-1]}: save it as {ending} without a password."
        )
    return Archive(data, name, kind)


_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*;)")
_CHARACTERS = {name: sign for name, sign in html5.items() if name not in ("amp;", "lt;", "gt;", "quot;", "apos;")}
"""HTML's named entities that XML doesn't know."""


def parse_html(text: str) -> "_Element | None":
    """The root of a piece of HTML, even if malformed; None where there is nothing in it, or it is nested too deeply."""
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    root = etree.fromstring(text.encode("utf-8", "replace"), parser) if text.strip() else None
    return None if _is_too_deep(parser.error_log) else root


def iterate_html(text: str, name: str) -> "Iterator[_Element]":
    """The elements of a page as they end, so that one that was read can be cleared: a tree takes 20 times its text.

    Raises `BadInput` for one that is nested too deeply.
    """
    from lxml import etree

    parser = etree.iterparse(
        BytesIO(text.encode("utf-8", "replace")), events=("end",), html=True, encoding="utf-8", recover=True
    )
    yield from (element for _, element in parser)
    if _is_too_deep(parser.error_log):
        raise BadInput(f"{name} is nested too deeply: export the chat again, or save its text as a file.")


def _is_too_deep(errors: "_ListErrorLog") -> bool:
    return any(error.type == RESOURCE_LIMIT for error in errors)


def feed_html(text: str, target: Any) -> None:
    """Parse HTML, even if malformed, into a parser target. Nesting has no limit, since no tree is built."""
    from lxml import etree

    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    etree.fromstring(text.encode("utf-8", "replace"), parser)


def feed_xhtml(text: str, target: Any) -> bool:
    """Parse XHTML into a parser target; returns false if it isn't well-formed (the target then holds a part of it)."""
    from lxml import etree

    parser = etree.XMLParser(target=target, encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True)
    known = _ENTITY.sub(lambda entity: _CHARACTERS.get(entity[1], entity[0]), text)
    try:
        etree.fromstring(known.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return False
    return True


def parse_xml(data: bytes, *, recover: bool = True) -> "_Element | None":
    """The root of a small XML file (a table of contents, a manifest), as far as it can be read."""
    from lxml import etree

    parser = etree.XMLParser(recover=recover, resolve_entities=False, no_network=True)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None


def parse_document(data: bytes) -> "_Element | None":
    """The root of a document's XML; None where it isn't well-formed, is nested too deeply, or `has_entities`."""
    root = parse_xml(data, recover=False)
    return None if root is None or has_entities(root) else root


def has_entities(root: "_Element") -> bool:
    """Whether the text has entities of the file's own. They are not followed, so it would be read with gaps."""
    from lxml import etree

    return next(root.iter(etree.Entity), None) is not None


def local_name(tag: object) -> str:
    """A tag without its namespace, in lower case; "" for comments and the like."""
    return _bare_name(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=2_000)
def _bare_name(tag: str) -> str:
    return tag.rpartition("}")[2].lower()


def elements_named(root: "_Element | None", name: str) -> "Iterator[_Element]":
    """The elements of this `local_name`, from the root on."""
    return (element for element in (root.iter() if root is not None else ()) if local_name(element.tag) == name)


def text_of_first(elements: "Iterable[_Element]") -> str:
    """The text in the first of some elements, on a line; "" where there is none."""
    return next((on_a_line("".join(element.itertext())) for element in elements), "")
