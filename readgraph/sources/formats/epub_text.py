"""EPUB as plain text: its HTML documents, converted, in reading order."""

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from readgraph.sources.converting import Blocks, Converted, require_text
from readgraph.sources.formats.html_text import HtmlPage, read_page
from readgraph.sources.left_out import LeftOut
from readgraph.sources.parsing import Archive, elements_named, local_name, parse_xml, text_of_first
from readgraph.sources.places import Place, order_places, shorten_label
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_NCX = "application/x-dtbncx+xml"
MOST_DOCUMENTS = 20_000  # of the reading order
CHAPTER_LEVEL = 2  # the deepest level of a first heading that names a document which the table of contents lacks


@dataclass(frozen=True)
class _Entry:
    """An entry of the table of contents: the document and anchor that it links to, its title and those above it."""

    document: str
    anchor: str
    title: str


def convert(data: bytes, name: str) -> Converted:
    """The text of a book; places are its chapters. Raises `BadInput` if it is locked, damaged or without text."""
    archive = Archive(data, name, "EPUB")
    title, spine, contents = _open(archive)
    if _ENCRYPTION in archive.members:
        references = elements_named(archive.parse(_ENCRYPTION, parse_xml), "cipherreference")
        encrypted = {posixpath.normpath(unquote(reference.get("URI", ""))) for reference in references}
        if encrypted.intersection(spine):  # encrypted fonts are common and harmless
            raise BadInput(f"{name} is locked by DRM: only the seller's own programs can open it.")
    blocks, entries = Blocks(), defaultdict[str, list[_Entry]](list)
    for entry in contents:
        entries[entry.document].append(entry)
    places: list[Place] = []
    left_out, read_sheet = LeftOut(), _sheet_reader(archive)
    for document in spine:
        read_style = partial(lambda document, link: read_sheet(_inside(document, link)), document)
        page = read_page(archive.read(document), f"{name} ({document!r})", left_out, read_style)
        if text := page.blocks.text():
            places += _chapters(entries.get(document, []), page, blocks.add(text), has_contents=bool(contents))
    return Converted(require_text(blocks.text(), name), order_places(places), title, left_out.problems(name))


def _sheet_reader(archive: Archive) -> Callable[[str], str]:
    """What gives the style sheets of a book, each read once; "" for those that it lacks or that are damaged."""

    @cache
    def read_sheet(member: str) -> str:
        with suppress(BadInput):
            return archive.read(member).decode("utf-8", "replace") if member in archive.members else ""
        return ""

    return read_sheet


def _open(archive: Archive) -> tuple[str, list[str], list[_Entry]]:
    """A book's title, its documents in reading order, and its table of contents."""
    rootfile = next(elements_named(archive.parse(_CONTAINER, parse_xml), "rootfile"), None)
    path = rootfile.get("full-path") if rootfile is not None else None
    if not path:
        raise archive.invalid_error("it names no book")
    package = archive.parse(path, parse_xml)
    items = {item.get("id", ""): item for item in elements_named(package, "item")}
    spine = [items[item] for ref in elements_named(package, "itemref") if (item := ref.get("idref", "")) in items]
    if not spine:
        raise archive.invalid_error("its reading order is empty")
    if len(spine) > MOST_DOCUMENTS:
        raise BadInput(f"{archive.name} has more than {MOST_DOCUMENTS:,} chapters: split it.")
    pages = [_inside(path, item.get("href", "")) for item in spine if "image/" not in item.get("media-type", "")]
    pages += [each for item in items.values() if (each := _unlisted(archive, path, item)) and each not in pages]
    return text_of_first(elements_named(package, "title")), pages, _contents(archive, path, items.values())


def _unlisted(archive: Archive, package: str, item: "_Element") -> str:
    """A document that the reading order may lack, such as one of notes that open by a link; "" for none."""
    is_page = "html" in item.get("media-type", "") and "nav" not in item.get("properties", "").split()
    path = _inside(package, item.get("href", ""))
    return path if is_page and path in archive.members else ""


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
    navs = list(elements_named(root, "nav"))
    contents = (nav for nav in navs if any(key.endswith("type") and "toc" in nav.attrib[key] for key in nav.attrib))
    for link in elements_named(next(contents, navs[0] if navs else None), "a"):
        above = [item for item in link.iterancestors() if local_name(item.tag) == "li"]
        yield from _entry(path, link.get("href"), above, ("a", "span"))


def _ncx_entries(root: "_Element | None", path: str) -> Iterator[_Entry]:
    for point in elements_named(root, "navpoint"):
        above = [point, *(item for item in point.iterancestors() if local_name(item.tag) == "navpoint")]
        source = next((child.get("src") for child in point if local_name(child.tag) == "content"), None)
        yield from _entry(path, source, above, ("navlabel",))


def _entry(path: str, link: str | None, above: "list[_Element]", labels: tuple[str, ...]) -> Iterator[_Entry]:
    """The entry of a link, if the items above it, the innermost first, have titles in children of these names."""
    document, _, anchor = (link or "").partition("#")
    titles = [text_of_first(child for child in item if local_name(child.tag) in labels) for item in reversed(above)]
    if title := " > ".join(filter(None, titles)):
        yield _Entry(_inside(path, document) if document else path, unquote(anchor), title)


def _chapters(entries: list[_Entry], page: HtmlPage, start: int, *, has_contents: bool) -> Iterator[Place]:
    """The places of a document's chapters; a document without entry and heading continues the chapter before."""
    for entry in entries:
        yield Place(start + page.blocks.anchors.get(entry.anchor, 0), f"chapter '{shorten_label(entry.title)}'")
    if not entries and page.first_heading:
        level, title = page.first_heading
        if level <= CHAPTER_LEVEL or not has_contents:
            yield Place(start, f"chapter '{shorten_label(title)}'")


def _inside(base: str, link: str) -> str:
    """The name in the archive of the member that another one links to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(link.partition("#")[0])))
