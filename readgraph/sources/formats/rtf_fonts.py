"""The fonts of a Rich Text file, which say in which code page its bytes are."""

import codecs

from readgraph.sources.formats.symbol_fonts import signs_of

_CHARSETS = {
    **{0: 1252, 77: 10000, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258},
    **{177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 437},
}
_CODECS = {10000: "mac_roman", 10006: "mac_greek", 10007: "mac_cyrillic", 10029: "mac_latin2", 10081: "mac_turkish"}
_CODECS |= {65001: "utf-8", 1361: "johab", 42: "latin-1"}
_SIGNS = 2  # the character set of fonts whose letters are signs


class Fonts:
    """The table of fonts, while it is read and after."""

    def __init__(self) -> None:
        self.default = "cp1252"
        self._codecs: dict[int, str] = {}
        self._names: dict[int, str] = {}

    def set_page(self, font: int, page: int) -> None:
        """Take note of the code page of a font."""
        self._codecs[font] = codec_of(page)

    def set_charset(self, font: int, charset: int) -> None:
        """Take note of the character set of a font; 0 stands for the document's own code page."""
        if charset == _SIGNS:
            self._codecs[font] = "latin-1"
        elif charset and charset in _CHARSETS:
            self._codecs.setdefault(font, codec_of(_CHARSETS[charset]))

    def add_name(self, font: int, text: bytes) -> None:
        """Take note of a part of a font's name."""
        self._names[font] = self._names.get(font, "") + text.decode("latin-1")

    def codec(self, font: int) -> str:
        """The code page of a font."""
        return self._codecs.get(font, self.default)

    def signs(self, font: int, text: str) -> str:
        """A text in a font, as signs where its letters are."""
        return signs_of(self._names.get(font, "").partition(";")[0], text)


def codec_of(page: int) -> str:
    """Python's name of a code page; that of Western Europe for one that it doesn't know."""
    codec = _CODECS.get(page, f"cp{page}")
    try:
        codecs.lookup(codec)
    except LookupError:
        return "cp1252"
    return codec
