"""Packages of Open XML (Word, PowerPoint, Excel): parts, how these are related, and texts of charts and diagrams."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from readgraph.sources.converting import on_a_line
from readgraph.sources.parsing import Archive, elements_named, local_name, open_office_archive, parse_document

if TYPE_CHECKING:
    from lxml.etree import _Element

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
PROPERTIES = "docProps/core.xml"


class Relation(NamedTuple):
    """What a part is related to: the kind ("slide", "notesSlide"), and the other part; "" where it is no part."""

    kind: str
    part: str


class Package:
    """A file of Microsoft Office's formats since 2007; also of the strict ones, whose names are other."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._relations: dict[str, dict[str, Relation]] = {}

    @classmethod
    def open(cls, data: bytes, name: str, kind: str, ending: str) -> "Package":
        """A package; raises `BadInput` for a file that is none."""
        return cls(open_office_archive(data, name, kind, ending))

    def root(self, part: str) -> "_Element":
        """The root of a part; raises `BadInput` if it can't be read."""
        return self.archive.parse(part, lambda data: parse_document(use_usual_names(data)))

    def relations(self, part: str) -> dict[str, Relation]:
        """What a part ("" for the package) is related to, by the relations' ids."""
        if part not in self._relations:
            self._relations[part] = self._read_relations(part)
        return self._relations[part]

    def _read_relations(self, part: str) -> dict[str, Relation]:
        folder, name = posixpath.split(part)
        member = posixpath.join(folder, "_rels", f"{name}.rels")
        if member not in self.archive.members:
            return {}
        relations = {}
        for relation in self.root(member):
            if isinstance(relation.tag, str):
                target = unquote(relation.get("Target", "").partition("#")[0])
                other = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                other = other if other in self.archive.members and relation.get("TargetMode") != "External" else ""
                relations[relation.get("Id", "")] = Relation(relation.get("Type", "").rpartition("/")[2], other)
        return relations

    def related(self, part: str, kind: str) -> list[str]:
        """The parts to which a part is related in this way."""
        return [to.part for to in self.relations(part).values() if to.kind == kind and to.part]

    def main_part(self, usual: str) -> str:
        """The part that holds the document."""
        return next(iter(self.related("", "officeDocument")), usual)

    def drawn_lines(self, drawing: "_Element", relations: dict[str, Relation]) -> Iterator[str]:
        """The lines of the chart or diagram that an element shows (`c:chart`, `dgm:relIds`)."""
        for identity in ("id", "dm"):
            part = relations.get(drawing.get(f"{_R}{identity}", ""), Relation("", "")).part
            if part:
                root = self.root(part)
                yield from _lines_of_diagram(root) if identity == "dm" else _lines_of_chart(root)


def use_usual_names(data: bytes) -> bytes:
    """A part with the names of the usual ("transitional") formats in place of the strict ones."""
    return _STRICT.sub(_TRANSITIONAL, data) if b"purl.oclc.org" in data else data


def value(element: "_Element | None", name: str = "val", default: str = "") -> str:
    """An element's attribute by its name without the namespace; `default` where it or the element is missing."""
    if element is None:
        return default
    wanted = name.lower()
    for key, text in element.items():
        if local_name(key) == wanted:
            return str(text)
    return default


def child(element: "_Element | None", *path: str) -> "_Element | None":
    """The first element at a path of names without namespaces; None where there is none."""
    for name in path:
        if element is None:
            return None
        element = next(element.iterchildren("{*}" + name), None)
    return element


def is_on(element: "_Element | None") -> bool | None:
    """Whether a property is set; None where it is missing."""
    return None if element is None else value(element, "val", "1").lower() not in ("0", "false", "off", "none")


def _texts(elements: Iterable["_Element"]) -> str:
    return on_a_line(" ".join("".join(element.itertext()) for element in elements))


def _lines_of_diagram(root: "_Element") -> Iterator[str]:
    for point in elements_named(root, "pt"):
        if value(point, "type", "node") in ("node", "asst"):
            for paragraph in elements_named(point, "p"):
                if text := _texts(elements_named(paragraph, "t")):
                    yield text


def _lines_of_chart(root: "_Element") -> Iterator[str]:
    """The titles of a chart and its axes, and a line for each category with the values of the series."""
    for title in elements_named(root, "title"):
        if text := _texts(elements_named(title, "t")) or _texts(elements_named(title, "v")):
            yield text
    rows: dict[str, list[str]] = {}
    for number, series in enumerate(elements_named(root, "ser"), 1):
        name = _texts(elements_named(child(series, "tx"), "v")) or f"series {number}"
        names = _points(child(series, "cat") if child(series, "cat") is not None else child(series, "xVal"))
        values = child(series, "val")
        for at, number_text in _points(values if values is not None else child(series, "yVal")).items():
            rows.setdefault(names.get(at) or f"point {at + 1}", []).append(f"{name}: {number_text}")
    yield from (" | ".join([category, *values]) for category, values in rows.items())
    for label in elements_named(root, "dlbl"):
        if text := _texts(elements_named(label, "t")):
            yield text


def _points(data: "_Element | None") -> dict[int, str]:
    points = {}
    for point in elements_named(data, "pt"):
        at = value(point, "idx", "0")
        if text := _texts(elements_named(point, "v")):
            points[int(at) if at.isdecimal() else 0] = text
    return points
