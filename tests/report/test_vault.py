"""The folder of a wiki: written where something changed, with all that a user wrote, and checked."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from readgraph.api import wiki
from readgraph.api.documents import all_documents
from readgraph.features.wiki.vault import VaultChanges, escape, make_file_name, unescape, write_vault
from readgraph.features.wiki.vault_check import check_vault
from readgraph.library.opening import Library
from readgraph.state.errors import BadInput
from readgraph.state.records import Document

pytestmark = pytest.mark.quick

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
TEXT = """Marta Lindqvist opened the mill on 7 May 1890. The tower of Halden Mill is 40 feet high. Nobody asked
Marta Lindqvist of Halden Mill."""
LOG = "The tower of Halden Mill is 45 feet high. Halden Mill burned in 1932."


async def written(library: Library, folder: Path, *texts: str) -> VaultChanges:
    titles = ("Report", "Log")
    kept = [
        await library.pages.add_document(text, title=title, source=title)
        for title, text in zip(titles, texts, strict=False)
    ]
    made = await wiki(library, documents=kept)
    return write_vault(folder, made.output["pages"], NOW)


async def problems(library: Library, folder: Path) -> list[tuple[str, str]]:
    documents: list[Document] = await all_documents(library.pages)
    return [(each.kind, each.file) for each in await check_vault(library.pages, folder, documents)]


async def test_sentences_have_marks_and_links_and_nothing_is_written_twice(library: Library, tmp_path: Path) -> None:
    changes = await written(library, tmp_path, TEXT, LOG)
    assert {*changes.written} >= {"index.md", "documents/Report.md", "pages/Halden Mill.md"} and not changes.removed
    page = (tmp_path / "pages" / "Halden Mill.md").read_text()
    assert "The tower of Halden Mill is 40 feet high.[^" in page and "[[documents/Report|Report]]: “The tower" in page
    assert "Nobody asked [[pages/Marta Lindqvist|Marta Lindqvist]] of Halden Mill.[^" in page
    assert "- [[pages/Halden Mill|Halden Mill]]" in (tmp_path / "index.md").read_text()
    log = (tmp_path / "log.md").read_text()
    assert "## 2026-03-14 09:30\n\n- wrote" in log and "[[pages/Halden Mill]]" in log
    assert await written(library, tmp_path, TEXT, LOG) == ([], [])
    assert (tmp_path / "log.md").read_text() == log
    assert [kind for kind, _ in await problems(library, tmp_path)] == ["contradiction"]


ODD = """# Chapter 1: “The Lamp”: “two”

See [the log](../log.md) and ![[pic.png]] of Anna Berg. Anna Berg said %%no%% ==x== <!-- no --> of $x$ #tag &amp; 5 %%.

> [!note] Anna Berg lives in Halden. Anna Berg [^1] is in Halden.

- [ ] Anna Berg told `code` *of* [[Halden]]. No.

[^1]: Anna Berg, in Halden, 1902: “quoted”.
"""


async def test_a_fresh_wiki_passes_its_own_check_whatever_its_sources_are_called_and_hold(
    library: Library, tmp_path: Path
) -> None:
    told = "Anna Berg rode to Halden {}. Nobody in Halden knew Anna Berg."
    sources = (
        "Letters.txt",
        "s/letters.txt",
        "a:b.md",
        "a b.md",
        "Caf\u00e9.md",
        "Cafe\u0301.md",
        "log.md",
        "100%% `a` $b.md",
    )
    kept = [
        await library.pages.add_document(told.format("again " * number), title=Path(source).stem, source=source)
        for number, source in enumerate(sources)
    ]
    kept += [await library.pages.add_document(ODD, title="%%[x](y.md)", source="odd.md")]
    write_vault(tmp_path, (await wiki(library, documents=kept)).output["pages"], NOW)
    assert len([*(tmp_path / "documents").iterdir()]) == len(kept)
    assert not await check_vault(library.pages, tmp_path, kept)
    assert "%%" not in "".join(path.read_text() for path in tmp_path.rglob("*.md"))


async def test_links_stand_for_whole_words_alone(library: Library, tmp_path: Path) -> None:
    text = "The mill of Halden is Ada Brook's. Ada Brook slept. At night Brook sang. At Halden, McBrook met Ada Brook."
    await written(library, tmp_path, text)
    page = (tmp_path / "pages" / "Halden.md").read_text()
    assert "The mill of Halden is [[pages/Ada Brook|Ada Brook]]'s." in page
    assert "At Halden, McBrook met [[pages/Ada Brook|Ada Brook]]." in page


async def test_what_a_user_wrote_stays(library: Library, tmp_path: Path) -> None:
    await written(library, tmp_path, TEXT, LOG)
    page, gone = tmp_path / "pages" / "Halden Mill.md", tmp_path / "pages" / "Marta Lindqvist.md"
    marked = next(line for line in page.read_text().splitlines() if line.startswith("The tower of Halden Mill is 40"))
    page.write_text(
        "---\ntags: mine\n---\n" + page.read_text().replace(marked, f"{marked}\n\nI climbed it.") + "\nSee.\n"
    )
    gone.write_text(gone.read_text() + "\nMy great-aunt.\n")
    changed = TEXT.replace("Marta Lindqvist", "somebody").replace("Nobody asked", "Nobody had asked")
    changes = await written(library, tmp_path, changed, LOG)
    text = page.read_text()
    assert text.startswith("---\ntags: mine\n---\n") and text.endswith("\nSee.\n") and "Nobody had asked" in text
    assert text.index(marked) < text.index("I climbed it.") < text.index("Nobody had asked")
    assert "My great-aunt." in gone.read_text() and "opened the mill" not in gone.read_text()
    assert changes.removed == ["pages/Marta Lindqvist.md"] and gone.exists()
    assert await written(library, tmp_path, changed, LOG) == ([], [])
    foreign = tmp_path / "pages" / "Mine.md"
    foreign.write_text("Mine alone, of [[pages/Halden Mill]].")
    await written(library, tmp_path, TEXT, LOG)
    assert foreign.read_text() == "Mine alone, of [[pages/Halden Mill]]."


async def test_what_is_wrong_is_found_also_in_what_a_user_wrote(library: Library, tmp_path: Path) -> None:
    await written(library, tmp_path, TEXT)
    assert not await problems(library, tmp_path)
    page = tmp_path / "pages" / "Halden Mill.md"
    mark = page.read_text().partition("40 feet high.")[2][:12].partition("]")[0] + "]"
    added = f"The tower of Halden Mill is 50 feet high.{mark}\n\nIt rises to 90 feet.{mark}\n\n"
    added += "See [[pages/None]] and [x](../no.md).[^z]"
    page.write_text(f"{page.read_text()}\n{added}\n")
    (tmp_path / "alone.md").write_text("Nothing leads here.")
    found = await problems(library, tmp_path)
    assert sorted(found) == sorted(
        [
            ("orphan", "alone.md"),
            *[(kind, "pages/Halden Mill.md") for kind in ("dead link", "dead link", "differs", "differs", "no mark")],
        ]
    )
    await library.pages.add_document(TEXT.replace("40 feet", "41 feet"), title="Report", source="Report")
    assert ("quote", "pages/Halden Mill.md") in await problems(library, tmp_path)
    with pytest.raises(BadInput, match="holds no wiki"):
        await check_vault(library.pages, tmp_path / "pages", [])


@given(st.text())
def test_text_is_shown_as_it_is(text: str) -> None:
    assert unescape(escape(text)) == " ".join(text.split())


@pytest.mark.parametrize(
    "mark",
    ["%%", "[[", "![[", "](", "==", "<!--", "-->", "<b>", "$", "#a", "^b", "&amp;", "~~", "**", "__", "`", "|", "[^a]"],
)
def test_no_mark_of_a_text_hides_or_changes_what_stands_behind_it(mark: str) -> None:
    text = f"Anna {mark}Berg{mark} slept."
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parseInline(escape(text))[0].children or []
    assert "".join(each.content for each in shown) == text
    assert mark not in re.sub(r"\\(?:[^\w\s]|_)", "", escape(text)) and "%%" not in escape(text)


@given(st.text())
def test_every_name_is_a_name_of_a_file(name: str) -> None:
    made = make_file_name(name)
    assert made and len(made.encode("utf-8", "surrogatepass")) <= 161
    assert not {*made} & {*'\\/:*?"<>|#^[]\n\0'} and made[0] not in ". " and made[-1] not in ". "
