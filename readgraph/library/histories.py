"""Histories: documents that grow by sessions, and are identified by their names instead of their texts.

Offsets, page numbers and session numbers never shift. The document's record, which holds the counts, is written last:
what an interrupted append left beyond them is overwritten.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from readgraph.library.documents import PART, check_not_forgotten, record_groups, store_document, text_parts
from readgraph.library.page_store import PageStore
from readgraph.library.store import hold_build_lock
from readgraph.library.stored_items import replace_surrogates
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Session, digest, utc_now
from readgraph.state.words import check_words, count_words, on_one_line

__all__ = ["SessionText", "append_sessions", "history_id"]

BETWEEN = "\n\n"  # the separator after each session; it belongs to that session


class SessionText(NamedTuple):
    """One session as it is given: its text, its title and its time ("" if unknown)."""

    text: str
    title: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class _Sessions:
    sessions: list[Session]


@dataclass(frozen=True, slots=True)
class Appended:
    """The history after an append, the sessions that were new, and how many were known already."""

    document: Document
    added: list[Session]
    known: int


def history_id(name: str) -> str:
    """The id of the history of this name."""
    return digest(["history", _on_one_line(name)])


async def history(pages: PageStore, name: str) -> Document | None:
    """The history of this name, or None if no session was appended to it yet."""
    return await pages.find_document(history_id(name))


async def sessions_of(pages: PageStore, document: Document) -> list[Session]:
    """The sessions of a history in their order; an empty list for other documents."""
    groups = await pages.load_groups(_Sessions, document.kept_with, "sessions", document.sessions)
    return [session for group in groups for session in group.sessions][: document.sessions]


async def append_sessions(
    pages: PageStore, name: str, sessions: Sequence[SessionText], *, go_on: bool = False
) -> Appended:
    """Append sessions to the history of this name, which the first append creates, or of this id.

    Callers that append at the same time take turns (see `building`).

    Args:
        pages: The page store of the library.
        name: The history's name or id.
        sessions: In their order; one with the same text, title and time as an earlier one is not appended again.
        go_on: A session whose text goes on after that of an earlier one, with the same title and a time, is the same
            session: only what is new is appended, and what an earlier one begins with isn't.

    Raises:
        BadInput: Before anything is stored, if the name or a text is empty, if the name is the id of a document that
            is no history, and where the history would have more words than `READGRAPH_MAX_TEXT_WORDS`.
    """
    if not (title := _on_one_line(name)):
        raise BadInput("The history has no name: give it one.")
    if named := await pages.find_document(title):
        if not named.sessions:
            raise BadInput(f"'{named.title}' is no history, and takes no sessions: give the history a name of its own.")
        title = named.title
    for session in sessions:
        if not (isinstance(session, tuple) and all(isinstance(part, str) for part in session)):
            raise BadInput("A session must be a SessionText of strings: its text, its title, its time.")
    cleaned = [SessionText(replace_surrogates(text).rstrip(), *map(_on_one_line, labels)) for text, *labels in sessions]
    for number, session in enumerate(cleaned, 1):
        if not session.text:
            raise BadInput(f"Session {number} of {len(cleaned)} is empty: there is nothing to remember.")
    identity = history_id(title)
    async with hold_build_lock(pages.store, identity):
        await check_not_forgotten(pages, identity)
        document = await history(pages, title) or Document(identity, title, "", 0, 0, utc_now())
        known = await sessions_of(pages, document)
        added = await _new_sessions(pages, document, known, cleaned, go_on)
        if added:
            document = await _grow(pages, document, known, added)
    if not document.sessions:
        raise BadInput(f"The history '{title}' has no session yet: give one.")
    return Appended(document, list(added), len(cleaned) - len(added))


def _on_one_line(text: str) -> str:
    return on_one_line(replace_surrogates(text))


async def _new_sessions(
    pages: PageStore, document: Document, known: list[Session], sessions: list[SessionText], go_on: bool
) -> dict[Session, str]:
    """The sessions that aren't known, with their texts; of those that go on, what is new."""
    seen, end = {session.digest for session in known}, known[-1].end if known else 0
    new = {identity: session for session in sessions if (identity := digest(list(session))) not in seen}
    told: dict[tuple[str, str], list[str]] = {(title, time): [] for _, title, time in new.values() if time and go_on}
    for session in known:
        if (label := (session.title, session.time)) in told:
            told[label] += await pages.spans(document, [(session.start, session.end - len(BETWEEN))])
    added = dict[Session, str]()
    for identity, (text, title, time) in new.items():
        for earlier in told.get((title, time), ()):
            if f"{text}\n".startswith(f"{earlier}\n"):
                text = text[len(earlier) :].lstrip("\n")
            elif earlier.startswith(f"{text}\n"):
                text = ""
            else:
                text = _beyond(earlier, text)
        if text:
            told.get((title, time), []).append(text)
            start, end = end, end + len(text + BETWEEN)
            added[Session(len(known) + len(added) + 1, title, time, start, end, identity)] = text + BETWEEN
    return added


def _beyond(earlier: str, text: str) -> str:
    """What a session has beyond an earlier one of its name and time: of a chat, what was said or changed since.

    All of it where it lacks half of the earlier one's paragraphs or more, and so is another session.
    """
    known, new = Counter(earlier.split(BETWEEN)), list[str]()
    if 2 * (known & Counter(text.split(BETWEEN))).total() <= known.total():
        return text
    for part in text.split(BETWEEN):
        known[part] -= 1
        if known[part] < 0:
            new.append(part)
    return BETWEEN.join(new)


async def _grow(pages: PageStore, document: Document, known: list[Session], added: dict[Session, str]) -> Document:
    sessions, text = [*known, *added], "".join(added.values())
    words = document.words + count_words(text)
    check_words(words, f"The history '{document.title}'")
    grown = replace(
        document, words=words, characters=document.characters + len(text), places=len(sessions), sessions=len(sessions)
    )
    first = document.characters // PART
    (last_part,) = await pages.spans(document, [(first * PART, document.characters)])
    places = [(session.start, session.place) for session in sessions]
    items = [
        *text_parts(document.id, last_part + text, first),
        *record_groups(document.id, "sessions", [asdict(session) for session in sessions], len(known)),
        *record_groups(document.id, "places", places, len(known)),
    ]
    await store_document(pages, grown, items, new=not known)
    return grown
