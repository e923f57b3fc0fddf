"""Documents as who has read only up to a place knows them: a page, a chapter, a session or a time.

The beginning is a document of its own, with pages, notes and indexes of its own: what follows is in none of them. What
was made of single pages of the whole text is taken over, and not asked for again.
"""

import re
from collections.abc import Sequence

from readgraph.language.text_ends import end_by_measure, end_of_time
from readgraph.language.tokens import plain_digits
from readgraph.library.collections import add_beginning, documents_of
from readgraph.library.page_store import PageStore
from readgraph.nodes.named_parts import find_named_part
from readgraph.sources.places import NamedSpan, SourcePage, no_such_page, page_of, place_in_words, places_named
from readgraph.state.errors import BadInput, Way
from readgraph.state.records import CollectionPart, Document

NAME_THEM = Way("--up-to needs a document: name it.", tool="up_to needs a document: name it.", page="Choose documents.")
NOT_BESIDE = Way(
    "--collection names the documents: leave it out, or name no others.",
    tool="collection names the documents: leave it out, or name no others.",
    page="The collection names the documents: leave it out, or choose no others.",
)
_PAGE = re.compile(
    r"(?:pdf )?(?:pages?|pp?\.?|s\.|seite|p[aá]gina|стр\.|(?:ال)?صفحة|第)\s*(?P<said>[^\s()页頁]*[^\s().页頁])"
    r"[.页頁]?(?: (?:of|von|sur|de|di|из|من) \d{1,9})?(?: \((?P<number>\d{1,9})\w\w in the file\))?",
    re.I,
)
_EDGE = re.compile(
    r"(?:(?P<before>before|vor|avant|antes|prima|до|قبل)|(?:(?:the|das|la) )?(?:end|ende|fin|fine|конец|نهاية)"
    r"|until|up to|bis|jusqu|hasta|fino|حتى)['’ ] ?"
    r"(?:(?:of|von|de[lrms]?|du|di|della|à|au?|zu[rm]|the|le|la|el|il) )*(?P<place>.+)"
    r"|(?P<of>.+?)(?:(?P<ahead>之?前|の前)|结束|の終わり)",
    re.I,
)
MOST_TOLD = 3


def check_named(up_to: str, documents: Sequence[object], collection: str | None = None) -> None:
    """Raise `BadInput` for a place without a document, and for a collection beside one."""
    if up_to and not documents:
        raise BadInput(NAME_THEM)
    if documents and collection is not None:
        raise BadInput(NOT_BESIDE)


async def up_to_place(pages: PageStore, document: Document, up_to: str) -> Document:
    """The beginning of a document, a history or a collection, to the end of a place; all of it without one."""
    if not up_to:
        return document
    number, end, name = await _find_end(pages, await documents_of(pages, document), up_to)
    start = document.parts[number].start if document.parts else 0
    return await add_beginning(pages, document, start + end, place_in_words(name))


async def members_up_to(pages: PageStore, documents: Sequence[Document], up_to: str) -> list[Document]:
    """Documents up to a place, in their order: those before it, and the beginning of the one that has it."""
    if not up_to:
        return [*documents]
    number, end, _ = await _find_end(pages, documents, up_to)
    return [*documents[:number], await pages.member(CollectionPart(documents[number].id, 0, end))]


async def _find_end(pages: PageStore, documents: Sequence[Document], up_to: str) -> tuple[int, int, str]:
    """Which of the documents has a place, where in it that ends, and the place's name."""
    wanted, problems = " ".join(up_to.split()), list[BadInput]()
    if not wanted:
        raise BadInput("This names no place: write one, such as 'chapter 7' or 'page 120'.")
    titles = [" ".join((document.title or document.id).split()) for document in documents]
    begun = [title for title in titles if f"{wanted},".casefold().startswith(f"{title},".casefold())]
    title = max(begun, key=len, default=None)  # "Book two, chapter 3", as citations have it
    place = wanted if title is None else wanted[len(title) + 1 :].strip()
    found = list[tuple[int, int, str]]()
    for number, document in enumerate(documents):
        if title is None or titles[number] == title:
            try:
                end, name = await _end_in(pages, document, place) if place else (document.characters, wanted)
                found.append((number, end, name))
            except BadInput as problem:
                problems.append(problem)
    if not found:
        raise problems[0]
    if len(found) > 1:
        listed = " or ".join(f"'{titles[number]}, {wanted}'" for number, *_ in found[:MOST_TOLD])
        raise BadInput(f"Several of the documents have a place '{wanted}': write {listed}.")
    if not found[0][1]:
        raise BadInput(f"Nothing stands before '{wanted}': give a later place.")
    return found[0]


async def _end_in(pages: PageStore, document: Document, wanted: str) -> tuple[int, str]:
    """Where the place of this name ends in a document, and its name as citations have it. Raises `BadInput`."""
    places, said = await pages.places(document), plain_digits(wanted)
    if (page := _PAGE.fullmatch(said)) and any(page_of(name) for _, name in places):
        return _end_of_page(document, places, page)
    if (end := end_of_time(places, document.characters, said)) is not None:
        return end, wanted
    if spans := await _find_spans(pages, document, wanted):
        return spans[0][2], spans[0][0]
    if (end := end_by_measure(places, await pages.text(document), said)) is not None:
        return end, wanted
    edge = _EDGE.fullmatch(wanted)
    if edge and not (edge["before"] or edge["ahead"]):  # all of it is meant, as without the word
        return await _end_in(pages, document, edge["place"] or edge["of"])
    if edge and (spans := await _find_spans(pages, document, edge["place"] or edge["of"])):
        start = spans[0][1]
        return start, next((name.removeprefix("§ ") for at, name in reversed(places) if at < start), wanted)
    name = f"'{document.title or document.id}' has no place '{wanted}'"
    if not places:
        raise BadInput(f"{name}: its source names none, so give a share, such as '50%'.")
    raise BadInput(f"{name}: its places have names such as '{places[0][1]}'.")  # of others one may tell what follows


async def _find_spans(pages: PageStore, document: Document, wanted: str) -> list[NamedSpan]:
    """The span that has this name, if any; raises `BadInput` where several have it."""
    try:
        find, name = (places_named, plain_digits(wanted)) if document.sessions else (find_named_part, wanted)
        spans = await find(pages, document, name)
    except BadInput:
        return []
    first = spans[0][0]
    if len(spans) > 1:
        alike = all(name == first for name, *_ in spans)
        instead = "name one that is there only once" if alike else f"the first is '{first}', write it so"
        raise BadInput(f"Several places of '{document.title or document.id}' are called '{wanted}': {instead}.")
    return spans


def _end_of_page(document: Document, places: Sequence[tuple[int, str]], said: re.Match[str]) -> tuple[int, str]:
    """The end of a page as citations call it: by what is printed on it, else by its number in the file."""
    there = [(start, page) for start, name in places if (page := page_of(name))]
    number = _number_in_file(said, [page for _, page in reversed(there)])
    if not 1 <= number <= max(page.number for _, page in there):
        raise no_such_page(document, said["said"], [page for _, page in there])
    label = next((page.label for _, page in there if page.number == number), f"PDF page {number}")
    return min((start for start, page in there if page.number > number), default=document.characters), label


def _number_in_file(said: re.Match[str], pages: Sequence[SourcePage]) -> int:
    """The number of a page in the file, 0 for none; where its text is missing between two, of the one before."""
    printed = {page.printed.casefold(): page.number for page in pages if page.printed}
    if number := said["number"] or printed.get(said["said"].casefold()):
        return int(number)
    wanted = int(said["said"]) if said["said"].isdecimal() else 0
    counted = {int(label): number for label, number in printed.items() if label.isdecimal()}
    if min(counted, default=0) < wanted < max(counted, default=0):
        return max(number for label, number in counted.items() if label < wanted)
    return wanted
