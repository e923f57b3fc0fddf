"""The values of records: what a text means as a number ("12 million", "3 тыс.") or a date, and which mean the same."""

import re
from calendar import monthrange
from decimal import Decimal
from unicodedata import normalize

from readgraph.language.amounts import CURRENCIES, DECIMAL_POINT, MORE, scale_at
from readgraph.language.dates import dates_in
from readgraph.state.tables import ColumnKind

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
    match = _NUMBER.search(text)
    if not match:
        return None
    digits = match.group()
    if digits.count(".") == 1 and DECIMAL_POINT.match(text, match.end()):
        digits += "0"  # so that the point sets no thousands apart
    number = _plain(digits)
    sign = text[: match.start()].rstrip()[-1:]
    power, end = scale_at(text, match.end(), is_money=sign != "" and sign in CURRENCIES)
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
    if match := _DATE.fullmatch(text):
        year, month, day = match["year"], match["month"], match["day"]
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
