"""Parts of a text by their names: a heading, its number, pages of the source, or parts of a memory."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from readgraph.language.tokens import fold_letters, numerals, plain_digits
from readgraph.library.page_store import PageStore
from readgraph.nodes.building.outline import headings_in
from readgraph.sources.formats.numerals import write_numeral
from readgraph.sources.places import BELOW, NamedSpan, places_named, source_page
from readgraph.state.errors import BadInput
from readgraph.state.records import CollectionPart, Document, Memory

_PAGES = re.compile(
    r"(?:(?:PDF )?(?P<kind>pages?|parts?|pp?\.)\s*)?(?P<first>\d{1,9}|(?<=\s)[ivxlc]{1,9})"
    r"(?:\s*[-–—]\s*(?P<last>\d{1,9}|[ivxlc]{1,9}))?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,4})*\.?")
_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
_LETTERS_FIRST = re.compile(r"\W*(?!(?-i:[IVXLC]{2,}) )[a-z]+ \w", re.IGNORECASE)
_NUMERALS = {write_numeral(number, "cardinalText").casefold(): str(number) for number in range(1, 100)}
_COMPOUND = re.compile(rf"\b(?:{'|'.join(word for word in _NUMERALS if '-' in word)})\b")  # "twenty-one"
_ORDINALS = {  # stems by what follows them
    "e es er en": "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft",
    "er ere eme": "premi deuxi troisi quatri cinqui sixi septi huiti neuvi dixi onzi douzi",
    "o a": "primer segund tercer cuart quint sext septim octav noven decim",
    "o  a": "prim second terz quart quint sest settim ottav non decim",
    "ая ый ья": "перв втор трет четверт пят шест седьм восьм девят десят",
    "": "الأول الثاني الثالث الرابع الخامس السادس السابع الثامن التاسع العاشر",
}
_AS_NUMBERS = _NUMERALS | {
    write_numeral(number, form).casefold(): str(number)
    for form in ("lowerRoman", "ordinalText")
    for number in range(1, 100)
}
_AS_NUMBERS |= {
    fold_letters(word): str(number)
    for code in "de fr es it pt nl".split()
    for word, number in numerals(code).items()
    if word not in ("due", "once")  # the one is folded to a French word, the other is an English one
}
_AS_NUMBERS |= {
    fold_letters(stem) + ending: str(number)
    for endings, stems in _ORDINALS.items()
    for number, stem in enumerate(stems.split(), 1)
    for ending in endings.split() or [""]
}
_HAN = {write_numeral(number, "chineseCounting"): str(number) for number in range(1, 1000)}
_COUNTED = re.compile(r"(?<=第)[〇零一二三四五六七八九十百]+")
Heading = tuple[int, tuple[str, ...]]  # where a heading stands, and its title after those above it


async def find_named_part(
    store: PageStore, document: Document, wanted: str, memory: Memory | None = None
) -> list[NamedSpan]:
    """The spans that a name stands for, each with its own name; headings hold what is below them.

    Looked for are, in this order: a title that is the name, begins with it, or has its words; a number of the outline
    ("3.2"); pages of the source ("pages 10-20"), or else parts of the memory; a place of the source. Raises `BadInput`.
    """
    headings = await _headings(store, document)
    words = _fold_name(wanted.replace("§", "section "))
    for name in (wanted, words[1]) if len(words) == 2 and words[0] in _NUMBERED else (wanted,):
        if numbers := _by_title(headings, name) or _by_number(headings, name):
            return _spans(headings, numbers, document.characters)
    if match := _PAGES.fullmatch(wanted.strip()):
        return [await _find_pages_by_number(store, document, memory, match)]
    return await places_named(store, document, wanted)


async def _headings(store: PageStore, document: Document) -> list[Heading]:
    """The headings of the document; of several documents each title stands above its own."""
    paths = list[Heading]()
    for part in document.parts or (CollectionPart(document.id, 0, document.characters),):
        member = await store.member(part) if document.parts else document
        above = (member.title or member.id,) if len(document.parts) > 1 else ()
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
    return _below_divisions(headings)


def _below_divisions(headings: Sequence[Heading]) -> list[Heading]:
    """The headings, with a "Chapter 4" below the "Part two" that stands before it on the same level."""
    nested, named = list[Heading](), dict[tuple[str, ...], tuple[str, ...]]()
    begun = defaultdict[tuple[str, ...], list[tuple[int, tuple[str, ...]]]](list)
    for start, path in headings:
        rank = _RANKS.get(next(iter(_fold_name(path[-1])), ""))
        above = begun[path[:-1]]
        while rank is not None and above and above[-1][0] >= rank:
            above.pop()
        parent = above[-1][1] if rank is not None and above else named.get(path[:-1], path[:-1])
        named[path] = (*parent, path[-1])
        if rank is not None:
            above.append((rank, named[path]))
        nested.append((start, named[path]))
    return nested


def _by_title(headings: Sequence[Heading], wanted: str) -> list[int]:
    """The numbers of the headings with this title, or with several titles in a row ("Part two > Chapter 3")."""
    sought = _fold_name(wanted)
    if not sought:
        return []
    titles = [_fold_name(path[-1]) for _, path in headings]
    paths = [[_fold_name(" ".join(path[depth:])) for depth in range(len(path))] for _, path in headings]

    def begins(name: Sequence[str], own: int) -> bool:  # and ends within the heading's own title
        return [*name[: len(sought)]] == sought and len(sought) > len(name) - own

    ways: list[list[int]] = [
        [number for number, names in enumerate(paths) if sought in names],
        [number for number, names in enumerate(paths) if any(begins(name, len(titles[number])) for name in names)],
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
    is_alone = not _LETTERS_FIRST.match(title)  # not the "I" of "I am born"
    number = second if first in _NUMBERED else re.sub(r"^第(\d+)\D*$", r"\1", first) if is_alone else ""
    number = _AS_NUMBERS.get(number, number)
    return number if _NUMBER.fullmatch(number) else ""


def _spans(headings: Sequence[Heading], numbers: Iterable[int], end: int) -> list[NamedSpan]:
    spans = list[NamedSpan]()
    for number in numbers:
        start, path = headings[number]
        behind = headings[number + 1 :]
        stop = next((at for at, other in behind if other[: len(path)] != path or other == path), end)
        if not spans or start >= spans[-1][2]:
            spans.append((BELOW.join(path), start, stop))
    return spans


_DIVISIONS = (  # by their ranks, words for the same first
    ("volume tome tomo volumen том المجلد", "book buch livre libro livro книга الكتاب"),
    ("part teil partie parte deel часть части الجزء", "act akt acte acto atto акт"),
    (
        "chapter ch chap chapitre kapitel kap capitulo capitolo cap hoofdstuk rozdział глава главы гл الفصل فصل",
        "scene szene escena scena сцена",
    ),
)
_KINDS = {fold_letters(word): same.split()[0] for rank in _DIVISIONS for same in rank for word in same.split()}
_KINDS |= {"sec": "section", "abschnitt": "section", "seccion": "section", "sezione": "section", "раздел": "section"}
_RANKS = {same.split()[0]: rank for rank, kinds in enumerate(_DIVISIONS) for same in kinds}
_NUMBERED = {"section", "chapter"}  # before the number that "3" means


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
    """The words of a name, without accents and in lower case; numbers in figures, so that "Part II" is "part two".

    A word such as "Chapter" is the same in all languages, and stands before its number.
    """
    plain = _COUNTED.sub(lambda counted: _HAN.get(counted[0], counted[0]), fold_letters(plain_digits(name).casefold()))
    words = _WORD.findall(_COMPOUND.sub(lambda compound: _NUMERALS[compound[0]], plain))
    if len(words) < 2:
        return words
    words = [_KINDS.get(word) or _AS_NUMBERS.get(word, word) for word in words]
    turned = words[0].isdecimal() and words[1] in _KINDS.values()  # "Zweites Kapitel"
    return [words[1], words[0], *words[2:]] if turned else words
