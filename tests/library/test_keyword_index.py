"""The keyword index finds what was added, on disk and in memory, whoever added it."""

import asyncio
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.language.terms import words
from readgraph.library.search import keyword_tables
from readgraph.library.search import keyword_tables as keyword_file
from readgraph.library.search.hits import Extent, IndexEntry
from readgraph.library.search.indexes import KeywordIndex
from readgraph.state.errors import LibraryError

pytestmark = pytest.mark.quick

ENTRIES = [
    IndexEntry(0, "The lamp at Sarn Head was lit.", "Chapter 1: the lamp", "The keeper lights it."),
    IndexEntry(1, "A goat stood on the gallery.", "Chapter 2: visitors", "An animal came."),
    IndexEntry(2, "灯塔的守护者在夜里写日记", "", "日记"),
]


@pytest.fixture(params=["memory", "file"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KeywordIndex]:
    opened = KeywordIndex(tmp_path / "new" / "search.sqlite" if request.param == "file" else None)
    yield opened
    opened.close()


async def found(index: KeywordIndex, query: str, memory: str = "m") -> list[int]:
    pages = [hit.page for hit in await index.search(memory, query)]
    assert [page for page, _ in await index.rank_pages(memory, query, 10)] == pages
    return pages


async def test_entries_may_come_from_an_iterator(index: KeywordIndex) -> None:
    await index.add("m", iter(ENTRIES))
    assert await index.extent("m") == Extent(len(ENTRIES), ENTRIES[-1].page)


async def test_pages_are_found_by_text_header_and_memo(index: KeywordIndex) -> None:
    await index.add("m", ENTRIES)
    hits = [(await index.search("m", query))[0] for query in ("goats on galleries", "visitor", "keepers", "守护")]
    assert [(hit.page, hit.part) for hit in hits] == [(1, "page"), (1, "header"), (0, "memo"), (2, "page")]
    assert all(hit.score > 0 for hit in hits)
    assert await found(index, "lamp goat") == [0, 1]
    assert len(await index.search("m", "lamp goat", 1)) == 1
    assert await index.search("m", "lamp", 0) == []


async def test_each_entry_is_found_by_the_words_of_its_language(index: KeywordIndex) -> None:
    organs = [
        IndexEntry(0, "Die Orgel schwieg zu Ostern.", language="de"),
        IndexEntry(1, "Пожарных не было.", language="ru"),
        IndexEntry(2, "Người thợ bán đĩa.", language="vi"),
        IndexEntry(3, "Người thợ sửa bản.", language="vi"),
    ]
    await index.add("m", organs[:1])
    await index.add("m", organs[1:])
    queries = "Welche Orgeln?", "Пожарный", "bán", "bản"
    assert [await found(index, query) for query in queries] == [[0], [1], [2], [3]]


async def test_entries_without_a_language_have_that_of_the_index(index: KeywordIndex) -> None:
    said = "Die Orgel schwieg, weil die Mäuse die Bälge gefressen hatten, und der Orgelbauer kam erst nach den Festen."
    await index.add("m", [IndexEntry(0, said), IndexEntry(1, "Auch die Häuser.")])
    await index.add("m", [IndexEntry(2, "Gärten")])
    assert [await found(index, query) for query in ("Fest", "Haus", "Garten")] == [[0], [1], [2]]


@pytest.mark.parametrize(
    "query", ["", " ", "…", '"', "NEAR(", "lamp AND", "* ^ -", "page:x\0", "\ud800", "zzz", "who?"]
)
async def test_odd_queries_find_what_they_name(index: KeywordIndex, query: str) -> None:
    await index.add("m", ENTRIES)
    assert await found(index, query) == ([0] if "lamp" in query else [])


async def test_stop_words_are_found_where_a_query_has_no_others(index: KeywordIndex) -> None:
    await index.add("m", [IndexEntry(0, "Who is it?"), IndexEntry(1, "It is the lamp.")])
    assert await found(index, "who") == [0]
    assert await found(index, "who lit the lamp") == [1]


async def test_words_on_very_many_pages_are_passed_over(index: KeywordIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    await index.add("m", [IndexEntry(page, "lamp goat" if page == 27 else "lamp") for page in range(30)])
    monkeypatch.setattr(keyword_tables, "MOST_ROWS", 10)
    assert await found(index, "lamp goat") == [27]
    assert await found(index, "lamp") == list(range(10)), "equals come in page order"
    assert {page for page, _ in await index.rank_pages("m", "lamp")} == {*range(30)}, "without a limit all are found"


SAID = ["On the shelf.", "It was late.", "A goat came.", "Where is the lamp?", "On the shelf."]


@pytest.mark.parametrize(("follows", "expected"), [(False, [3, 0, 4]), (True, [3, 4, 0])])
async def test_words_of_the_pages_beside_count_where_the_text_goes_on(
    index: KeywordIndex, follows: bool, expected: list[int]
) -> None:
    """Of two equal turns the one after the lamp is nearer; what shares no word with the query itself is not found."""
    await index.add("m", [IndexEntry(number, text, follows=follows) for number, text in enumerate(SAID)])
    assert await found(index, "lamp shelf") == expected


async def test_what_a_speaker_whom_the_query_names_says_counts_more(index: KeywordIndex) -> None:
    async def say(*turns: tuple[str, str]) -> None:
        said = [IndexEntry(number, f"{who}: {text}", speaker=who) for number, (who, text) in enumerate(turns)]
        await index.add("m", said)

    turns = [("Ann", "The goat is here."), ("Ben Orr", "Oh, the goat."), ("Ann", "I hear."), ("Ben Orr", "So do I.")]
    await say(*turns)
    assert (await found(index, "goat ann"))[0] == 0 and (await found(index, "goat orr"))[0] == 1
    assert 3 not in await found(index, "goat ann"), "what shares no word with the query is not found"
    await say(("Ben Orr", "The goat is here."), ("Ann", "Oh, the goat."))
    assert (await found(index, "goat orr"))[0] == 0, "another speaker of the same turn"


async def test_a_page_follows_only_the_one_with_the_number_before(index: KeywordIndex) -> None:
    async def scores() -> dict[int, float]:
        return {hit.page: hit.score for hit in await index.search("m", "lamp shelf")}

    await index.add("m", [IndexEntry(2, "The lamp.", follows=True), IndexEntry(4, "A shelf.", follows=True)])
    apart = await scores()
    assert apart[2] == apart[4], "what is between them is not there"
    await index.add("m", [IndexEntry(3, "The lamp.", follows=True)])
    assert (await scores())[3] > (await scores())[2], "what was added meanwhile counts"
    await index.add("m", [IndexEntry(number, text) for number, text in ((2, "The lamp."), (3, "The lamp."))])
    assert (await scores())[3] > (await scores())[2], "the last one still goes on from it"
    await index.add("m", [IndexEntry(4, "A shelf.")])
    assert (await scores())[3] == (await scores())[2], "the same text, which no longer does"


async def test_scores_are_those_of_fts5_where_no_page_goes_on(index: KeywordIndex) -> None:
    texts = ["lamp " * number + "goat " * (number % 3) + "shelf" for number in range(9)]
    await index.add("m", [IndexEntry(number, text, "the goat", "a lamp") for number, text in enumerate(texts)])
    hits = await index.search("m", "lamp goats", 20)
    columns = [(" ".join(words(text)), " ".join(words("the goat")), " ".join(words("a lamp"))) for text in texts]
    with closing(sqlite3.connect(":memory:")) as plain:
        plain.execute('CREATE VIRTUAL TABLE said USING fts5(page, header, memo, tokenize="ascii")')
        plain.executemany("INSERT INTO said VALUES (?, ?, ?)", columns)
        ranked = plain.execute("SELECT rowid - 1, -bm25(said, 1, 0.5, 1) FROM said('lamp OR goat') ORDER BY 2 DESC, 1")
        expected = ranked.fetchall()
    assert [hit.page for hit in hits] == [page for page, _ in expected]
    assert [hit.score for hit in hits] == pytest.approx([score for _, score in expected])


async def test_an_entry_is_replaced_and_removed(index: KeywordIndex) -> None:
    await index.add("m", ENTRIES)
    before = await index.search("m", "lamp")
    await index.add("m", [IndexEntry(1, "A ship passed.", "Chapter 2", "It was seen.")])
    assert (await found(index, "goat"), await found(index, "ship")) == ([], [1])
    await index.add("m", ENTRIES)
    assert await index.search("m", "lamp") == before
    assert await index.find_between("m", 1, 99) == [1, 2]
    await index.remove("m", [1, 1, 99])
    assert (await found(index, "goat"), await index.extent("m")) == ([], Extent(2, 2))
    assert await index.find_missing("m", 4) == [1, 3]


async def test_memories_do_not_know_of_each_other(index: KeywordIndex) -> None:
    await index.add("m", ENTRIES)
    alone = await index.search("m", "lamp")
    await index.add("other'; \"memory\0", [IndexEntry(page, "lamp lamp") for page in range(20)])
    assert await index.search("m", "lamp") == alone
    await index.forget("m")
    await index.forget("m")
    assert (await found(index, "lamp"), await index.extent("m")) == ([], Extent(0, -1))
    assert len(await found(index, "lamp", "other'; \"memory\0")) == 10
    await index.add("m", ENTRIES[:1])
    assert await found(index, "lamp") == [0]


async def test_a_failed_add_adds_nothing(index: KeywordIndex) -> None:
    with pytest.raises(LibraryError, match="search index"):
        await index.add("m", [ENTRIES[0], IndexEntry("one", "no number")])  # type: ignore[arg-type]
    assert await index.extent("m") == Extent(0, -1)
    await index.add("m", ENTRIES)
    assert await found(index, "goat") == [1]


async def test_a_restart_finds_it_all(tmp_path: Path) -> None:
    first = KeywordIndex(tmp_path / "search.sqlite")
    await first.add("m", ENTRIES)
    before = await first.search("m", "lamp goat")
    first.close()
    with pytest.raises(LibraryError, match="closed"):
        await first.search("m", "lamp")
    again = KeywordIndex(tmp_path / "search.sqlite")
    assert await again.search("m", "lamp goat") == before
    again.close()


def test_it_works_in_any_event_loop() -> None:
    index = KeywordIndex()
    asyncio.run(index.add("m", ENTRIES))
    assert asyncio.run(found(index, "goat")) == [1]
    index.close()


@pytest.mark.parametrize("damage", [b"no database at all" * 400, b"", b"SQLite format 3\0" + b"\xff" * 5000])
async def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "search.sqlite").write_bytes(damage)
    index = KeywordIndex(tmp_path / "search.sqlite")
    assert await index.extent("m") == Extent(0, -1)
    await index.add("m", ENTRIES)
    assert await found(index, "goat") == [1]
    index.close()


@pytest.mark.parametrize("change", ["CREATE TABLE {} (page TEXT, terms)", "CREATE VIEW {} AS SELECT 1 AS page"])
async def test_a_file_with_other_tables_is_made_anew(tmp_path: Path, change: str) -> None:
    index = KeywordIndex(tmp_path / "search.sqlite")
    await index.add("m", ENTRIES)
    index.close()
    with closing(sqlite3.connect(tmp_path / "search.sqlite")) as connection:
        connection.executescript(f"DROP TABLE entries_1; {change.format('entries_1')};")
    index = KeywordIndex(tmp_path / "search.sqlite")
    assert await index.extent("m") == Extent(0, -1)
    index.close()


@pytest.mark.parametrize(
    "terms",
    [
        b"junk",
        "text",
        zlib.compress(b"\xff\n\n"),
        zlib.compress(b"one"),
        zlib.compress(bytes(keyword_tables.MOST_UNPACKED + 1), 1),
    ],
)
async def test_terms_that_cannot_be_read_are_reported_in_one_line(tmp_path: Path, terms: bytes | str) -> None:
    index = KeywordIndex(tmp_path / "search.sqlite")
    await index.add("m", ENTRIES)
    with closing(sqlite3.connect(tmp_path / "search.sqlite")) as connection, connection:
        connection.execute("UPDATE entries_1 SET terms = ?", (terms,))
    for work in (index.search("m", "goat"), index.add("m", ENTRIES), index.remove("m", [1])):
        with pytest.raises(LibraryError, match="is damaged: delete it"):
            await work
    index.close()


@pytest.mark.parametrize(("what", "versions"), [("FORMAT", (2, 3)), ("version", (lambda _: "3.1", lambda _: "3.2"))])
async def test_a_file_of_another_format_or_stemmer_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, versions: tuple[object, object]
) -> None:
    for version in versions:
        monkeypatch.setattr(keyword_file, what, version)
        index = KeywordIndex(tmp_path / "search.sqlite")
        assert await index.extent("m") == Extent(0, -1)
        await index.add("m", ENTRIES)
        index.close()


async def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    index = KeywordIndex(tmp_path / "file" / "search.sqlite")
    with pytest.raises(LibraryError, match=r"search\.sqlite can't be used"):
        await index.search("m", "lamp")
    index.close()


async def test_forgetting_gives_the_space_back(tmp_path: Path) -> None:
    index = KeywordIndex(tmp_path / "search.sqlite")
    await index.add("m", [IndexEntry(page, " ".join(f"w{page}x{n}" for n in range(300))) for page in range(200)])
    await index.forget("m")
    index.close()
    assert (tmp_path / "search.sqlite").stat().st_size < 100_000


VOCABULARY = ["lamp", "lamps", "goat", "the", "who", "灯塔", "塔", "x_1", "1873"]
said = st.lists(st.sampled_from(VOCABULARY), max_size=4).map(" ".join)
speaker = st.sampled_from(["", "lamp", "goat"])
entry = st.builds(IndexEntry, st.integers(0, 5), said, said, said, speaker=speaker)
entries = st.lists(entry, max_size=4)
changes = st.lists(st.one_of(entries, st.frozensets(st.integers(0, 5), max_size=2), st.none()), max_size=8)


@given(changes)
@pytest.mark.slow
def test_the_index_is_as_if_made_at_once(changes: list[list[IndexEntry] | frozenset[int] | None]) -> None:
    async def compare() -> None:
        grown, known = KeywordIndex(), dict[int, IndexEntry]()
        for change in changes:
            if change is None:
                await grown.forget("m")
                known = {}
            elif isinstance(change, frozenset):
                await grown.remove("m", change)
                known = {page: entry for page, entry in known.items() if page not in change}
            else:
                await grown.add("m", change)
                known |= {entry.page: entry for entry in change}
        fresh = KeywordIndex()
        await fresh.add("m", [*known.values()])
        assert await grown.extent("m") == Extent(len(known), max(known, default=-1))
        assert await grown.find_missing("m", 6) == [page for page in range(6) if page not in known]
        for word in VOCABULARY:
            hits = await grown.search("m", word)
            assert hits == await fresh.search("m", word)
            holding = {
                page
                for page, entry in known.items()
                if {*words(word)} & {*words(f"{entry.text}\n{entry.header}\n{entry.memo}")}
            }
            assert {hit.page for hit in hits} == holding
        grown.close()
        fresh.close()

    asyncio.run(compare())
