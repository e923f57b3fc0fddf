"""Histories: documents that grow by sessions, named by their names instead of their texts.

The text is append-only, so offsets, page numbers and session numbers never shift. The document's record is written
last: it holds the counts, and what a stopped append left after them is not read, and is overwritten.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from readgraph.state.build_lock import building
from readgraph.state.errors import BadInput
from readgraph.state.page_store import PART, PageStore, utc_now
from readgraph.state.records import Document, Session, digest
from readgraph.state.sound import load
from readgraph.state.stored_items import BATCH, ROOT, StoredValue, numbered, storable
from readgraph.state.unfinished import check_not_forgotten, store_document
from readgraph.state.words import count_words

BETWEEN = "\n\n"
"""What stands behind each session: it belongs to the session before."""


class SessionText(NamedTuple):
    """One session as it comes: its text, and what it is called and when it was, where that is known."""

    text: str
    title: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class _Sessions:
    """One stored group of sessions."""

    sessions: list[Session]


@dataclass(frozen=True, slots=True)
class Appended:
    """The history as it is utc_now, the sessions that were new, and how many were known already."""

    document: Document
    added: list[Session]
    known: int


def history_id(name: str) -> str:
    """The id of the history of this name."""
    return digest(["history", _on_one_line(name)])


async def history(pages: PageStore, name: str) -> Document | None:
    """The history of this name, or nothing where no session of it was appended yet."""
    (value,) = await pages.get((ROOT, "documents"), [history_id(name)])
    return Document.load(value) if value is not None else None


async def sessions_of(pages: PageStore, document: Document) -> list[Session]:
    """The sessions of a history in their order; none of other documents."""
    keys = [numbered(group) for group in range(-(-document.sessions // BATCH))]
    await pages.check_last((ROOT, "sessions", document.id), len(keys))
    groups = await pages.get((ROOT, "sessions", document.id), keys)
    sessions = [session for group in groups if group for session in load(_Sessions, group).sessions]
    return sessions[: document.sessions]


async def append_sessions(pages: PageStore, name: str, sessions: Sequence[SessionText]) -> Appended:
    """Append sessions to the history of this name, which begins with the first of them.

    A session that is there already, by its text, title and time, is not appended again. Two that append at once wait
    for each other (see `building`). Raises `BadInput`, before anything is stored, where the name or a text is empty.
    """
    title = _on_one_line(name)
    if not title:
        raise BadInput("The history has no name: give it one.")
    for session in sessions:
        if not (isinstance(session, tuple) and all(isinstance(part, str) for part in session)):
            raise BadInput("A session must be a SessionText of strings: its text, its title, its time.")
    given = [SessionText(storable(text).rstrip(), *map(_on_one_line, named)) for text, *named in sessions]
    for number, session in enumerate(given, 1):
        if not session.text:
            raise BadInput(f"Session {number} of {len(given)} is empty: there is nothing to remember.")
    identity = history_id(name)
    async with building(pages.store, identity):
        await check_not_forgotten(pages, identity)
        document = await history(pages, name) or Document(identity, title, "", 0, 0, utc_now())
        kept = await sessions_of(pages, document)
        added = _new_sessions(kept, given)
        if added:
            document = await _grow(pages, document, kept, added)
    if not document.sessions:
        raise BadInput(f"The history '{title}' has no session yet: give one.")
    return Appended(document, list(added), len(given) - len(added))


def _on_one_line(text: str) -> str:
    return " ".join(storable(text).split())


def _new_sessions(kept: list[Session], given: list[SessionText]) -> dict[Session, str]:
    """The sessions that were not seen yet, where they will stand, with their texts."""
    seen, end = {session.digest for session in kept}, kept[-1].end if kept else 0
    added = dict[Session, str]()
    for session in given:
        named = digest(list(session))
        if named not in seen:
            seen.add(named)
            text = session.text + BETWEEN
            number, start, end = len(kept) + len(added) + 1, end, end + len(text)
            added[Session(number, session.title, session.time, start, end, named)] = text
    return added


async def _grow(pages: PageStore, document: Document, kept: list[Session], added: dict[Session, str]) -> Document:
    sessions, text = [*kept, *added], "".join(added.values())
    grown = replace(
        document,
        words=document.words + count_words(text),
        characters=document.characters + len(text),
        places=len(sessions),
        sessions=len(sessions),
    )
    first = document.characters // PART
    (begun,) = await pages.spans(document, [(first * PART, document.characters)])
    parts = [(begun + text)[at : at + PART] for at in range(0, len(begun + text), PART)]
    named = [(session.start, session.place) for session in sessions]
    items = [
        *(((ROOT, "text", document.id), numbered(first + at), {"text": part}) for at, part in enumerate(parts)),
        *_groups(document.id, "sessions", [asdict(session) for session in sessions], len(kept)),
        *_groups(document.id, "places", named, len(kept)),
    ]
    await store_document(pages, grown, items, new=not kept)
    return grown


def _groups(identity: str, kind: str, things: Sequence[Any], before: int) -> Iterator[StoredValue]:
    """The stored groups that hold the things after the first ones."""
    for group in range(before // BATCH, -(-len(things) // BATCH)):
        yield (ROOT, kind, identity), numbered(group), {kind: things[group * BATCH : (group + 1) * BATCH]}
