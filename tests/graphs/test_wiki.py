"""A wiki: pages whose sentences stand in the documents, written anew only where these changed."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from readgraph.api import wiki
from readgraph.api.documents import all_documents
from readgraph.features.wiki.functions import Wiki
from readgraph.features.wiki.vault import write_vault
from readgraph.graphs.methods import PARTS
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader

pytestmark = pytest.mark.quick

MILL = """# Mill report

The mill of Halden was opened by Marta Lindqvist on 7 May 1890. The tower of Halden Mill is 40 feet high.

In 1931 the town sold it to Jonas Weber. Nobody asked Marta Lindqvist. Weber had come from Orrin with two horses.
"""
PORT = """# Port log

The tower of Halden Mill is 45 feet high. The pilots of Orrin moved to Halden in 1950. A boat to Orrin cost two crowns.

At Orrin, Jonas Weber met Lindqvist. They spoke of Halden Mill and of Orrin.
"""
MODEL = ReaderContext(model="openai:double")
NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)


@pytest.fixture
async def documents(library: Library) -> list[Document]:
    return [
        await library.pages.add_document(text, title=title, source=f"{title}.md")
        for title, text in (("Mill report", MILL), ("Port log", PORT))
    ]


def told(made: Wiki, name: str) -> list[str]:
    (page,) = [each for each in made.pages if each["name"] == name]
    return [each["text"] for each in page["sentences"]]


async def test_without_a_model_pages_are_the_documents_own_sentences(
    library: Library, documents: list[Document]
) -> None:
    made = await wiki(library, documents=documents)
    named = {each["name"]: each["kind"] for each in made.pages}
    assert {name for name, kind in named.items() if kind == "document"} == {"Mill report", "Port log"}
    assert {"Marta Lindqvist", "Jonas Weber", "Orrin", "Halden Mill"} <= {*named} and made.by_rule
    assert "Weber had come from Orrin with two horses." in told(made, "Jonas Weber")
    texts = {"Mill report": MILL, "Port log": PORT}
    for page in made.pages:
        for sentence in page["sentences"]:
            (source,) = sentence["sources"]
            assert texts[source["title"]][source["start"] : source["end"]] == source["quote"]
    (conflict,) = made.conflicts
    assert (conflict["differs"]["draft"], conflict["differs"]["text"]) == ("40 feet", "45 feet")
    assert {each["title"] for each in conflict["sentences"]} == {*texts}


async def test_the_model_names_and_writes_and_a_second_run_asks_nothing(
    server: ModelServer, library: Library, documents: list[Document]
) -> None:
    server.respond = reader
    estimate = await rehearse_method(PARTS["wiki"], library.pages, documents[0], MODEL, {})
    made = await wiki(library, documents=documents[:1], context=MODEL)
    assert 0 < made.usage["calls"] <= estimate.calls.most and made.usage["input_words"] <= estimate.input_words.most
    made = await wiki(library, documents=documents, context=MODEL)
    assert not made.by_rule and all(text.startswith("Here, ") for text in told(made, "Orrin"))
    assert made.pages == (again := await wiki(library, documents=documents, context=MODEL)).pages
    assert (again.usage["calls"], (await wiki(library, documents=documents)).usage["calls"]) == (0, 0)
    assert not (await rehearse_method(PARTS["wiki"], library.pages, documents[0], MODEL, {})).calls.expected


@pytest.mark.slow
async def test_a_changed_document_pays_for_its_changed_page(server: ModelServer, library: Library) -> None:
    server.respond = reader
    paragraphs = [f"In {1800 + number}, the keeper rowed to Orrin with {number} sheep. " * 12 for number in range(60)]
    kept = await library.pages.add_document("\n\n".join(paragraphs), title="Log", source="log.txt")
    first = await wiki(library, documents=[kept], context=MODEL)
    paragraphs[30] = paragraphs[30].replace("sheep", "goats")
    changed = await library.pages.add_document("\n\n".join(paragraphs), title="Log", source="log.txt")
    expected = await rehearse_method(PARTS["wiki"], library.pages, changed, MODEL, {})
    again = await wiki(library, documents=[changed], context=MODEL)
    assert 0 < again.usage["calls"] <= 5 < first.usage["calls"] and expected.calls.expected < first.usage["calls"]
    assert [each.id for each in await all_documents(library.pages)] == [changed.id]


def lying(request: ChatRequest) -> Any:
    """Names nobody; writes a wrong number."""
    if asked_for(request) == "NotedSubjects":
        return {"subjects": [{"name": "Zeus", "kind": "person", "also": [], "sentences": [1]}]}
    made: Any = reader(request)
    made["sentences"][0]["text"] = "The tower of Halden Mill is 99 feet high."
    return made


async def test_what_a_model_makes_up_is_counted_and_replaced(
    server: ModelServer, library: Library, documents: list[Document]
) -> None:
    server.respond = lying
    made = await wiki(library, documents=documents, context=MODEL)
    assert made.output["fallbacks"]["wiki_note"] == 2 and "Zeus" not in {each["name"] for each in made.pages}
    assert {"Orrin", "Marta Lindqvist"} <= {each["name"] for each in made.pages}
    assert made.output["fallbacks"].get("wiki_sentence") and "99 feet" not in str(made.pages)
    server.respond = reader
    again = await wiki(library, documents=documents, context=ReaderContext(model="openai:double", again=True))
    assert again.usage["calls"] and "wiki_note" not in again.output["fallbacks"]


async def test_a_library_without_documents_has_no_wiki(library: Library) -> None:
    with pytest.raises(BadInput, match="holds no document"):
        await wiki(library)


async def test_names_of_any_kind_become_files(library: Library, tmp_path: Path) -> None:
    text = (
        'He met Con and AUX there. Con was ill. AUX was old. In Q/A: "No" said Q/A. [[Halden]] <b>Halden</b> *Halden*.'
    )
    kept = await library.pages.add_document(text, title='../a:b"c|d')
    changes = write_vault(tmp_path / "wiki", (await wiki(library, documents=[kept])).output["pages"], NOW)
    assert all((tmp_path / "wiki" / name).is_file() for name in changes.written)
    assert {each.parent.name for each in tmp_path.rglob("*.md")} == {"wiki", "documents", "pages"}
