"""Citations: quotes found in a document, exactly or by their words or letters, and their marks in an answer."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple
from unicodedata import category

from readgraph.language.asked import answers
from readgraph.language.dates import date_in, resolve_time_words
from readgraph.language.sentences import sentence_spans
from readgraph.language.terms import STOP_WORDS, UNSPACED, content_words
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.sentence_flags import SentenceFlag, sentence_flags
from readgraph.sources.places import page_of
from readgraph.state.reading import Citation, Quote
from readgraph.state.records import Document, Page
from readgraph.state.tables import Table, table_line, without_unread

LONGEST_FOLDED = 50_000  # characters of a text that is kept folded: a page has fewer, a whole document may be large
FEWEST_WORDS = 3  # a shorter quote says too little, unless it is a whole sentence, a number or a name
LONGEST_SENTENCE = 500  # characters, of one around a quote
NEAR = 20  # characters around a quote, by which is seen whether it is a whole sentence
_SENTENCE_ENDS, _MARKS_AROUND = ".!?…。！？।؟\n\r\f", " \t\"'“”„‘’«»()[]*_#>-–—"
_UNSPACED = re.compile(f"[{UNSPACED}]")
_WORD = re.compile(r"[^\W_]+")
_ASCII_MARKS = {mark: " " for mark in range(128) if not chr(mark).isalnum()}
_CUT = re.compile(r"(?<=\d)(?=[.,]\d)|(?<=\d[.,])(?=\d)|(?<=n)(?=['’]t\b)|(?<=\w['’])(?=(?:t|s|d|m|ll|re|ve)\b)")
"""What is within a word beside letters: "3|.|5", "don|'|t"."""


async def find_quotes(store: PageStore, document: str, memory: str, quotes: list[Quote]) -> list[Citation | None]:
    """The citation of each quote, or None; all of the text is fetched only for one that isn't on the page it names."""
    described, kept = await store.document_and_memory(document, memory)
    named = await store.pages(memory, {quote["page"] for quote in quotes if 0 <= quote["page"] < kept.pages})
    texts = await store.spans(described, [(page.start, page.end) for page in named])
    begun = {page.number: (page.start, text) for page, text in zip(named, texts, strict=True)}
    by_quote = [
        find_citation_on_page(quote["page"], *begun.get(quote["page"], (0, "")), quote["quote"], quote.get("start", 0))
        for quote in quotes
    ]
    if None in by_quote:
        pages, text = await store.pages(memory, range(kept.pages)), await store.text(described)
        by_quote = [known or locate(quote, text, pages) for known, quote in zip(by_quote, quotes, strict=True)]
    citations = [citation for citation in by_quote if citation]
    places = await store.place_names(described, [citation["start"] for citation in citations])
    for citation, place in zip(citations, places, strict=True):
        citation["place"] = place
        if (said_on := date_in(place or "")) and (dates := resolve_time_words(citation["quote"], said_on)):
            citation["dates"] = dates
    for quote, found in zip(quotes, by_quote, strict=True):
        mark_seen(found, quote.get("pictures", ()))
    return by_quote


def identity_of(citation: Citation) -> tuple[Any, ...]:
    """What makes a citation another one: its span or, read off a picture, its words."""
    alone = citation["quote"] if citation["start"] == citation["end"] else ""
    return citation.get("document"), citation["start"], citation["end"], alone


def mark_seen(citation: Citation | None, pictures: Iterable[str]) -> None:
    """Mark a citation if its page in the source is among these places, of which the model saw pictures."""
    place = (citation["place"] or "") if citation else ""
    if citation and (page := page_of(place)) and any(_is_page(seen, page.number, place) for seen in pictures):
        citation["seen"] = "with the text"


def _is_page(seen: str, number: int, place: str) -> bool:
    """Whether a place seen is the page of this number, and of the document that the place names, if it names one."""
    page = page_of(seen)
    return page is not None and page.number == number and place.startswith(seen.removesuffix(page.label))


def cite_picture(page: int, quote: str, start: int, text: str, places: Sequence[str]) -> Citation | None:
    """The citation of what was read off pictures of a page, whose text begins at `start` and does not say it.

    Of several pictures, the model doesn't say which one it was. None without words, or where the text has them, too:
    then they were not found in it since they say too little.
    """
    words = _fold_text(quote).words
    if not places or not words.strip() or words in _fold_text(text).words:
        return None
    place = " or ".join(places)
    return Citation(page=page, quote=quote.strip(), start=start, end=start, place=place, seen="in the picture")


async def cite_pictures(store: PageStore, document: str, memory: str, quotes: Sequence[Quote]) -> list[Citation]:
    """The citations of those quotes that don't stand in the text of pages of which the model saw pictures."""
    if not (seen := [quote for quote in quotes if quote.get("pictures")]):
        return []
    pages = await store.pages(memory, {quote["page"] for quote in seen})
    texts = await store.spans(await store.document(document), [(page.start, page.end) for page in pages])
    shown = {page.number: (page.start, text) for page, text in zip(pages, texts, strict=True)}
    read = (
        cite_picture(quote["page"], quote["quote"], *shown[quote["page"]], quote["pictures"])
        for quote in seen
        if quote["page"] in shown
    )
    return [*filter(None, read)]


async def add_context(store: PageStore, document: Document, citations: Sequence[Citation], sentences: int) -> None:
    """Give each citation so many sentences of its document `before` and `after` its quote."""
    spans, reach = list[tuple[int, int]](), sentences * LONGEST_SENTENCE
    for citation in citations:
        part = document.part_at(citation["start"]) if document.parts else None
        first, last = (part.start, part.end) if part else (0, document.characters)
        spans.append((max(citation["start"] - reach, first), citation["start"]))
        spans.append((citation["end"], min(citation["end"] + reach, last)))
    texts = await store.spans(document, spans)
    for citation, before, after in zip(citations, texts[::2], texts[1::2], strict=True):
        begins, ends = sentence_spans(before)[-sentences:], sentence_spans(after)[:sentences]
        citation["before"] = before[begins[0][0] :].strip() if begins else ""
        citation["after"] = after[: ends[-1][1]].strip() if ends else ""


def locate(quote: Quote, text: str, pages: list[Page]) -> Citation | None:
    """The quote's citation on the page that it names, else anywhere in the text; None where it is nowhere."""
    read = [page.start for page in pages]
    named = [(page.start, page.end) for page in pages if page.number == quote["page"]]
    wanted = quote["quote"].strip()
    for begin, end in [*named, (0, pages[-1].end if pages else 0)]:
        if span := find_quote(wanted, text, begin, end):
            return make_citation(pages[bisect_right(read, span[0]) - 1].number, 0, text, span)
    return None


def find_citation_on_page(page: int, start: int, text: str, quote: str, after: int = 0) -> Citation | None:
    """The quote's citation on a page with this text, which begins at `start`; looked for from `after` on."""
    span = find_quote(quote.strip(), text, max(after - start, 0), len(text))
    return make_citation(page, start, text, span) if span else None


def make_citation(page: int, text_start: int, text: str, span: tuple[int, int]) -> Citation:
    """A citation of these characters of a text, whose first one has the offset `text_start` in the document."""
    start, end = span
    return {"page": page, "quote": text[start:end], "start": text_start + start, "end": text_start + end, "place": None}


def find_quote(quote: str, text: str, begin: int, end: int) -> tuple[int, int] | None:
    """Where a quote that says enough stands in `text[begin:end]`: as it is, else by its words, else by its letters."""
    if not _WORD.search(quote):
        return None
    part = text[begin:end]
    span = _find_exact(quote, part)
    if not span:
        wanted, folded = _fold_text(quote), _fold_text(part)
        output = _find_words(wanted.words, folded.words, part) or _find_letters(wanted.letters, folded.letters, part)
        span = _whole_words(part, output[0], _after_marks(part, output[1])) if output else None
    return (begin + span[0], begin + span[1]) if span and _says_enough(part, *span) else None


def _find_exact(quote: str, text: str) -> tuple[int, int] | None:
    start = text.find(quote)
    while start >= 0:
        span = start, start + len(quote)
        if not any(_within_word(text, at) for at in span) and _says_enough(text, *span):
            return span
        start += 1
        while start < len(text) and _within_word(text, start):  # a quote begins nowhere in a long number
            start += 1
        start = text.find(quote, start)
    return None


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without a part of a word at its begin and end; an empty one where it holds no whole word."""
    whole = (start, end)
    while start < end and _within_word(text, start):
        start += 1
    while start < end and _within_word(text, end):
        end -= 1
    if (start, end) == whole:
        return whole
    words = list(_WORD.finditer(text, start, end))
    return (words[0].start(), _after_marks(text, words[-1].end())) if words else (start, start)


def _says_enough(text: str, start: int, end: int) -> bool:
    """Whether a quote has three words, or is a number, a name or a whole sentence."""
    quote = text[start:end]
    words = _WORD.findall(quote)
    if len(words) >= FEWEST_WORDS or len(_UNSPACED.findall(quote)) >= FEWEST_WORDS or any(map(str.isdigit, quote)):
        return True
    # A name is written large, or in a script that writes nothing large.
    large = [word for word in words if not word[0].islower() and word.casefold() not in STOP_WORDS]
    if large and words[0] in large and words[-1] in large:
        return True
    before = text[max(start - NEAR, 0) : start].rstrip(_MARKS_AROUND)[-1:]
    within = quote.rstrip(_MARKS_AROUND)[-1:]
    after = text[end : end + NEAR].lstrip(_MARKS_AROUND)[:1]
    return bool(words) and before in _SENTENCE_ENDS and (within in _SENTENCE_ENDS or after in _SENTENCE_ENDS)


def _within_word(text: str, at: int) -> bool:
    """Whether an offset cuts a word, as in "no|w", "3.|5", "don'|t"; scripts without spaces have no such bounds."""
    around = text[max(at - 1, 0) : at + 1]
    if len(around) < 2 or _UNSPACED.search(around):
        return False
    marked = [category(character)[0] == "M" for character in around]
    return around.isalnum() or marked[1] or (marked[0] and around[1].isalnum()) or _CUT.match(text, at) is not None


def _after_marks(text: str, at: int) -> int:
    """The end of the vowel signs and accents that stand after a letter."""
    while category(text[at : at + 1] or " ")[0] == "M":
        at += 1
    return at


def _find_words(wanted: str, folded: str, text: str) -> tuple[int, int] | None:
    at = folded.find(wanted)
    if at < 0:
        return None
    first = folded.count(" ", 0, at)
    words = [*islice(_WORD.finditer(text), first, first + wanted.count(" ") - 1)]
    return words[0].start(), words[-1].end()


def _find_letters(wanted: str, folded: str, text: str) -> tuple[int, int] | None:
    at = folded.find(wanted)
    if at < 0:
        return None
    start = letters = 0
    for word in _WORD.finditer(text):
        length = len(word.group().lower())
        if letters <= at < letters + length:
            start = word.start() + at - letters
        if letters + length >= at + len(wanted):
            return start, word.start() + at + len(wanted) - letters
        letters += length
    return None


class _Folded(NamedTuple):
    """The words of a text in lower case, each between single spaces, and their letters without spaces."""

    words: str
    letters: str


def _fold_text(text: str) -> _Folded:
    return _fold_again(text) if len(text) <= LONGEST_FOLDED else _fold(text)


def _fold(text: str) -> _Folded:
    words = text.translate(_ASCII_MARKS).split() if text.isascii() else _WORD.findall(text)  # in half the time
    return _Folded(f" {' '.join(words)} ".lower(), "".join(words).lower())


_fold_again = lru_cache(maxsize=32)(_fold)  # several quotes are looked for on the same pages

LEAST_SHARE = 0.5  # the least share of a sentence's words that a quote holds if its mark stands after that sentence
LEAST_SHARE_OF_QUOTED = 0.8  # the same where the sentence is a quote of another citation


def with_marks(output: Mapping[str, Any], question: str = "") -> dict[str, Any]:
    """A graph's output with numbered citations, and the answer with their marks as `marked_answer`.

    Each citation gets its `number`, from 1, and `mark_at`, the offset in the answer where its mark stands; without an
    answer it is None, as `marked_answer` is. Of a table the marks stand at the ends of rows. Where quotes stand for an
    answer, each mark stands behind its own quote; one that is not among the answer's words has none. `flags`: what is
    said of single sentences of a summary or of a long answer, with the offsets where it stands. `says`: whether the
    first of the quotes that stand for an answer holds all that the `question` asks.
    """
    answer: str = output["answer"] or ""
    marks = list[tuple[int, int]]()
    unmarked: int | None = None
    if answer and (marks := row_marks(answer, output)):
        unmarked = len(answer)
    elif answer and output.get("status") == "nearest" and not output["choice"]:
        marks = _quote_ends(answer, output["citations"])
    elif answer:
        marks = [(at, number) for number, at in enumerate(mark_offsets(answer, output["citations"]), 1)]
    first = {number: at for at, number in reversed(marks)}
    numbered = [
        {"number": number, **citation, "mark_at": first.get(number, unmarked)}
        for number, citation in enumerate(output["citations"], 1)
    ]
    flags = sentence_flags(output) if output.get("sentences") else []
    marked_answer = _place_marks(answer, marks, flags)[0] if answer else None
    marked = {"citations": numbered, "marked_answer": marked_answer, "flags": flags}
    return {**output, **marked, "says": says(output, question)}


def says(output: Mapping[str, Any], question: str) -> bool:
    """Whether no model answered, and the first quote that stands for the answer holds all that was asked."""
    if output.get("status") != "nearest" or output["choice"] or output.get("table") or not output["citations"]:
        return False
    return answers(question, output["citations"][0]["quote"])


def _quote_ends(answer: str, citations: Sequence[Citation]) -> list[tuple[int, int]]:
    """Where the quotes of which an answer consists end in it, with their numbers."""
    ends, at = list[tuple[int, int]](), 0
    for number, citation in enumerate(citations, 1):
        if (begin := answer.find(citation["quote"], at)) >= 0:
            at = begin + len(citation["quote"])
            ends.append((at, number))
    return ends


def row_marks(answer: str, output: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Where rows of a table (lines of Markdown, or a list in one line) end in an answer, with their citations."""
    table: Table | None = output.get("table")
    if not table or not table["rows"]:
        return []
    numbers = {(each["start"], each["end"]): number for number, each in enumerate(output["citations"], 1)}
    lined = answer.startswith(table_line(table["columns"]) + "\n")
    if not lined and len(table["columns"]) > 1:
        return []
    at, marks = len("\n".join(answer.split("\n")[:2])) + 1 if lined else 0, list[tuple[int, int]]()
    for row in table["rows"]:
        said = table_line(row["values"]) if lined else row["values"][0]
        if not answer.startswith(said, at):
            break
        cited = row["citations"][0] if row["citations"] else None
        if cited and (number := numbers.get((cited["start"], cited["end"]))):
            marks.append((at + len(said.removesuffix(" |") if lined else said), number))
        at += len(said) + len("\n" if lined else "; ")
    return marks


def without_long_runs(text: str) -> str:
    """A marked answer in which a long run of marks is written by its ends: "[1]–[40]"."""
    return re.sub(r"(\[\d+\])(?:\[\d+\]){4,}(\[\d+\])", r"\1–\2", text)


def mark_offsets(answer: str, citations: Sequence[Citation]) -> list[int]:
    """Where each citation's mark stands: after the sentence whose words its quote holds most of, else at the end.

    Behind a sentence that is another quote's own, a mark stands only if its quote holds nearly all of the words too.
    """
    answer = without_unread(answer)
    quotes = [_join_lines(citation["quote"]) for citation in citations]
    sentences = list[tuple[int, set[str], float]]()
    for start, end in sentence_spans(answer):
        said = _join_lines(answer[start:end])
        least = LEAST_SHARE_OF_QUOTED if any(said in quote for quote in quotes) else LEAST_SHARE
        sentences.append((end, {*content_words(said)}, least))

    def end_of_supported(citation: Citation) -> int:
        quoted = {*content_words(citation["quote"])}
        shares = [(len(words & quoted) / len(words), end, least) for end, words, least in sentences if words]
        return max(((share, end) for share, end, least in shares if share >= least), default=(0, len(answer)))[1]

    return [citation["mark_at"] if "mark_at" in citation else end_of_supported(citation) for citation in citations]


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def mark_spans(output: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    """Where marks stand in the `marked_answer` of `with_marks`: the number of each, and its span `[start, end)`."""
    if not (answer := output["answer"]):
        return []
    placed = [
        (citation["mark_at"], citation["number"]) for citation in output["citations"] if citation["mark_at"] is not None
    ]
    return _place_marks(answer, row_marks(answer, output) or placed, output["flags"])[1]


def _place_marks(
    answer: str, marks: Sequence[tuple[int, int]], flags: Sequence[SentenceFlag]
) -> tuple[str, list[tuple[int, int, int]]]:
    """The answer with marks, at offsets with numbers, and behind them what `flags` say; and where the marks stand."""
    text, before, spans = "", 0, list[tuple[int, int, int]]()
    for place in sorted({*(place for place, _ in marks), *(flag["at"] for flag in flags)}):
        text += f"{answer[before:place]} "
        for number in (number for at, number in marks if at == place):
            spans.append((number, len(text), len(text) + len(f"[{number}]")))
            text += f"[{number}]"
        text += "".join(f"[{flag['said']}]" for flag in flags if flag["at"] == place)
        before = place
    return text + answer[before:], spans
