"""A draft is cut into claims: its sentences, with what they quote and the places that they name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import NamedTuple

from typing_extensions import TypedDict

from readgraph.features.verify.state import CitedPlace, Claim
from readgraph.language.compare import LEADING
from readgraph.language.terms import content_words
from readgraph.library.page_store import PageStore, page_store
from readgraph.nodes.answering.cite import find_statements
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.opening import LONGEST_TEXT_INPUT, OpenState, OpenUpdate, open_document
from readgraph.nodes.step import node
from readgraph.sources.formats.plain_text import blank_markup, indented_code
from readgraph.sources.places import NamedSpan, places_named, source_page
from readgraph.state.apart import apart
from readgraph.state.channels import empty_channels
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from readgraph.state.words import format_count

TITLE_WORDS = 8  # most words of a line that is a title where it ends without a mark
FEWEST_SAID = 5  # words of a footnote that says something itself
FEWEST_QUOTED = 3  # words of a quote: fewer in quotation marks are often a name or a turn of phrase
MOST_CLAIMS, LONGEST_JOINED = 5000, 2000  # claims of a draft; characters of sentences that a quote joins
SHORTEST_NAME = 3  # characters of a document's title or file that a mark can name it by

_QUOTED = re.compile(
    r"“([^“”]+)”|\"([^\"\n]+)\"|«[\s\u00a0\u202f]*([^«»]+?)[\s\u00a0\u202f]*»|„([^„“”]+)[“”]|»([^«»]+)«|[「『]([^「」『』]+)[」』]"
)
_DEFINITION = re.compile(r"^[ \t]*\[\^?(?P<key>[\w-]{1,12})\]:?[ \t]+(?P<text>\S[^\n]*)$", re.MULTILINE)
_MARK = re.compile(
    r"\[(?P<label>[^\[\]\n]+)\]\((?P<target>[^()\s]+)\)|\[\^?(?P<key>[\w-]{1,12})\]"
    r"|[(\[](?P<named>[^()\[\]\n]{3,200})[)\]]"
)
_INLINE_NOTE = re.compile(r"\^\[(?P<note>(?:[^\[\]\n]|\n(?!\s*\n)|\[[^\[\]\n]{0,200}\]){1,2000})\]")
_KEY_WITHIN = re.compile(r"(?<!\w)@\w")
_KEY = re.compile(r"\s*-?@([\w:.#$%&+?<>~/-]*\w)")  # of an entry of a bibliography
_IS_KEY = re.compile(r"\[\^|\[.*\d")
_MARKS_BEHIND = re.compile(r"(?:[ \t]*(?:\[[^\[\]\n]*[^\[\]\n.!?]\](?:\([^()\s]+\))?|\([^()\n]{3,200}\)))*")
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\w*])|`")
_CLOSING = re.compile(r"[*_`]*(?:(?:\]|(?<=\]))\([^()\s]*\)[*_`]*)?")  # behind which a footnote may stand
_TARGET = re.compile(r"\]?\([^()\s]*\)")
_NEXT_LINE = re.compile(r"\n[ \t]*(?:>[ \t]?)+")  # of a block quote
_NAME_WORD = re.compile(r"[^\W_]+")
_PAGE = re.compile(
    r"(?:^|\W)(?:pdf page|#page=|pages?|pp?\.|seiten?|s\.|páginas?|pág\.|pagina|blz\.)"
    r"\s*(?P<number>\d{1,5}|[ivxlc]{1,7})\b(?P<more>(?:\s*(?:[-–—]{1,3}|,|;|&|and|und|et|y)\s*\d{1,5}\b)*)(?P<on>\s*ff?\b)?"
    r"|第?(?P<east>\d{1,5})[页頁ページ]",
    re.IGNORECASE,
)


class VerifyOpenState(OpenState):
    """What opening reads: as for a question, and the draft."""

    draft: str


@node(starts_question=True)
async def open_draft(state: VerifyOpenState, runtime: ReaderRuntime) -> OpenUpdate:
    """Open the document. Raises `BadInput` for a draft that is empty, too long or no string, and as for a question."""
    draft = state.get("draft")
    if not isinstance(draft, str):
        raise BadInput(f"The input's 'draft' must be a string, not {type(draft).__name__}.")
    if not draft.strip():
        raise BadInput("The draft is empty: there is nothing to check.")
    if len(draft) > LONGEST_TEXT_INPUT:
        raise BadInput(f"The draft has {len(draft):,} characters: at most {LONGEST_TEXT_INPUT:,} are checked at once.")
    return await open_document(state, runtime)


class ClaimsState(TypedDict):
    document: str
    draft: str


class ClaimsUpdate(StepUpdate):
    """What the steps of a check write: its claims."""

    claims: list[Claim]


@node
@apart
async def cut_claims(state: ClaimsState, runtime: ReaderRuntime) -> ClaimsUpdate:
    """Take the draft's sentences; headings, tables, code, front matter, comments and questions claim nothing."""
    store = page_store(runtime)
    document = await store.document(state["document"])
    claims = list[Claim]()
    for claim, named in read_claims(state["draft"], await _named_documents(store, document)):
        claim["cited"] = [place for mark in named if (place := await _find_place(mark, store, document))]
        claims.append(claim)
    return {"claims": claims, "step_summary": f"found {format_count(len(claims), 'claim')}"}


def read_claims(draft: str, documents: Sequence["NamedDocument"]) -> Iterator[tuple[Claim, list["DraftMark"]]]:
    """The claims of a draft, each with the marks that name places. Raises `BadInput` for a draft with too many."""
    draft = blank_markup(draft, indented_code(draft))
    notes = [(match.start(), match["note"]) for match in _INLINE_NOTE.finditer(draft)]
    draft = _INLINE_NOTE.sub(lambda match: " " * len(match[0]), draft)
    marks = DraftMarks(draft, documents, notes)
    statements = find_statements(draft)
    if len(statements) > MOST_CLAIMS:
        raise BadInput(
            f"The draft has {len(statements):,} sentences, and {MOST_CLAIMS:,} are checked at once: split it."
        )
    for start, end in _join_quoted(draft, statements):
        if _TARGET.fullmatch(draft[start:end].strip()):  # of a link, whose words end with a full stop
            continue
        explains = marks.defined_at(start)
        claim, named = _read_claim(draft, start, end, marks)
        if not claim["quotes"] and (explains or claim["text"].rstrip("\"'”’»)").endswith(("?", "？", "؟"))):
            continue
        if (content_words(claim["text"]) and not _is_title(draft, start, end)) or claim["quotes"]:
            yield claim, named


def _is_title(draft: str, start: int, end: int) -> bool:
    """Whether a few words stand alone as a paragraph, as headings do in files that were converted."""
    text = draft[start:end]
    alone = draft[:start].endswith(("", "\n\n")[start > 0]) and draft[end : end + 2] in ("", "\n", "\n\n")
    return alone and len(text.split()) <= TITLE_WORDS and text[-1:].isalpha() and text[:1].isalpha()


def _join_quoted(draft: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences, with those as one between which a quote goes on."""
    joined = list[tuple[int, int]]()
    for start, end in spans:
        before = draft[slice(*joined[-1])] if joined else ""
        is_open = (
            before.count("“") > before.count("”") or before.count("„") > before.count("“") or before.count('"') % 2
        )
        if is_open and "\n\n" not in draft[joined[-1][1] : start] and end - joined[-1][0] <= LONGEST_JOINED:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined


class NamedDocument(NamedTuple):
    """A document that a draft can name, and where it begins in what is read."""

    document: Document
    start: int
    names: tuple[str, ...]
    key: str = ""  # in a bibliography


async def _named_documents(store: PageStore, document: Document) -> list[NamedDocument]:
    parts = [(await store.member(part), part.start) for part in document.parts] or [(document, 0)]
    named = list[NamedDocument]()
    for member, start in parts:
        file = PurePath(member.source)
        key, colon, _ = member.title.partition(": ")  # by which a bibliography names it: "[@smith2020, p. 3]"
        key = key.casefold() if colon and " " not in key else ""
        names = (name.casefold() for name in {member.title, file.name, file.stem, member.id, key})
        named.append(NamedDocument(member, start, tuple(name for name in names if len(name) >= SHORTEST_NAME), key))
    return named


class DraftMark(NamedTuple):
    """The words by which a draft names a place of a document; None: of one that is not among those that are read."""

    words: str
    of: NamedDocument | None


def _fold_name(words: str) -> str:
    """Words as names are compared: in lower case, between single spaces."""
    return f" {' '.join(_NAME_WORD.findall(words.casefold()))} "


class DraftMarks:
    """What marks of a draft mean: "[1]" by the line that explains it, "(Mill report, p. 3)" and notes by themselves."""

    def __init__(self, draft: str, documents: Sequence[NamedDocument], notes: Sequence[tuple[int, str]]) -> None:
        self._documents, self._notes = documents, notes
        defined = [match for match in _DEFINITION.finditer(draft) if not self._is_said(match["text"])]
        self._spans = [match.span() for match in defined]
        texts: Mapping[str, str] = {match["key"]: match["text"] for match in defined}
        self._defined = {key: mark for key, text in texts.items() if (mark := self.named_in(text, by_key=True))}

    def _is_said(self, text: str) -> bool:
        """Whether the line of a footnote says something, and names no document."""
        is_sentence = text.rstrip().endswith((".", "!", "。")) and len(text.split()) >= FEWEST_SAID
        return is_sentence and not _PAGE.search(text) and not self.named_in(text)

    def defined_at(self, offset: int) -> bool:
        """Whether a line that explains a mark holds this offset."""
        return any(start <= offset < end for start, end in self._spans)

    def named_in(self, words: str, *, by_key: bool = False) -> DraftMark | None:
        """The document that words name; of a line that explains a mark, the only one that there is."""
        folded = _fold_name(words)
        named = [(name, number) for number, of in enumerate(self._documents) for name in of.names]
        hits = [(len(name), number) for name, number in named if _fold_name(name) in folded]
        if hits:
            return DraftMark(words, self._documents[max(hits)[1]])
        return DraftMark(words, self._documents[0]) if by_key and len(self._documents) == 1 else None

    def _of_key(self, words: str) -> DraftMark:
        """What "@smith2020, p. 3" names: the document with just this key, or title, or none of those that there are."""
        key = _KEY.match(words).group(1).casefold()  # type: ignore[union-attr]
        documents = (of for of in self._documents if key in (of.key, *of.names))
        return DraftMark(words, next(documents, None))

    def read(self, found: re.Match[str]) -> list[DraftMark]:
        """What a mark means: "[@smith2020, p. 3; @weber]" names two places; nothing where it is no mark."""
        if found["key"]:
            named = [self._defined.get(found["key"]) or self.named_in(found["key"])]
        elif found["target"]:
            named = [self.named_in(found["target"])]
        else:
            parts = found["named"].split(";")
            named = [self._of_key(part) if _KEY.match(part) else self.named_in(part) for part in parts]
        return [*filter(None, named)]

    def in_notes(self, start: int, end: int) -> Iterator[DraftMark]:
        """What the inline footnotes in or right behind a sentence name by marks, else by words that say no more."""
        for words in (words for at, words in self._notes if start <= at <= end):
            if marks := [draft_mark for match in _MARK.finditer(words) for draft_mark in self.read(match)]:
                yield from marks
            elif key := _KEY_WITHIN.search(words):
                yield self._of_key(words[key.start() :])
            elif (page := bool(_PAGE.search(words))) or not words.rstrip().endswith((".", "!", "。")):
                yield from filter(None, [self.named_in(words, by_key=page)])


def _read_claim(draft: str, start: int, end: int, marks: DraftMarks) -> tuple[Claim, list[DraftMark]]:
    """The claim of a sentence, and its marks, also those that stand behind it."""
    end += len(_CLOSING.match(draft, end).group())  # type: ignore[union-attr]
    behind = _MARKS_BEHIND.match(draft, end)
    reach = behind.end() if behind else end
    named, text, at = list[DraftMark](), "", start
    for match in _MARK.finditer(draft, start, reach):
        read = marks.read(match)
        if match.start() >= end and not read:
            break
        text += draft[at : min(match.start(), end)]
        stands_apart = (
            draft[match.start() - 1 : match.start()].isspace() and draft[match.end() : match.end() + 1].isspace()
        )
        # "[her]" in a quote is none, nor need "[8]" be one between two words
        is_mark = read or (match["key"] and _IS_KEY.match(match.group()) and not stands_apart)
        text += match["label"] or "" if match["target"] else "" if is_mark else match.group()
        at = match.end()
        named += read
    text += draft[at:end]
    named += marks.in_notes(start, end)
    is_block = draft[draft.rfind("\n", 0, start) + 1 : start + 1].lstrip().startswith(">")
    text = " ".join(_EMPHASIS.sub("", LEADING.sub("", _NEXT_LINE.sub("\n", text))).split())
    text = re.sub(r"\s+(?=[.,;:!?])", "", text)
    quotes = [next(filter(None, match.groups())).strip() for match in _QUOTED.finditer(text)]
    quotes = [text] if is_block and not quotes else [quote for quote in quotes if _is_long_enough(quote)]
    return empty_channels(Claim, text=text, start=start, end=end, quotes=quotes, verdict="not found"), named


def _is_long_enough(quote: str) -> bool:
    return len(quote.split()) >= FEWEST_QUOTED or (not quote.isascii() and len(content_words(quote)) > FEWEST_QUOTED)


def without_quotes(text: str) -> str:
    """A sentence without what it quotes."""
    return _QUOTED.sub(" … ", text)


async def _find_place(mark: DraftMark, store: PageStore, whole: Document) -> CitedPlace | None:
    """The place that a mark names: pages or another place of the document, else all of it; an empty span for none."""
    words = _QUOTED.sub("", mark.words)
    name = " ".join(words.split()).strip(" :;,.")
    if mark.of is None:
        return CitedPlace(name=name, document="", start=0, end=0)
    of, begin = mark.of.document, mark.of.start
    place = CitedPlace(name=name, document=of.id, start=begin, end=begin + of.characters)
    page = _PAGE.search(words)
    try:
        spans = await _page_spans(store, of, page) if page else await _other_spans(store, mark.of, words)
    except BadInput:
        return {**place, "end": begin} if page else place
    if not spans:
        return place
    last = of.characters if page and page["on"] else max(end for _, _, end in spans)
    return {**place, "start": begin + min(start for _, start, _ in spans), "end": begin + last}


async def _page_spans(store: PageStore, of: Document, page: re.Match[str]) -> list[NamedSpan]:
    """The spans of the pages that are named: of "pp. 3-5, 8" the first and each other number that is a page."""
    spans = [*(await source_page(store, of, page["number"] or page["east"]) or [])]
    for number in re.findall(r"\d+", page["more"] or "") if spans else ():
        with suppress(BadInput):  # a year, perhaps
            spans += await source_page(store, of, number) or []
    return spans


async def _other_spans(store: PageStore, named: NamedDocument, words: str) -> Sequence[NamedSpan] | None:
    """The spans of another place that is named behind the document's name: "(Mill report, The sale)"."""
    rest = words.casefold()
    for name in sorted(named.names, key=len, reverse=True):
        rest = rest.replace(name, " ")
    rest = rest.strip(" :;,.–—-()")
    return await places_named(store, named.document, rest) if rest else None
