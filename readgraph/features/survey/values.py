"""The values of records: what a text means as a number ("12 million", "3 тыс.") or a date, and which mean the same."""

import re
from calendar import monthrange
from decimal import Decimal
from unicodedata import normalize

from readgraph.nodes.extractive.dates import dates_in
from readgraph.state.tables import ColumnKind

_WORDS = {
    2: r"hundred|hundert",
    3: r"thousand|tausend|tsd|mille|mila|mil|duizend|tusind|tusen|tys|tysi\w+|тыс|тысяч\w*|тис|тисяч\w*",
    5: r"lakhs?|लाख",
    6: r"mio|mill|mln|mil(?:l|li|i|j)[oó]n(?:s|en|es|er|y|ów)?|mili(?:one|oni|ony|onów)|milhão|milhões|miljoen|milj"
    r"|млн|миллион\w*|мільйон\w*",
    7: r"crores?|करोड़",
    9: r"bn|billions?|mrd|mld|mia|mil(?:li|i|j)ard\w{0,2}|bilhão|bilhões|млрд|миллиард\w*|мільярд\w*",
    12: r"trillions?|billionen|billón|billones|biljoen|трлн|триллион\w*",
}
SIGNS = {"百": 2, "千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8, "兆": 12, "조": 12}
"""Signs that multiply a number in Chinese, Japanese and Korean, with the power of ten."""

CURRENCIES = "$€£¥₤₩₪₫₱₴₹₺₽"  # signs of currencies
_LETTERS = {"k": 3, "m": 6}  # what multiplies a sum of money, right behind its digits: "£2m"
_ANY = "|".join(_WORDS.values())
SCALE = rf"(?:(?:[ \u00a0\u202f]?(?:{_ANY})(?![^\W\d_])\.?){{1,3}}|[{''.join(SIGNS)}]{{1,3}})"
"""The pattern of what stands behind a number and multiplies it; case doesn't count."""

MORE = rf"(?:(?<=[{''.join(SIGNS)}])(?:\d[\d,]*| \d[\d,]*(?=[{''.join(SIGNS)}])))"  # added to the one before: "1万2000"

DECIMAL_POINT = re.compile(rf"[ \u00a0\u202f]?(?:thousand|(?:m|b|tr)illion|[{''.join(SIGNS)}])", re.IGNORECASE)
"""Scales before which a point stands for decimals: "1.234 million"."""

_WORD = re.compile("|".join(rf"(?P<e{power}>{words})(?![^\W\d_])" for power, words in _WORDS.items()), re.IGNORECASE)
_SCALE = re.compile(SCALE, re.IGNORECASE)
_LETTER = re.compile(r"(?<=\d)[km](?!\w)", re.IGNORECASE)


def scale_at(text: str, at: int, *, is_money: bool) -> tuple[Decimal, int]:
    """What multiplies the number that ends at this offset, and where that ends: 1 and the offset without such words."""
    if found := _SCALE.match(text, at):
        signs = [SIGNS[sign] for sign in found.group() if sign in SIGNS]
        words = [int((each.lastgroup or "e0")[1:]) for each in _WORD.finditer(found.group())]
        return Decimal(10) ** sum(signs or words), found.end()
    if is_money and (letter := _LETTER.match(text, at)):
        return Decimal(10) ** _LETTERS[letter.group().lower()], letter.end()
    return Decimal(1), at


_NUMBER = re.compile(r"[-−]?\d+(?:[.,'’]\d+|[ \u00a0\u202f]\d{3}(?!\d))*")
_MORE = re.compile(MORE)
_SPACES = re.compile(r"['’ \u00a0\u202f]")
_THOUSANDS = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*")
_DATE = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?")
_MARKS = re.compile(r"(?:(?![+#])[\W_])+")
_ACCENTED, _ACCENT = re.compile(r"[\u00c0-\u03ff\u1e00-\u1fff]"), re.compile(r"[\u0300-\u036f]+")
_ARTICLE = re.compile(r"^(?:the|a|an) (?=\w)")


def value_of(kind: ColumnKind, text: str | None, order: str = "") -> str | None:
    """The value as the table shows it; None where there is none, or none of this kind. `order`: see `date_value`."""
    if not (text := (text or "").strip()):
        return None
    if kind == "number":
        number = number_in(text)
        return None if number is None else f"{number:f}"
    return date_value(text, order) if kind == "date" else text


def number_in(text: str) -> Decimal | None:
    """The first number in a text, with thousands set apart in any usual way; None where there is none.

    One mark before exactly three digits ("1,200") sets thousands apart, but the point of "1.234 million" does not; any
    other last mark is the decimal's. "million" multiplies; in Chinese, Japanese and Korean, what follows is added.
    """
    found = _NUMBER.search(text)
    if not found:
        return None
    digits = found.group()
    if digits.count(".") == 1 and DECIMAL_POINT.match(text, found.end()):
        digits += "0"  # so that the point sets no thousands apart
    number = _plain(digits)
    sign = text[: found.start()].rstrip()[-1:]
    power, end = scale_at(text, found.end(), is_money=sign != "" and sign in CURRENCIES)
    if power == 1:
        return number
    rest = number_in(text[end:]) if _MORE.match(text, end) else None
    return (number * power).normalize() + (rest or 0)


def _plain(digits: str) -> Decimal:
    """The value of what `_NUMBER` matches."""
    digits = _SPACES.sub("", digits.replace("−", "-"))
    unsigned = digits.removeprefix("-")
    if _THOUSANDS.fullmatch(unsigned) and not unsigned.startswith("0"):
        return Decimal(re.sub("[.,]", "", digits))
    whole, mark, rest = digits.rpartition("," if digits.rfind(",") > digits.rfind(".") else ".")
    return Decimal(f"{re.sub('[.,]', '', whole)}.{rest}" if mark else digits)


def date_value(text: str, order: str = "") -> str | None:
    """A date as YYYY-MM-DD, YYYY-MM or YYYY, or None; `order`: "dmy" or "mdy", of dates that could be either."""
    if found := _DATE.fullmatch(text):
        year, month, day = found["year"], found["month"], found["day"]
        if month and not 1 <= int(month) <= 12:
            return year
        if day and not 1 <= int(day) <= monthrange(int(year) or 1, int(month))[1]:
            return f"{year}-{int(month):02}"
        return "-".join([year, *(f"{int(part):02}" for part in (month, day) if part)])
    dates = [date for date in dates_in(text, order=order) if date.iso]
    return max(dates, key=lambda date: (bool(date.day), bool(date.month))).iso if dates else None


def same_as(text: str) -> str:
    """What texts that mean the same share: no capitals, marks, article, or accents of Latin and Greek letters."""
    letters = normalize("NFKC", normalize("NFKC", text).casefold())
    plain = _ACCENT.sub("", _ACCENTED.sub(lambda letter: normalize("NFKD", letter[0]), letters))
    return _ARTICLE.sub("", _MARKS.sub(" ", plain).strip())


def key_of_value(kind: ColumnKind, text: str) -> str:
    """What values of a column have in common that are the same: of numbers, their value."""
    number = number_in(text) if kind == "number" else None
    if number is None:
        return same_as(text)
    whole, _, rest = f"{number:f}".partition(".")
    return f"{whole}.{rest.rstrip('0')}"


def sort_key(kind: ColumnKind, text: str) -> tuple[bool, Decimal, str]:
    """A key that sorts numbers by their value and other texts by their letters; nothing comes last."""
    number = number_in(text) if kind == "number" else None
    return not text, number if number is not None else Decimal(0), same_as(text) if kind == "text" else text
