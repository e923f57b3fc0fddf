"""Values of a sheet's cells as the sheet shows them, by their number formats: "7.5 %", "44 €", "26:30"."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(
    r'"(?P<text>[^"]*)"?|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]|(?P<general>General)'
    r"|(?P<clock>AM/PM|A/P|上午/下午)|(?P<date>[yY]+|[mM]+|[dD]+|[hH]+|[sS]+|[bB]+|[eE]+(?![+-]))|(?P<second>(?<=[sS\]])\.0+)"
    r"|(?P<exponent>[eE][+-]0+)|(?P<number>[0#?][0#?,]*(?:\.[0#?]*)?,*|\.[0#?]+)|(?P<percent>%)|(?P<at>@)"
    r"|(?P<slash>/)|(?P<other>.)",
    re.DOTALL,
)
_ELAPSED = re.compile(r"(h+|m+|s+)", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[\d.]+)")
_FRACTION = re.compile(r"([#0?]+\s+)?([?#0]+)\s*/\s*([?#0]+|\d+)")
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MOST_GENERAL = 11  # characters in which a number without a format is shown
SYSTEM_DATES = frozenset((14, 22, *range(27, 37), *range(50, 59)))
"""Built-in formats that each computer shows in its own way; dates in them are written as ISO does."""

_MONEY = "#,##0_);(#,##0)"
BUILT_IN = {
    **{"1": "0", "2": "0.00", "3": "#,##0", "4": "#,##0.00", "5": '"$"#,##0_);("$"#,##0)', "9": "0%"},
    **{
        "6": '"$"#,##0_);("$"#,##0)',
        "7": '"$"#,##0.00_);("$"#,##0.00)',
        "8": '"$"#,##0.00_);("$"#,##0.00)',
        "10": "0.00%",
        "11": "0.00E+00",
    },
    **{"12": "# ?/?", "13": "# ??/??", "15": "d-mmm-yy", "16": "d-mmm", "17": "mmm-yy", "18": "h:mm AM/PM"},
    **{"19": "h:mm:ss AM/PM", "20": "h:mm", "21": "h:mm:ss", "37": _MONEY, "38": _MONEY, "39": "#,##0.00_);(#,##0.00)"},
    **{"40": "#,##0.00_);(#,##0.00)", "41": _MONEY, "42": '"$"#,##0_);("$"#,##0)', "43": "#,##0.00_);(#,##0.00)"},
    **{"44": '"$"#,##0.00_);("$"#,##0.00)', "45": "mm:ss", "46": "[h]:mm:ss", "47": "mm:ss.0", "48": "##0.0E+0"},
    **{"49": "@"},
}
"""The formats that files name only by their numbers; those of `SYSTEM_DATES` differ from computer to computer."""


class _Token(NamedTuple):
    kind: str
    text: str


def show_number(number: float, form: str) -> str:
    """A number in a format; "" where the format hides it; the number itself where it isn't understood."""
    try:
        return _show(number, form)
    except (ValueError, ArithmeticError, IndexError):
        return _general(number)


def show_text(text: str, form: str) -> str:
    """A text in a format, which may stand around it, or hide it."""
    sections = _sections(form)
    if len(sections) < 4 and "@" not in sections[-1]:
        return "" if form.strip() == ";;;" else text
    section = sections[3] if len(sections) > 3 else sections[-1]
    return "".join(text if token.kind == "at" else _literal(token) for token in _tokens(section)).strip()


def is_date(form: str) -> bool:
    """Whether a format shows dates or times."""
    return any(token.kind in ("date", "elapsed") for token in _tokens(_sections(form)[0]))


def _show(number: float, form: str) -> str:
    section, is_negative_part = _section_for(number, _sections(form))
    if not section:
        return ""
    tokens = _tokens(section)
    kinds = {token.kind for token in tokens}
    if "date" in kinds or "elapsed" in kinds:
        raise ValueError("a date")
    if not kinds & {"number", "general", "exponent"}:
        return "".join(map(_literal, tokens)).strip() if "at" not in kinds else _general(number)
    shown = abs(number) if is_negative_part else number
    fraction = _FRACTION.search("".join(token.text for token in tokens if token.kind != "text"))
    text = _fraction(shown, tokens, fraction) if "slash" in kinds and fraction else _plain(shown, tokens)
    is_signed = any(sign in text for sign in "-−()") or any(word.isalpha() for word in _literals(tokens))
    return f"-{text}" if number < 0 and is_negative_part and not is_signed and text.strip("0.,") else text


def _section_for(number: float, sections: Sequence[str]) -> tuple[str, bool]:
    """The part of a format for a number, and whether that part writes the sign itself."""
    conditions = [_CONDITION.search(bracket) for bracket in (_brackets(section) for section in sections[:3])]
    if any(conditions):
        for section, condition in zip(sections, conditions, strict=False):
            if condition is None or _holds(number, condition[1], float(condition[2])):
                return section, False
        return sections[-1], False
    if len(sections) > 1 and number < 0:
        return sections[1], True
    return (sections[2] if len(sections) > 2 and number == 0 else sections[0]), False


def _brackets(section: str) -> str:
    return " ".join(re.findall(r"\[([<>=][^\]]*)\]", section))


def _holds(number: float, sign: str, bound: float) -> bool:
    return {
        **{"<": number < bound, ">": number > bound, "=": number == bound},
        **{"<=": number <= bound, ">=": number >= bound, "<>": number != bound},
    }[sign]


@lru_cache(maxsize=500)
def _sections(form: str) -> tuple[str, ...]:
    return tuple("".join(part) for part in _split(form))


def _split(form: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for piece in re.findall(r'"[^"]*"?|\\.|\[[^\]]*\]|.', form, re.DOTALL):
        if piece == ";":
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


@lru_cache(maxsize=500)
def _tokens(section: str) -> tuple[_Token, ...]:
    tokens = list[_Token]()
    for match in _TOKEN.finditer(section):
        kind = match.lastgroup or "other"
        text = match[kind] or ""
        if kind == "bracket":
            if text.startswith("$"):
                tokens.append(_Token("text", text[1:].partition("-")[0]))
            elif _ELAPSED.fullmatch(text):
                tokens.append(_Token("elapsed", text.lower()))
        elif kind in ("escaped", "text"):
            tokens.append(_Token("text", text))
        elif kind == "space":
            tokens.append(_Token("text", " "))
        elif kind == "date" and text[0] in "eEbB":
            tokens.append(_Token("date", "yyyy"))
        elif kind != "fill":
            tokens.append(_Token(kind, text))
    return tuple(tokens)


def _literal(token: _Token) -> str:
    return token.text if token.kind in ("text", "other", "slash", "percent") else ""


def _literals(tokens: Sequence[_Token]) -> list[str]:
    return [token.text.strip() for token in tokens if token.kind == "text" and len(token.text.strip()) > 1]


def _round(number: float, decimals: int) -> str:
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"


def _plain(number: float, tokens: Sequence[_Token]) -> str:
    percents = sum(token.kind == "percent" for token in tokens)
    pattern = next((token.text for token in tokens if token.kind == "number"), "")
    value = float(Decimal(repr(float(number))) * 100**percents) if percents else number
    value /= 1000 ** (len(pattern) - len(pattern.rstrip(",")))
    exponent = next((token.text for token in tokens if token.kind == "exponent"), "")
    patterns = [token.text for token in tokens if token.kind == "number"]
    pattern = pattern if len(patterns) < 2 or "." in "".join(patterns) else "".join(patterns).replace(",", "")
    digits = _scientific(value, pattern, exponent) if exponent else _digits(value, pattern) if pattern else ""
    parts, sign, left = list[str](), "", len(patterns)
    if digits.startswith("-"):
        sign, digits = "-", digits[1:]
    for token in tokens:
        if token.kind == "number":  # several share the digits, as in "000-0000"
            left -= 1
            after = sum(map(len, patterns[len(patterns) - left :])) if "." not in digits else 0
            parts.append(digits[: len(digits) - after] if after else digits)
            digits = digits[len(digits) - after :] if after else ""
        elif token.kind == "general":
            parts.append(_general(abs(value)))
            sign = "-" if value < 0 else sign
        else:
            parts.append(_literal(token))
    return " ".join((sign + "".join(parts)).split())


def _digits(number: float, pattern: str) -> str:
    whole, _, decimals = pattern.rstrip(",").partition(".")
    text = _round(number, len(decimals))
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    units, _, rest = text.partition(".")
    needed = len(decimals.rstrip("#?"))
    rest = rest[:needed] + rest[needed:].rstrip("0") if rest else ""
    least = sum(sign == "0" for sign in whole)
    units = units.lstrip("0").rjust(least, "0")
    if "," in whole:
        units = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", units)
    text = units + (f".{rest}" if rest else "")
    return sign + text if text.strip("0.,") else text


def _scientific(number: float, pattern: str, exponent: str) -> str:
    decimals = len(pattern.partition(".")[2])
    step = len(pattern.partition(".")[0].replace(",", ""))
    power = int(f"{number:.15E}".partition("E")[2])
    power = power // step * step if step > 1 else int(f"{number:.{decimals}E}".partition("E")[2])
    sign = "-" if power < 0 else "+" if "+" in exponent else ""
    return f"{_round(number / 10.0**power, decimals)}E{sign}{str(abs(power)).rjust(len(exponent) - 2, '0')}"


def _fraction(number: float, tokens: Sequence[_Token], match: "re.Match[str]") -> str:
    whole, below = match[1], match[3]
    exact = Fraction(repr(abs(number)))
    if below.isdigit() and below.strip("0"):
        part = Fraction(round(exact * int(below)), 1), int(below)
        over, under = int(part[0]), part[1]
    else:
        near = exact.limit_denominator(10 ** len(below) - 1)
        over, under = near.numerator, near.denominator
    units, over = divmod(over, under) if whole else (0, over)
    text = f"{units} {over}/{under}" if units and over else f"{over}/{under}" if over or not whole else str(units)
    before = "".join(token.text for token in tokens if token.kind == "text")
    return f"{'-' if number < 0 else ''}{text}{before.rstrip()}"


def _general(number: float) -> str:
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    try:
        units = len(str(int(abs(number))))
        if units < _MOST_GENERAL - 1 and abs(number) >= 1e-4:
            return _round(number, _MOST_GENERAL - 1 - units).rstrip("0").rstrip(".")
    except (InvalidOperation, OverflowError):
        pass
    return f"{number:.6G}"


def show_moment(moment: datetime, days: float, form: str) -> str:
    """A date or time in a format; `days` is the same as a number, which a duration is."""
    tokens, parts = _tokens(_sections(form)[0]), list[str]()
    seconds = round(days * 86_400)
    if not any(token.kind == "second" for token in tokens):
        moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    half = any(token.kind == "clock" for token in tokens)
    for at, token in enumerate(tokens):
        if token.kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[token.text[0]]
            parts.append(f"{'-' if days < 0 else ''}{abs(seconds) // unit:0{len(token.text)}}")
        elif token.kind == "clock":
            parts.append("AM" if moment.hour < 12 else "PM")
        elif token.kind == "second":
            parts.append(f"{moment.microsecond / 1e6:.{len(token.text) - 1}f}"[1:])
        elif token.kind == "date":
            parts.append(_date_part(moment, token.text.lower(), _is_minute(tokens, at), half=half))
        else:
            parts.append(_literal(token))
    return " ".join("".join(parts).split())


def _is_minute(tokens: Sequence[_Token], at: int) -> bool:
    """Whether an m stands for minutes: after hours, or before seconds."""
    near = [token for token in tokens if token.kind in ("date", "elapsed")]
    place = next(place for place, token in enumerate(near) if token is tokens[at])
    before, after = near[place - 1 : place], near[place + 1 : place + 2]
    return any(token.text.lower().startswith("h") for token in before) or any(
        token.text.lower().startswith("s") for token in after
    )


def _date_part(moment: datetime, part: str, is_minute: bool, *, half: bool) -> str:
    size, unit = len(part), part[0]
    if unit == "y":
        return f"{moment.year % 100:02}" if size < 3 else str(moment.year)
    if unit == "m" and not is_minute and size > 2:
        name = _MONTHS[moment.month - 1]
        return name[:3] if size == 3 else name[:1] if size == 5 else name
    if unit == "d" and size > 2:
        name = _DAYS[moment.weekday()]
        return name[:3] if size == 3 else name
    hour = (moment.hour % 12 or 12) if half else moment.hour
    minute = moment.minute if is_minute else moment.month
    number = {"m": minute, "d": moment.day, "h": hour, "s": moment.second}[unit]
    return f"{number:0{min(size, 2)}}"
