"""The encoding of bytes that say nothing about it: what statistics of languages find, checked by the letters."""

import codecs
import re
from functools import lru_cache
from typing import NamedTuple

from readgraph.sources.letters import PLAUSIBLE, plausibility

SAMPLE = 6_000  # bytes in lines beyond ASCII from which the encoding is told
FEWEST_UNITS = 3  # different characters by which UTF-16 is known
MOST_PLAIN = 0.75  # share of ASCII above which a text counts as plain
LONGEST_WORD = 20  # characters of a word that is shown
FEWEST_SIGNS = 4  # bytes beyond ASCII from which an encoding may be sure
# Of 3,266 messages of programs in the encodings of Europe that pass these bounds, 1 is read wrongly.
SURE = 0.25  # the least confidence of an encoding that is sure
FAR = 0.5  # an encoding is sure, too, where all others are worth less than this share of it
NEAR = 0.99  # how near another one's worth may not come to it
_SAME = {"iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}
LEAST = 0.02  # the plausibility that counts where it is less
FEW = 6  # bytes beyond ASCII that tell little: with no more, an encoding that is commoner is likelier
_COMMON = ("cp125", "cp874", "cp932", "cp949", "gb18030", "big5", "euc", "koi8-r", "koi8-u", "iso8859-2")
_ASCII = bytes(range(0x80))
_CONTROL = re.compile("[\x80-\x9f]")  # what no text has
_COMMON_UNITS = re.compile("[\t\n\r -~\u00a0-\u017f\u0400-\u04ff\u2010-\u2026\u3000-\u30ff\uac00-\ud7a3\uff00-\uff20]")


def read_strictly(data: bytes, encoding: str) -> str | None:
    """The text of bytes in an encoding; None where they are not in it."""
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def read_seven_bit(data: bytes) -> str | None:
    """The text of bytes in an encoding of East Asia that uses ASCII's bytes; None where they are not in one."""
    import chardet

    if b"\x1b$" not in data and b"~{" not in data:
        return None
    found = chardet.detect(data, compat_names=False)["encoding"] or ""
    text = read_strictly(data, found) if found.startswith(("iso2022", "hz")) else None
    return text if text and (b"\x1b$" in data or plausibility(text[:SAMPLE]) >= PLAUSIBLE) else None


def read_unmarked_wide(data: bytes) -> str | None:
    """The text of bytes in UTF-16 or UTF-32 without a mark; None where they are not that."""
    best, found = 0.0, None
    wide = [name for name, size in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2))
            if len(data) % size == 0 and len(data) >= FEWEST_UNITS * size]  # fmt: skip
    for encoding in wide:
        size = 4 if "32" in encoding else 2
        sample = read_strictly(data[: SAMPLE * size], encoding)
        if sample and "\0" not in sample and len({*sample}) >= FEWEST_UNITS:
            share = len(_COMMON_UNITS.findall(sample)) / len(sample) * plausibility(sample)
            if share > best and (text := read_strictly(data, encoding)) is not None:
                best, found = share, text
    return found if best > (0.35 if data.count(0) else 0.5) or (best > 0.03 and _is_cjk_text(found)) else None


def _is_cjk_text(text: str | None) -> bool:
    return bool(text) and plausibility((text or "")[:SAMPLE]) >= PLAUSIBLE + 0.1


class Guess(NamedTuple):
    """An encoding ("" where none can be), the plausibility of the text in it, and what may be doubted of it."""

    encoding: str
    plausibility: float = 0.0
    is_sure: bool = False
    word: str = ""  # as it is read in this encoding, and in the next likely one
    rival: str = ""
    rival_word: str = ""
    is_plain: bool = False  # whether most of the text is ASCII


def guess(data: bytes) -> Guess:
    """The encoding of bytes that are not in UTF-8: one in which all of them can be read."""
    beyond = len(data.translate(None, _ASCII))
    is_plain = beyond < (1 - MOST_PLAIN) * len(data)
    read = [
        candidate
        for candidate in _candidates(_sample(data), is_plain)
        if read_strictly(data, candidate.encoding) is not None
    ]
    if not read:
        return Guess("")
    best, others = read[0], [candidate for candidate in read[1:] if not _CONTROL.search(candidate.text)]
    near = any(candidate.evidence > NEAR * best.evidence for candidate in others)
    is_far = not any(candidate.worth > FAR * best.worth for candidate in others)
    is_sure = (best.confidence >= SURE or is_far) and beyond >= FEWEST_SIGNS and not near
    rival = max(others, key=lambda each: each.evidence, default=None)
    word, other = _difference(best.text, rival.text) if rival else ("", "")
    return Guess(
        best.encoding, plausibility(best.text), is_sure, word, rival.encoding if rival else "", other, is_plain
    )


class _Candidate(NamedTuple):
    """An encoding, what it reads in a sample, how sure the statistics are of it, and how likely it is by all."""

    encoding: str
    text: str
    confidence: float
    evidence: float
    worth: float


@lru_cache(maxsize=32)
def _candidates(sample: bytes, is_plain: bool) -> list[_Candidate]:
    """The encodings in which the sample can be read, the likeliest first."""
    import chardet

    read = dict[str, list[tuple[float, str, float]]]()  # for each text its encodings, with rareness and confidence
    for detection in chardet.detect_all(sample, ignore_threshold=True, compat_names=False):
        encoding = _SAME.get(detection["encoding"] or "", detection["encoding"] or "")
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(sample)  # it may be cut amid a character
        except (UnicodeError, LookupError):
            continue
        read.setdefault(text, []).append((_rareness(encoding, is_plain), encoding, detection["confidence"]))
    few, candidates = FEW / (FEW + len(sample.translate(None, _ASCII))), list[_Candidate]()
    for text, encodings in read.items():
        rareness, encoding, _ = min(encodings)
        confidence, fits = max(each for _, _, each in encodings), max(plausibility(text), LEAST)
        worth = confidence ** (1 - few) ** 2 * fits * (1 - few * rareness)  # few bytes say nothing of a language
        candidates.append(_Candidate(encoding, text, confidence, confidence * fits, worth))
    return sorted(candidates, key=lambda each: -each.worth)


def _rareness(encoding: str, is_plain: bool) -> float:
    """How much less likely an encoding is than the commonest, before anything is known of the text."""
    if encoding == "cp1252":
        return 0.0
    return (0.5 if is_plain else 0.3) if encoding.startswith(_COMMON) else (0.7 if is_plain else 0.5)


def _difference(text: str, rival: str) -> tuple[str, str]:
    """The first word that two readings of the same bytes read differently, as each reads it."""
    pairs = zip(text.split(), rival.split(), strict=False)
    word, other = next(((one, two) for one, two in pairs if one != two), (text, rival))
    return word[:LONGEST_WORD], other[:LONGEST_WORD]


def _sample(data: bytes) -> bytes:
    """The lines with bytes beyond ASCII: the others say nothing about the encoding."""
    first = re.search(rb"[\x80-\xff]", data)
    begin = data.rfind(b"\n", 0, first.start() if first else 0) + 1
    lines, size = [], 0
    for line in data[begin : begin + 640 * SAMPLE].split(b"\n"):
        if not line.isascii() and size < SAMPLE:
            lines.append(line)
            size += len(line)
    return b"\n".join(lines)[:SAMPLE]
