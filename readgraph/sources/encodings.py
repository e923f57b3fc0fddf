"""Decodes bytes to text: Unicode with or without a byte order mark, or else the most likely encoding."""

import codecs
import os
import re
from collections.abc import Callable

from readgraph.sources.guessing import Guess, guess, read_seven_bit, read_strictly, read_unmarked_wide
from readgraph.sources.letters import PLAUSIBLE, plausibility
from readgraph.sources.visual_order import read_in_order
from readgraph.state.errors import BadInput
from readgraph.state.words import format_count

_MARKS = (  # UTF-32's little-endian mark begins with UTF-16's
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHER_KINDS = {b"%PDF-": "a PDF", b"PK\3\4": "a zip archive (or Word, or EPUB)", b"\xd0\xcf\x11\xe0": "an Office file"}
_SEVEN_BIT = ("iso2022", "hz", "utf-7")
_WIDER = {"gbk": "gb18030", "gb2312": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "ascii": "cp1252"}
_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)

MOST_NULS = 0.05  # share of null bytes above which even valid UTF-8 does not count as text
SAMPLE = 6_000  # characters from which it is judged whether a declared encoding is the right one
SURE = 0.9  # the plausibility of lines that are not UTF-8 in a file of which others are
LIES = 0.25  # how much more plausible another encoding must be than the declared one
ENCODING = "READGRAPH_ENCODING"  # the variable with the encoding of files that are not in Unicode

Say = Callable[[str], object]


def decode(data: bytes, name: str, declared: str = "", say: Say = lambda _: None) -> str:
    """The text of a file's bytes; raises `BadInput` if they are not text.

    A byte order mark decides; then UTF-8 is tried (bytes that are valid UTF-8 are hardly anything else), then the
    encoding that READGRAPH_ENCODING names, that which the file declares, and the one whose letters fit a language
    best; where they fit none, the file is refused. A file that is UTF-8 except for a few bytes is decoded as UTF-8,
    with U+FFFD for those. What is not sure of all that is told to `say`.
    """
    for start, kind in _OTHER_KINDS.items():
        if data.startswith(start):
            raise BadInput(f"{name} is not text but {kind}: rename it with the ending of that kind.")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return read_strictly(data, encoding) or _refuse_binary(name)
    codec = codec_for(declared)
    if codec.startswith(_SEVEN_BIT) and (text := read_strictly(data, codec)) is not None:
        return text
    if (text := read_seven_bit(data)) is not None:
        return text
    text = read_strictly(data, "utf-8")
    if (text is None or b"\0" in data) and (wide := read_unmarked_wide(data)) is not None:
        return wide
    if data.count(0) > MOST_NULS * len(data):
        return _refuse_binary(name)
    return text if text is not None else read_in_order(_decode_legacy(data, name, codec, say))


def _decode_legacy(data: bytes, name: str, codec: str, say: Say) -> str:
    """The text of bytes that are not Unicode."""
    if wanted := os.environ.get(ENCODING, "").strip():
        named = codec_for(wanted)
        if not named or (text := read_strictly(data, named)) is None:
            raise BadInput(f"{name} is not in the encoding '{wanted}' that {ENCODING} names: name another one.")
        return text
    mended = data.decode("utf-8", "replace")
    bad, beyond = mended.count("\ufffd"), len(mended) - len(mended.encode("ascii", "ignore"))
    if beyond > bad and (text := _decode_by_lines(data, say)) is not None:
        return text
    if bad * 20 < beyond:
        say(f"{format_count(bad, 'place')} not in UTF-8, written as \ufffd")
        return mended
    if data.count(0) * 1000 > len(data):
        return _refuse_binary(name)
    guessed = guess(data)
    text = read_strictly(data, codec) if codec else None
    if text is not None and guessed.plausibility < plausibility(text[:SAMPLE]) + LIES:
        return text
    if guessed.encoding and (guessed.is_plain or guessed.plausibility >= PLAUSIBLE):
        _say_doubts(guessed, codec, say)
        return data.decode(guessed.encoding)
    return _refuse_unknown(name)


def _say_doubts(guessed: Guess, declared: str, say: Say) -> None:
    """Tell which encoding was taken where others fit about as well, or where another one is declared."""
    if declared:
        say(f"it declares {declared}, but fits {guessed.encoding}, in which it is read ({ENCODING} names another)")
    elif not guessed.is_sure:
        instead = f" ({guessed.word}), not {guessed.rival} ({guessed.rival_word})" if guessed.rival else ""
        say(f"its encoding is not sure: read as {guessed.encoding}{instead}; {ENCODING} names another")


def _decode_by_lines(data: bytes, say: Say) -> str | None:
    """The text of a file some of whose lines are UTF-8 and others in another encoding that is sure; None for others."""
    lines = data.splitlines(keepends=True)
    texts = [read_strictly(line, "utf-8") for line in lines]
    others = [line for line, text in zip(lines, texts, strict=True) if text is None]
    if not any(text is not None and not text.isascii() for text in texts):
        return None
    guessed = guess(b"".join(others))
    if guessed.plausibility < SURE:
        return None
    say(f"{format_count(len(others), 'line')} in {guessed.encoding}, the others in UTF-8")
    return "".join(
        line.decode(guessed.encoding) if text is None else text for line, text in zip(lines, texts, strict=True)
    )


def decode_html(data: bytes, name: str, say: Say = lambda _: None) -> str:
    """The text of a page's bytes, which may declare their encoding; raises `BadInput` if they are not text."""
    declared = _DECLARED.search(data[:4096])
    return decode(data, name, declared[1].decode("ascii") if declared else "", say)


def _refuse_binary(name: str) -> str:
    raise BadInput(f"{name} holds no text in any known encoding: it seems to be binary.")


def _refuse_unknown(name: str) -> str:
    raise BadInput(
        f"{name} holds no text in any known encoding whose letters a language has: it seems to be binary, or "
        f"name its encoding with {ENCODING} (such as cp1250), or save it as UTF-8."
    )


def codec_for(declared: str) -> str:
    """Python's codec for an encoding's name, which browsers or Python know; "" if there is no such codec for text."""
    import webencodings

    label = declared.strip().strip("\"'")
    encoding = webencodings.lookup(label)
    named = encoding.codec_info.name if encoding else ""
    if not named or named in ("replacement", "x-user-defined"):
        try:
            named = codecs.lookup(label).name
        except (LookupError, ValueError):
            return ""
    # Bytes that contain an ASCII declaration are not in UTF-16.
    return "" if named.startswith("utf") and named != "utf-7" else _WIDER.get(named, named)
