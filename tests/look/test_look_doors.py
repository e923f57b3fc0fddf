"""What was read off a picture is told as such to agents and on the page that is served."""

from pathlib import Path

import pytest

from readgraph.library.opening import Library
from readgraph.sources import loading
from readgraph.sources.places import place_in_words
from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ModelServer
from tests.look.reports import write_report
from tests.look.test_looking import CHART, QUESTION, SCAN, SETTINGS, read_bar, shown

pytestmark = pytest.mark.quick
TOLD = [
    ("On page 2, line 8, the keeper writes of the chart.", CHART, "with the text"),
    ("Second bar: 90", f"{CHART} or {SCAN}", "in the picture"),
]


async def test_an_agent_is_told_what_was_read_off_a_picture(
    server: ModelServer, library: Library, tmp_path: Path
) -> None:
    pytest.importorskip("mcp", reason="needs pip install 'readgraph[mcp]'")
    from mcp import Client

    from readgraph.doors.mcp.refusing import resolve_allowed_folders
    from readgraph.doors.mcp.server import LibraryTools, library_server

    server.respond = read_bar
    write_report(tmp_path / "report.pdf")
    tools = LibraryTools(library, ReaderContext(**SETTINGS, look="auto"), resolve_allowed_folders([tmp_path]))
    async with Client(library_server(tools)) as client:
        await client.call_tool("read", {"file": "report.pdf", "wait_seconds": 60})
        asked = {"question": QUESTION, "document": "report", "method": "full-text"}
        answer = (await client.call_tool("ask", asked)).structured_content
    await tools.jobs.close()
    assert answer and sorted((each["quote"], each["place"], each["seen"]) for each in answer["citations"]) == TOLD
    assert shown(server) == {CHART, SCAN}


def test_a_room_shows_pictures_of_the_files_that_it_keeps(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi", reason="needs pip install 'readgraph[serve]'")
    from tests.support.reading_room import reading_room

    server.respond = read_bar
    with reading_room(tmp_path / "library", ReaderContext(**SETTINGS)) as room:
        document = room.added("report.pdf", write_report(tmp_path / "report.pdf").read_bytes())
        monkeypatch.setattr(loading, "CONVERSION", -1)  # they would be converted otherwise by now
        asked = {"question": QUESTION, "method": "full-text", "settings": {"look": "auto"}}
        (result,) = [each for each in room.ran(documents=[document["id"]], **asked) if each["type"] == "result"]
    cited = result["report"]["found"]["citations"]
    assert sorted((each["quote"], each["place"], each["seen"]) for each in cited) == TOLD
    assert shown(server) == {CHART, SCAN}


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (f"{CHART} or {SCAN}", "page 2 or page 3"),
        (f"Land or sea, {CHART} or other, {SCAN}", "Land or sea, page 2 or other, page 3"),
        ("§ PDF page 3, PDF page 58 (50)", "§ PDF page 3, page 50 (58th in the file)"),
    ],
)
def test_each_page_of_a_place_is_said_in_words(place: str, words: str) -> None:
    assert place_in_words(place) == words
