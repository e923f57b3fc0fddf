"""EPUB as plain text: its HTML documents, converted, in reading order."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from readgraph.sources.converting import Converted, on_a_line, require_text
from readgraph.sources.formats.html_text import HtmlPage, read_page
from readgraph.sources.parsing import Archive, local_name, parse_xml
from readgraph.sources.places import Place, order_places, shorten_label
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_NCX = "application/x-dtbncx+xml"

CHAPTER_LEVEL = 2
"""A document missing in the table of contents is named after its first heading if that has at most this level."""


@dataclass(frozen=True)
class _Entry:
    """An entry of the table of contents: the document and anchor that it links to, its title and those above it."""

    document: str
    anchor: str
    title: str


@dataclass
class _Book:
    title: str
    spine: list[str]
    contents: list[_Entry]


def convert(data: bytes, name: str) -> Converted:
    """The text of a book; places are its chapters. Raises `BadInput` if it is locked, damaged or without text."""
    archive = Archive(data, name, "EPUB")
    book = _open(archive)
    _refuse_locked(archive, book)
    parts: list[str] = []
    places: list[Place] = []
    length = 0
    for document in book.spine:
        page = read_page(archive.read(document), f"{name} ({document!a})")
        if text := page.blocks.text():
            length += 2 if parts else 0
            places += _chapters(book, document, page, length)
            parts.append(text)
            length += len(text)
    return Converted(require_text("\n\n".join(parts), name), order_places(places), book.title)


def _open(archive: Archive) -> _Book:
    rootfile = next(_elements(_parse_epub_member(archive, _CONTAINER), "rootfile"), None)
    path = rootfile.get("full-path") if rootfile is not None else None
    if not path:
        raise archive.invalid_error("it names no book")
    package = _parse_epub_member(archive, path)
    items = {item.get("id", ""): item for item in _elements(package, "item")}
    spine = [items[item] for ref in _elements(package, "itemref") if (item := ref.get("idref", "")) in items]
    if not spine:
        raise archive.invalid_error("its reading order is empty")
    pages = [_inside(path, item.get("href", "")) for item in spine if "image/" not in item.get("media-type", "")]
    title = next((on_a_line("".join(element.itertext())) for element in _elements(package, "title")), "")
    return _Book(title, pages, _contents(archive, path, items.values()))


def _contents(archive: Archive, package: str, items: "Iterable[_Element]") -> list[_Entry]:
    """The table of contents: EPUB 3's, or else EPUB 2's; empty if neither can be read."""
    entries: list[_Entry] = []
    for item in sorted(items, key=lambda item: item.get("media-type") == _NCX):
        is_nav, is_ncx = "nav" in item.get("properties", "").split(), item.get("media-type") == _NCX
        path = _inside(package, item.get("href", ""))
        if (is_nav or is_ncx) and not entries and path in archive.members:
            root = parse_xml(archive.read(path))
            entries = list(_nav_entries(root, path) if is_nav else _ncx_entries(root, path))
    return entries


def _nav_entries(root: "_Element | None", path: str) -> Iterator[_Entry]:
    navs = list(_elements(root, "nav"))
    nav = next(
        (nav for nav in navs if any(key.endswith("type") and "toc" in nav.attrib[key] for key in nav.attrib)), None
    )
    for link in _elements(navs[0] if nav is None and navs else nav, "a"):
        above = [item for item in link.iterancestors() if local_name(item.tag) == "li"]
        titles = [_first_text(item, ("a", "span")) for item in reversed(above)]
        yield from _entry(path, link.get("href"), titles)


def _ncx_entries(root: "_Element | None", path: str) -> Iterator[_Entry]:
    for point in _elements(root, "navpoint"):
        above = [point, *(item for item in point.iterancestors() if local_name(item.tag) == "navpoint")]
        source = next((child.get("src") for child in point if local_name(child.tag) == "content"), None)
        yield from _entry(path, source, [_first_text(item, ("navlabel",)) for item in reversed(above)])


def _entry(path: str, link: str | None, titles: list[str]) -> Iterator[_Entry]:
    document, _, anchor = (link or "").partition("#")
    if title := " > ".join(filter(None, titles)):
        yield _Entry(_inside(path, document) if document else path, unquote(anchor), title)


def _chapters(book: _Book, document: str, page: HtmlPage, start: int) -> Iterator[Place]:
    """The places of a document's chapters; a document without entry and heading continues the chapter before."""
    entries = [entry for entry in book.contents if entry.document == document]
    for entry in entries:
        yield Place(start + page.blocks.anchors.get(entry.anchor, 0), f"chapter '{shorten_label(entry.title)}'")
    if not entries and page.first_heading:
        level, title = page.first_heading
        if level <= CHAPTER_LEVEL or not book.contents:
            yield Place(start, f"chapter '{shorten_label(title)}'")


def _refuse_locked(archive: Archive, book: _Book) -> None:
    """Raise `BadInput` for encrypted documents; encrypted fonts are common and harmless."""
    if _ENCRYPTION not in archive.members:
        return
    references = _elements(_parse_epub_member(archive, _ENCRYPTION), "cipherreference")
    encrypted = {posixpath.normpath(unquote(reference.get("URI", ""))) for reference in references}
    if encrypted.intersection(book.spine):
        raise BadInput(f"{archive.name} is locked by DRM: only the seller's own programs can open it.")


def _parse_epub_member(archive: Archive, member: str) -> "_Element":
    root = parse_xml(archive.read(member))
    if root is None:
        raise archive.invalid_error(f"{member!a} can't be read")
    return root


def _inside(base: str, link: str) -> str:
    """The name in the archive of the member that another one links to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(link.partition("#")[0])))


def _elements(root: "_Element | None", name: str) -> "Iterator[_Element]":
    return (element for element in (root.iter() if root is not None else ()) if local_name(element.tag) == name)


def _first_text(element: "_Element", names: tuple[str, ...]) -> str:
    child = next((child for child in element if local_name(child.tag) in names), None)
    return "" if child is None else on_a_line("".join(child.itertext()))
