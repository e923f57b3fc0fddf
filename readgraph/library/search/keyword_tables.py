"""Keyword search in SQLite: one FTS5 index for each memory, so that scores don't depend on other memories.

The FTS5 tables are contentless and hold our own terms (`terms.index_terms`); pages are ranked by their postings
(`postings.py`). The terms are also stored separately, compressed, since FTS5 needs an entry's words to delete it. A
query is analysed in each language of the index. All calls here block.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial
from importlib.metadata import version
from pathlib import Path

from readgraph.language.detection import main_language
from readgraph.language.terms import affordable, has_content, index_terms, query_terms
from readgraph.library.search.hits import PARTS, Extent, IndexEntry, PageHit, Part
from readgraph.library.search.postings import Tables, TermScores, layout_of, scores_of
from readgraph.library.sqlite_files import Unreadable, connect_as, open_derived, refuse_linked, transaction
from readgraph.state.files import unpack
from readgraph.state.records import digest

FORMAT = 4  # version of tables and terms; a file of another one, or made with other stemmers, is rebuilt

# Terms are parted by spaces: ASCII letters, digits, the underscore and all that is not ASCII belong to a term.
_TOKENIZE = "ascii tokenchars '_'"

_INDEXES = (
    "CREATE TABLE indexes (number INTEGER PRIMARY KEY AUTOINCREMENT, memory TEXT NOT NULL UNIQUE, languages TEXT)"
)


def open_tables(path: Path | None) -> Tables:
    """A connection to the indexes in a file, or in memory; a damaged file is replaced by an empty one."""
    if path is None:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, factory=Tables)
        _prepare(connection)
        return connection
    return open_derived(path, _connect, _prepare, "search index")


def _connect(path: Path) -> Tables:
    refuse_linked(path)
    if not path.exists():
        with closing(sqlite3.connect(path)) as new:
            new.execute("PRAGMA auto_vacuum=INCREMENTAL")  # takes effect before all else only, the WAL mode too
            new.execute(f"PRAGMA user_version={_version()}")
    return connect_as(Tables, path)


def _prepare(connection: sqlite3.Connection) -> None:
    with transaction(connection, "IMMEDIATE"):
        (made_by,) = connection.execute("PRAGMA user_version").fetchone()
        if made_by not in (0, _version()):
            raise Unreadable("The search index was made by another version.")
        schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall())
        if "indexes" not in schema:
            connection.execute(_INDEXES)
        elif schema["indexes"] != _INDEXES:
            raise Unreadable("The search index has other tables.")
        for (number,) in connection.execute("SELECT number FROM indexes").fetchall():
            if any(schema.get(name) != sql for name, sql in tables_of(number).items()):
                raise Unreadable("The search index has other tables.")
        connection.execute(f"PRAGMA user_version={_version()}")


def _version() -> int:
    return int(digest([FORMAT, version("snowballstemmer")], 7), 16)


def tables_of(number: int) -> dict[str, str]:
    """The tables of one memory's index, by name: what types their values have, SQLite sees to."""
    entries, terms, vocabulary = f"entries_{number}", f"terms_{number}", f"vocabulary_{number}"
    columns = (
        "page INTEGER PRIMARY KEY, words INTEGER NOT NULL, follows INTEGER NOT NULL, "
        "speaker TEXT NOT NULL, terms BLOB NOT NULL"
    )
    return {
        entries: f"CREATE TABLE {entries} ({columns})",
        # read without the terms
        f"pages_{number}": f"CREATE INDEX pages_{number} ON {entries} (page, words, follows, speaker)",
        terms: f"CREATE VIRTUAL TABLE {terms} USING fts5(page, header, memo, content='', tokenize=\"{_TOKENIZE}\")",
        vocabulary: f"CREATE VIRTUAL TABLE {vocabulary} USING fts5vocab({terms}, 'row')",
        f"postings_{number}": f"CREATE VIRTUAL TABLE postings_{number} USING fts5vocab({terms}, 'instance')",
    }


MOST_ROWS = 20_000
"""The most pages that the terms of one query may match in total: with it, 100,000 pages of 400 words take 15 ms."""

VACUUM_AT_ONCE = 1000  # pages of the file, 4 KB each, that are given back in one transaction
MOST_UNPACKED = 1 << 26  # bytes of a page's terms: a damaged block may claim to unpack to gigabytes


def add(connection: Tables, memory: str, entries: Iterable[IndexEntry]) -> None:
    """Index entries, all or none; an earlier entry of the same page is replaced."""
    entries = [*entries]
    with transaction(connection, "IMMEDIATE"):
        index = _index(connection, memory)
        if not index:
            index = connection.execute("INSERT INTO indexes (memory) VALUES (?)", (memory,)).lastrowid or 0
            for sql in tables_of(index).values():
                connection.execute(sql)
        known_languages = _languages(connection, index)
        spoken = dict(known_languages)
        select = f"SELECT page FROM entries_{index} WHERE page IN (SELECT value FROM json_each(?))"
        wanted = json.dumps([entry.page for entry in entries])
        held = {page for (page,) in connection.execute(select, (wanted,))}  # one look for all: most are new
        for entry in entries:
            language = (
                entry.language or next(iter(spoken), "") or main_language([index_entry.text for index_entry in entries])
            )
            spoken[language] = None
            terms = [" ".join(index_terms(part, language)) for part in (entry.text, entry.header, entry.memo)]
            known = _find_entry(connection, index, entry.page) if entry.page in held else None
            if known == (terms, entry.follows, entry.speaker):
                continue
            held.add(entry.page)
            if known:
                _take_out(connection, index, entry.page, known[0])
            packed = zlib.compress("\n".join(terms).encode(), 1)
            row = entry.page, sum(len(part.split()) for part in terms), entry.follows, entry.speaker, packed
            connection.execute(f"INSERT INTO entries_{index} VALUES (?, ?, ?, ?, ?)", row)
            connection.execute(
                f"INSERT INTO terms_{index} (rowid, page, header, memo) VALUES (?, ?, ?, ?)", (entry.page, *terms)
            )
        if spoken != known_languages:
            connection.execute("UPDATE indexes SET languages = ? WHERE number = ?", (" ".join(spoken), index))


def remove(connection: Tables, memory: str, pages: Iterable[int]) -> None:
    """Take pages out; those that aren't there are passed over."""
    with transaction(connection, "IMMEDIATE"):
        index = _index(connection, memory)
        for page in pages if index else ():
            if entry := _find_entry(connection, index, page):
                _take_out(connection, index, page, entry[0])


def find_between(connection: Tables, memory: str, first: int, end: int) -> list[int]:
    """The indexed pages with numbers in `[first, end)`."""
    with transaction(connection):
        index = _index(connection, memory)
        between = f"SELECT page FROM entries_{index} WHERE page >= ? AND page < ?"
        return [page for (page,) in connection.execute(between, (first, end))] if index else []


def forget(connection: Tables, memory: str) -> None:
    """Drop the index of a memory and give its space back."""
    with transaction(connection, "IMMEDIATE"):
        index = _index(connection, memory)
        for table in ("vocabulary", "postings", "terms", "entries") if index else ():
            connection.execute(f"DROP TABLE {table}_{index}")
        connection.execute("DELETE FROM indexes WHERE number = ?", (index,))
    left, free = -1, "PRAGMA freelist_count"  # given back in parts, so that nobody else waits long
    while left != (left := connection.execute(free).fetchone()[0]):  # in memory nothing is given back
        connection.executescript(f"PRAGMA incremental_vacuum({VACUUM_AT_ONCE})")  # `execute` makes one step of it


def extent(connection: Tables, memory: str) -> Extent:
    """How many pages are indexed, and the last of them; if the page store holds more, the index is out of date."""
    with transaction(connection):
        index, _ = _find_index(connection, memory)
        if not index:
            return Extent(0, -1)
        select = f"SELECT count(*), coalesce(max(page), -1) FROM entries_{index}"
        return connection.read_once(("extent", index), lambda: Extent(*connection.execute(select).fetchone()))


def find_missing(connection: Tables, memory: str, pages: int) -> list[int]:
    """Those of the first `pages` pages that are not indexed."""
    with transaction(connection):
        index = _index(connection, memory)
        known = {page for (page,) in connection.execute(f"SELECT page FROM entries_{index}")} if index else set()
    return [page for page in range(pages) if page not in known]


def count_above(connection: Tables, memory: str, bits: int) -> dict[int, int]:
    """How many pages are indexed for each number that is left of theirs without so many bits at its end."""
    with transaction(connection):
        index = _index(connection, memory)
        counted = f"SELECT page >> ?, count(*) FROM entries_{index} GROUP BY 1"
        return dict(connection.execute(counted, (bits,)).fetchall()) if index else {}


def search(connection: Tables, memory: str, query: str, limit: int = 10) -> list[PageHit]:
    """At most `limit` pages that share words with the query, best first; equals in page order.

    Their neighbours' words count a little, where the text goes on from one to the other (see `IndexEntry.follows`), and
    so does it that the query names who says a page (`IndexEntry.speaker`). Stop words and words on very many pages are
    ignored, unless the query has no others.
    """
    with transaction(connection):
        index, languages = _find_index(connection, memory)
        terms, ranked = _rank_pages(connection, index, languages, query, limit)
        entries = [(_find_entry(connection, index, page) or ([], False, ""))[0] for page, _ in ranked]
    wanted = {*terms}
    return [
        PageHit(page, score, PARTS[max(range(len(parts)), key=lambda number: len(wanted & {*parts[number].split()}))])
        for (page, score), parts in zip(ranked, entries, strict=True)
    ]


def rank_pages(
    connection: Tables,
    memory: str,
    query: str,
    limit: int | None = None,
    parts: Sequence[Part] = PARTS,
    *,
    needs_content: bool = False,
) -> list[tuple[int, float]]:
    """(page, score) of what `search` finds by these parts of pages; without a limit all, the true total.

    With `needs_content`, a query of stop words alone finds nothing.
    """
    with transaction(connection):
        index, languages = _find_index(connection, memory)
        if needs_content and not has_content(query, *languages):
            return []
        return _rank_pages(connection, index, languages, query, limit, parts)[1]


def _rank_pages(
    connection: Tables,
    index: int,
    languages: Sequence[str],
    query: str,
    limit: int | None,
    parts: Sequence[Part] = PARTS,
) -> tuple[list[str], list[tuple[int, float]]]:
    """The terms that were looked for, and (page, score) of the pages with one of them in these parts, best first."""
    counted = _count_pages_with_terms(connection, index, languages, query) if index else {}
    if not (terms := affordable(counted, MOST_ROWS)):
        return [], []
    layout = layout_of(connection, index, languages)

    def scores(term: str) -> TermScores:
        return connection.read_once(
            ("scores", index, term, *parts), lambda: scores_of(connection, index, layout, term, parts)
        )

    return terms, layout.rank_pages(map(scores, terms), query_terms(query, *languages), limit)


def _count_pages_with_terms(connection: Tables, index: int, languages: Sequence[str], query: str) -> dict[str, int]:
    """On how many pages each term of the query is, without those on none."""
    select = f"SELECT doc FROM vocabulary_{index} WHERE term = ?"

    def count(term: str) -> int:
        row = connection.execute(select, (term,)).fetchone()
        return row[0] if row else 0

    found = {
        term: connection.read_once(("count", index, term), partial(count, term))
        for term in query_terms(query, *languages)
    }
    return {term: pages for term, pages in found.items() if pages}


def _find_index(connection: Tables, memory: str) -> tuple[int, Sequence[str]]:
    """The number of a memory's index, and its languages, for what only reads; 0 and none: it has none."""
    connection.forget_changed()

    def find() -> tuple[int, Sequence[str]]:
        index = _index(connection, memory)
        return index, [*_languages(connection, index)] if index else []

    return connection.read_once(("index", memory), find)


def _index(connection: Tables, memory: str) -> int:
    """The number in the names of a memory's tables; 0: it has none."""
    row = connection.execute("SELECT number FROM indexes WHERE memory = ?", (memory,)).fetchone()
    return row[0] if row else 0


def _languages(connection: Tables, index: int) -> dict[str, None]:
    (spoken,) = connection.execute("SELECT languages FROM indexes WHERE number = ?", (index,)).fetchone()
    return dict.fromkeys(str(spoken or "").split())


def _find_entry(connection: Tables, index: int, page: int) -> tuple[list[str], bool, str] | None:
    """The terms of a page's parts, whether it follows the one before, its speaker; None for one that isn't indexed."""
    row = connection.execute(f"SELECT terms, follows, speaker FROM entries_{index} WHERE page = ?", (page,)).fetchone()
    if not row:
        return None
    try:
        terms = unpack(row[0], MOST_UNPACKED).decode().split("\n")
    except (zlib.error, ValueError, TypeError):
        terms = []
    if len(terms) != len(PARTS):
        raise Unreadable("The terms of a page can't be read.")
    return terms, bool(row[1]), row[2]


def _take_out(connection: Tables, index: int, page: int, terms: Sequence[str]) -> None:
    connection.execute(f"DELETE FROM entries_{index} WHERE page = ?", (page,))
    connection.execute(
        f"INSERT INTO terms_{index} (terms_{index}, rowid, page, header, memo) VALUES ('delete', ?, ?, ?, ?)",
        (page, *terms),
    )
