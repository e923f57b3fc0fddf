"""Parts of a text by their names: a heading, its number, pages of the source, or parts of a memory."""

import re
from collections.abc import Iterable, Sequence

from readgraph.library.page_store import PageStore
from readgraph.nodes.building.outline import headings_in
from readgraph.nodes.extractive.dates import NUMBERS
from readgraph.sources.places import BELOW, NamedSpan, places_named, source_page
from readgraph.state.errors import BadInput
from readgraph.state.records import CollectionPart, Document, Memory

_PAGES = re.compile(
    r"(?:(?:PDF )?(?P<kind>pages?|parts?|pp?\.)\s*)?(?P<first>\d{1,9}|(?<=\s)[ivxlc]{1,9})"
    r"(?:\s*[-–—]\s*(?P<last>\d{1,9}|[ivxlc]{1,9}))?",
    re.IGNORECASE,
)
_SECTION = re.compile(r"(?:chapter|section|sec\.|§|kapitel|abschnitt|chapitre)\s*(?P<number>\d[\d.]*)", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,4})*\.?")
_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
_TENS, _ONES = (["", *rest.split()] for rest in ("x xx xxx xl l lx lxx lxxx xc", "i ii iii iv v vi vii viii ix"))
_ROMAN = [tens + ones for tens in _TENS for ones in _ONES][1:]
_AS_NUMBERS = {word: str(number) for words in (NUMBERS, _ROMAN) for number, word in enumerate(words, 1)}
Heading = tuple[int, tuple[str, ...]]  # where a heading stands, and its title after those above it


async def find_named_part(
    store: PageStore, document: Document, wanted: str, memory: Memory | None = None
) -> list[NamedSpan]:
    """The spans that a name stands for, each with its own name; headings hold what is below them.

    Looked for are, in this order: a title that is the name, begins with it, or has its words; a number of the outline
    ("3.2"); pages of the source ("pages 10-20"), or else parts of the memory; a place of the source. Raises `BadInput`.
    """
    headings = await _headings(store, document)
    numbered = _SECTION.fullmatch(wanted.strip())
    for name in (wanted, numbered["number"]) if numbered else (wanted,):
        if numbers := _by_title(headings, name) or _by_number(headings, name):
            return _spans(headings, numbers, document.characters)
    if match := _PAGES.fullmatch(wanted.strip()):
        return [await _find_pages_by_number(store, document, memory, match)]
    return await places_named(store, document, wanted)


async def _headings(store: PageStore, document: Document) -> list[Heading]:
    """The headings of the document; in a collection each document's title stands above its own."""
    paths = list[Heading]()
    for part in document.parts or (CollectionPart(document.id, 0, document.characters),):
        member = await store.member(part) if document.parts else document
        above = (member.title or member.id,) if document.parts else ()
        paths += [(part.start, above)] if above else []
        places = await store.places(member)
        text = await store.text(member) if places else ""
        paths += [(part.start + start, (*above, *path)) for start, path in headings_in(text, places)]
    # Those that the text has no words under stand there too: "Part two" before its "Chapter 4".
    headings, before = list[Heading](), tuple[str, ...]()
    for start, path in paths:
        headings += [(start, path[:depth]) for depth in range(1, len(path)) if path[:depth] != before[:depth]]
        headings.append((start, path))
        before = path
    return headings


def _by_title(headings: Sequence[Heading], wanted: str) -> list[int]:
    """The numbers of the headings with this title, or with several titles in a row ("Part two > Chapter 3")."""
    sought = _fold_name(wanted)
    if not sought:
        return []
    titles = [_fold_name(path[-1]) for _, path in headings]
    paths = [_fold_name(" ".join(path)) for _, path in headings]
    ways: list[list[int]] = [
        [number for number in range(len(headings)) if sought in (titles[number], paths[number])],
        [number for number, title in enumerate(titles) if title[: len(sought)] == sought],
    ]
    if not (_NUMBER.fullmatch(wanted.strip()) or _PAGES.fullmatch(wanted.strip())):
        words = f" {' '.join(sought)} "
        ways.append([number for number, title in enumerate(titles) if words in f" {' '.join(title)} "])
    return next(filter(None, ways), [])


def _by_number(headings: Sequence[Heading], wanted: str) -> list[int]:
    """The heading called by this number ("Chapter 3"), else the one at this place of the outline that has none."""
    if not _NUMBER.fullmatch(wanted.strip()):
        return []
    counts = list[int]()
    asked = [int(part) for part in wanted.strip(" .").split(".")]
    numbers = [_own_number(path[-1]) for _, path in headings]
    if called := [number for number, own in enumerate(numbers) if own == wanted.strip(" .")]:
        return called
    for number, (_, path) in enumerate(headings):
        depth = len(path)
        counts = counts[:depth] + [0] * (depth - len(counts))
        counts[-1] += 1
        if counts == asked and (number or depth == 1):
            other = len(numbers[number].split(".")) == len(asked) if numbers[number] else False
            return [] if other else [number]
    return []


def _own_number(title: str) -> str:
    """The number at the beginning of a title, or after a word such as "Chapter", in figures; "" without one."""
    first, second = [*_fold_name(title), "", ""][:2]
    number = second if first in _NUMBERED else first
    return number if _NUMBER.fullmatch(number) else ""


def _spans(headings: Sequence[Heading], numbers: Iterable[int], end: int) -> list[NamedSpan]:
    spans = list[NamedSpan]()
    for number in numbers:
        start, path = headings[number]
        stop = next((at for at, other in headings[number + 1 :] if not _is_below(other, path)), end)
        if not spans or start >= spans[-1][2]:
            spans.append((BELOW.join(path), start, stop))
    return spans


def _is_below(path: tuple[str, ...], above: tuple[str, ...]) -> bool:
    """Whether a heading stands below another, by its path; of one level, "Chapter 4" stands below "Part two"."""
    if len(path) > len(above):
        return path[: len(above)] == above
    if len(path) < len(above) or path[:-1] != above[:-1]:
        return False
    own, other = (_RANKS.get(next(iter(_WORD.findall(each[-1].casefold())), "")) for each in (path, above))
    return own is not None and other is not None and own > other


_NUMBERED = {"section", "abschnitt", "chapter", "kapitel", "chapitre"}  # before the number that "3" means
_DIVISIONS = ("volume book", "part teil partie parte act часть", "chapter kapitel chapitre")
_RANKS = {word: rank for rank, words in enumerate(_DIVISIONS) for word in words.split()}


async def _find_pages_by_number(
    store: PageStore, document: Document, memory: Memory | None, match: re.Match[str]
) -> NamedSpan:
    """The pages of the source from the first to the last; where it has none, or parts are asked for, parts."""
    first, last = match["first"], match["last"] or match["first"]
    backwards = BadInput(f"'{match[0]}' goes backwards: write the smaller number first.")
    if not (match["kind"] or "").lower().startswith("part"):
        begin, stop = await source_page(store, document, first), await source_page(store, document, last)
        if begin and stop:
            if stop[-1][2] <= begin[0][1]:
                raise backwards
            return (match[0], begin[0][1], stop[-1][2])
    title = document.title or document.id
    if not memory or not (first.isdecimal() and last.isdecimal()):
        raise BadInput(f"'{match[0]}' names no part: the source of '{title}' has no such pages.")
    if int(last) < int(first):
        raise backwards
    if int(last) >= memory.pages:
        raise BadInput(f"There is no part {last}: '{title}' has parts 0 to {memory.pages - 1}.")
    pages = await store.pages(memory.id, [int(first), int(last)])
    return (match[0], pages[0].start, pages[-1].end)


def _fold_name(name: str) -> list[str]:
    """The words of a name, in lower case; small numbers in figures, so that "Part II" is "part two"."""
    words = _WORD.findall(name.casefold())
    return [_AS_NUMBERS.get(word, word) for word in words] if len(words) > 1 else words
