"""Where sentences begin and end."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from sentencex import get_sentence_boundaries

from readgraph.language.detection import DEFAULT, language_of, paragraph_language

_NOTE = r"\[\^[^\]\s]{1,6}\]"
_ENTRY = rf"[ \t]*(?:[-*•‣◦]|[(]?(?:\d{{1,3}}[.)]|[a-z][)])|{_NOTE}:?)[ \t]"
MESSAGE = r"[\u200e\u200f]*\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[.,]{0,2}[ \u00a0\u202f]\d{1,2}[:.]\d\d"
_HEADING = r" {0,3}#{1,6}[ \t]"
_PARAGRAPH = re.compile(
    rf"{_HEADING}[^\n\r\f]*|(?:[^\n\r\f]++|(?<!===)(?<!----)\r?\n(?!\s*?\n|{_HEADING}|{_ENTRY}|{MESSAGE}))+"
)
"""What ends at a blank line, at a heading of Markdown, and before a line that begins an entry of a list, or with a date
and a time. A heading is a paragraph by itself; one that is underlined ends there."""

_BLOCK = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")  # between blank lines

_STAMP = (
    r"[\[(]?(?:\d[\d./-]{5,9}\.?,?[ \u00a0\u202fT])?\d{1,2}[:.]\d\d(?:[:.]\d\d)?"
    r"(?:[ \u00a0\u202f]?[AaPp]\.?[Mm]\.?)?[\])]?(?: ?[-–—])?[ \t]+"
)
_TITLE = r"(?:(?:Right )?(?:Mr|Mrs|Ms|Dr|Prof|Hon|Rev|Sen|Rep)\. )?"
LABEL = re.compile(
    rf"[ \t]*(?:{_STAMP})?({_TITLE}\w[^\n:：.!?。！？]{{0,29}}?(?: [A-Z]\.)?)(?: \([^\n:]{{1,80}}\))?"
    r"(?::[ \t]+|：[ \t]*(?![“「『\"]))"
)
"""What begins a turn of a talk, also after its time, or a row of a table: "Ann: Hello.", "[19:40] Ann: Hello.",
"Dr. Ann Bell (chair): Hello.", "小明：你好", "Station: Hexley; Year: 1985"."""

ROW = re.compile(r"[ \t]*\|[^\n]*\|[ \t]*\r?(?:\n|$)")  # a row of a table in Markdown
_LINE_END = re.compile(r"\r?\n")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^`\n]*)$", re.MULTILINE)
_BETWEEN_MARKS = re.compile(r"!(?=\[[^]]*\]\()|[\"“”„«»‹›()\[\]‘]|(?<!\w)['’]|['’](?!\w)")
"""Marks in which the segmenter sees no end, and the mark of an image, in which it sees one."""

_ANY_MARK = re.compile(r"[\"'“”„«»‹›()\[\]‘’。？！]")  # where a paragraph has none, the segmenter gets it as it is

_CLOSED_BEFORE_END = re.compile(r"(?<=\w)[\"”’»)\]](?=[.!?])")
"""Such a mark before the end of a sentence, which then stands after a letter as at others."""

_DIGIT_AFTER_END = re.compile(r"(?<=[。？！])\d")
"""A digit at the begin of a Chinese or Japanese sentence: the segmenter takes the mark before it for a decimal one."""

_MARKED_END = re.compile(rf"([.!?…。！？])[\"”»’)]*(?: ?{_NOTE})+")  # of a sentence, with the marks of its notes
_ENDS = '.!?…"”»)]'
_OPENING = "\"'“„«‹‘([»›"
LONGEST_WORDLESS = 500  # characters without a space, from which on a paragraph in our letters has no words
LONGEST_PART = 10_000  # characters that the segmenter is given at once: it is quadratic on odd texts
_ENUMERATOR = re.compile(r"(?:#{1,6} +)?[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_]|[ivxlc]{1,5})[.)\]]+", re.IGNORECASE)
"""What stands before an entry of a list or in a heading: "3.", "# 2.1.", "(a)", "iv."."""

_ORDINAL = re.compile(r"\b\d{1,2}\.$")
_ORDINAL_LANGUAGES = frozenset("bs cs da de et fi hr hu is lv nb nn no pl sk sl sr tr".split())
"""Languages that write a point after an ordinal number: "am 3. März"."""

_BEGINS = re.compile(r"(?:Er|Sie|Es|Wir|Ich|Man|D(?:er|ie|as|a|ort|ann|anach)|Eine?|In|Im|Am|Und|Aber|Auch)\b")
"""German words that stand after the number of a house, and not after an ordinal."""

_INITIAL = re.compile(r"\b[^\W\d_]\.$")
_BEFORE_NAME = re.compile(r"\b(?:M|MM|Ms|Mgr|Dr|Fa|Mevr|Dhr|Cf|Vgl|د|أ|(?!J\.-C)[^\W\d_]\.-[^\W\d_])\.$")
LONGEST_BEFORE_NAME = 16  # more characters than such an abbreviation has, with the one before it
_UNIT_AT_END = re.compile(r"(\d(?: ?km(?=/))?)((?:(?<=m)/|(?<=\d)[ \u00a0\u202f]?)(?:mm|[ghlms]))(?=\.\s+[^\W\d_]{2})")
"""Units with which a sentence ends, and which the segmenter takes for initials: "It weighs 500 g. It costs"."""

_BEFORE_NUMBER = re.compile(
    r"\b(?:eqs?|figs?|sect?s?|paras?|fns?|abschn|abs|est|ziff|vols?|chaps?|chs?|art|nos?|nr|pp?|pag|pág|col|fols?|ff?|ss?|bde?|kap|abb|taf|hft|jg|bks?|pls?"
    r"|par|lib|tom|approx|aprox|env|св|рис|табл|гл|стр|ст|с|т|п)\.$",
    re.IGNORECASE,
)
_ROMAN = re.compile(r"[IVXLCDM]+(?![^\W\d_])")
"""Abbreviations before a name or a number, which may be a Roman one, that the segmenter doesn't know in every
language."""

_WORDS_TOO = dict(
    pair.split(":")
    for pair in """
    en:May|me|no|may|art|ill|fed|miss|ore|ark|arc|con|ok de:mich|mag|Art|Bart es:no|bien|contra|mar|auto|sobre fr:art
    it:fa|via|no|ore|bar|re|mai|te|me|so|sa|va|su|nato|fai|ha|si nl:dat|me|best|hand|ver|pas|top|app|mand
    sv:det|med|kan|ut|min|hon|sen|ord|maj da:med|var|da|to|din|del|ned|par|form|sort nb:det|med|kan|ut|min|del
    ca:no|mar|art|sobre|contra cs:tu|nám|mil hu:nem pl:port ro:loc|ore tr:sen|kan|ver
    """.split()
)
"""Abbreviations of the segmenter that are whole words too, with which sentences end: "It opened in May."."""

_SPEECH_GOES_ON = re.compile("と[、言云い思聞答叫話尋呼書述]|って")  # what follows quoted speech in Japanese: "he said"


def sentence_spans(text: str, start: int = 0, end: int | None = None, language: str = "") -> list[tuple[int, int]]:
    """Character spans of the sentences between two offsets; entries of lists, turns, rows and code are apart."""
    part = text[start:end]
    language = language or (DEFAULT if _is_one_sentence(part) else language_of(part))
    spans: list[tuple[int, int]] = []
    at = 0
    for code in _code_blocks(part):
        spans += _prose_spans(part, at, code[0], language)
        spans.append(_strip_span(part, *code))
        at = code[1]
    spans += _prose_spans(part, at, len(part), language)
    return [(start + begin, start + stop) for begin, stop in spans]


def sentences_by_language(text: str) -> list[tuple[int, int, str]]:
    """The spans of the sentences, each with the language of its paragraph where that is certain, else the text's."""
    main, paragraphs = language_of(text), [block.span() for block in _BLOCK.finditer(text)]
    own = [paragraph_language(text[start:end], main) for start, end in paragraphs]
    if len(own) < 2 or {*own} == {main}:
        return [(*span, main) for span in sentence_spans(text, language=main)]
    parts = zip(paragraphs, own, strict=True)
    return [(*span, language) for part, language in parts for span in sentence_spans(text, *part, language)]


def _is_one_sentence(text: str) -> bool:
    """Whether a text is one sentence in any language: then none has to be told, which may load what knows them."""
    first_end = re.search(r"[.!?\n]", text)
    return text.isascii() and not (first_end and re.compile(r"[A-Za-z0-9]").search(text, first_end.end()))


def paragraph_spans(text: str) -> Iterator[tuple[int, int]]:
    """Character spans of the paragraphs, entries of lists, turns of talks and rows of tables; code is in none."""
    at = 0
    for start, end in [*_code_blocks(text), (len(text), len(text))]:
        for begin, stop in _paragraphs(text, at, start):
            yield begin + len(text[begin:stop]) - len(text[begin:stop].lstrip("\r\n")), stop
        at = end


def _prose_spans(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    """The spans of sentences outside of code; the segmenter's are joined where no sentence ends between them."""
    for paragraph in _paragraphs(text, start, end):
        joined = list[tuple[int, int]]()
        for span in _boundaries(text, *paragraph, language):
            if joined and _goes_on(text[slice(*joined[-1])], text[span[0] : span[0] + LONGEST_BEFORE_NAME], language):
                joined[-1] = joined[-1][0], span[1]
            else:
                joined.append(span)
        yield from joined


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for paragraph in _PARAGRAPH.finditer(text, start, end):
        yield from pairwise([paragraph.start(), *_find_turn_starts(text, *paragraph.span()), paragraph.end()])


def _find_turn_starts(text: str, start: int, end: int) -> list[int]:
    """Where another turn or row begins: at a line with a label, if one beside it has one too or a sentence ended."""
    paragraph = text[start:end]
    if not (":" in paragraph or "：" in paragraph or "|" in paragraph):  # most have none of what a label or a row has
        return []
    lines = [start, *(line.end() for line in _LINE_END.finditer(text, start, end))]
    labelled = [bool(LABEL.match(text, line, end) or ROW.match(text, line, end)) for line in lines]
    beside = [*labelled[1:], False]
    return [
        line
        for number, line in enumerate(lines[1:], 1)
        if labelled[number]
        and (labelled[number - 1] or beside[number] or text[lines[number - 1] : line].rstrip()[-1:] in _ENDS)
    ]


def _code_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans from a line of three backticks or tildes, or more, to the next one that closes it."""
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        if opened is None:
            opened = line
        elif line[1].startswith(opened[1]) and not line[2].strip():
            yield opened.start(), line.end()
            opened = None


def _boundaries(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    """The segmenter's sentences of a paragraph; a long one is given in parts, each from the last sentence's begin."""
    plain, at = text[start:end], start
    if _ANY_MARK.search(plain):
        plain = _MARKED_END.sub(lambda match: "x" * (len(match[0]) - 1) + match[1], plain)
        plain = _DIGIT_AFTER_END.sub("字", _CLOSED_BEFORE_END.sub("x", plain))
        plain = _BETWEEN_MARKS.sub(" ", plain)
    plain = _UNIT_AT_END.sub(lambda match: match[1] + "o" * len(match[2]), plain)
    if (words := _whole_words(language)) and words[0].search(plain):
        plain = words[1].sub(lambda match: "o" * len(match[0]), plain)
    if plain.isascii() and len(plain) > LONGEST_WORDLESS and not any(map(str.isspace, plain[:LONGEST_WORDLESS])):
        language = DEFAULT  # it has no words, so none are known: for some languages the segmenter is slow on these
    while at < end:
        part = plain[at - start : at - start + LONGEST_PART]
        ends = [at + match["end_index"] for match in get_sentence_boundaries(language, part)]
        if at + len(part) < end and len(ends) > 1:
            ends.pop()
        bounds = [at, *(_before_opening(text, at, stop) for stop in ends)]
        for span in pairwise(bounds):
            begin, stop = _strip_span(text, *span)
            if begin < stop:
                yield begin, stop
        at = bounds[-1]


def _before_opening(text: str, at: int, end: int) -> int:
    """A sentence's end without the marks that open the next one; `end` itself where nothing is left from `at`."""
    if not text[end : end + 1].strip():
        return end
    marks = len(text[at:end]) - len(text[at:end].rstrip(_OPENING))
    return end - marks if marks < end - at else end


def _goes_on(before: str, following: str, language: str) -> bool:
    """Whether a sentence goes on after its first part, seen by that and by the characters that follow."""
    begin = following.lstrip("—– ")[:1]
    if begin.islower() or _ENUMERATOR.fullmatch(before) or _BEFORE_NAME.search(before[-LONGEST_BEFORE_NAME:]):
        return True
    if following[:1] == "-" and _INITIAL.search(before):
        return True
    if before[-1:] in ("」", "』") and _SPEECH_GOES_ON.match(following):
        return True
    if language in _ORDINAL_LANGUAGES and _ORDINAL.search(before) and not _BEGINS.match(following):
        return True
    return bool(begin.isdigit() or _ROMAN.match(following)) and bool(_BEFORE_NUMBER.search(before))


@cache
def _whole_words(language: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """Words at the end of a sentence that the segmenter takes for abbreviations; "no. 3" and "art. L. 12" are some.

    Before them stands what soon sees that a text has none, since it looks at points alone.
    """
    if not (words := _WORDS_TOO.get(language)):
        return None
    points = "|".join(rf"\.(?<=\b{word}\.)" for word in words.split("|"))
    return re.compile(points), re.compile(rf"\b(?:{words})(?=\.\s+(?![^\W\d_]\.)[^\W\d_])")


def _strip_span(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())
