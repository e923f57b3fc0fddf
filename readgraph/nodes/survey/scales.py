"""Words and signs behind a number that multiply it: "12 million", "1,5 Mrd.", "3 тыс.", "12万"."""

import re
from decimal import Decimal

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

CURRENCIES = "$€£¥₤₩₪₫₱₴₹₺₽"
"""Signs of currencies."""

_LETTERS = {"k": 3, "m": 6}
"""What multiplies a sum of money, right behind its digits: "£2m"."""

_ANY = "|".join(_WORDS.values())
SCALE = rf"(?:(?:[ \u00a0\u202f]?(?:{_ANY})(?![^\W\d_])\.?){{1,3}}|[{''.join(SIGNS)}]{{1,3}})"
"""The pattern of what stands behind a number and multiplies it; case doesn't count."""

MORE = rf"(?:(?<=[{''.join(SIGNS)}])(?:\d[\d,]*| \d[\d,]*(?=[{''.join(SIGNS)}])))"
"""The pattern of a number that is added to the one before it: "1万2000"."""

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
