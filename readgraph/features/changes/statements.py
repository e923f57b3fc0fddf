"""A text cut into statements, and these into parts that are equal however they are written: 1,000 and one thousand."""

import re
from collections.abc import Iterator, Set
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from readgraph.language.calendars import calendars
from readgraph.language.compare import LEADING, account, fold_characters
from readgraph.language.dates import dates_in
from readgraph.language.detection import language_of, paragraph_language
from readgraph.language.sentences import sentence_spans
from readgraph.language.tokens import POINT_BEFORE_DECIMALS, UNCERTAIN_DATE, Token, cue_words, fold_letters

_SCALES = "hundred|thousand|million|billion|dozen|hundert|tausend|milliarden?|dutzend|millier|milliard|douzaine"
_FORMS = (  # in which numbers and marks are written, and in which the rules find them
    (
        re.compile(r"\b(eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)(hundert|tausend)", re.I),
        r"\1 \2 ",
    ),
    (re.compile(rf"\b(?:an?|one|eine?|une?)\s+(?=(?:{_SCALES})\b)", re.I), "1 "),
    (re.compile(r"(?:^|(?<=\b(?:de|et|um|an|zu|im) ))(?=(?:tausend|hundert|mille)\b)", re.I), "1 "),
    (re.compile(r"\bminus (?=\d)|(?<!\w)(?<!\d[ \u00a0])–(?=\d)"), "-"),
    (re.compile(r"\b(\d\d?)\.(\d\d)(?= Uhr\b)"), r"\1:\2"),
    (re.compile(r"\bEUR\s?(?=\d)"), "€"),
    (re.compile(r"\bUSD\s?(?=\d)"), "$"),
    (re.compile(r"\bGBP\s?(?=\d)"), "£"),
    (re.compile(r"\bCHF\s?(\d[\d.,'’]*\d|\d)"), r"\1 CHF"),
    (re.compile(r"(?<!\w)!(?=[\w(])"), "¬"),
    (re.compile(r"(?<=[^\W\d_] |\| |: )\((?=\d[\d.,]*\)(?: \w|\s*(?:[|;]|$)))"), "~("),  # a loss, perhaps
    (re.compile(r"\|(?=[ \t]*\|)"), "| ∅ "),  # an empty cell of a table
)
_POWER = re.compile(
    r"(?:(?P<times>\d+(?:[.,]\d+)?)\s*[×x·*]\s*)?\b10(?:\^(?P<power>[-+−]?\d{1,2})(?!\d)|(?P<raised>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))"
    r"|\b(?P<mantissa>\d+(?:\.\d+)?)[eE](?P<exponent>[-+−]?\d{1,2})\b"
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−", "0123456789+--")
_NUMBERING = re.compile(  # of a heading, or of a line without the mark of a sentence's end
    r"^(?:(?:section|chapter|article|part|clause|abschnitt|kapitel|artikel|teil|chapitre|titre)\s+[\dIVX]+(?:\.\d+)*"
    r"[.:)]?|§+\s*\d+\w?|第[\d一二三四五六七八九十]+[章条節节]|\d+(?:\.\d+)+[.)]?|\d+[.)])\s*[:–—-]?\s*(?=\S)",
    re.I,
)
_NOTE_MARK = re.compile(r"^\[\^[\w-]{1,12}\]:\s*|(?:^|(?<=[.,;:!?\"”]))[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?!\w)")
_BOX = re.compile(r"^\s*[*+-]\s+(\[[ xX]\])\s")  # of an entry that is to be done, or is done
_LINK, _TARGET = re.compile(r"!?\[([^][]*)\]\(([^()\s]*)(?:\s+\"[^\"]*\")?\)"), re.compile(r"\]\([^()\s]*")
_LABEL = re.compile(r"(?:^|(?<=; )|(?<=\| ))([^:;|\n]{1,60}): ")  # of a cell, as rows of PDF and CSV have it
_UNSEEN = re.compile(r"^```\w*\n|`|<!--.*?-->", re.DOTALL)  # marks of code, and what no reader of a page sees
_LINE, _HEADING_NUMBER = re.compile(r"[^\n.!?。]*(?:\d\.[^\n.!?。]*)*"), re.compile(r"^\d+\s+(?=\S)")
_CLAUSE_NUMBER = re.compile(r"^(?:§\s*\d+\w?|\(?\d{1,3}(?:\.\d{1,3})+\)?\.?)\s+(?=[^\W\d_a-zß-ÿ])")
_BLOCK = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")  # between blank lines
_ROW = re.compile(r"[^\n]*\|[^\n]*")  # of a table, with marks around its cells or only between them
_SIGNS, _BULLET = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]"), re.compile(r"^[\s>*•‣◦-]+\s")
_CASED = re.compile(r"(\b[A-Z]{2,3}\b|\b[^\W\d_]\b|(?<=\d)(?![sS]\b)\s?[^\W\d_]{1,4}\b)")
_CODE, _OPTION = re.compile(r"\w\(|[;{}]\s*$|\s[=+*/<>-]=?\s"), re.compile(r"(?<!\S)-[aA]\b")
_NO_ARTICLES = frozenset("some any now today jetzt heute nun had".split())
_TELLING = re.compile(
    r"[%‰#$£¥¢&*/+<=>~^¬°±×÷′″\u20a0-\u20cf\u2190-\u22ff\u2600-\u27bf\U0001f300-\U0001faff]"
)  # no bullets


class Statement(NamedTuple):
    """Characters `[start, end)` of a text: a sentence, a heading, a row of a table, or a block that both texts have."""

    start: int
    end: int
    text: str
    language: str

    @property
    def parts(self) -> tuple[Token, ...]:
        """Its words, numbers, dates, names and denials, in order."""
        return parts_of(self.text, self.language)


def fold_statement(text: str) -> str:
    """What is the same in two statements of the same letters, but for how marks are drawn, and for case.

    Case is kept where other letters may be another word ("US"), variable or unit ("mW").
    """
    parts = _CASED.split(_BULLET.sub("", fold_characters(text)))
    return " ".join("".join(part if at % 2 else part.casefold() for at, part in enumerate(parts)).split())


def fold_blocks(text: str) -> set[str]:
    """What stands between blank lines, folded."""
    return {fold_statement(block.group()) for block in _BLOCK.finditer(text)}


def labels_in(text: str) -> set[str]:
    """What stands before the cells of a table, in a text that has it in each row."""
    return {label.casefold() for line in text.splitlines() if len(found := _LABEL.findall(line)) > 1 for label in found}


def cut_statements(text: str, shared: Set[str], labels: Set[str]) -> Iterator[Statement]:
    """The statements of a text; what stands between blank lines and is among the `shared` blocks is a single one.

    The head of a table says nothing where its cells stand as `labels` in one of the texts.
    """
    main, whole_links = language_of(text), _TARGET.sub(lambda target: "](" + "x" * (len(target[0]) - 2), text)
    for block in _BLOCK.finditer(text):
        language, spans, is_table = main, [block.span()], False
        if fold_statement(block.group()) not in shared:
            signs = [] if main in ("zh", "ja") else _SIGNS.findall(block.group())
            own = "ja" if any(sign < "\u3100" for sign in signs) else "zh"
            language = own if signs else paragraph_language(block.group(), main)
            rows = [row.span() for row in _ROW.finditer(text, *block.span())]
            is_table = len(rows) > block.group().count("\n")
            spans = rows if is_table else sentence_spans(whole_links, *block.span(), language)
        for span in spans:
            said = text[slice(*span)].strip()
            is_head = is_table and {cell.strip().casefold() for cell in said.strip("|").split("|")} <= labels
            if any(map(str.isalnum, _UNSEEN.sub("", said))) and not is_head:
                yield Statement(*span, said, language)


@lru_cache(16_384)
def parts_of(text: str, language: str) -> tuple[Token, ...]:
    """The parts of a statement that count; marks do not, nor does the number before a heading or an entry of a list."""
    heading, box, links = text.startswith("#"), _BOX.match(text), _LINK.findall(text)
    text = _LINK.sub(r"\1", _UNSEEN.sub("", text))
    if len(labels := _LABEL.findall(text)) > 1:
        text = _LABEL.sub("", text)
    if not (begun := dates_in(text[:40], language)) or begun[0].start:  # "3. Mai" is no third entry of a list
        bare = _NOTE_MARK.sub("", LEADING.sub("", text))
        numbering = _NUMBERING if _LINE.fullmatch(text) else _CLAUSE_NUMBER
        text = (_HEADING_NUMBER if heading else numbering).sub("", numbering.sub("", bare))
    text = re.sub(r"(?<=[^\W\d])\[", " [", text) if _CODE.search(text) else text  # which is no mark of a note
    text = f'"{text}' if text[:1].isdigit() else text  # which is not taken for the number of an entry
    text = _POWER.sub(lambda power: _write_out(power, language), text)
    for written, form in _FORMS:
        text = written.sub(form, text)
    parts = [Token("small", box[1].casefold(), box[1].casefold())] if box else []
    tokens, is_large, has_option = account(text, language), text.isupper(), bool(_OPTION.search(text))
    for before, token, behind in zip((None, *tokens), tokens, (*tokens[1:], None), strict=False):
        is_end = not behind or behind.kind in ("break", "mark")
        is_letter = token.text == "a" and (is_end or has_option)  # "f(a, b)", "ls -a"; "vitamin A"
        is_letter |= token.text == "A" and (has_option or (before is not None and not is_large))
        if token.text in ("-", "–") and before and behind and before.kind == behind.kind == "number":
            parts.append(token._replace(kind="mark", value="–", text="–"))  # of a range
        elif is_letter or (token.text == "None" and before):  # of a program
            parts.append(token._replace(kind="word" if is_letter else "name", value=token.text))
        elif token.kind != "break" and (token.kind != "mark" or _TELLING.match(token.text)):
            part = _read_part(token, language)
            parts.append(part._replace(kind="word") if part.kind == "name" and heading else part)
    parts += [Token("link", target, target) for _, target in links]
    return (*parts, *(Token("label", label.casefold(), label) for label in labels if len(labels) > 1))


def _read_part(token: Token, language: str) -> Token:
    """A token with the value that it has in common with others that say the same."""
    calendar, value, folded = calendars().get(language), token.value, token.text.casefold()
    if token.kind == "number" and isinstance(value, tuple):
        return token._replace(value=(float(f"{value[0] * value[2]:.10g}"), value[1]))
    if token.kind == "date" and token.text.isdecimal():
        return token._replace(value=(float(token.text), ""))
    if calendar and token.text[0].isupper() and not token.first and folded in calendar.names:
        return token._replace(kind="date", value=(None, calendar.names[folded], None))
    if token.kind == "word" and UNCERTAIN_DATE.search(token.text):
        return token._replace(kind="date", value=re.sub(r"\b0", "", value))
    if token.kind == "small" and value in cue_words("light", language) - _NO_ARTICLES:
        return token._replace(kind="article")
    is_word = isinstance(value, str)
    return token._replace(value="not" if token.kind == "denial" else fold_letters(value)) if is_word else token


def _write_out(power: re.Match[str], language: str) -> str:
    """A power of ten in digits, as the language writes decimals: "0.0032" for "3.2 × 10⁻³" and "3.2e-3"."""
    exponent = (power["power"] or power["raised"] or power["exponent"]).translate(_RAISED)
    times = (power["times"] or power["mantissa"] or "1").replace(",", ".")
    digits = f"{Decimal(times).scaleb(int(exponent)):f}"
    return digits if language in POINT_BEFORE_DECIMALS else digits.replace(".", ",")
