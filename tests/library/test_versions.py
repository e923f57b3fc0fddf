"""Documents have dates and supersede each other; questions are about what holds now, or held on a day."""

from pathlib import Path

import pytest

from readgraph import api
from readgraph.api import functions
from readgraph.api.documents import store_file
from readgraph.language.calendars import check_date
from readgraph.library.collections import NamedCollections
from readgraph.library.histories import SessionText
from readgraph.library.opening import Library
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.library.versions import choose_valid, set_version
from readgraph.sources import load
from readgraph.sources.loading import read_file
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from tests.support.command import Command, assert_refused

pytestmark = pytest.mark.quick

OLD = "The mill at Orrin makes 400 tons of flour a year. Its roof is of slate."
MIDDLE = "The mill at Orrin makes 430 tons of flour a year. Its roof is of copper."
NEW = "The mill at Orrin makes 450 tons of flour a year. Its roof is of copper."
QUESTION = "How many tons of flour does the mill at Orrin make?"


@pytest.fixture
async def versions(library: Library) -> list[Document]:
    """A chain: each supersedes the one before."""
    kept = list[Document]()
    for text, date in ((OLD, "2021"), (MIDDLE, "2023-05"), (NEW, "2024-01-10")):
        document = await library.pages.add_document(text, title="Mill report")
        earlier = kept[-1].id if kept else ""
        kept.append(await set_version(library.pages, document, date, earlier))
    return kept


@pytest.mark.parametrize("many", [2, 1_000])
async def test_a_superseded_one_that_is_named_tells_what_holds_now(
    library: Library, versions: list[Document], monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr("readgraph.library.search.catalogue.MANY", many)
    now = "Mill report (2021): 400 tons; now: 450 tons"
    alone = await functions.ask(library, QUESTION, documents=[versions[0]])
    assert "400" in (alone.answer or "") and now in alone.notices
    together = await functions.ask(library, QUESTION, documents=[versions[0], versions[2]])
    assert together.notices.count(now) == 1
    then = await functions.ask(library, QUESTION, documents=[versions[0]], as_of="2022")
    assert now not in then.notices


async def test_the_newest_answers_and_earlier_ones_are_told(library: Library, versions: list[Document]) -> None:
    answer = await functions.ask(library, QUESTION)
    assert "450" in (answer.answer or "") and {each.document for each in answer.citations} == {versions[2].id}
    assert answer.notices[-2:] == [
        "Mill report (2023-05): 430 tons; now: 450 tons",
        "Mill report (2021): 400 tons; now: 450 tons",
    ]


@pytest.mark.parametrize(
    ("day", "tons"), [("2024-01-10", "450"), ("2024-01-09", "430"), ("2023", "430"), ("2022", "400")]
)
async def test_as_of_a_day_it_is_as_it_was(library: Library, versions: list[Document], day: str, tons: str) -> None:
    assert tons in str((await functions.ask(library, QUESTION, as_of=day)).answer)
    assert [tons in hit.text for hit in await functions.search(library, "flour", as_of=day)] == [True]
    checked = await api.verify(library, f"The mill at Orrin makes {tons} tons of flour a year.", as_of=day)
    assert checked.supported == 1
    named = await functions.ask(library, QUESTION, documents=[each.id for each in versions], as_of=day)
    assert tons in str(named.answer)


async def test_a_changed_file_is_as_it_was_on_a_day_and_counts_by_its_newest_text(library: Library) -> None:
    await library.pages.add_document("The port has two cranes.", title="Port log", source="port.txt")
    for text, date in ((OLD, "2021"), (NEW, "2024")):
        kept = await library.pages.add_document(text, title="Mill report", source="mill.txt")
        await set_version(library.pages, kept, date)
    for day, tons in (("2022", "400"), ("", "450")):
        made = await api.verify(library, f"The mill at Orrin makes {tons} tons of flour a year.", as_of=day)
        assert (made.supported, len(made.documents)) == (1, 2)


async def test_a_day_before_all_and_what_is_no_day_is_one_line(library: Library, versions: list[Document]) -> None:
    for call in (
        functions.ask(library, QUESTION, as_of="2019"),
        functions.ask(library, QUESTION, documents=[versions[0].id], as_of="2019"),
    ):
        with pytest.raises(BadInput, match="from 2019 or before: give a later day"):
            await call
    for wrong in ("2023-13", "2023-02-31", " 2023", "spring", "01.02.2023", "2023-1-1"):
        with pytest.raises(BadInput, match="YYYY-MM-DD"):
            await functions.search(library, "flour", as_of=wrong)
        with pytest.raises(BadInput, match="YYYY-MM-DD"):
            await functions.ask(library, QUESTION, as_of=wrong)
        with pytest.raises(BadInput, match="YYYY-MM-DD"):
            await api.verify(library, OLD, documents=[versions[0].id], as_of=wrong)
        with pytest.raises(BadInput, match="YYYY-MM-DD"):
            check_date(wrong)


async def test_a_chain_never_closes_and_a_forgotten_link_does_no_harm(
    library: Library, versions: list[Document]
) -> None:
    with pytest.raises(BadInput, match="would supersede itself"):
        await set_version(library.pages, versions[0], supersedes=versions[2].id)
    with pytest.raises(BadInput, match="would supersede itself"):
        await set_version(library.pages, versions[0], supersedes=versions[0].id)
    with pytest.raises(BadInput, match="holds no document"):
        await set_version(library.pages, versions[0], supersedes="Mill report")
    with pytest.raises(BadInput, match="The date 'soon' can't be read"):
        await library.pages.add_document("The mill is new.", date="soon")
    await forget_document(library, versions[1])
    kept = await library.pages.documents()
    assert [each.id for each in await choose_valid(library.pages, kept)] == [versions[2].id] and len(kept) == 2


async def test_names_of_dated_documents_have_the_date(library: Library, versions: list[Document]) -> None:
    answer = await functions.ask(library, QUESTION, documents=[versions[0].id, versions[2].id])
    places = {str(each.place) for each in answer.citations}
    assert places <= {"Mill report (2021)", "Mill report (2024-01-10)"} and places


async def test_a_history_is_as_it_was(library: Library) -> None:
    sessions = [
        SessionText("Ann: The goat sleeps in the barn.", time="3 May 2023"),
        SessionText("Ann: Since yesterday the goat sleeps in the tower, with the hens.", time="9 June 2023"),
    ]
    await functions.remember(library, "goats", sessions)
    now = await functions.ask(library, "Does the goat sleep in the tower with hens?", documents=["goats"])
    assert any("tower" in each.quote for each in now.citations)
    then = await functions.ask(
        library, "Does the goat sleep in the tower with hens?", documents=["goats"], as_of="2023-05-31"
    )
    assert ["barn" in each.quote for each in then.citations] == [True]
    assert "3 May 2023" in str(then.citations[0].place)
    assert [hit.text for hit in await functions.search(library, "goat", as_of="2023-06-01")] == [
        sessions[0].text + "\n\n"
    ]
    with pytest.raises(BadInput, match="from 2022 or before"):
        await functions.ask(library, "Where does the goat sleep?", documents=["goats"], as_of="2022")
    assert [each.title for each in await functions.list_documents(library)] == ["goats"]


async def test_without_the_middle_of_a_chain_its_end_still_answers(library: Library, versions: list[Document]) -> None:
    await NamedCollections(library.pages).add("mills", [versions[0], versions[2]])
    answer = await functions.ask(library, QUESTION, collection="mills")
    assert "450" in str(answer.answer) and {each.document for each in answer.citations} == {versions[2].id}
    hits = await functions.search(library, "slate", collection="mills")
    assert not hits, "only the superseded report has the word"


async def test_of_a_large_library_a_later_version_counts_though_it_shares_no_word(
    library: Library, versions: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph.library.search.catalogue.MANY", 2)
    assert not await functions.search(library, "slate")
    assert [hit.document for hit in await functions.search(library, "slate", as_of="2022")] == [versions[0].id]
    with pytest.raises(BadInput, match="shares a word"):
        await functions.ask(library, "slate")


async def test_a_history_that_is_found_is_read_as_it_was(library: Library) -> None:
    await functions.remember(library, "goats", [
        SessionText("Ann: Die Ziege schläft im Stall.", title="Pläne für den 4. Juli 2030", time="3. Mai 2023"),
        SessionText("Ann: Die Ziege schläft jetzt im Turm bei den Hennen.", time="9. Juni 2023"),
    ])  # fmt: skip
    then = await functions.ask(library, "Wo schläft die Ziege?", as_of="2023-05-31")
    assert ["Stall" in each.quote for each in then.citations] == [True]
    assert not await functions.search(library, "Hennen", as_of="2023-05-31")
    for question in ("Wo schläft die Ziege?", "Hennen"):
        with pytest.raises(BadInput, match="shares a word with the question"):
            await functions.ask(library, question, as_of="2022")
    await library.pages.add_document("Die Ziege frisst am liebsten Hennenfutter und Heu.", title="Futter")
    other = await functions.ask(library, "Was frisst die Ziege im Turm bei den Hennen?", as_of="2022")
    assert {each.quote for each in other.citations} == {"Die Ziege frisst am liebsten Hennenfutter und Heu."}


def test_files_say_their_dates(tmp_path: Path) -> None:
    files = {
        "a.md": ("---\ntitle: Mühle\ndate: 2023-05-06\n---\n\nDie Mühle steht.", "2023-05-06"),
        "f.md": ("---\ndate: 20230506\n---\n\nThe mill.", ""),
        "b.md": ("---\ndate: 'next spring'\n---\n\nThe mill.", ""),
        "g.md": ("---\ndate: 2023-02-31\n---\n\nThe mill.", ""),
        "c.md": ("The mill.\n\ndate: 2023-01-01\n", ""),
        "h.md": ("---\ndate: 2023/04/12\n---\n\nThe mill.", "2023-04-12"),
        "i.md": ("---\nDate: 12.04.2023\n---\n\nThe mill.", "2023-04-12"),
        "j.md": ("---\ndate: 12 April 2023\n---\n\nThe mill.", "2023-04-12"),
        "k.md": ("---\ndate: 'April 12, 2023'\n---\n\nThe mill.", "2023-04-12"),
        "l.md": ("---\ndate: 3. März 2023\n---\n\nDie Mühle.", "2023-03-03"),
        "m.md": ("---\ndate: 31 February 2023\n---\n\nThe mill.", ""),
        "n.md": ("---\ndate: 04/05/2023\n---\n\nThe mill.", ""),
        "d.html": ('<meta property="article:published_time" content="2022-04-03T10:00:00Z"><p>The mill.', "2022-04-03"),
        "e.html": ('<meta name="date" content="yesterday"><p>The mill.', ""),
    }
    for name, (text, date) in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert load(tmp_path / name).date == date, name


async def test_front_matter_gives_a_document_its_title_and_its_date(library: Library, tmp_path: Path) -> None:
    for name, title in (("a", '"The mill: 1921"'), ("b", ""), ("c", ">-")):
        (tmp_path / f"{name}.md").write_text(f"---\ntitle: {title}\ndate: May 7, 1921\n---\n\nMill {name} stood.")
        document = (await store_file(library.pages, read_file(tmp_path / f"{name}.md"))).document
        assert (document.title, document.date) == ("The mill: 1921" if name == "a" else name, "1921-05-07")


def test_front_matter_names_what_a_file_supersedes(readgraph: Command, tmp_path: Path) -> None:
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text(OLD)
    new.write_text(f"---\ndate: 2024-01-10\nsupersedes: 'old'\n---\n\n{NEW}")
    early = readgraph("read", new)
    assert "new supersedes 'old', which is not in the library" in early.err and early.code == 0
    assert readgraph("read", old, "--date", "2023").code == readgraph("read", new).code == 0
    assert "old (2023): 400 tons; now: 450 tons" in readgraph("ask", QUESTION).text


def test_a_file_in_a_history_has_its_date(readgraph: Command, tmp_path: Path) -> None:
    for name, date, text in (("a", "2021", OLD), ("b", "2023-05", MIDDLE), ("c", "2024-01-10", NEW)):
        (tmp_path / f"{name}.md").write_text(f"---\ndate: {date}\n---\n\n{text}")
    readgraph("remember", "mill", tmp_path)
    for day, tons in (("2022", "400"), ("2023-04-30", "400"), ("2023-05-01", "430"), ("2024-01-10", "450")):
        found = readgraph("ask", f"Does the mill at Orrin make {tons} tons of flour?", "mill", "--as-of", day)
        assert f"{tons} tons" in found.text
        assert not [later for later in ("430", "450") if later > tons and f"{later} tons" in found.text]


def test_the_command_takes_dates(readgraph: Command, tmp_path: Path) -> None:
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text(OLD)
    new.write_text(NEW)
    assert readgraph("read", old, "--date", "2023").code == 0
    assert readgraph("read", new, "--date", "2024-01-10", "--supersedes", "old").code == 0
    assert "of 2024-01-10, added" in readgraph("show").out
    now, then = readgraph("ask", QUESTION), readgraph("ask", QUESTION, "--as-of", "2023-12-31")
    assert "450 tons" in now.text and "old (2023): 400 tons; now: 450 tons" in now.out + now.err
    assert "400 tons" in then.text and "450" not in then.text
    assert_refused(readgraph("read", old, "--date", "soon"), "The date 'soon' can't be read: write YYYY-MM-DD")
    assert_refused(readgraph("read", old, new, "--supersedes", "old"), "--supersedes is for one document")
    assert_refused(readgraph("ask", QUESTION, "--as-of", "2001"), "from 2001 or before")
    assert_refused(readgraph("read", new, "--supersedes", "nobody"), "nobody")
    assert_refused(readgraph("ask", QUESTION, "--continue", "--as-of", "2023"), "leave --as-of or --continue out")
