"""Numbers as word processors write them before paragraphs: letters, Roman numerals, and other languages' numerals."""

from collections.abc import Callable

_ROMAN = zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split())  # noqa: B905
_ROMAN_PARTS = tuple(_ROMAN)
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_HEBREW: dict[int, str] = dict(
    zip((*range(1, 10), *range(10, 100, 10), *range(100, 500, 100)), "אבגדהוזחטיכלמנסעפצקרשת", strict=True)
)
_TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_ORDINAL_WORDS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth"}
_ORDINAL_WORDS |= {"nine": "ninth", "twelve": "twelfth"}


def write_numeral(number: int, form: str) -> str:
    """A number in a form that Open XML names ("lowerRoman"); in digits where it has none in that form."""
    write = _FORMS.get(form)
    return write(number) if write and 0 < number < 10_000 else "" if form in ("none", "bullet") else str(number)


def _roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN_PARTS:
        written += letters * (number // value)
        number %= value
    return written


def _letters(alphabet: str) -> Callable[[int], str]:
    """The alphabet's letters, then each twice, and so on: a, …, z, aa, bb."""
    return lambda number: alphabet[(number - 1) % len(alphabet)] * ((number - 1) // len(alphabet) + 1)


def _digits(first: str) -> Callable[[int], str]:
    return lambda number: "".join(chr(ord(first) + int(digit)) for digit in str(number))


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _words(number: int) -> str:
    if number < 20:
        return _UNITS[number]
    if number < 100:
        return _TENS[number // 10 - 1] + (f"-{_UNITS[number % 10]}" if number % 10 else "")
    of, name = (100, "hundred") if number < 1000 else (1000, "thousand")
    return f"{_words(number // of)} {name}" + (f" {_words(number % of)}" if number % of else "")


def _ordinal_words(number: int) -> str:
    words = _words(number)
    at = max(words.rfind("-"), words.rfind(" ")) + 1
    last = words[at:]
    ordinal = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return (words[:at] + _ORDINAL_WORDS.get(last, ordinal)).capitalize()


def _chinese(digits: str, units: str) -> Callable[[int], str]:
    """Counting in Chinese characters: 十二, 一百零五."""

    def write(number: int) -> str:
        written, zeros = "", False
        for power in range(len(str(number)) - 1, -1, -1):
            digit = number // 10**power % 10
            if digit:
                omitted = digit == 1 and power == 1 and not written and units[0] == "十"
                written += ("零" if zeros else "") + ("" if omitted else digits[digit])
                written += units[power - 1] if power else ""
            zeros = not digit and bool(written)
        return written

    return write


def _hebrew(number: int) -> str:
    written = ""
    while number >= 400:
        written, number = written + "ת", number - 400
    written += _HEBREW.get(number // 100 * 100, "")
    number %= 100
    if number in (15, 16):  # not the letters of the holy name
        return f"{written}ט{_HEBREW[number - 9]}"
    return written + _HEBREW.get(number // 10 * 10, "") + _HEBREW.get(number % 10, "")


def _circled(number: int) -> str:
    return chr(0x2460 + number - 1) if number <= 20 else f"({number})"


_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
_CHINESE, _LEGAL = "〇一二三四五六七八九", "零壹贰叁肆伍陆柒捌玖"
_FORMS: dict[str, Callable[[int], str]] = {
    "upperRoman": _roman,
    "lowerRoman": lambda number: _roman(number).lower(),
    "lowerLetter": _letters(_LATIN),
    "upperLetter": _letters(_LATIN.upper()),
    "lowerGreek": _letters("αβγδεζηθικλμνξοπρστυφχψω"),
    "decimalZero": lambda number: f"{number:02}",
    "ordinal": _ordinal,
    "cardinalText": lambda number: _words(number).capitalize(),
    "ordinalText": _ordinal_words,
    "hex": lambda number: f"{number:X}",
    "numberInDash": lambda number: f"- {number} -",
    "decimalFullWidth": _digits("０"),
    "decimalFullWidth2": _digits("０"),
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "decimalEnclosedParen": lambda number: f"({number})",
    "decimalEnclosedFullstop": lambda number: f"{number}.",
    "hindiNumbers": _digits("०"),
    "thaiNumbers": _digits("๐"),
    "thaiLetters": _letters("กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ"),
    "hindiConsonants": _letters("कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह"),
    "hindiVowels": _letters("अआइईउऊऋऌऍऎएऐऑऒओऔ"),
    "russianLower": _letters(_RUSSIAN),
    "russianUpper": _letters(_RUSSIAN.upper()),
    "arabicAlpha": _letters("أبتثجحخدذرزسشصضطظعغفقكلمنهوي"),
    "arabicAbjad": _letters("أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"),
    "hebrew1": _hebrew,
    "hebrew2": _letters("אבגדהוזחטיכלמנסעפצקרשת"),
    "ganada": _letters("가나다라마바사아자차카타파하"),
    "chosung": _letters("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"),
    "koreanDigital": lambda number: "".join("영일이삼사오육칠팔구"[int(digit)] for digit in str(number)),
    "koreanCounting": _chinese("영일이삼사오육칠팔구", "십백천"),
    "aiueo": _letters("アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"),
    "aiueoFullWidth": _letters(
        "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
    ),
    "iroha": _letters(
        "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
    ),
    "irohaFullWidth": _letters(
        "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
    ),
    "chineseCounting": _chinese(_CHINESE, "十百千"),
    "chineseCountingThousand": _chinese(_CHINESE, "十百千"),
    "taiwaneseCounting": _chinese(_CHINESE, "十百千"),
    "taiwaneseCountingThousand": _chinese(_CHINESE, "十百千"),
    "japaneseCounting": _chinese(_CHINESE, "十百千"),
    "ideographDigital": lambda number: "".join(_CHINESE[int(digit)] for digit in str(number)),
    "japaneseDigitalTenThousand": lambda number: "".join(_CHINESE[int(digit)] for digit in str(number)),
    "taiwaneseDigital": lambda number: "".join(_CHINESE[int(digit)] for digit in str(number)),
    "chineseLegalSimplified": _chinese(_LEGAL, "拾佰仟"),
    "ideographLegalTraditional": _chinese("零壹貳參肆伍陸柒捌玖", "拾佰仟"),
    "japaneseLegal": _chinese("〇壱弐参四伍六七八九", "拾百千"),
    "ideographTraditional": _letters("甲乙丙丁戊己庚辛壬癸"),
    "ideographZodiac": _letters("子丑寅卯辰巳午未申酉戌亥"),
    "ideographEnclosedCircle": lambda number: chr(0x3280 + number - 1) if number <= 10 else f"({number})",
}
