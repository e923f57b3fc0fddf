"""Whether a text itself says what stands in it: not what it quotes, strikes out, tells under "Myth:", or takes back."""

import re

from readgraph.language.compare import LEADING, fold_characters
from readgraph.language.passages import label_of, without_label
from readgraph.language.sentences import sentence_spans
from readgraph.language.tokens import QUOTE_MARK, cue_words, knows_denials, tokens_of, unreal_words

REACH_BEFORE, REACH_BEHIND = 20_000, 600  # characters in which headings, and the next sentence, are looked for
LONGEST_HEADING = 8  # words of a line that stands alone
SENTENCES_BEFORE = 2  # of the same paragraph: "Suppose the dam breaks."
SHORT = 60  # bytes of a next sentence that may take one back in a language whose denials aren't known
LONGEST_REMARK = 12  # words of a next sentence that says of one that it isn't so
NOTE = 20  # characters behind a sentence in which the mark of its note may stand
OPENS = 3  # words of a sentence among which is what it speaks of

_HEADING = re.compile(r"^(?: {0,3}(?P<level>#{1,6})[ \t]+)?(?P<line>[^\n]+)$", re.MULTILINE)
_NEXT_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]", re.MULTILINE)
_ANNOUNCING = [[word] for word in "following folgendes suivant siguiente seguente seguinte volgende следующее".split()]
_BLANK = re.compile(r"\n[ \t\r]*\n")
_WORD = re.compile(r"[^\W\d_]+")
_OUT = re.compile(r"(?P<open><(?:del|s|strike)\b[^>]{0,80}>|<!--|\{--)|</(?:del|s|strike)>|-->|--\}", re.IGNORECASE)
_NOTES = re.compile(r"\[\^?([\w-]{1,12})\]")
_SINGLE_OPEN, _SINGLE_CLOSED = re.compile(r"(?<!\w)['‘](?=\w)"), re.compile(r"(?<=[.,!?…])['’](?!\w)")
_EAST_OPEN, _EAST_CLOSED = re.compile("[「『]"), re.compile("[」』]")


def stands(text: str, span: tuple[int, int], within: tuple[int, int], language: str, *, quoted: bool = False) -> bool:
    """Whether what stands at these characters is said by the text, of which the document has those `within`.

    `quoted`: it need not be the text itself that says it.
    """
    (start, end), (first, last) = span, within
    before = text[max(first, start - REACH_BEFORE) : start]
    paragraph = before[paragraph_start(before, len(before)) :]
    behind = _NEXT_HEADING.split(text[end : min(end + REACH_BEHIND, last)])[0]
    if not quoted and _is_quoted(paragraph, text[start:end], behind):
        return False
    if _is_struck_out(paragraph, text[start:end]):
        return False
    lead = [paragraph[slice(*span)] for span in sentence_spans(paragraph, language=language)[-SENTENCES_BEFORE:]]
    begins = [" ".join(sentence.split()[:OPENS]) for sentence in lead]
    if lead and not quoted and _WORD.findall(lead[-1].casefold())[-1:] in _ANNOUNCING:
        return False
    notes = [text.find(f"\n{note[0]}:", first, last) for note in _NOTES.finditer(text, start, min(end + NOTE, last))]
    explained = [text[at : at + REACH_BEHIND].lstrip("\n").partition("\n")[0] for at in notes if at >= 0]
    if any(map(_is_unreal, [*begins, label_of(text[start:end]), *explained, *_headings_above(before)])):
        return False
    if not quoted and before.rstrip().endswith((":", "：")):
        return False
    return not _is_taken_back(behind, language)


def paragraph_start(text: str, at: int) -> int:
    """Where the paragraph begins that holds this offset."""
    begin = max(0, at - REACH_BEFORE)
    return max((blank.end() for blank in _BLANK.finditer(text, begin, at)), default=begin)


def _is_quoted(paragraph: str, sentence: str, behind: str) -> bool:
    """Whether a sentence stands between quotation marks that were opened before, or in a block quote."""
    if len(QUOTE_MARK.findall(paragraph)) % 2:
        return True
    for opening, closing in ((_SINGLE_OPEN, _SINGLE_CLOSED), (_EAST_OPEN, _EAST_CLOSED)):
        if _last(opening, paragraph) > _last(closing, paragraph) and closing.search(f"{sentence[-1:]}{behind}"):
            return True  # and not only an apostrophe
    return (paragraph[paragraph.rfind("\n") + 1 :] + sentence).lstrip().startswith(">")


def _last(mark: re.Pattern[str], text: str) -> int:
    return max((match.start() for match in mark.finditer(text)), default=-1)


def _is_struck_out(before: str, sentence: str) -> bool:
    marks = [bool(mark["open"]) for mark in _OUT.finditer(before)]
    return bool(before.count("~~") % 2) or "~~" in sentence or (bool(marks) and marks[-1])


def _headings_above(before: str) -> list[str]:
    """The headings under which something stands: of Markdown, each higher than the next, and the nearest other line."""
    headings, level, plain = list[str](), 7, False
    for heading in reversed([*_HEADING.finditer(before)]):
        line, written = heading["line"].strip(" *_\t\r"), heading["line"].strip()
        if heading["level"] and len(heading["level"]) < level:
            headings.append(line)
            level = len(heading["level"])
        elif not plain and not heading["level"] and len(line.split()) <= LONGEST_HEADING:
            alone = paragraph_start(before, heading.start()) == heading.start()
            plain = alone and (written[:2] in ("**", "__") or line[-1:] not in '.!?,;"”«»|')
            headings += [line] if plain else []
    return headings


def _is_unreal(text: str) -> bool:
    """Whether a text has a word under which nothing need be so."""
    words, folded = unreal_words(), text.casefold()
    if any(word in words for word in _WORD.findall(folded)):
        return True
    return not folded.isascii() and any(word in folded for word in words if not word.isascii() and word[0] > "\u2e80")


def _is_taken_back(behind: str, language: str) -> bool:
    """Whether the next sentence says that it isn't so, or that somebody only said so: "This is not true"."""
    spans = sentence_spans(behind, language=language)
    if not spans:
        return False
    following = LEADING.sub("", behind[slice(*spans[0])])
    if not knows_denials(language) and (contrast := cue_words("contrast", language)):  # of languages without spaces
        return _is_unreal(following) or any(word in following for word in contrast | cue_words("denials", language))
    if not knows_denials(language):
        return len(following.encode()) <= SHORT or (len(following.split()) <= LONGEST_REMARK and _is_unreal(following))
    return any(_takes_back(form, language) for form in {following, without_label(following)})


def _takes_back(following: str, language: str) -> bool:
    tokens, is_short = tokens_of(fold_characters(following), language), len(following.split()) <= LONGEST_REMARK
    words = [word for token in tokens for word in (token.text.casefold(), token.value)]
    kinds, begin = {token.kind for token in tokens}, {*words[: 2 * OPENS]}
    if is_short and (_is_unreal(following) or begin & cue_words("contrast", language)):
        return True
    if kinds & {"denial", "hedge"} and begin & cue_words("back", language):
        return True
    is_no = words[:1] in (["no"], ["non"]) and len(following.split()) <= 2 * OPENS
    # "No, it was green", "No way"; not "No more than 20 may enter"
    is_no |= bool(tokens) and tokens[0].kind == "denial" and following[len(tokens[0].text) :][:1] in (",", ".", "!")
    return bool(is_no or ("denial" in kinds and cue_words("affirming", language) & {*words}))
