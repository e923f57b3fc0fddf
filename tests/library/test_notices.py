"""What a file's conversion left out is kept in its document, as long as that is what the file says."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from readgraph import api
from readgraph.api import functions
from readgraph.api.documents import store_file, store_source
from readgraph.library.collections import add_collection
from readgraph.library.notices import document_notices
from readgraph.library.opening import Library
from readgraph.library.stored_items import ROOT
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.library.versions import change_record
from readgraph.sources import loading
from readgraph.sources.converting import SourceText
from readgraph.sources.loading import read_file
from readgraph.state.errors import Damaged
from readgraph.state.records import LONGEST_NOTICE, MOST_NOTICES, Document

pytestmark = pytest.mark.quick
ON_SERVER_TOO = True

HIDDEN = r"{\rtf1 Agnes keeps the lamp.{\v secret}\par}"
SAID = "keep.rtf: left out: 1 passage that is hidden and not printed."


def write(path: Path, body: str = HIDDEN) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(body, encoding="utf-8")
    return path


async def store(library: Library, path: Path) -> Document:
    return (await store_file(library.pages, read_file(path))).document


def source(*problems: str, name: str = "/deep/keep.rtf", text: str = "Agnes keeps the lamp.") -> SourceText:
    return SourceText("keep", text, name, (), problems)


async def test_a_document_keeps_the_notices_of_its_file(library: Library, tmp_path: Path) -> None:
    document = await store(library, write(tmp_path / "keep.rtf"))
    assert document.notices == (SAID,)
    assert await library.pages.document(document.id) == document == await store(library, tmp_path / "keep.rtf")
    assert [each.notices for each in await functions.list_documents(library)] == [[SAID]]


async def test_a_file_that_is_converted_anew_has_its_new_notices(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "keep.rtf")
    document = await store(library, path)
    await change_record(library.pages, document, notices=())  # as an earlier version left it
    assert not (await store(library, path)).notices
    monkeypatch.setattr(loading, "CONVERSION", loading.CONVERSION + 1)
    assert (await store(library, path)).notices == (SAID,)
    write(path, r"{\rtf1 Agnes keeps the lamp.{\deleted a}\par}")
    anew = await store(library, path)
    assert anew.id == document.id
    assert anew.notices == ("keep.rtf: left out: 1 passage that is deleted or struck out.",)
    write(path, r"{\rtf1 Agnes keeps the lamp.\par}")
    assert not (await store(library, path)).notices
    write(path, r"{\rtf1 Agnes lost the lamp.{\v secret}\par}")  # a corrected file is a document of its own
    corrected = await store(library, path)
    assert corrected.notices == (SAID,) and not (await library.pages.document(document.id)).notices


async def test_the_same_text_of_another_file_adds_what_that_lacks(library: Library, tmp_path: Path) -> None:
    await store(library, write(tmp_path / "keep.rtf"))
    document = await store(library, write(tmp_path / "other.rtf", r"{\rtf1 Agnes keeps the lamp.{\strike no}\par}"))
    assert document.notices == (SAID, "other.rtf: left out: 1 passage that is deleted or struck out.")
    assert await store(library, write(tmp_path / "plain.txt", "Agnes keeps the lamp.")) == document
    await forget_document(library, document)
    assert not (await library.pages.add_document("Agnes keeps the lamp.")).notices


async def test_a_record_without_notices_is_read_and_one_with_too_many_is_damaged(library: Library) -> None:
    document = await library.pages.add_document("Agnes keeps the lamp.")
    older = asdict(document)
    del older["notices"]
    await library.pages.put([((ROOT, "documents"), document.id, older)])
    assert await library.pages.document(document.id) == document
    for notices in (["a"] * (MOST_NOTICES + 1), ["a" * (LONGEST_NOTICE + 1)], "a"):
        with pytest.raises(Damaged):
            Document.load({**older, "notices": notices})


async def test_notices_are_bounded_and_name_no_folder(library: Library) -> None:
    pages = ", ".join(map(str, range(1, 400)))
    lines = [f"deep/keep.rtf: {number}\nis\udcff left out." for number in range(30)]
    document = await store_source(library.pages, source(f"pages {pages} of /deep/keep.rtf are gone.", *lines, *lines))
    assert len(document.notices) == MOST_NOTICES and len(document.notices[0]) == LONGEST_NOTICE
    assert document.notices[0].startswith("pages 1, 2") and document.notices[0].endswith("399 of keep.rtf are gone.")
    assert document.notices[1] == "keep.rtf: 0 is? left out."
    assert document.notices[-1] == "12 more notices of this kind."
    secret = "https://ada:pw@host.org/a.pdf?token=1"
    document = await store_source(library.pages, source(f"{secret}: gone.", name=secret, text="Of the web."))
    assert document.notices == ("host.org/a.pdf: gone.",)


async def test_files_of_one_name_that_are_read_as_one_are_told_apart(library: Library, tmp_path: Path) -> None:
    texts = {"east": HIDDEN, "west": HIDDEN.replace("Agnes", "Brandt")}
    documents = [await store(library, write(tmp_path / folder / "keep.rtf", text)) for folder, text in texts.items()]
    documents.append(await store(library, write(tmp_path / "third.rtf", HIDDEN.replace("lamp", "door"))))
    joined = await add_collection(library.pages, documents)
    told = [f"keep (east): {SAID}", f"keep (west): {SAID}", SAID.replace("keep", "third")]
    assert await document_notices(library.pages, joined) == told
    answer = await functions.ask(library, "Who keeps the lamp?", documents=documents)
    assert answer.notices == told and (await functions.read(library, joined)).notices == told


async def test_all_results_that_are_made_of_a_document_say_it(library: Library, tmp_path: Path) -> None:
    document = await store(library, write(tmp_path / "keep.rtf"))
    named = [document.id]
    made: list[Any] = [
        await functions.read(library, document.id),
        await functions.ask(library, "Who keeps the lamp?"),
        await api.summarise(library, documents=named),
        await api.verify(library, "Agnes keeps the lamp.", documents=named),
        await api.compress(library, 100, documents=named),
        await functions.open_page(library, document.id, 0),
    ]
    assert [each.notices for each in made] == [[SAID]] * len(made)
    assert (await api.table(library, "every person: name", documents=named)).notices[0] == SAID
