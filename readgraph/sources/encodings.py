"""Decodes bytes to text: Unicode with or without a byte order mark, or else the most likely encoding."""

import codecs
import re

from readgraph.state.errors import BadInput

_MARKS = (  # UTF-32's little-endian mark begins with UTF-16's
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHER_KINDS = {b"%PDF-": "a PDF", b"PK\3\4": "a zip archive (or Word, or EPUB)", b"\xd0\xcf\x11\xe0": "an Office file"}
_DETECTABLE = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "iso8859_2", "koi8_r", "cp437", "cp850"),
    *("mac_roman", "cp932", "euc_jp", "gb18030", "big5", "cp949"),
]
_MISTAKEN_FOR_WESTERN = {"cp1250", "mac_roman", "cp437", "cp850", "iso8859_2"}
_CENTRAL_EUROPEAN = b"\x8a\x8d\x8e\x9a\x9d\x9e\xb3\xb9"  # Š Ť Ž š ť ž ł ą: frequent there, rare in the west
_SEVEN_BIT = ("iso2022", "hz")
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}

_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)

MOST_NULS = 0.05  # share of null bytes above which even valid UTF-8 does not count as text
SAMPLE = 65_536  # bytes from which the encoding is detected


def decode(data: bytes, name: str, declared: str = "") -> str:
    """The text of a file's bytes; raises `BadInput` if they are not text.

    A byte order mark decides; then UTF-8 is tried (bytes that are valid UTF-8 are hardly anything else), then the
    encoding that the file declares, then the detected one. A file that is UTF-8 except for a few bytes is decoded as
    UTF-8, with U+FFFD for those; so is a file that is almost all ASCII and whose encoding can't be detected.
    """
    for start, kind in _OTHER_KINDS.items():
        if data.startswith(start):
            raise BadInput(f"{name} is not text but {kind}: rename it with the ending of that kind.")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data, encoding) or _refuse_binary(name)
    if data.count(0) > MOST_NULS * len(data):
        return _refuse_binary(name)
    codec = _codec_for(declared)
    for encoding in (codec, "utf-8") if codec.startswith(_SEVEN_BIT) else ("utf-8", codec):
        if encoding and (text := _strictly(data, encoding)) is not None:
            return text
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    if bad * 20 < len(text) - len(text.encode("ascii", "ignore")):
        return text
    return _decode_by_guess(data) or (text if bad * 1000 < len(text) else _refuse_binary(name))


def decode_html(data: bytes, name: str) -> str:
    """The text of a page's bytes, which may declare their encoding; raises `BadInput` if they are not text."""
    declared = _DECLARED.search(data[:4096])
    return decode(data, name, declared[1].decode("ascii") if declared else "")


def _refuse_binary(name: str) -> str:
    raise BadInput(f"{name} holds no text in any known encoding: it seems to be binary.")


def _codec_for(declared: str) -> str:
    """The codec for a declared encoding, as browsers choose it; "" if there is no such codec for text."""
    try:
        codec = codecs.lookup(declared.strip())
    except (LookupError, ValueError):
        return ""
    # A page whose bytes contain an ASCII declaration is not in UTF-16.
    return "" if codec.name.startswith("utf") else _WIDER.get(codec.name, codec.name)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _decode_by_guess(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    if data.count(0) * 1000 > len(data):
        return None
    sample = _sample(data)
    matches = list(from_bytes(sample, steps=20, chunk_size=1024, cp_isolation=_DETECTABLE))
    encodings = [match.encoding for match in matches]
    beyond_ascii = sum(byte > 127 for byte in sample)
    is_western = sum(map(sample.count, _CENTRAL_EUROPEAN)) * 20 <= beyond_ascii
    if is_western and encodings and encodings[0] in _MISTAKEN_FOR_WESTERN:
        most = matches[0].chaos + 0.05
        if any("cp1252" in match.could_be_from_charset and match.chaos <= most for match in matches):
            encodings.insert(0, "cp1252")
    return next((text for encoding in encodings if (text := _strictly(data, encoding)) is not None), None)


def _sample(data: bytes) -> bytes:
    """The lines with non-ASCII bytes: the others say nothing about the encoding."""
    first = re.search(rb"[\x80-\xff]", data)
    begin = data.rfind(b"\n", 0, first.start() if first else 0) + 1
    lines, size = [], 0
    for line in data[begin : begin + 64 * SAMPLE].split(b"\n"):
        if not line.isascii() and size < SAMPLE:
            lines.append(line)
            size += len(line)
    sample = b"\n".join(lines)
    cut = max(sample.rfind(b"\n", 0, SAMPLE), sample.rfind(b" ", 0, SAMPLE)) if len(sample) > SAMPLE else -1
    return sample[:cut] if cut > 0 else sample
