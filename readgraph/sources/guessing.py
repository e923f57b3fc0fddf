"""The encoding of bytes that say nothing about it: of all that can be, the one whose letters fit a language best."""

import re
from functools import lru_cache
from typing import NamedTuple

from readgraph.sources.letters import PLAUSIBLE, plausibility

SAMPLE = 6_000  # bytes in lines beyond ASCII from which the encoding is told
FEWEST_SIGNS = 3  # different characters by which UTF-16 is known
NEAR = 0.15  # how much less plausible another text is that may be the right one
ALIKE = 0.05  # how much less plausible another text is that is named beside the one that is taken
MOST_PLAIN = 0.75  # share of ASCII above which its words tell the language
RARER = 0.02  # how much more plausible an encoding of DOS or old Macs must be
LONGEST_WORD = 20  # characters of a word that is shown
FEW = 6  # characters beyond ASCII that tell little: with no more, an encoding that is commoner is likelier
_SINGLE = (  # of those that read some bytes alike, the commoner ones come first
    *("cp1252", "cp1250", "cp1251", "cp1254", "cp1257", "cp1253", "cp1255", "cp1256", "cp1258", "cp874", "koi8_u"),
    *("iso8859_2", "iso8859_15", "iso8859_9", "iso8859_7", "iso8859_5", "iso8859_6", "iso8859_4", "iso8859_13"),
    *("iso8859_3", "iso8859_10", "iso8859_14", "iso8859_16", "cp850", "cp437", "cp852", "cp866", "cp855", "cp857"),
    *("cp737", "cp869", "cp775", "cp862", "cp860", "cp861", "cp863", "cp865", "cp720", "mac_roman", "mac_latin2"),
    *("mac_cyrillic", "mac_greek", "mac_turkish", "mac_iceland", "mac_croatian", "mac_romanian", "koi8_r", "kz1048"),
)
_RARER = frozenset(_SINGLE[_SINGLE.index("iso8859_3") :])
_MULTIBYTE = ("gb18030", "big5hkscs", "cp949", "cp932", "euc_jp", "euc_jis_2004", "johab")
_SEVEN_BIT = (  # encodings of seven bits, and what shows them
    (re.compile(rb"\x1b\$[@B]|\x1b\$\([@BD]"), ("iso2022_jp", "iso2022_jp_ext", "iso2022_jp_2004")),
    (re.compile(rb"\x1b\$\)C"), ("iso2022_kr",)),
    (re.compile(rb"~\{(?:[!-}][!-~])+~\}"), ("hz",)),
)
_ASCII = bytes(range(0x80))
_COMMON_UNITS = re.compile("[\t\n\r -~\u00a0-\u017f\u0400-\u04ff\u2010-\u2026\u3000-\u30ff\uac00-\ud7a3\uff00-\uff20]")


def read_strictly(data: bytes, encoding: str) -> str | None:
    """The text of bytes in an encoding; None where they are not in it."""
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def read_seven_bit(data: bytes) -> str | None:
    """The text of bytes in an encoding of East Asia that uses ASCII's bytes; None where it has no sign of that."""
    for sign, encodings in _SEVEN_BIT if b"\x1b$" in data or b"~{" in data else ():
        if sign.search(data):
            for encoding in encodings:
                text = read_strictly(data, encoding)
                if text is not None and not text.isascii() and plausibility(text[:SAMPLE]) >= PLAUSIBLE:
                    return text
    return None


def read_unmarked_wide(data: bytes) -> str | None:
    """The text of bytes in UTF-16 or UTF-32 without a mark; None where they are not that."""
    best, found = 0.0, None
    wide = [name for name, size in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2))
            if len(data) % size == 0 and len(data) >= FEWEST_SIGNS * size]  # fmt: skip
    for encoding in wide:
        size = 4 if "32" in encoding else 2
        sample = read_strictly(data[: SAMPLE * size], encoding)
        if sample and "\0" not in sample and len({*sample}) >= FEWEST_SIGNS:
            share = len(_COMMON_UNITS.findall(sample)) / len(sample) * plausibility(sample)
            if share > best and (text := read_strictly(data, encoding)) is not None:
                best, found = share, text
    return found if best > (0.35 if data.count(0) else 0.5) or (best > 0.03 and _is_cjk_text(found)) else None


def _is_cjk_text(text: str | None) -> bool:
    return bool(text) and plausibility((text or "")[:SAMPLE]) >= PLAUSIBLE + 0.1


class Guess(NamedTuple):
    """An encoding ("" where none can be), the plausibility of the text in it, and what may be doubted of it."""

    encoding: str
    plausibility: float
    rivals: tuple[tuple[str, str, str], ...] = ()  # others that fit about as well: a word as taken, theirs, its word
    is_plain: bool = False  # whether most of the text is ASCII
    is_short: bool = False  # whether it is but a few characters that are not


def guess(data: bytes) -> Guess:
    """The encoding of bytes that are not Unicode."""
    beyond = data.translate(None, _ASCII)
    is_plain = len(beyond) < (1 - MOST_PLAIN) * len(data)
    return _guess(_sample(data), is_plain)._replace(is_short=len(beyond) < FEW and not is_plain)


@lru_cache(maxsize=32)
def _guess(sample: bytes, is_plain: bool) -> Guess:
    found = dict[str, tuple[float, str, float]]()  # a text's worth, the first encoding that gave it, and its rareness
    plain = sample.decode("ascii", "ignore")
    few = FEW / (FEW + len(sample) - len(plain))
    for encoding in (*_SINGLE, *_MULTIBYTE):
        text = read_strictly(sample, encoding)
        if text is None and encoding in _MULTIBYTE and len(sample) == SAMPLE:  # cut amid a character
            text = read_strictly(sample[:-1], encoding)
        if text is not None and text not in found:
            rare = RARER * (encoding in _RARER) + (few * _rareness(encoding) if is_plain else 0)
            found[text] = plausibility(text), encoding, rare
    if not found:
        return Guess("", 0.0, (), is_plain)
    best = max(worth - rare for worth, _, rare in found.values())
    near = {text: each for text, each in found.items() if each[0] - each[2] >= best - NEAR}
    language = ""
    if len(near) > 1 and is_plain:
        from readgraph.state.languages import language_of

        language = language_of(plain)  # the letters alone don't tell: the words without them may
    taken = max(near, key=lambda text: plausibility(text, language) - near[text][2])
    rivals = _rivals(taken, found, language, is_plain)
    return Guess(found[taken][1], best, tuple(_difference(taken, name, text) for text, name in rivals), is_plain)


def _rivals(
    taken: str, found: dict[str, tuple[float, str, float]], language: str, is_plain: bool
) -> list[tuple[str, str]]:
    """The other texts that fit about as well, with their encodings; amid ASCII, only Latin letters for such letters."""
    least, in_language = found[taken][0] - NEAR, plausibility(taken, language) - ALIKE
    letters = [*map(str.isalpha, taken)]
    return [
        (text, name)
        for text, (worth, name, _) in found.items()
        if text != taken and name not in _RARER and worth >= least and plausibility(text, language) >= in_language
        if not is_plain or (letters == [*map(str.isalpha, text)] and max(text) < "\u0250")
    ]


def _difference(taken: str, rival: str, text: str) -> tuple[str, str, str]:
    pairs = zip(taken.split(), text.split(), strict=False)
    word, other = next(((one, two) for one, two in pairs if one != two), (taken, text))
    return word[:LONGEST_WORD], rival, other[:LONGEST_WORD]


def _rareness(encoding: str) -> float:
    """How much less likely an encoding is than the commonest, before anything is known of the text."""
    if encoding == _SINGLE[0]:
        return 0
    return 0.6 if encoding in _RARER else 0.4


def _sample(data: bytes) -> bytes:
    """The words with bytes beyond ASCII and their neighbours: the others say nothing about the encoding."""
    first = re.search(rb"[\x80-\xff]", data)
    begin = data.rfind(b"\n", 0, first.start() if first else 0) + 1
    lines, size = [], 0
    for line in data[begin : begin + 640 * SAMPLE].split(b"\n"):
        if not line.isascii() and size < SAMPLE:
            lines.append(line)
            size += len(line)
    sample = b"\n".join(lines)
    if len(sample) <= SAMPLE:
        return sample
    cut = max(sample.rfind(b"\n", 0, SAMPLE), sample.rfind(b" ", 0, SAMPLE))
    return sample[:cut] if cut > 0 else sample[:SAMPLE]
