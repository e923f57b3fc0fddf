"""Rich Text Format as plain text: paragraphs, headings, table rows, and the notes at the end."""

import re
from dataclasses import dataclass, replace

from readgraph.sources.converting import ITEM, PARAGRAPH, Converted, join_lines, on_a_line, paragraphs_of
from readgraph.sources.formats.eq_fields import read_eq_field
from readgraph.sources.formats.office_text import DELETED, EMBEDDED, EQUATION, HIDDEN, PAGE_NUMBER, OfficeReader
from readgraph.sources.formats.rtf_fonts import Fonts, codec_of
from readgraph.sources.formats.rtf_math import RtfFormula
from readgraph.sources.raised_text import LOWERED, RAISED, join_runs
from readgraph.state.errors import BadInput

DEEPEST = 1_000  # groups inside of each other above which a file counts as damaged

_TOKEN = re.compile(
    rb"\\(?:([A-Za-z]{1,32})(-?\d{1,10})? ?|'([0-9A-Fa-f]{2})|([^A-Za-z]))|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
_HIDDEN = frozenset(
    "fonttbl colortbl stylesheet listtable listoverridetable revtbl rsidtbl info pict filetbl"
    " ftnsep ftnsepc aftnsep aftnsepc xmlnstbl generator themedata"
    " colorschememapping datastore latentstyles mmathPr bkmkstart bkmkend pntxta pntxtb pnseclvl"
    " atnid nonshppict falt tc xe docvar sp shprslt nonesttables mmathPict formfield objdata".split()
)
_OPAQUE = frozenset(("object", "upr", "shpinst", "do"))  # hidden, but for what these show:
_REVEALED = {"result": "body", "ud": "", "shptxt": "box", "dptxbxtext": "box"}
_FURNITURE = {f"{kind.lower()}{of}": kind for kind in ("Header", "Footer") for of in ("", "l", "r", "f")}
_APART = frozenset("fldinst listtext pntext atnauthor objclass".split())  # collected apart from the text
_SIGNS = {
    **{"tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’"},
    **{"ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ", "qmspace": " ", "softline": "\n"},
}
_STRUCTURE = frozenset("par sect page column cell nestcell row nestrow pard intbl trowd".split())
_HEIGHTS = {"super": RAISED, "sub": LOWERED, "nosupersub": "", "up": RAISED, "dn": LOWERED}
_LEFT_OUT = {"v": HIDDEN, "deleted": DELETED, "strike": DELETED, "striked": DELETED}
_HEADING = re.compile(rb"heading (\d)\b", re.IGNORECASE)
_PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)
_SYMBOLS = {b"~": " ", b"_": "-", b"{": "{", b"}": "}", b"\\": "\\"}


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds inside of a pair of braces: where text goes, how it is set, and what to skip after a Unicode sign."""

    into: str = "body"
    font: int = 0
    codec: str = "cp1252"
    skip: int = 1
    hidden: bool = False
    can_show: bool = False  # what is hidden may hold something that is shown
    height: str = ""
    left_out: str = ""
    formula: RtfFormula | None = None


def convert(data: bytes, name: str) -> Converted:
    """A document's text; places are the paths of headings (by outline level or style). Raises `BadInput` for damage."""
    if not data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{\\rtf"):
        raise BadInput(f"{name} is not a valid RTF file: it doesn't begin with '{{\\rtf'.")
    reader = _RtfReader(name)
    reader.read(data)
    return reader.converted(name, on_a_line(reader.take_text("title")))


class _RtfReader(OfficeReader):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.texts: dict[str, list[tuple[str, str]]] = {}
        self._group = _Group()
        self._open: list[_Group] = []
        self._bytes: list[bytes] = []
        self._fonts = Fonts()
        self._font = 0
        self._to_skip = 0
        self._is_starred = self._is_new = False  # the group has just begun; and with a word that not all programs know
        self._is_endnote = False
        self._level: int | None = None
        self._levels: dict[int, int] = {}
        self._style = 0
        self._cells: list[str] = []
        self._above: dict[int, str] = {}  # by the edge of the cell
        self._edges: list[tuple[int, bool]] = []  # of a row's cells, and whether a cell above covers it
        self._is_covered = False
        self._nested: list[str] = []
        self._in_table = False
        self._was_left_out = ""
        self._tick: int | None = None

    def read(self, data: bytes) -> None:
        """Read all tokens of a file."""
        position = data.index(b"{")
        while token := _TOKEN.match(data, position):
            position = token.end()
            word, number, byte, symbol, brace, plain = token.groups()
            if word == b"bin":
                position += max(0, int(number or 0))
            elif brace:
                self._brace(brace)
                if not self._open:
                    break
            elif word:
                self._is_endnote = data.startswith(b"\\ftnalt", position)
                self._word(word.decode("ascii"), None if number is None else int(number))
            elif byte:
                self._put_bytes(bytes([int(byte, 16)]), 1)
            elif symbol == b"*":
                self._is_starred = self._is_new  # amid a group it says nothing
            elif symbol in (b"\r", b"\n"):
                self._word("par", None)
            elif symbol:
                self._put(_SYMBOLS.get(symbol, ""))
            elif plain:
                self._put_bytes(plain, len(plain))
            self._is_new = brace == b"{" or (self._is_new and (symbol == b"*" or token[0].isspace()))
        if self._open:
            raise BadInput(f"{self.name} is not a valid RTF file: its end is missing.")
        self._in_table = False
        self._end_paragraph()
        self._add_notes(lambda note: [self.take_text(note.name)])
        for kind in dict.fromkeys(_FURNITURE.values()):
            self._add_furniture(kind, self.take_text(kind).split("\n"))

    def _brace(self, brace: bytes) -> None:
        self._decode()
        self._to_skip, self._is_starred = 0, False
        if brace == b"{":
            self._open.append(self._group)
            if self._group.formula:
                self._group.formula.open_group()
            if len(self._open) > DEEPEST:
                raise BadInput(f"{self.name} is not a valid RTF file: it is nested too deeply.")
        elif self._open:
            ended, self._group = self._group, self._open.pop()
            if ended.formula and self._group.formula:
                ended.formula.close_group()
            elif ended.formula:
                self._put(f" {ended.formula.text()} ")
            if ended.into == "fldinst" != self._group.into:
                code = self.take_text("fldinst")
                if formula := read_eq_field(code):
                    self._put(formula)
                else:
                    self.texts["fldinst"] = [(code, "")]
            if ended.into == "objclass" != self._group.into:
                self._leave_out(EQUATION if self.take_text("objclass").startswith("Equation") else EMBEDDED)

    def _word(self, word: str, number: int | None) -> None:
        starred, self._is_starred = self._is_starred, False
        if word == "u" and number is not None:
            self._put(self._fonts.signs(self._group.font, chr(number % 65_536)))
            self._to_skip = self._group.skip
        elif self._to_skip and word in _SIGNS:
            self._to_skip -= 1
        elif word in _SIGNS:
            self._put(_SIGNS[word])
        elif word in _STRUCTURE:
            self._structure(word)
        elif not self._destination(word):
            if starred and word not in ("shppict", "cs"):  # a part that only some programs know
                self._decode()
                self._group = replace(self._group, hidden=True, can_show=False)
            else:
                self._property(word, number)

    def _destination(self, word: str) -> bool:
        """Whether a word says what its group is; what is to be done for that is then done."""
        group = self._group
        if word in _HIDDEN:
            self._enter(into=word, hidden=True, can_show=False)
        elif word in _FURNITURE:
            self._enter(into=_FURNITURE[word], height="", left_out="")
            self._put("\n")
        elif word in _OPAQUE:
            self._enter(hidden=True, can_show=not group.hidden or group.can_show)
        elif word in _REVEALED:
            into = group.into if group.into in _FURNITURE.values() else _REVEALED[word] or group.into
            self._enter(into=into, hidden=group.hidden and not group.can_show)
            if into == "box":
                self._put("\n\n")
        elif word == "fldrslt":
            code = self.take_text("fldinst")
            if "FORMCHECKBOX" in code:
                self._put("☒" if self._tick else "☐")
            if _PAGE_FIELD.match(code):
                self._put_page_number()
                self._enter(hidden=True)
        elif word in _APART and (group.can_show or not group.hidden):
            self._enter(into=word, hidden=False, height="", left_out="")
        elif word in ("footnote", "annotation") and not group.hidden and group.into in ("body", "box"):
            self._note("endnote" if self._is_endnote else "comment" if word == "annotation" else "footnote")
        elif word == "title" and group.into == "info":
            self._enter(into="title", hidden=False)
        elif word in ("moMath", "mmath") and not group.formula and not group.hidden:
            self._enter(formula=RtfFormula(), height="")
        elif group.formula and word.startswith("m"):
            self._decode()
            group.formula.name_group(word)
        else:
            return word in ("footnote", "annotation", *_APART)
        return True

    def _enter(self, **changes: object) -> None:
        self._decode()
        self._group = replace(self._group, **changes)  # type: ignore[arg-type]

    def _note(self, kind: str) -> None:
        note = self._cite_note(kind, author=self.take_text("atnauthor") if kind == "comment" else "")
        self._enter(height="", left_out="")
        self._put(note.mark)
        self._decode()
        self._group = replace(self._group, into=note.name)

    def _property(self, word: str, number: int | None) -> None:
        group, given = self._group, number or 0
        if word in _HEIGHTS or word in _LEFT_OUT or word == "plain":
            self._set(word, number)
        if word in ("ansicpg", "mac", "pc"):
            self._fonts.default = codec_of({"mac": 10000, "pc": 437}.get(word, given))
            self._enter(codec=self._fonts.default)
        elif word == "uc":
            self._group = replace(group, skip=min(max(given, 0), 100))
        elif word in ("f", "plain", "deff"):
            self._decode()
            self._font = given if word == "f" else 0
            if group.into != "fonttbl":
                self._group = replace(self._group, font=self._font, codec=self._fonts.codec(self._font))
        elif word in ("fcharset", "cpg") and group.into == "fonttbl":
            (self._fonts.set_charset if word == "fcharset" else self._fonts.set_page)(self._font, given)
        elif word == "s":
            self._style = given
            self._level = self._level if group.into == "stylesheet" else self._levels.get(given)
        elif word == "outlinelevel":
            if group.into == "stylesheet":
                self._levels[self._style] = given
            elif not group.hidden:
                self._level = number
        elif word == "clvmrg" and not group.hidden:
            self._is_covered = True
        elif word == "cellx" and not group.hidden:
            self._edges.append((given, self._is_covered))
            self._is_covered = False
        elif word == "chpgn":
            self._put_page_number()
        elif word == "fftype":
            self._tick = None
        elif word == "ffres" or (word == "ffdefres" and self._tick is None):
            self._tick = given if given < 2 else None  # 25: as the default is

    def _set(self, word: str, number: int | None) -> None:
        """Take note of how the text from here on is set."""
        self._decode()
        is_on = number != 0
        if word == "plain":
            self._group = replace(self._group, height="", left_out="")
        elif word in _LEFT_OUT:
            other = self._group.left_out if self._group.left_out != _LEFT_OUT[word] else ""
            self._group = replace(self._group, left_out=_LEFT_OUT[word] if is_on else other)
        else:
            self._group = replace(self._group, height=_HEIGHTS[word] if is_on else "")

    def _structure(self, word: str) -> None:
        self._decode()
        if word == "nestrow" and self._group.into == "body":
            self._add_row(self._nested)
            self._nested = []
        elif self._group.hidden:
            return
        elif self._group.into != "body":
            self._put({"box": "\n\n", "Header": "\n", "Footer": "\n"}.get(self._group.into, " "))
        elif word == "pard":
            self._level, self._in_table = None, False
        elif word in ("intbl", "trowd"):
            self._in_table = True
            if word == "trowd":
                self._end_row()
                self._edges = []
        elif word in ("cell", "nestcell"):
            text = self.take_text("cell") + self._take_numbered()[0]
            cell = join_lines(f"{text} {self.take_text('box')}")
            (self._cells if word == "cell" else self._nested).append(cell)
        elif word == "row":
            self._end_row()
            self._in_table = False
        elif self._in_table:
            self.texts.setdefault("cell", []).append((f"{self._take_numbered()[0]}\n", ""))
        else:
            self._end_paragraph()

    def _end_row(self) -> None:
        """End a row of a table; some programs leave its end out."""
        if self._cells:
            edges = [*self._edges, *((-at, False) for at in range(len(self._cells)))]
            pairs = list(zip(self._cells, edges, strict=False))
            cells = [cell or (self._above.get(edge, "") if covered else "") for cell, (edge, covered) in pairs]
            self._above = {edge: cell for cell, (_, (edge, _)) in zip(cells, pairs, strict=True)}
            self._add_row(cells)
        self._cells = []

    def _add_row(self, cells: list[str]) -> None:
        if any(cells):
            self.blocks.add(" | ".join(cells), "rows of a table")
        self._locate_notes(self._path.label)

    def _end_paragraph(self) -> None:
        if not self._in_table:
            self._end_row()
            self._above = {}
        level = None if self._level is None or not 0 <= self._level < 9 else self._level + 1
        text, number = self._take_numbered()
        self._add_paragraph(self.take_text("cell") + text, kind=ITEM if number else PARAGRAPH, level=level)
        for part in paragraphs_of(self.take_text("box")):
            self._add_paragraph(part)

    def _take_numbered(self) -> tuple[str, str]:
        """The text of a paragraph, after the number that its list gives it, and that number or sign."""
        number = on_a_line(self.take_text("listtext") or self.take_text("pntext"))
        text = self.take_text("body")
        if text.strip() and any(sign.isalnum() for sign in number):
            text = f"{number} {text.lstrip()}"
        return text, number

    def _put_bytes(self, plain: bytes, length: int) -> None:
        skipped = min(self._to_skip, length)
        self._to_skip -= skipped
        if self._group.into == "stylesheet" and (heading := _HEADING.match(plain)):
            self._levels.setdefault(self._style, int(heading[1]) - 1)
        if self._group.into == "fonttbl":
            self._fonts.add_name(self._font, plain)
        if skipped < length and not self._group.hidden:
            self._bytes.append(plain[skipped:])

    def _put(self, text: str) -> None:
        self._decode()
        self._to_skip = 0
        self._keep(text)

    def _put_page_number(self) -> None:
        self._put(PAGE_NUMBER if self._group.into in _FURNITURE.values() else "")

    def _keep(self, text: str) -> None:
        group = self._group
        if group.hidden or not text:
            return
        if group.formula:
            group.formula.add_text(text)
        elif group.left_out and group.into not in _APART:
            if text.strip() and self._was_left_out != group.left_out:
                self._leave_out(group.left_out)
                self._was_left_out = group.left_out
        else:
            self._was_left_out = ""
            self.texts.setdefault(group.into, []).append((text, group.height))

    def take_text(self, place: str) -> str:
        """The text collected for the body, a note or the title, which then is empty."""
        runs = self.texts.pop(place, [])
        # A character beyond 16 bits is written as two.
        whole = [(text.encode("utf-16", "surrogatepass"), height) for text, height in _together(runs)]
        return join_runs((text.decode("utf-16", "replace"), height) for text, height in whole)

    def _decode(self) -> None:
        """Add the bytes since the last call: one character may be two of them."""
        if self._bytes:
            text = b"".join(self._bytes).decode(self._group.codec, "replace")
            self._bytes.clear()
            self._keep(self._fonts.signs(self._group.font, text))


def _together(runs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The runs with neighbours at the same height as one."""
    joined = list[tuple[str, str]]()
    for text, height in runs:
        if joined and joined[-1][1] == height:
            joined[-1] = (joined[-1][0] + text, height)
        else:
            joined.append((text, height))
    return joined
