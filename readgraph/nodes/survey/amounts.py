"""Amounts in a sentence: its numbers but those of dates, pages, times and lists."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from readgraph.nodes.extractive.calendar_dates import WrittenDate
from readgraph.nodes.survey.scales import CURRENCIES, MORE, SCALE
from readgraph.state.search.terms import content_words

_SIGN = rf"[{CURRENCIES}]"
_DIGITS = r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,'’]\d+)*)"
_ENDED = rf"(?i:{SCALE}(?:{MORE}(?:{SCALE})?)*)"
_MONEY = (
    r"%|percent|Prozent|dollars?|euros?|pounds?|pence|cents?|crowns?|Kronen|couronnes?|coronas|francs?|Franken|marks?"
    r"|Mark|guilders?|Gulden|shillings?|rubles?|рубл\w+|руб\.?|kr\.?|Kč|zł|Ft|CHF|EUR|USD|GBP"
)
_AMOUNT = re.compile(
    rf"(?P<before>{_SIGN} ?|\b(?:CHF|EUR|USD|GBP) )?"
    rf"(?<![\d.,/:_#§\[^A-Za-z])(?<![\dA-Za-z][-–])[-−]?{_DIGITS}(?:{_ENDED}|(?(before)[kKmM](?!\w)))?"
    rf"(?P<money> ?(?:{_SIGN}|(?:{_MONEY})(?![^\W\d_])|[円元원]))?(?![\dA-Za-z_\]/:]|[-–]\w|[.,]\d)",
)
_LABEL = re.compile(
    r"(?:(?<!\w)(?:pp?|pages?|S|Seiten?|págs?|páginas?|pag|pagin[ae]|str|stron[ay]|stran[ay]|стр|с|sid(?:a|e|or|an)?|blz?"
    r"|ch(?:ap(?:ter)?s?)?|kap(?:itel|ittel)?|cap(?:ítulo|itolo)?|chapitre|vol(?:ume)?|Bd|Band|tome|nos?|nr|núm|n[°º]"
    r"|art(?:icle|ikel)?|fig(?:ure)?|Abb|Tab|table|Tabelle|lines?|Zeilen?|section|Abschnitt|(?:foot|end)?notes?|room"
    r"|Zimmer|year|Jahre?|année|año|anno)\.?|[§#№第])\s?$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\.\s+\S|\)|\s?(?:[ap]\.?m\b|o['’]clock|Uhr\b|heures?\b|h\b)", re.IGNORECASE)
_UNIT = re.compile(r"\s?([^\W\d_]{2,})")
_YEAR_LIKE = re.compile(r"(?:1\d|20)\d\d")


class Amount(NamedTuple):
    """An amount at the characters `[start, end)` of a sentence; `money`: whether a currency shows it."""

    start: int
    end: int
    money: bool


def amounts_in(sentence: str, dates: Iterable[WrittenDate], units: frozenset[str] = frozenset()) -> list[Amount]:
    """The amounts of a sentence; where some are sums of money, these alone.

    What stands in one of the `dates` is none, unless it looks like a year and one of the `units` follows it.
    """
    taken = [(date.start, date.end) for date in dates if not is_amount(sentence, date, units)]
    found = list[Amount]()
    for each in _AMOUNT.finditer(sentence):
        in_date = any(each.start() < end and start < each.end() for start, end in taken)
        labelled = _LABEL.search(sentence, max(0, each.start() - 20), each.start())
        money = bool(each["before"] or each["money"])
        if not in_date and not labelled and (money or not _AFTER.match(sentence, each.end())):
            found.append(Amount(*each.span(), money))
    return [each for each in found if each.money] or found


def is_amount(sentence: str, date: WrittenDate, units: frozenset[str]) -> bool:
    """Whether what looks like a year is an amount, by the currency or the unit beside it."""
    if date.month or not _YEAR_LIKE.fullmatch(sentence[date.start : date.end]):
        return False
    near = _AMOUNT.finditer(sentence, max(0, date.start - 6), date.end + 20)
    whole = next((each for each in near if each.start() <= date.start < each.end()), None)
    unit = _UNIT.match(sentence, date.end)
    return bool(whole and (whole["before"] or whole["money"])) or (unit is not None and unit[1].casefold() in units)


def units_in(text: str, dates: Iterable[WrittenDate]) -> frozenset[str]:
    """The words that stand behind the amounts of a text, such as "crowns" in "400 crowns"."""
    units = (_UNIT.match(text, amount.end) for amount in amounts_in(text, dates))
    return frozenset(unit[1].casefold() for unit in units if unit and content_words(unit[1]))
