"""A sentence cut into words, numbers with their units, dates and names, for the rules that compare two sentences."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple
from unicodedata import combining, normalize, numeric

from readgraph.language.dates import WEEKDAYS, dates_in
from readgraph.language.terms import UNSPACED, stem, stop_words

SlotKind = Literal["number", "date", "name", "denial"]
NOUNS_LARGE = frozenset(("de", "lb"))  # languages that write every noun with a capital
POINT_BEFORE_DECIMALS = frozenset("en zh ja ko th he hi".split())
TITLES = frozenset(
    "mr mrs ms miss messrs dr doctor prof professor sir lady lord reverend rev father captain prime deputy mayor "
    "president minister senator governor ambassador councillor herr herrn frau fräulein doktor bürgermeister "
    "bürgermeisterin stadtrat stadträtin direktor direktorin präsident präsidentin ministerin kanzler kanzlerin mme "
    "mlle madame monsieur señor señora don doña signor signora".split()
)

QUOTE_MARK = re.compile(r"[\"“”„«»]")
_ELISION = re.compile(r"^(?:n|l|d|qu|j|s|c|m|t)['’](?=\w)", re.IGNORECASE)
_ARTICLES = frozenset(
    "der die das dem den des ein eine einem einen einer eines im am zum zur beim vom ins ans kein keine und".split()
)
_TOKEN = re.compile(
    r"(?P<money>(?:\b[A-Z]{1,3})?[$]|[€£])?(?P<sign>(?<![\w\d])[-−](?=\d))?"
    r"(?P<digits>(?:\d{1,3}[ \u202f]?)?[¼-¾⅐-⅞]"
    r"|\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,:]\d+)*)"
    r"(?P<suffix>(?i:st|nd|rd|th)\b)?"
    r"|(?P<share>百分之(?=[\d一二三四五六七八九十百两]))?(?P<east>(?:\d+(?:\.\d+)?|(?<!第)(?:[二三四五六七八九十百千两]|一(?=[十百千年月日]))[一二三四五六七八九十百千零两]*)"
    r"(?(share)|(?=[个年月日号天周岁点时分秒元块倍次名人台件张万亿克米])))"
    rf"|(?P<unspaced>[{UNSPACED}])|(?P<word>°[CF]\b|[^\W\d_]+(?:['’-][^\W\d_]+)*)|(?P<mark>[%€])"
    r"|(?P<break>[;,:()–—、，；])|(?P<other>\S)"
)
_POINTED = re.compile(r"\b([apb])\.[ \u00a0]?([mcd])\b\.?", re.IGNORECASE)  # "p.m.", "B.C."
_BARE_FRACTION = re.compile(r"(?<![\w.,)\]])\.(?=\d)")  # ".5"
_PER_CENT = re.compile(r"[ \u00a0\u202f](?:per|pour|por)[ \u00a0]c(?:ent|ento|iento)\b")
_NUMERO = re.compile(r"\b(?:(?i:no)\.|No)[ \u00a0]?(?=\d)")  # "No. 5" denies nothing
_POINTED_SCALE = re.compile(r"(?<=\d[ \u00a0\u202f])(Mio|Mrd|Tsd|mln|mld)\.", re.IGNORECASE)

_VERSION = re.compile(r"(?!\d{1,3}(?:\.\d{3})+$)\d+(?:\.\d+){2,}")  # "2.1.0", and not "1.240.000"
UNCERTAIN_DATE = re.compile(r"(?<!\d)[12]\d{3}(?:s|[-–/]\d{2,4})$|^(?:0?[1-9]|1[0-2])/(?:0?[1-9]|1[0-2])/")
"""A decade, some years, and "3/4/2020", which is a day of March or of April."""

_BEFORE_NOT = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}
_CONTRACTED = re.compile(r"(\w+)'(re|ve|ll|m)")
_WRITTEN_OUT = {"re": "are", "ve": "have", "ll": "will", "m": "am"}  # "'s" and "'d" may be two words each
_LONG_SCALE = frozenset(("billion", "billions"))  # which is a thousand times more in other languages
VERSIONS = frozenset("v version versions versionen fassung versión versiones versione versioni versão versie".split())
_IN_ONE_WORD, _ONE = frozenset(("de", "nl", "it")), ("ein", "een", "uno")  # languages with "fünfunddreißig"
_FRACTIONS = frozenset("¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞")
MONEY = frozenset(("dollars", "euros", "pounds"))
SHORT_SCALES = {"k": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9, "B": 1e9}  # behind a sign of money


class Token(NamedTuple):
    """A word or a slot of a sentence: what is compared of it, as it stands, and whether it begins the sentence.

    `clause`: how many marks and words that join clauses stand before it; a semicolon counts twice.
    """

    kind: SlotKind | Literal["word", "small", "article", "hedge", "break", "mark", "link", "label"]
    value: Any
    text: str
    first: bool = False
    clause: int = 0


@cache
def _cues() -> dict[str, Any]:
    text = files(__package__).joinpath("cues.toml").read_text(encoding="utf-8")
    return tomllib.loads(text.casefold())  # as words are compared: "dreissig"


CueGroup = Literal[
    "denials",
    "hedges",
    "relations",
    "before_dates",
    "passive",
    "joins",
    "also",
    "light",
    "plain",
    "indefinite",
    "pronouns",
    "back",
    "contrast",
    "affirming",
    "pairs",
    "says",
    "sources",
]


@cache
def cue_words(group: CueGroup, language: str) -> frozenset[str]:
    """A language's words that rules look at (`cues.toml`), such as those by which it denies."""
    return frozenset(_cues()[group].get(language, "").split())


@cache
def word_groups(name: Literal["modals", "opposites", "names"]) -> tuple[frozenset[str], ...]:
    """Words of all languages in groups: modal verbs that say the same, opposites, or the names of one place."""
    return tuple(frozenset(group.strip().split("/")) for group in _cues()["groups"][name].split(","))


@cache
def _irregular(language: str) -> dict[str, str]:
    """The plain forms of words whose other forms no rule of endings finds: "went" → "go"."""
    listed = (line.split() for line in _cues()["irregular"].get(language, "").split(","))
    return {form: plain for plain, *forms in filter(None, listed) for form in forms}


def is_past(word: str) -> bool:
    """Whether an English word is certainly a form of a verb that tells what was done: "sold", "counted"."""
    return bool(re.fullmatch(r"\w{3,}[^e]ed", word)) or word in _irregular("en")


@cache
def numerals(language: str) -> dict[str, int]:
    """A language's words for numbers that stand alone, with their values."""
    numbers = {word: number for number, word in enumerate(_cues()["numerals"].get(language, "").split(), 2)}
    numbers |= {"one": 1} if language == "en" else {}
    return numbers | {word: 10 * ten for ten, word in enumerate(_cues()["tens"].get(language, "").split(), 2)}


@cache
def _weekdays(language: str) -> dict[str, str]:
    """The days of the week in English, by their names in a language and in English."""
    own = zip(_cues()["weekdays"].get(language, "").split(), (*WEEKDAYS, "saturday"), strict=False)
    return {**dict(own), **{day: day for day in WEEKDAYS}}


@cache
def _scales() -> dict[str, float]:
    return {word: float(scale) for scale, listed in _cues()["scales"].items() for word in listed.split()}


def has_scale(number: Token) -> bool:
    """Whether a number is told with a word for a scale: "3 million"."""
    return any(word.casefold() in _scales() for word in number.text.split())


@cache
def _units() -> dict[str, tuple[str, float]]:
    """(what is measured, its size in that unit) by the words for it."""
    listed = [(of, size, words) for of, sizes in _cues()["units"].items() for size, words in sizes.items()]
    return {word: (of, float(size)) for of, size, words in listed for word in words.split()}


@cache
def unreal_words() -> frozenset[str]:
    """Words of all languages behind or under which what is told need not be so: "Myth:"."""
    return frozenset(word for words in _cues()["unreal"].values() for word in words.split())


def knows_denials(language: str) -> bool:
    """Whether it is known how a language denies and hedges, without which little can be said of its sentences."""
    return language in _cues()["hedges"]


def tokens_of(sentence: str, language: str) -> tuple[Token, ...]:
    """A sentence's words, numbers, dates and names, in order."""
    return tuple(token for token in cut_tokens(sentence, language) if token.kind not in ("break", "mark"))


@lru_cache(8192)
def cut_tokens(sentence: str, language: str) -> tuple[Token, ...]:
    """All that a sentence is made of but spaces: its words, numbers, dates and names, and each mark."""
    sentence = _POINTED_SCALE.sub(r"\1", _POINTED.sub(r"\1\2", sentence))
    sentence = _NUMERO.sub("number ", _BARE_FRACTION.sub("0.", sentence))
    sentence = _PER_CENT.sub(" percent", sentence.replace("US$", "$"))
    tokens, at = list[Token](), 0
    for date in [*dates_in(sentence, language), None]:
        start = date.start if date else len(sentence)
        tokens += _without_dates(sentence[at:start], language, is_first=not tokens)
        if date:
            text = sentence[date.start : date.end].strip()
            certain = any((date.year, date.month, date.day)) and not UNCERTAIN_DATE.search(text)
            value = (date.year, date.month, date.day) if certain else text.casefold()
            tokens.append(Token("date" if certain else "word", value, text))
        at = date.end if date else start
    numbered, clause, joins = list[Token](), 0, cue_words("joins", language)
    for token in _join_numbers(tokens, language):
        clause += (token.kind == "break" or token.value in joins) + (token.text == ";")
        numbered.append(token._replace(clause=clause))
    return tuple(numbered)


def _without_dates(text: str, language: str, *, is_first: bool) -> Iterator[Token]:
    previous, shouted = "", text.isupper()
    words = [*_TOKEN.finditer(text)]
    for number, match in enumerate(words):
        first = is_first and not number
        if match["digits"]:
            value = _number(match["digits"], language) * (-1 if match["sign"] else 1)
            unit: tuple[str, float] = ("ordinal", 1) if match["suffix"] else ("", 1)
            if money := match["money"]:
                unit = _units().get(money, (money, 1))  # "A$" is no "$"
            is_version = "." in match["digits"] and previous.casefold() in VERSIONS
            as_it_is = is_version or ":" in match["digits"] or _VERSION.fullmatch(match["digits"])
            yield Token("number", _write_time(match["digits"]) if as_it_is else (value, *unit), match.group())
        elif match["east"]:
            yield Token("number", (_east_number(match["east"]), "share" if match["share"] else "", 1), match.group())
        elif match["word"]:
            following = words[number + 1]["word"] if number + 1 < len(words) else None
            before_large = bool(following and following[0].isupper())
            yield from _word_tokens(match["word"], previous, before_large, language, first=first, shouted=shouted)
        else:
            kind: Any = "break" if match["break"] else "mark" if match["other"] else "word"
            kind = "denial" if match.group() in cue_words("denials", language) else kind
            yield Token(kind, match.group(), match.group())
        previous = match.group()


def _word_tokens(
    word: str, previous: str, before_large: bool, language: str, *, first: bool, shouted: bool
) -> Iterator[Token]:
    if elided := _ELISION.match(word) if language in ("fr", "it", "ca") else None:
        cut = elided.group()[:-1].casefold()
        yield Token("denial" if cut in cue_words("denials", language) else "small", cut, elided.group())
        word = word[elided.end() :]
    folded = word.casefold().replace("’", "'")
    if folded.endswith("n't") or folded == "cannot":
        yield Token("small", _BEFORE_NOT.get(folded, folded[:-3]), word)
        yield Token("denial", "not", word)
    elif language == "en" and (contracted := _CONTRACTED.fullmatch(folded)):
        yield Token("small", contracted[1], word)
        yield Token("small", _WRITTEN_OUT[contracted[2]], word)
    elif folded in cue_words("denials", language):
        yield Token("denial", folded, word)
    elif folded != "one" and (number := _number_in_words(folded, language)):
        yield Token("number", (float(number), "", 1), word)
    elif folded in cue_words("hedges", language):
        yield Token("hedge", folded, word)
    elif folded in cue_words("relations", language):
        yield Token("word", folded, word)
    elif day := _weekdays(language).get(folded):
        yield Token("date", day, word)
    elif folded in stop_words(language) or (folded.removesuffix("'s") in stop_words(language)):
        yield Token("small", folded, word)
    else:
        bare = folded.removesuffix("'s").rstrip("'")
        is_name = word[0].isupper() and not shouted and folded not in TITLES and (not first or before_large)
        if is_name and language in NOUNS_LARGE and not before_large:
            is_name = previous.casefold() not in _ARTICLES and not re.search(r"^[^\W\d_A-Z].*e[nmrs]?$", previous)
        bare = fold_spelling(bare) if language == "en" else bare
        value = stem(_irregular(language).get(bare, bare), language)
        yield Token("name" if is_name else "word", fold_letters(value) if is_name else value, word, first)


def fold_letters(name: str) -> str:
    """A name as it is compared: "Müller" and "Mueller" are the same."""
    letters = "".join(letter for letter in normalize("NFKD", name) if not combining(letter))
    return re.sub(r"([aou])e", r"\1", letters)


def plain_digits(text: str) -> str:
    """A text with the digits of all scripts as "0" to "9"."""
    return text if text.isascii() else "".join(str(int(sign)) if sign.isdecimal() else sign for sign in text)


_PAIRS = [
    pair.split("/")
    for pair in "our/or ise/ize isa/iza isi/izi yse/yze tre/ter bre/ber logue/log fence/fense gramme/gram elled/eled "
    "elling/eling".split()
]
_WHOLE = {"grey": "gray", "greys": "grays", "mould": "mold", "plough": "plow", "tyre": "tire", "kerb": "curb"}
KEPT = 2  # letters before such an ending: not in "four" and "rise"


@cache
def fold_spelling(word: str) -> str:
    """An English word as Americans write it."""
    for british, american in _PAIRS:
        word = word[:KEPT] + word[KEPT:].replace(british, american)
    return _WHOLE.get(word, word)


@cache
def other_spellings(word: str) -> frozenset[str]:
    """How else an English word in lower case may be written: "colour" and "color"."""
    british = word
    for ours, theirs in _PAIRS:
        british = british[:KEPT] + british[KEPT:].replace(theirs, ours)
    return frozenset({fold_spelling(word), british, *(one for one, other in _WHOLE.items() if other == word)} - {word})


@lru_cache(8192)
def _number_in_words(word: str, language: str) -> int:
    """The value of "thirty-four", "quatre-vingt-douze", "fünfunddreißig" or "trentacinque"; 0 for no number."""
    values, word = numerals(language), re.sub(r"^quatre-vingts?\b-?", "soixante-vingt-", word).rstrip("-")
    for at in range(3, len(word) - 2) if language in _IN_ONE_WORD else ():
        parts = word[:at], re.sub(r"^(?:und|[eë]n)", "", word[at:])
        if {*parts} <= {*values, *_ONE}:
            return sum(values.get(part, 1) for part in parts)
    return sum(values[part] for part in word.split("-")) if all(part in values for part in word.split("-")) else 0


def _east_number(digits: str) -> float:
    """The value of a number in Chinese: 35 for "三十五"."""
    if digits[0].isdecimal():
        return float(digits)
    total = digit = 0
    for sign in digits.replace("两", "二").replace("零", ""):
        scale = {"十": 10, "百": 100, "千": 1000}.get(sign, 0)
        total, digit = (total + (digit or 1) * scale, 0) if scale else (total, "一二三四五六七八九".index(sign) + 1)
    return float(total + digit)


def _number(digits: str, language: str) -> float:
    """The value of a number as the language writes it: "1,200.5" or "1.200,5"; 0 for a time of day."""
    if ":" in digits:
        return 0.0
    if digits[-1] in _FRACTIONS:
        return float(digits[:-1] or 0) + numeric(digits[-1])
    digits = re.sub(r"['’ \u00a0\u202f]", "", digits)
    grouping, decimal = (",", ".") if language in POINT_BEFORE_DECIMALS else (".", ",")
    if re.fullmatch(rf"\d+\{grouping}\d\d?|0\{grouping}\d+", digits):  # as others write it: "3,5 %", "0,125"
        grouping, decimal = decimal, grouping
    if re.fullmatch(rf"[1-9]\d{{0,2}}(?:\{grouping}\d{{3}})+(?:\{decimal}\d+)?", digits):
        digits = digits.replace(grouping, "")
    digits = digits.replace(decimal, ".") if digits.count(decimal) == 1 else digits.replace(decimal, "")
    return float(digits) if digits.count(".") <= 1 and "," not in digits else float(re.sub("[.,]", "", digits))


def readings(number: Token) -> set[str]:
    """All values that a number may have: 1.2 and 1200 for "1.200"."""
    digits = re.search(r"\d[\d.,'’ \u00a0\u202f]*(?<=\d)", number.text)
    point, comma = ((digits and _number(digits.group(), language)) or 1.0 for language in ("en", "de"))
    return {f"{number.value[0] * factor:.10g}" for factor in (1, point / comma, comma / point)}


def _join_numbers(tokens: Sequence[Token], language: str) -> Iterator[Token]:
    """The tokens with numbers and what belongs to them as one: "two hundred and five", "3.5 million euros", "5 km"."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        following = tokens[at].text.casefold() if at < len(tokens) else ""
        if token.kind == "date" and following in _units() and token.text.isdecimal():  # "1200 g" is no year
            token = Token("number", (float(token.text), "", 1), token.text, token.first, token.clause)
        if token.kind == "number" and following in ("am", "pm"):
            yield token._replace(value=_time_of_day(token.text, following), text=f"{token.text} {tokens[at].text}")
            at += 1
            continue
        if token.kind != "number" or isinstance(token.value, str):
            yield token
            continue
        value, of, size = token.value
        text = token.text
        is_money = of in MONEY or of.endswith("$")
        if is_money and at < len(tokens) and (short := SHORT_SCALES.get(tokens[at].text)):  # "$1.2bn"
            value, text, at = value * short, text + tokens[at].text, at + 1
        value, used = _read_on(value, tokens[at:], language)
        text, at = " ".join([text, *(token.text for token in tokens[at : at + used])]), at + used
        if not of and at < len(tokens) and (unit := _units().get(tokens[at].text.casefold())):
            of, size = unit
            text += ("" if tokens[at].text == "%" else " ") + tokens[at].text
            at += 1
        yield token._replace(value=(value, of, size), text=text)


def _time_of_day(digits: str, half: str) -> str:
    """A time as it is compared: "15:00" for "3 pm"."""
    hour, _, minutes = digits.replace(".", ":").partition(":")
    hours = int(hour) % 12 if hour.isdecimal() else 0
    return f"{hours + 12 * (half == 'pm'):02}:{minutes or '00'}"


def _write_time(digits: str) -> str:
    """A time without "am" or "pm" as it is compared: "10:30" may be either, "07:30" and "15:30" can't."""
    is_open = re.fullmatch(r"1[0-2]:\d\d", digits)
    return f"{digits} am or pm" if is_open else digits


def _small_in_words(token: Token) -> float:
    """The value of a number in words, also of "one"; 0 for all else."""
    is_number = token.kind == "number" and not isinstance(token.value, str) and token.text[0].isalpha()
    return float(token.value[0]) if is_number else float(token.text.casefold() == "one")


def _read_on(value: float, following: Sequence[Token], language: str) -> tuple[float, int]:
    """A number with the words that go on with it ("thousand two hundred and five"), and how many words these are."""
    thousands, at = 0.0, 0
    while at < len(following):
        is_joined = following[at].value == "and" and at + 1 < len(following) and value + thousands >= 100
        token = following[at + is_joined]
        word, scale = token.text.casefold(), 0.0 if is_joined else _scales().get(token.text.casefold(), 0.0)
        if scale and (language == "en" or word not in _LONG_SCALE):
            whole = (value or thousands) * scale
            thousands, value = (whole + thousands * bool(value), 0.0) if scale >= 1000 else (thousands, whole)
        elif value + thousands >= 100 and not value % 100 and 0 < (small := _small_in_words(token)) < 100:
            value += small
        else:
            break
        at += 1 + is_joined
    return thousands + value, at
