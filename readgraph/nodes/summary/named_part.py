"""A part of a document by what a person calls it: a heading, the number of one, pages of the source, parts."""

import re
from collections.abc import Iterable, Iterator, Sequence

from readgraph.nodes.building.outline import headings_in
from readgraph.sources.naming_places import NamedSpan, places_named, source_page
from readgraph.sources.places import BELOW
from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory, Part

_PAGES = re.compile(
    r"(?:(?:PDF )?(?P<kind>pages?|parts?|pp?\.)\s*)?(?P<first>\d{1,9}|(?<=\s)[ivxlc]{1,9})"
    r"(?:\s*[-–—]\s*(?P<last>\d{1,9}|[ivxlc]{1,9}))?",
    re.IGNORECASE,
)
_SECTION = re.compile(r"(?:chapter|section|sec\.|§|kapitel|abschnitt|chapitre)\s*(?P<number>\d[\d.]*)", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,4})*\.?")
_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
_ORDINALS = "one two three four five six seven eight nine ten eleven twelve".split()
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()
_AS_NUMBERS = {word: str(number) for words in (_ORDINALS, _ROMAN) for number, word in enumerate(words, 1)}

Heading = tuple[int, tuple[str, ...]]
"""Where a heading stands, and its title after those above it."""


async def named_part(store: PageStore, document: Document, memory: Memory, wanted: str) -> list[NamedSpan]:
    """The spans that a name stands for, each with its own name; headings hold what is below them.

    Looked for are, in this order: a title that is the name, one that begins with it, one that has its words; a number
    of the outline ("3.2": the second section of the third); pages of the source ("pages 10-20"), or else parts of the
    memory; a place of the source. Raises `BadInput`, which lists similar names, where there is none.
    """
    headings = await _headings(store, document)
    numbered = _SECTION.fullmatch(wanted.strip())
    for name in (wanted, numbered["number"]) if numbered else (wanted,):
        if found := _by_title(headings, name) or _by_number(headings, name):
            return _spans(headings, found, document.characters)
    if asked := _PAGES.fullmatch(wanted.strip()):
        return [await _numbered(store, document, memory, asked)]
    return await places_named(store, document, wanted)


async def _headings(store: PageStore, document: Document) -> list[Heading]:
    """The headings of the document; in a collection each document's title stands above its own."""
    found = list[Heading]()
    for part in document.parts or (Part(document.id, 0, document.characters),):
        member = await store.document(part.document) if document.parts else document
        above = (member.title or member.id,) if document.parts else ()
        found += [(part.start, above)] if above else []
        places = await store.places(member)
        text = await store.text(member) if places else ""
        found += [(part.start + start, (*above, *path)) for start, path in headings_in(text, places)]
    return [*_with_those_above(found)]


def _with_those_above(headings: Iterable[Heading]) -> Iterator[Heading]:
    """Each heading after those above it that the text has no words under: "Part two" before its "Chapter 4"."""
    before: tuple[str, ...] = ()
    for start, path in headings:
        yield from ((start, path[:depth]) for depth in range(1, len(path)) if path[:depth] != before[:depth])
        yield start, path
        before = path


def _by_title(headings: Sequence[Heading], wanted: str) -> list[int]:
    """The numbers of the headings with this title, or with several titles in a row ("Part two > Chapter 3")."""
    sought = _folded(wanted)
    if not sought:
        return []
    titles = [_folded(path[-1]) for _, path in headings]
    paths = [_folded(" ".join(path)) for _, path in headings]
    ways: list[list[int]] = [
        [number for number in range(len(headings)) if sought in (titles[number], paths[number])],
        [number for number, title in enumerate(titles) if title[: len(sought)] == sought],
    ]
    if not (_NUMBER.fullmatch(wanted.strip()) or _PAGES.fullmatch(wanted.strip())):
        ways.append([number for number, title in enumerate(titles) if _within(sought, title)])
    return next(filter(None, ways), [])


def _by_number(headings: Sequence[Heading], wanted: str) -> list[int]:
    """The heading that is called by this number ("Chapter 3"), else the one at this place of the outline.

    Not one that has another such number of its own: the third heading may be "Chapter 2", after a preface.
    """
    if not _NUMBER.fullmatch(wanted.strip()):
        return []
    counts, depth_before = list[int](), 0
    asked = [int(part) for part in wanted.strip(" .").split(".")]
    numbers = [_own_number(path[-1]) for _, path in headings]
    if called := [number for number, own in enumerate(numbers) if own == wanted.strip(" .")]:
        return called
    for number, (_, path) in enumerate(headings):
        depth = len(path)
        counts = counts[:depth] + [0] * (depth - len(counts))
        counts[-1] += 1
        if counts == asked and (depth_before or depth == 1):
            other = len(numbers[number].split(".")) == len(asked) if numbers[number] else False
            return [] if other else [number]
        depth_before = depth
    return []


def _own_number(title: str) -> str:
    """The number at the beginning of a title, or after a word such as "Chapter", in figures; "" without one."""
    first, second = [*_words(title), "", ""][:2]
    number = second if first in _NUMBERED else first
    return number if _NUMBER.fullmatch(number) else ""


def _spans(headings: Sequence[Heading], found: Iterable[int], end: int) -> list[NamedSpan]:
    """The spans of these sections, without those within others."""
    spans = list[NamedSpan]()
    for number in found:
        start, path = headings[number]
        after = number + 1
        while after < len(headings) and _is_below(headings[after][1], path):
            after += 1
        stop = headings[after][0] if after < len(headings) else end
        if not spans or start >= spans[-1][2]:
            spans.append((BELOW.join(path), start, stop))
    return spans


def _is_below(path: Sequence[str], above: Sequence[str]) -> bool:
    """Whether a heading stands below another: by its path or, of headings on one level, by what they are called.

    In a plain text "Part two" and "Chapter 4" stand on one level: a part goes on until the next part.
    """
    if len(path) > len(above):
        return tuple(path[: len(above)]) == tuple(above)
    if len(path) < len(above) or tuple(path[:-1]) != tuple(above[:-1]):
        return False
    kinds = [_rank(each[-1]) for each in (path, above)]
    return kinds[1] is not None and kinds[0] is not None and kinds[0] > kinds[1]


_NUMBERED = {"section", "abschnitt", "chapter", "kapitel", "chapitre"}
"""What stands before the number of a title that "3" means; "Part 3" holds several of these."""

_RANKS = (("volume", "book"), ("part", "teil", "partie", "parte", "act", "часть"), ("chapter", "kapitel", "chapitre"))
"""What headings on one level are called, the larger divisions first."""


def _rank(title: str) -> int | None:
    first = next(iter(_WORD.findall(title.casefold())), "")
    return next((rank for rank, words in enumerate(_RANKS) if first in words), None)


async def _numbered(store: PageStore, document: Document, memory: Memory, asked: re.Match[str]) -> NamedSpan:
    """The pages of the source from the first to the last; where it has none, or parts are asked for, parts."""
    first, last = asked["first"], asked["last"] or asked["first"]
    backwards = BadInput(f"'{asked[0]}' goes backwards: write the smaller number first.")
    if not (asked["kind"] or "").lower().startswith("part"):
        begin, stop = await source_page(store, document, first), await source_page(store, document, last)
        if begin and stop:
            if stop[-1][2] <= begin[0][1]:
                raise backwards
            return (asked[0], begin[0][1], stop[-1][2])
    if not (first.isdecimal() and last.isdecimal()):
        raise BadInput(
            f"'{asked[0]}' names no part: the source of '{document.title or document.id}' has no such pages."
        )
    if int(last) < int(first):
        raise backwards
    if int(last) >= memory.pages:
        raise BadInput(f"There is no part {last}: '{document.title or document.id}' has parts 0 to {memory.pages - 1}.")
    pages = await store.pages(memory.id, [int(first), int(last)])
    return (asked[0], pages[0].start, pages[-1].end)


def _folded(name: str) -> list[str]:
    return [*_words(name)]


def _words(name: str) -> Iterator[str]:
    """The words of a name, in lower case; small numbers in figures, so that "Part II" is "part two"."""
    words = _WORD.findall(name.casefold())
    yield from (_AS_NUMBERS.get(word, word) if len(words) > 1 else word for word in words)


def _within(sought: Sequence[str], title: Sequence[str]) -> bool:
    starts = range(len(title) - len(sought) + 1)
    return any([*title[start : start + len(sought)]] == [*sought] for start in starts)
