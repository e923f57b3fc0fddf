"""Word documents as plain text, as they are printed: with Word's own numbers, and the final text of changes."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from typing import TYPE_CHECKING, NamedTuple

from readgraph.sources.converting import ITEM, PARAGRAPH, Converted, paragraphs_of
from readgraph.sources.formats.eq_fields import read_eq_field
from readgraph.sources.formats.html_seen import describe_image
from readgraph.sources.formats.office_text import (
    DELETED,
    EMBEDDED,
    EQUATION,
    HIDDEN,
    PAGE_NUMBER,
    SIGN,
    Cell,
    CitedNote,
    OfficeReader,
)
from readgraph.sources.formats.open_xml import Package, Relation, child, is_on, value
from readgraph.sources.formats.symbol_fonts import is_symbol_font, sign_of, signs_of
from readgraph.sources.formats.word_styles import Numbers, Styles
from readgraph.sources.linear_math import linear_math
from readgraph.sources.parsing import Archive, elements_named, local_name
from readgraph.sources.raised_text import LOWERED, RAISED, join_runs
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WRAPPERS = frozenset("sdt sdtcontent ins moveto customxml smarttag dir bdo".split())
_DELETED = frozenset("del movefrom".split())
_SKIPPED = frozenset("rt fallback instrtext delinstrtext".split())
_PLAIN = frozenset(("t", "tab", "br"))  # what most runs hold
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "nobreakhyphen": "-"}
_NOTES = {"footnotereference": "footnote", "endnotereference": "endnote", "commentreference": "comment"}
_DRAWN = frozenset(("chart", "relids"))
_PAGE_FIELDS = frozenset("PAGE NUMPAGES SECTIONPAGES".split())
_HEIGHTS = {"superscript": RAISED, "subscript": LOWERED}
_SET = frozenset("vertalign position rfonts vanish strike dstrike".split())  # what `_Format` depends on
_MOVED = 4  # half points from which on a text of any size stands raised or lowered
_CHUNKS = {"htm": "html", "html": "html", "xhtml": "html", "mht": "mht", "mhtml": "mht", "txt": "txt", "rtf": "rtf"}


def convert(data: bytes, name: str) -> Converted:
    """The text of a document; places are the paths of its headings. Raises `BadInput` if it can't be opened."""
    package = Package.open(data, name, "Word", ".docx")
    Archive(data, name, "Word").check()  # apart, since each reading of a member counts
    reader = _WordReader(package)
    reader.read()
    return reader.converted(name)


class _Format(NamedTuple):
    """How a run is set: where it stands on the line, whether it is printed, and in which font of signs."""

    height: str = ""
    left_out: str = ""
    font: str = ""


class _WordReader(OfficeReader):
    def __init__(self, package: Package) -> None:
        super().__init__()
        self.package = package
        self._part = package.main_part("word/document.xml")
        body = child(package.root(self._part), "body")
        if body is None:
            raise package.archive.invalid_error()
        self._body = body
        self._relations = package.relations(self._part)
        self._styles = Styles(self._related_root("styles"))
        self._numbers = Numbers(self._related_root("numbering"), self._styles)
        self._note_bodies = dict(self._find_notes())
        self._cited: dict[tuple[str, str], CitedNote] = {}
        self._formats: dict[str, _Format] = {}  # of paragraphs, by their styles
        self._fields: list[tuple[str, bool]] = []  # the open ones: what they say, and whether their result has begun
        self._in_furniture = False
        self._carried: list[tuple[str, str]] = []  # runs of a paragraph whose end is deleted

    def read(self) -> None:
        """Read everything in order; footnotes, endnotes, comments, and heads and feet of pages go to the end."""
        self._container(self._body)
        self._add_notes(lambda note: self._texts_of_part(*note.body) if note.body else ())
        self._in_furniture = True
        for kind in ("Header", "Footer"):
            for part in self.package.related(self._part, kind.lower()):
                self._add_furniture(kind, self._texts_of_part(part, self.package.root(part)))

    def _texts_of_part(self, part: str, element: "_Element") -> list[str]:
        usual, self._relations = self._relations, self.package.relations(part)
        texts = list(self._cell_texts(element))
        self._relations = usual
        return texts

    def _related_root(self, kind: str) -> "_Element | None":
        part = next(
            (relation.part for relation in self._relations.values() if relation.kind == kind and relation.part), None
        )
        return self.package.root(part) if part else None

    def _find_notes(self) -> "Iterator[tuple[tuple[str, str], tuple[str, _Element]]]":
        for relation in self._relations.values():
            kind = relation.kind.rstrip("s")
            if kind in _NOTES.values() and relation.part:
                for note in self.package.root(relation.part):
                    if local_name(note.tag) == kind:
                        yield (kind, value(note, "id")), (relation.part, note)

    def _container(self, container: "_Element") -> None:
        for element in self._unwrap_children(container):
            name = local_name(element.tag)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._add_table(list(self._rows(element)), nested=element.find(f".//{_W}tbl") is not None)
            elif name == "altchunk":
                for text in self._chunk(self._relations.get(value(element, "id"), Relation("", "")).part):
                    self._add_paragraph(text)
            elif name in _DRAWN:
                for line in self.package.drawn_lines(element, self._relations):
                    self.blocks.add(line, "lines of a drawing")
            elif name in ("omath", "omathpara"):
                self._add_paragraph(linear_math(element))

    def _paragraph(self, element: "_Element") -> None:
        properties = child(element, "pPr")
        if self._styles.is_contents(self._styles.style_of(properties)):
            return  # a table of contents repeats the headings, which make the outline
        collected = self._runs(element, properties)
        if is_deleted(child(properties, "rPr")):
            self._carried += collected.runs
            return
        text, number, is_item = self._finish(collected, properties)
        level = self._styles.heading_level(properties)
        if number and text.strip():
            text = f"{number} {text.lstrip()}"
        self._add_paragraph(text, collected.boxes, ITEM if is_item else PARAGRAPH, level)

    def _finish(self, made: "_Collected", properties: "_Element | None") -> tuple[str, str, bool]:
        """The text of a paragraph, the number that Word gives it, and whether it is an item of a list."""
        text = join_runs([*self._carried, *made.runs])
        self._carried = []
        number = self._numbers.next_number(properties) if text.strip() or not made.left_out else None
        is_item = number is not None or (
            child(properties, "numPr") is None and self._styles.is_list(self._styles.style_of(properties))
        )
        return text, number or "", is_item

    def _rows(self, table: "_Element") -> Iterator[list[Cell]]:
        for row in self._unwrap_children(table):
            properties = child(row, "trPr")
            if local_name(row.tag) != "tr":
                continue
            if child(properties, "del") is not None:
                self._leave_out(DELETED)
            elif is_on(child(properties, "hidden")):
                self._leave_out(HIDDEN)
            else:
                cells = [element for element in self._unwrap_children(row) if local_name(element.tag) == "tc"]
                elements = [cell for cell in cells if child(cell, "tcPr", "cellDel") is None]
                for _ in range(len(cells) - len(elements)):
                    self._leave_out(DELETED)
                before = value(child(properties, "gridBefore"))
                empty = [(properties, int(before))] if before.isdecimal() and len(before) < 4 and int(before) else []
                yield [*empty, *map(self._cell, elements)]

    def _cell(self, cell: "_Element") -> Cell:
        span, merged = value(child(cell, "tcPr", "gridSpan")), child(cell, "tcPr", "vMerge")
        covered = merged is not None and value(merged, "val", "continue") == "continue"
        return None if covered else cell, int(span) if span.isdecimal() and len(span) < 4 else 1

    def _cell_texts(self, cell: "_Element") -> "Iterator[str]":
        for element in self._unwrap_children(cell):
            name = local_name(element.tag)
            if name == "p":
                properties = child(element, "pPr")
                collected = self._runs(element, properties)
                text, number, _ = self._finish(collected, properties)
                yield f"{number} {text}" if number else text
                for box in collected.boxes:
                    yield from self._cell_texts(box)
            elif name in ("tbl", "tr", "tc"):
                yield from self._cell_texts(element)
            elif name in _DRAWN:
                yield from self.package.drawn_lines(element, self._relations)
            elif name in ("omath", "omathpara"):
                yield linear_math(element)

    def _runs(self, paragraph: "_Element", properties: "_Element | None") -> "_Collected":
        """The runs of a paragraph, each with its height, and the boxes and drawings that are anchored in it."""
        style = self._styles.style_of(properties)
        if style not in self._formats:
            self._formats[style] = self._format(None, style)
        collected = _Collected(self._formats[style])
        for element in paragraph:
            self._collect(element, collected.usual, collected)
        self._fields.clear()  # one that is not closed hides nothing of what follows
        for thing in collected.left_out:
            self._leave_out(thing)
        return collected

    def _collect(self, element: "_Element", form: _Format, into: "_Collected") -> None:
        name = local_name(element.tag)
        if name in _PLAIN:
            self._put_sign(element, name, form, into)
        elif name in _DELETED:
            into.leave_out(DELETED, is_new=True)
        elif name == "deltext":
            into.leave_out(DELETED)
        elif name == "docpr":
            into.put(describe_image({"alt": value(element, "descr")}))
        elif not name or name.endswith("pr") or name in _SKIPPED:
            self._field_text(element, name)
        elif name == "txbxcontent" or name in _DRAWN:
            into.boxes.append(element)
        elif name == "alternatecontent":
            for each in _choice(element):
                self._collect(each, form, into)
        elif name in ("omath", "omathpara"):
            into.put_formula(linear_math(element))
        elif name == "r":
            self._collect_run(element, into)
        elif name == "fldsimple" and _field_name(value(element, "instr")) in (*_PAGE_FIELDS, "EQ"):
            into.put_formula(read_eq_field(value(element, "instr")))
            into.put(PAGE_NUMBER if self._in_furniture else "")
        elif name == "fldchar":
            self._field_mark(element, into)
        else:
            self._put_sign(element, name, form, into)
            for each in element:
                self._collect(each, form, into)

    def _collect_run(self, run: "_Element", into: "_Collected") -> None:
        form = self._format(child(run, "rPr"), "", into.usual)
        for element in run:
            self._collect(element, form, into)

    def _put_sign(self, element: "_Element", name: str, form: _Format, into: "_Collected") -> None:
        text = _SIGNS.get(name, "")
        if name == "t":
            text = signs_of(form.font, element.text or "")
        elif name == "sym":
            code = value(element, "char")
            text = sign_of(value(element, "font"), int(code, 16)) if _is_hex(code) else ""
            if not text:
                into.leave_out(SIGN, is_new=True)
        elif name == "textpath":
            text = f" {value(element, 'string')} "
        elif name in _NOTES and value(element, "id"):
            text = self._note_mark(_NOTES[name], value(element, "id"))
        elif name == "oleobject":
            into.leave_out(EQUATION if value(element, "ProgID").startswith("Equation") else EMBEDDED, is_new=True)
        if not text or any(not shown for _, shown in self._fields):
            return
        if self._fields and self._is_page_number():
            text = PAGE_NUMBER if self._in_furniture else ""
        if form.left_out:
            into.leave_out(form.left_out)
        else:
            into.put(text, "" if name in _NOTES else form.height)

    def _note_mark(self, kind: str, identity: str) -> str:
        key = kind, identity
        if key not in self._cited:
            body = self._note_bodies.get(key)
            author = value(body[1], "author") if body and kind == "comment" else ""
            self._cited[key] = self._cite_note(kind, body, author)
        return self._cited[key].mark

    def _field_text(self, element: "_Element", name: str) -> None:
        if name == "instrtext" and self._fields and not self._fields[-1][1]:
            self._fields[-1] = (self._fields[-1][0] + (element.text or ""), False)

    def _field_mark(self, element: "_Element", into: "_Collected") -> None:
        kind = value(element, "fldCharType")
        if kind == "begin":
            into.put(_form_field(child(element, "ffData")))
            self._fields.append(("", False))
        elif kind == "separate" and self._fields:
            self._fields[-1] = (self._fields[-1][0], not read_eq_field(self._fields[-1][0]))
        elif kind == "end" and self._fields:
            said, _ = self._fields.pop()
            if all(shown for _, shown in self._fields):
                into.put_formula(read_eq_field(said))

    def _is_page_number(self) -> bool:
        return any(_field_name(said) in _PAGE_FIELDS for said, _ in self._fields)

    def _format(self, properties: "_Element | None", style: str, usual: _Format | None = None) -> _Format:
        """How a run with these properties is set; what they don't say is as `usual`."""
        if properties is None and not style:
            return usual or _Format()
        own = {} if properties is None else {local_name(element.tag): element for element in properties}
        style, usual = value(own.get("rstyle")) or style, usual or _Format()
        if not style and own.keys().isdisjoint(_SET):
            return usual

        def find(name: str) -> "_Element | None":
            if (set_here := own.get(name.lower())) is not None or not style:
                return set_here
            return self._styles.find(style, "rPr", name)

        height, fonts = find("vertAlign"), find("rFonts")
        named = (value(fonts, "ascii"), value(fonts, "hAnsi"))
        font = usual.font if fonts is None else next(filter(is_symbol_font, named), "")
        hidden, struck = is_on(find("vanish")), [is_on(find("strike")), is_on(find("dstrike"))]
        left_out = HIDDEN if hidden else DELETED if any(struck) else ""
        if not left_out and usual.left_out and (hidden is None if usual.left_out == HIDDEN else False not in struck):
            left_out = usual.left_out
        moved = value(own.get("position"), default="0").lstrip("+")
        if height is None and moved.lstrip("-").isdecimal() and abs(int(moved)) >= (1 if "sz" in own else _MOVED):
            return _Format(RAISED if int(moved) > 0 else LOWERED, left_out, font)
        return _Format(usual.height if height is None else _HEIGHTS.get(value(height), ""), left_out, font)

    def _unwrap_children(self, container: "_Element") -> "Iterator[_Element]":
        """The children, with content controls, insertions and the like replaced by their contents."""
        for element in [container] if local_name(container.tag) in _DRAWN else container:
            name = local_name(element.tag)
            if name in _WRAPPERS:
                yield from self._unwrap_children(element)
            elif name == "alternatecontent":
                for choice in _choice(element):
                    yield from self._unwrap_children(choice)
            elif name in _DELETED:
                self._leave_out(DELETED)
            elif name and name not in _SKIPPED:
                yield element

    def _chunk(self, part: str) -> Iterator[str]:
        """The paragraphs of a file that is inserted as a part."""
        if not part:
            return
        data, kind = self.package.archive.read(part), _CHUNKS.get(part.rpartition(".")[2].lower(), "docx")
        try:
            converted = _convert_chunk(data, kind, self.package.archive.name)
        except BadInput:
            self._leave_out(EMBEDDED)
            return
        yield from paragraphs_of(converted)


class _Collected:
    """What a paragraph is made of, while it is collected."""

    def __init__(self, usual: _Format) -> None:
        self.usual = usual
        self.runs: list[tuple[str, str]] = []
        self.boxes: list[_Element] = []
        self.left_out: list[str] = []
        self._was_left_out = ""
        self._is_apart = False

    def put(self, text: str, height: str = "", *, is_apart: bool = False) -> None:
        """Add text; what stands apart becomes no word with what is beside it."""
        is_apart = is_apart or self._is_apart
        if text:
            last = self.runs[-1][0][-1] if self.runs else ""
            self.runs.append((f" {text}" if is_apart and last.isalnum() and text[0].isalnum() else text, height))
            self._was_left_out, self._is_apart = "", False

    def leave_out(self, thing: str, *, is_new: bool = False) -> None:
        """Count a thing; the parts of a passage together count once."""
        if is_new or thing != self._was_left_out:
            self.left_out.append(thing)
        self._was_left_out = thing

    def put_formula(self, formula: str) -> None:
        """Add a formula, which is no part of the words beside it; one without digits may be a word with its reading."""
        is_apart = bool(formula) and (formula.isascii() or any(map(str.isdecimal, formula)))
        self.put(formula, is_apart=is_apart)
        self._is_apart = self._is_apart or is_apart


def is_deleted(mark: "_Element | None") -> bool:
    """Whether the end of a paragraph is deleted, so that the next one goes on with it."""
    return child(mark, "del") is not None or child(mark, "moveFrom") is not None


def _choice(alternatives: "_Element") -> "list[_Element]":
    """What a program that knows all that is written takes; the substitute where that holds nothing."""
    choices = [
        alternative for alternative in alternatives if local_name(alternative.tag) == "choice" and len(alternative)
    ]
    return choices[:1] or [alternative for alternative in alternatives if local_name(alternative.tag) == "fallback"]


def _is_hex(code: str) -> bool:
    return bool(code) and len(code) < 7 and all(digit in "0123456789abcdefABCDEF" for digit in code)


def _field_name(said: str) -> str:
    return next(iter(said.split()), "").upper()


def _form_field(data: "_Element | None") -> str:
    """What a field of a form shows that isn't its text: a tick, or the entry that is chosen."""
    if (box := child(data, "checkBox")) is not None:
        checked = child(box, "checked")
        return "☒" if is_on(checked if checked is not None else child(box, "default")) else "☐"
    if (entries := child(data, "ddList")) is not None:
        chosen = value(child(entries, "result")) or value(child(entries, "default")) or "0"
        listed = [value(element) for element in elements_named(entries, "listentry")]
        return listed[int(chosen)] if chosen.isdecimal() and int(chosen) < len(listed) else ""
    return ""


def _convert_chunk(data: bytes, kind: str, name: str) -> str:
    from readgraph.sources.formats import html_text, rtf_text

    if kind == "mht":
        message = message_from_bytes(data, policy=policy.default)
        data = next(
            (
                b"%s" % part.get_payload(decode=True)
                for part in message.walk()
                if part.get_content_type() == "text/html"
            ),
            b"",
        )
        kind = "html"
    if kind == "txt":
        return data.decode("utf-8-sig", "replace")
    return {"html": html_text.convert, "rtf": rtf_text.convert, "docx": convert}[kind](data, name).text
