"""The documents of a library: by their names, by a part of a title, and those that a question is about."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from readgraph.api.up_to import check_named, up_to_place
from readgraph.language.calendars import check_date, find_date
from readgraph.language.dates import date_in
from readgraph.language.detection import language_of
from readgraph.language.excerpts import marks
from readgraph.language.hints import other_language
from readgraph.language.terms import stop_words
from readgraph.library.collections import NamedCollections, add_beginning, add_collection, documents_of
from readgraph.library.document_languages import document_languages
from readgraph.library.documents import document_id
from readgraph.library.histories import sessions_of
from readgraph.library.library import document_of_file, keep_file
from readgraph.library.notices import keep_notices
from readgraph.library.page_store import PageStore
from readgraph.library.search.catalogue import catalogue_of, records, title_words
from readgraph.library.search.passages import (
    MOST_LOCATED,
    LikelyPassages,
    PassageHit,
    likely_passages,
    locate_passages,
    search_documents,
)
from readgraph.library.versions import choose_valid, cite_as, follow_file, set_version
from readgraph.sources.converting import SourceText, convert_in_thread
from readgraph.sources.loading import STANDARD_INPUT, SourceFile, printable_path
from readgraph.state.errors import BadInput, Damaged, LibraryError, Way
from readgraph.state.records import Document, Session

LIST_DOCUMENTS = Way(
    "'readgraph show' lists them",
    tool="list_documents lists them, and read takes a new file as 'file'",
    page="the list of documents names those that it holds",
)
NAME_ONE = Way("name a file", tool="name a document", page="choose a document")
ADD_ONE = Way("name a file,", tool="call read with a file or a text,", page="add a document,")
FORGET_IT = Way("'readgraph forget' deletes it", tool="only the user can delete it", page="delete it")

NEAR = 0.75  # how alike a title must be to be suggested; 1 is the same
MOST_LISTED = 5


class UnknownName(BadInput):
    """No document of the library has this name."""


def find_by_title(documents: Sequence[Document], part: str) -> Document | None:
    """The document from a file of this name, or whose title has this part, from the beginning of a word; else None.

    A document comes before the collections that hold it. Raises `BadInput` where several documents match.
    """
    wanted, file = f" {title_words(part)}", (f"/{part}", f"\\{part}") if part.strip() else ()
    matches = [document for document in documents if document.source.endswith(file)]
    matches = matches or [each for each in documents if wanted.strip() and wanted in f" {title_words(each.title)}"]
    matches = [document for document in matches if not document.parts] or matches
    if len(matches) > 1:
        listed = "; ".join(f"'{document.title}', id {document.id}" for document in matches[:MOST_LISTED])
        more = "; …" if len(matches) > MOST_LISTED else ""
        raise BadInput(f"'{part}' names several documents: give the id of one ({listed}{more}).")
    return matches[0] if matches else None


def suggestion(documents: Sequence[Document], name: str) -> str:
    """The question whether a title that is spelt nearly like this was meant, after a space; "" where there is none."""
    if not (wanted := title_words(name)):
        return ""
    near: dict[str, str] = {}
    for document in sorted(documents, key=lambda document: len(document.parts)):  # before collections with it
        title, count = title_words(document.title), wanted.count(" ") + 1
        words = title.split(" ")
        for stretch in [title, *(" ".join(words[start : start + count]) for start in range(len(words) - count + 1))]:
            near.setdefault(stretch, document.title)
    matches = get_close_matches(wanted, near, MOST_LISTED, NEAR)
    titles = " or ".join(dict.fromkeys(f"'{near[match]}'" for match in matches))
    return f" Do you mean {titles}?" if titles else ""


async def store_source(pages: PageStore, source: SourceText) -> Document:
    """Store a source's text as a document, with what it lacks and the hash of the file it was converted from."""
    places = [(place.start, place.label) for place in source.places]
    file = "" if source.source == STANDARD_INPUT else source.source
    document = await pages.add_document(source.text, title=source.title, source=file, places=places, date=source.date)
    document = await follow_file(pages, document, file)
    document = await keep_notices(pages, document, file, source.problems)
    if source.cited and (document.title, document.date) != (source.title, source.date or document.date):
        document = await cite_as(pages, document, source.title, source.date)
    if source.supersedes and not document.supersedes:
        beside = str(Path(source.source).with_name(source.supersedes.rpartition("/")[2]))
        for name in (beside, source.supersedes):
            with suppress(BadInput):  # it is not in the library
                earlier = await find_kept_document(pages, name)
                document = await set_version(pages, document, supersedes=earlier.id)
                break
    if source.digest:
        await keep_file(pages, source.digest, document)
    return document


class StoredFile(NamedTuple):
    """The document of a file, how long its conversion took, and what it names in vain."""

    document: Document
    seconds: float = 0.0
    notice: str = ""


async def store_file(pages: PageStore, file: SourceFile) -> StoredFile:
    """Store a file as one document; it is converted only if that was not done before."""
    (stored,) = await _store_converted(pages, file, lambda: [file.convert()])
    return stored


async def store_texts(pages: PageStore, file: SourceFile) -> list[StoredFile]:
    """Store a file as a document, and an export of several chats as one for each; no file is converted twice."""
    return await _store_converted(pages, file, file.convert_each)


async def _store_converted(
    pages: PageStore, file: SourceFile, convert: Callable[[], Sequence[SourceText]]
) -> list[StoredFile]:
    if file.digest and (kept := await document_of_file(pages, file.digest)):
        return [StoredFile(await follow_file(pages, kept, file.source))]
    sources = await convert_in_thread(convert)
    stored = [(source, await store_source(pages, source)) for source in sources]
    return [StoredFile(document, source.seconds, missing_version(source, document)) for source, document in stored]


async def store_each(pages: PageStore, file: SourceFile) -> list[Document]:
    """The documents that `store_texts` stores."""
    return [stored.document for stored in await store_texts(pages, file)]


def missing_version(source: SourceText, document: Document) -> str:
    """That a text says it supersedes what the library doesn't have; "" where it has that, or the text says nothing."""
    if not source.supersedes or document.supersedes:
        return ""
    return f"{source.title} supersedes '{source.supersedes}', which is not in the library: read that first."


async def find_kept_document(pages: PageStore, name: str) -> Document:
    """The document of a name that is no file's. Raises `UnknownName` where there is none, `BadInput` where several."""
    documents = await possible_documents(pages, name)
    if document := same_name(documents, name) or find_by_title(documents, name):
        return document
    problem = f"There is no file {printable_path(Path(name))}, and no document of that name in the library."
    raise UnknownName(problem + suggestion(documents, name))


async def id_without_conversion(pages: PageStore, file: SourceFile) -> str | None:
    """The id of the document in a file; None where the file must be converted first to know it."""
    if not file.digest:  # its text is the file's own
        return document_id(file.convert().text)
    document = await document_of_file(pages, file.digest)
    return document.id if document else None


async def document_named(
    pages: PageStore, name: str, id_of_file: str | None = None, *, by_part: bool = True
) -> Document:
    """The document with this id, beginning of an id, title or file, or (`by_part`) with this in its title.

    `id_of_file` is the id of the document in the file of this name, if there is such a file; no file is opened here.
    Raises `BadInput` where there is none, or several.
    """
    with suppress(Damaged):  # told below, with its id
        if kept := await pages.find_document(name):
            return kept
    documents = await possible_documents(pages, name, id_of_file)
    if document := same_name(documents, name, id_of_file):
        return document
    if damaged := await find_damaged_document(pages, name):
        raise LibraryError(f"The record of document {damaged} is damaged: ", FORGET_IT, ".")
    if by_part and not id_of_file and (document := find_by_title(documents, name)):
        return document
    nothing = f"The library holds no document '{name}': "
    raise BadInput(nothing, LIST_DOCUMENTS, f".{suggestion(documents, name)}")


async def possible_documents(pages: PageStore, name: str, id_of_file: str | None = None) -> list[Document]:
    """The documents among which `same_name`, `titled` and `suggestion` find: all, or of very many those that may be."""
    if catalogue := await catalogue_of(pages):
        return await records(pages, await catalogue.find_by_name(name, str(Path(name).absolute()), id_of_file))
    return await pages.documents()


async def find_damaged_document(pages: PageStore, id_start: str) -> str:
    """The id of the one document with a damaged record whose id begins like this; "" where there is none."""
    catalogue = await catalogue_of(pages)
    damaged = await catalogue.list_damaged() if catalogue else (await pages.documents_and_damaged())[1]
    matches = [identity for identity in damaged if id_start.strip() and identity.startswith(id_start)]
    return matches[0] if len(matches) == 1 else ""


def same_name(documents: Sequence[Document], name: str, id_of_file: str | None = None) -> Document | None:
    """The document with this id, file, title, or beginning of an id; None where there is none."""
    if not name.strip():  # every id begins with the empty string
        return None
    path = str(Path(name).absolute())
    for matches in (
        [document for document in documents if document.id in (name, id_of_file)],
        [document for document in documents if document.source in (path, name)],
        [document for document in documents if document.title.casefold() == name.casefold()],
        [document for document in documents if document.id.startswith(name)],
    ):
        if len(matches) > 1:
            ids = ", ".join(document.id for document in matches)
            raise BadInput(f"'{name}' matches several documents: give the id of one ({ids}).")
        if matches:
            return matches[0]
    return None


MOST_PICKED = 3
PASSAGES = 3  # a document counts by this many of its best passages
LEAST_SHARE = 0.5  # of the best document's score, which one that is picked must have


class PickingScope(NamedTuple):
    """Among which documents retrieval picks: those of a named collection, else all; how many at most; as of which day.

    Those that another of them supersedes are left out. A place, `up_to` which is read, needs a document that is named.
    """

    most: int | None = None
    collection: str | None = None
    as_of: str = ""
    up_to: str = ""

    def check(self, *, open_to_choice: bool) -> None:
        """Raise `BadInput` where something is chosen and documents are named already."""
        if self.most is not None and not open_to_choice:
            raise BadInput("--documents is for a question to the whole library: leave it out, or name no file.")
        check_named(self.up_to, () if open_to_choice else (self,), self.collection)


WHOLE_LIBRARY = PickingScope()


async def pick_documents(pages: PageStore, query: str, choice: PickingScope) -> list[Document]:
    """The documents whose best passages share most words with the query, the best first.

    A history is read by itself, since a collection can't hold one: it is picked alone, or not at all. Raises `BadInput`
    where the library is empty, or nothing in it shares a word with the query, unless that is in another language and
    the documents are few: then they are all taken.
    """
    content = _without_stop_words(query)
    documents, held, likely = await _documents_to_pick_from(pages, content, choice)
    scores = defaultdict[str, list[float]](list)
    if likely and not choice.as_of:
        for identity, _, score in likely.ranked:
            scores[identity].append(score)
    else:
        found = await (
            locate_passages(pages, likely, MOST_LOCATED) if likely else search_documents(pages, documents, content)
        )
        for passage in await passages_as_of(pages, found, content, choice.as_of):
            scores[passage.document.id].append(passage.score)
    totals = {identity: sum(best[:PASSAGES]) for identity, best in scores.items()}
    if not totals and len(documents) <= MOST_PICKED:
        spoken = [(await document_languages(pages, document)).languages[0] for document in documents]
        totals = {document.id: 0.0 for document in documents} if other_language(query, spoken) else {}
    if not totals:
        raise BadInput(f"No document of {held} shares a word with the question: ", NAME_ONE, ", or other words.")
    sharing = [document for document in documents if document.id in totals]
    ranked = sorted(sharing, key=lambda document: -totals[document.id])
    if ranked[0].sessions:
        return ranked[:1]
    best = totals[ranked[0].id]
    least = min(best, LEAST_SHARE * best)  # in a library of a few lines, scores may be negative
    picked = [document for document in ranked if not document.sessions and totals[document.id] >= least]
    return picked[: choice.most or MOST_PICKED]


def _without_stop_words(query: str) -> str:
    """The query without its language's stop words: in texts of another language they are rare, and would count most."""
    stopped = stop_words(language_of(query))
    content = re.sub(r"\w+", lambda word: "" if word[0].casefold() in stopped else word[0], query)
    return content if re.search(r"\w", content) else query


async def _documents_to_pick_from(
    pages: PageStore, content: str, choice: PickingScope
) -> tuple[list[Document], str, LikelyPassages | None]:
    """The documents among which is picked, what holds them, and the best of many passages in them."""
    documents, held, likely = await documents_to_search(pages, content, choice.collection)
    if not documents and not likely:
        raise BadInput("There is nothing to read: ", ADD_ONE, " since the library is empty.")
    valid = await choose_valid(pages, documents, choice.as_of)
    if documents and not valid:
        raise BadInput(f"Nothing in {held} is from {choice.as_of} or before: give a later day.")
    return valid, held, likely.of(valid) if likely else await likely_passages(pages, content, valid)


async def documents_to_search(
    pages: PageStore, query: str, collection: str | None
) -> tuple[list[Document], str, LikelyPassages | None]:
    """The documents of a named collection, or all, and what holds them.

    Of a very large library they are those with likely passages, and these come with them.
    """
    if collection is not None:
        named = await NamedCollections(pages).get_collection(collection)
        return [*named.documents], f"the collection '{named.name}'", None
    if likely := await likely_passages(pages, query):
        return likely.documents, "the library", likely
    return await searchable(pages), "the library", None


async def searchable(pages: PageStore) -> list[Document]:
    """The documents of the library, without the collections, whose texts are those of other documents."""
    return [document for document in await pages.documents() if not document.parts]


async def pick_as_one_document(pages: PageStore, query: str, choice: PickingScope) -> Document:
    """The picked document, or the collection of those picked."""
    return await documents_as_one(pages, await pick_documents(pages, query, choice), choice.as_of)


async def documents_as_one(
    pages: PageStore, documents: Sequence[str | Document], as_of: str = "", up_to: str = ""
) -> Document:
    """The document that is given or has the name, or the collection of several; `as_of` a day, or `up_to` a place."""
    if not (named := await find_named(pages, documents)):
        raise BadInput("No document is named: give an id, a title or a file.")
    return await up_to_place(pages, await as_it_was(pages, await add_collection(pages, named), as_of), up_to)


async def find_named(pages: PageStore, documents: str | Document | Iterable[str | Document]) -> list[Document]:
    """The documents that are given or have these names; one alone may stand without a list."""
    names = [documents] if isinstance(documents, str | Document) else documents
    return [document if isinstance(document, Document) else await document_named(pages, document) for document in names]


def in_one_order(documents: Iterable[Document]) -> list[Document]:
    """The documents by their titles: what is made of them is the same, in whatever order they were named."""
    return sorted(documents, key=lambda document: (document.title.casefold(), document.source, document.id))


async def end_as_of(pages: PageStore, document: Document, as_of: str) -> int:
    """Where a history ends as of a day: at the first session with a later date; of another document its end."""
    sessions = await sessions_of(pages, document) if as_of and document.sessions else []
    days = [(session, _day_of(session)) for session in sessions]
    later = (session.start for session, day in days if day > f"{as_of}-99-99"[:10])
    return min(later, default=document.characters)


def _day_of(session: Session) -> str:
    """The first day on which a session may have been, YYYY-MM-DD; "" where it has no date."""
    if find_date(session.time) == session.time != "":  # the date of a file
        return f"{session.time}-01-01"[:10]
    day = date_in(session.time) or date_in(session.title)
    return day.isoformat() if day else ""


async def passages_as_of(pages: PageStore, passages: Sequence[PassageHit], query: str, as_of: str) -> list[PassageHit]:
    """These passages without what is later than a day; one that is cut there must still share a word with the query."""
    if not as_of:
        return [*passages]
    documents = {passage.document for passage in passages}
    ends = {document: await end_as_of(pages, document, as_of) for document in documents}
    there = list[PassageHit]()
    for passage in passages:
        end = min(passage.end, ends[passage.document])
        if end < passage.end and passage.start < end:
            (text,) = await pages.spans(passage.document, [(passage.start, end)])
            there += [replace(passage, end=end)] if marks(text, query, passage.language) else []
        elif end == passage.end:
            there.append(passage)
    return there


async def as_it_was(pages: PageStore, document: Document, as_of: str) -> Document:
    """A document as it was on a day: of a collection what is not later, of a history the sessions until then.

    Raises `BadInput` where nothing is left, and for what is no date.
    """
    if not as_of:
        return document
    check_date(as_of, "The day")
    nothing = f"Nothing in '{document.title or document.id}' is from {as_of} or before: give a later day."
    if document.sessions:
        end = await end_as_of(pages, document, as_of)
        if not end:
            raise BadInput(nothing)
        return document if end == document.characters else await add_beginning(pages, document, end, as_of)
    parts = await documents_of(pages, document)
    there = await choose_valid(pages, parts, as_of)
    if not there:
        raise BadInput(nothing)
    return document if len(there) == len(parts) else await add_collection(pages, there)


MOST_TOGETHER = 200  # documents of a library that a draft is checked against as a whole


async def documents_near(pages: PageStore, text: str, collection: str | None = None, as_of: str = "") -> list[Document]:
    """All documents of a collection or a library; of a large library those that share most words with a text.

    A history is read by itself: it is taken where there is nothing else. Raises `BadInput` where there is nothing.
    """
    documents = await _documents_of(pages, collection, as_of)
    if collection is None and not 0 < len(documents) <= MOST_TOGETHER:
        return await pick_documents(pages, text, PickingScope(most=MOST_TOGETHER, as_of=as_of))
    return documents


async def _documents_of(pages: PageStore, collection: str | None, as_of: str) -> list[Document]:
    """The documents that hold on a day: of a collection, or all that are no collections or histories.

    Of a file that was changed it is the newest.
    """
    if collection is not None:
        return await choose_valid(pages, (await NamedCollections(pages).get_collection(collection)).documents, as_of)
    single = [document for document in await pages.documents() if not document.parts and not document.sessions]
    newest = dict[str, Document]()
    for document in await choose_valid(pages, single, as_of):
        newest.setdefault(document.source or document.id, document)
    return [*newest.values()]


async def all_documents(pages: PageStore, collection: str | None = None, as_of: str = "") -> list[Document]:
    """All documents of a collection or a library that none supersedes; raises `BadInput` where there is none."""
    documents = await _documents_of(pages, collection, as_of)
    if collection is None and not documents:
        raise BadInput("The library holds no document: name files, or read some first.")
    return documents
