"""Rich Text Format as plain text: paragraphs, headings, table rows, and the notes at the end."""

import codecs
import re
from dataclasses import dataclass, replace

from readgraph.sources.converting import Converted, on_a_line
from readgraph.sources.formats.office_text import OfficeReader
from readgraph.state.errors import BadInput

DEEPEST = 1_000  # groups inside of each other above which a file counts as damaged

_TOKEN = re.compile(
    rb"\\(?:([A-Za-z]{1,32})(-?\d{1,10})? ?|'([0-9A-Fa-f]{2})|([^A-Za-z]))|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
_HIDDEN = frozenset(
    "fonttbl colortbl stylesheet listtable listoverridetable revtbl rsidtbl info pict object filetbl header headerl"
    " headerr headerf footer footerl footerr footerf ftnsep ftnsepc aftnsep aftnsepc xmlnstbl generator themedata"
    " colorschememapping datastore latentstyles mmathPr fldinst bkmkstart bkmkend pntext pntxta pntxtb pnseclvl"
    " listtext annotation atnid atnauthor nonshppict falt tc xe docvar sp".split()
)
_SIGNS = {
    **{"tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’"},
    **{"ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ", "qmspace": " ", "softline": "\n"},
}
_HEADING = re.compile(rb"heading (\d)\b", re.IGNORECASE)
_SYMBOLS = {b"~": " ", b"_": "-", b"{": "{", b"}": "}", b"\\": "\\"}
_CHARSETS = {
    **{0: 1252, 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255},
    **{178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 255: 437},
}
_CODECS = {10000: "mac_roman", 65001: "utf-8"}


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds inside of a pair of braces: where text goes, its code page, and what to skip after a Unicode sign."""

    into: str = "body"
    codec: str = "cp1252"
    skip: int = 1
    hidden: bool = False


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
        self.texts: dict[str, list[str]] = {"body": [], "title": []}
        self._group = _Group()
        self._open: list[_Group] = []
        self._bytes: list[bytes] = []
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._default = "cp1252"
        self._to_skip = 0
        self._level: int | None = None
        self._levels: dict[int, int] = {}
        self._style = 0
        self._cells: list[str] = []
        self._in_table = False

    def read(self, data: bytes) -> None:
        """Read all tokens of a file."""
        position = data.index(b"{")
        while token := _TOKEN.match(data, position):
            position = token.end()
            word, number, byte, symbol, brace, plain = token.groups()
            if word == b"bin":
                position += max(0, int(number or 0))
            elif brace:
                self._decode()
                self._to_skip = 0
                if brace == b"{":
                    self._open.append(self._group)
                    if len(self._open) > DEEPEST:
                        raise BadInput(f"{self.name} is not a valid RTF file: it is nested too deeply.")
                elif self._open:
                    self._group = self._open.pop()
                if not self._open:
                    break
            elif word:
                self._word(word.decode("ascii"), None if number is None else int(number))
            elif byte:
                self._put_bytes(bytes([int(byte, 16)]), 1)
            elif symbol == b"*":
                self._group = replace(self._group, hidden=True)  # a part that only some programs know
            elif symbol in (b"\r", b"\n"):
                self._word("par", None)
            elif symbol:
                self._put(_SYMBOLS.get(symbol, ""))
            elif plain:
                self._put_bytes(plain, len(plain))
        if self._open:
            raise BadInput(f"{self.name} is not a valid RTF file: its end is missing.")
        self._end_paragraph()
        self._add_notes(lambda note: [self.take_text(note.name)])

    def _word(self, word: str, number: int | None) -> None:
        if word == "u" and number is not None:
            self._put(chr(number % 65_536))
            self._to_skip = self._group.skip
        elif word in _SIGNS:
            self._put(_SIGNS[word])
        elif word in _HIDDEN:
            self._decode()
            self._group = replace(self._group, hidden=True, into=word)
        elif word in ("par", "sect", "page", "cell", "nestcell", "row", "nestrow", "pard", "intbl", "trowd"):
            self._structure(word)
        elif word == "title" and self._group.into == "info":
            self._group = replace(self._group, hidden=False, into="title")
        elif word == "footnote" and not self._group.hidden and self._group.into == "body":
            note = self._cite_note("footnote")
            self._put(note.mark)
            self._decode()
            self.texts[note.name] = []
            self._group = replace(self._group, into=note.name)
        else:
            self._property(word, number or 0)

    def _property(self, word: str, number: int) -> None:
        if word == "ansicpg":
            self._decode()
            self._default = _codec(number)
            self._group = replace(self._group, codec=self._default)
        elif word in ("mac", "pc"):
            self._default = "mac_roman" if word == "mac" else "cp437"
            self._group = replace(self._group, codec=self._default)
        elif word == "uc":
            self._group = replace(self._group, skip=min(max(number, 0), 100))
        elif word in ("f", "plain", "deff"):
            self._decode()
            self._font = number if word == "f" else 0
            if self._group.into != "fonttbl":
                self._group = replace(self._group, codec=self._fonts.get(self._font, self._default))
        elif word == "fcharset" and self._group.into == "fonttbl" and number in _CHARSETS:
            if number:  # 0 stands for the document's own code page
                self._fonts[self._font] = _codec(_CHARSETS[number])
        elif word == "s":
            self._style = number
            self._level = self._level if self._group.into == "stylesheet" else self._levels.get(number)
        elif word == "outlinelevel":
            if self._group.into == "stylesheet":
                self._levels[self._style] = number
            elif not self._group.hidden:
                self._level = number

    def _structure(self, word: str) -> None:
        self._decode()
        if self._group.hidden:
            return
        if self._group.into != "body":
            self._put(" ")
        elif word == "pard":
            self._level, self._in_table = None, False
        elif word in ("intbl", "trowd"):
            self._in_table = True
        elif word in ("cell", "nestcell"):
            self._cells.append(on_a_line(self.take_text("body")))
        elif word in ("row", "nestrow"):
            if any(self._cells):
                self.blocks.add(" | ".join(self._cells), "rows of a table")
            self._cells, self._in_table = [], False
            self._locate_notes(self._path.label)
        elif self._in_table:
            self.texts["body"].append("\n")
        else:
            self._end_paragraph()

    def _end_paragraph(self) -> None:
        level = None if self._level is None or not 0 <= self._level < 9 else self._level + 1
        self._add_paragraph(self.take_text("body"), level=level)

    def _put_bytes(self, plain: bytes, length: int) -> None:
        skipped = min(self._to_skip, length)
        self._to_skip -= skipped
        if self._group.into == "stylesheet" and (heading := _HEADING.match(plain)):
            self._levels.setdefault(self._style, int(heading[1]) - 1)
        if skipped < length and not self._group.hidden:
            self._bytes.append(plain[skipped:])

    def _put(self, text: str) -> None:
        self._decode()
        self._to_skip = 0
        if not self._group.hidden:
            self.texts[self._group.into].append(text)

    def take_text(self, place: str) -> str:
        """The text collected for the body, a note or the title, which then is empty."""
        text = "".join(self.texts[place])
        self.texts[place] = []
        # A character beyond 16 bits is written as two.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _decode(self) -> None:
        """Add the bytes since the last call: one character may be two of them."""
        if self._bytes:
            self.texts[self._group.into].append(b"".join(self._bytes).decode(self._group.codec, "replace"))
            self._bytes.clear()


def _codec(page: int) -> str:
    codec = _CODECS.get(page, f"cp{page}")
    try:
        codecs.lookup(codec)
    except LookupError:
        return "cp1252"
    return codec
