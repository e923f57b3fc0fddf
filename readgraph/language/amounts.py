"""Amounts in a text: numbers with what multiplies them ("12 million", "3 тыс."), and sums of money."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from readgraph.language.dates import WrittenDate, dates_in
from readgraph.language.terms import content_words

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
    if scale := _SCALE.match(text, at):
        signs = [SIGNS[sign] for sign in scale.group() if sign in SIGNS]
        words = [int((word.lastgroup or "e0")[1:]) for word in _WORD.finditer(scale.group())]
        return Decimal(10) ** sum(signs or words), scale.end()
    if is_money and (letter := _LETTER.match(text, at)):
        return Decimal(10) ** _LETTERS[letter.group().lower()], letter.end()
    return Decimal(1), at


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
    rf"(?P<money> ?(?:{_SIGN}|(?:{_MONEY})(?![^\W\d_])|[円元원]))?(?![\dA-Za-z_\]/:]|[-–]\w|[.,]\d)"
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
    """The amounts of a sentence, or its sums of money alone; of the `dates`, only years with a unit behind them."""
    taken = [(date.start, date.end) for date in dates if not is_amount(sentence, date, units)]
    amounts = list[Amount]()
    for amount in _AMOUNT.finditer(sentence):
        in_date = any(amount.start() < end and start < amount.end() for start, end in taken)
        labelled = _LABEL.search(sentence, max(0, amount.start() - 20), amount.start())
        money = bool(amount["before"] or amount["money"])
        if not in_date and not labelled and (money or not _AFTER.match(sentence, amount.end())):
            amounts.append(Amount(*amount.span(), money))
    return [amount for amount in amounts if amount.money] or amounts


def is_amount(sentence: str, date: WrittenDate, units: frozenset[str]) -> bool:
    """Whether what looks like a year is an amount, by the currency or the unit beside it."""
    if date.month or not _YEAR_LIKE.fullmatch(sentence[date.start : date.end]):
        return False
    near = _AMOUNT.finditer(sentence, max(0, date.start - 6), date.end + 20)
    whole = next((amount for amount in near if amount.start() <= date.start < amount.end()), None)
    unit = _UNIT.match(sentence, date.end)
    return bool(whole and (whole["before"] or whole["money"])) or (unit is not None and unit[1].casefold() in units)


def units_in(text: str, language: str, order: str = "") -> frozenset[str]:
    """The words right behind the amounts of a text, such as "crowns" in "400 crowns"."""
    behind = (_UNIT.match(text, amount.end) for amount in amounts_in(text, dates_in(text, language, order)))
    return frozenset(unit[1].casefold() for unit in behind if unit and content_words(unit[1]))


def dates_without_amounts(sentence: str, language: str, order: str, units: frozenset[str]) -> list[WrittenDate]:
    """The dates of a sentence that are no amounts."""
    return [date for date in dates_in(sentence, language, order) if not is_amount(sentence, date, units)]
