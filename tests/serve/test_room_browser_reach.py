"""The page of the room on a phone, by keyboard, over a connection that breaks, and with much in the library."""

import json
import re
from pathlib import Path

import pytest

from tests.doubles.model_server import ModelServer
from tests.report.conftest import IN_BROWSER
from tests.report.test_report_browser import CONTRAST
from tests.serve.browsing import OpenPage
from tests.serve.conftest import CONTEXT
from tests.support.browser import Browser
from tests.support.examples import STORY, WHOLE_STORY
from tests.support.reading_room import reading_room

pytestmark = IN_BROWSER

TEXT = Path(STORY).read_text(encoding="utf-8")
SHORT = "\n\n".join(TEXT.split("\n\n")[:8])


@pytest.mark.slow
def test_every_view_fits_a_phone_and_the_dark(page: OpenPage) -> None:
    document = page.add(SHORT, "the-lamp-" + "at-sarn-head-" * 8)
    run = page.room.post("/api/runs", documents=[document], question="Who took the log book?")["id"]
    page.room.until(run, "end")
    thread = page.room.get("/api/questions")["questions"][0]["thread"]
    tab = page.open(width=360, dark=True)
    views = ["library", f"document/{document}", f"ask/{document}", f"run/{run}", "questions", "search"]
    views += [f"summarise/{document}", f"table/{document}", f"verify/{document}", f"wiki/{document}"]
    for view in [*views, f"question/{thread}", "compare", f"compare/{run}/{run}", "agents"]:
        page.go(f"/{view}")
        tab.until(
            "!document.querySelector('#view').textContent.includes('…') || document.querySelector('#view .shown')"
        )
        tab.run("for (const one of document.querySelectorAll('details')) one.open = true")
        assert tab.run("document.documentElement.scrollWidth") <= 360, view
        assert tab.run(CONTRAST) >= 4.5, view
        unnamed = (
            "[...document.querySelectorAll('input, textarea, select')].filter(e => !e.labels?.length && !e.ariaLabel)"
        )
        assert tab.run(f"{unnamed}.map(e => e.outerHTML)") == [], view
        assert tab.run("document.querySelectorAll('#view h1').length") == 1 or "compare/" in view, view


def test_all_by_keyboard(page: OpenPage) -> None:
    page.add(SHORT, "lamp")
    tab = page.open()
    tab.run("document.activeElement.blur()")
    tab.press("Tab")
    assert tab.focused() == "button To the content"
    tab.press("Enter")
    assert tab.focused().startswith("main")
    tab.press("Tab")
    assert tab.focused().startswith("textarea"), "a question comes first"
    for expected in ("button Choose files", "button Choose a folder", "summary Paste a text", "summary Add a web page"):
        for _ in range(9):
            if tab.focused().startswith(expected):
                break
            tab.press("Tab")
        assert tab.focused().startswith(expected)
        assert tab.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.press("Tab", "ArrowDown")
    assert tab.focused() == "a lamp", "arrows go from the filter into the list"
    tab.press("ArrowUp")
    assert tab.focused().startswith("input")
    tab.press("Enter")
    assert tab.focused() == "a lamp"
    tab.press("Enter")
    tab.until("document.querySelector('.reading-panel')")
    assert tab.focused().startswith("main"), "the view that opened has the focus"
    tab.press("Tab")
    assert tab.focused() == "a Ask about it"
    tab.press("Enter")
    tab.until("document.activeElement.localName === 'textarea'")
    tab.send("Input.insertText", text="Who took the log book?")
    tab.press("Enter")
    tab.until("document.querySelector('.outcome .said')")
    assert "It says so." in tab.texts("#spoken")[0], "it is said to those who listen"
    tab.run("document.querySelector('.said .mark').focus()")
    tab.press("Enter")
    assert tab.run("document.activeElement.matches('mark.chosen')")
    tab.press("Escape")
    assert tab.focused() == "button [1]"


@pytest.mark.slow
def test_a_note_is_corrected_and_restored(page: OpenPage) -> None:
    document = page.add(SHORT, "lamp")
    page.room.ran(documents=[document])
    tab = page.open(f"/document/{document}")
    tab.until("document.querySelector('.correcting button')")
    own = tab.texts(".note p")[0]
    tab.click(".correcting button")
    tab.run("document.activeElement.select()")
    tab.send("Input.insertText", text="A goat <b>was</b> there.")
    tab.press("/")
    tab.send("Input.insertText", text=" /")
    tab.click(".correcting .buttons button")
    tab.until("document.querySelector('.note').textContent.includes('Corrected by hand.')")
    assert tab.texts(".note p")[0].startswith("A goat <b>was</b> there.")
    tab.click(".correcting .doing button")
    tab.until("!document.querySelector('.note').textContent.includes('Corrected by hand.')")
    assert tab.texts(".note p")[0] == own


@pytest.mark.slow
def test_a_connection_that_breaks_is_told_and_tried_again(page: OpenPage, server: ModelServer) -> None:
    document = page.add(Path(WHOLE_STORY).read_text(encoding="utf-8")[:30_000], "lamp")
    tab = page.open()
    server.latency = 0.1
    tab.run("""(() => { const Real = window.EventSource; let cut = 0; window.opened = [];
        window.EventSource = function (address) {
          const source = new Real(address);
          window.opened.push(address);
          if ((cut += 1) === 1) source.addEventListener("message", (event) => {
            if (event.lastEventId === "4") { source.close(); source.onerror(new Event("error")); } });
          return source; }; })()""")
    page.go(f"/document/{document}")
    tab.click(".reading-panel .main")
    tab.until("document.querySelector('.broken:not([hidden])')?.textContent.includes('next try is in 1 s')")
    server.latency = 0.0
    tab.until("document.querySelector('.outcome .shown')")
    assert tab.texts(".broken:not([hidden])") == []
    assert [address.rpartition("=")[2] for address in tab.run("window.opened")] == ["0", "4"]
    numbers = tab.run("[...document.querySelectorAll('.strip .cell')].map(cell => Number(cell.dataset.page))")
    assert numbers == [*range(len(numbers))] and len(numbers) > 50


@pytest.mark.slow
def test_a_run_of_an_earlier_server_goes_on(page: OpenPage) -> None:
    document = page.add(SHORT, "lamp")
    tab = page.open()
    body = json.dumps({"documents": [document], "method": "", "question": "Who took the log book?", "settings": {}})
    tab.run(f"localStorage.setItem('runs', JSON.stringify({{ gone: {body} }}))")
    tab.run("document.querySelector('#view').firstChild.remove(); location.hash = '#/run/gone'")
    tab.until("document.querySelector('.lost')?.textContent.includes('started anew')")
    tab.click(".lost button")
    tab.until("document.querySelector('.outcome .said')")
    assert "#/run/gone" not in tab.run("location.href")
    tab.events = [event for event in tab.events if "/api/runs/gone" not in json.dumps(event[1])]


@pytest.mark.slow
def test_a_thousand_documents_come_page_by_page(page: OpenPage) -> None:
    for number in range(60):
        page.add(f"The keeper wrote of storm {number} and of little else that winter.", f"storm {number}")
    tab = page.open()
    assert len(tab.texts(".document")) == 50 and tab.texts(".library .quiet")[0].startswith("60 documents")
    tab.run("scrollTo(0, document.body.scrollHeight)")
    tab.until("document.querySelectorAll('.document').length === 60")
    tab.type(".library input[type=search]", "storm 5")
    tab.until("document.querySelectorAll('.document').length === 15")


@pytest.mark.slow
def test_four_thousand_pages_stay_smooth(page: OpenPage) -> None:
    text = "\n\n".join(f"Storm {number} came in the night, and the keeper wrote it down." for number in range(4111))
    document = page.add(text, "storms")
    tab = page.open(f"/document/{document}")
    tab.run("""(() => { window.frames_ = []; let before = performance.now();
        const look = () => { const now = performance.now(); window.frames_.push(now - before); before = now;
            requestAnimationFrame(look); }; look(); })()""")
    settings = {"min_page_words": 10, "max_page_words": 12}
    run = page.room.post("/api/runs", documents=[document], method="read-agent", settings={**settings, "model": ""})[
        "id"
    ]
    tab.run(f"location.hash = '#/run/{run}'")
    tab.until("document.querySelector('.live .strip .cell')")
    tab.run("window.frames_.length = 0")
    tab.until("document.querySelectorAll('.strip .cell').length === 4111", 120)
    frames = sorted(tab.run("window.frames_"))
    assert len(frames) > 20 and frames[len(frames) * 9 // 10] < 50, frames[-10:]


@pytest.mark.slow
def test_the_password_lets_in(tab: Browser, server: ModelServer, tmp_path: Path) -> None:
    with reading_room(tmp_path / "library", CONTEXT, password="a goat") as room:
        tab.open(room.base)
        enter(tab, "a sheep")
        tab.until("document.querySelector('#view .trouble').textContent.includes('not the password')")
        enter(tab, "a goat")
        tab.until("document.querySelector('.add')")
        room.guard.token = "of another run of the server"
        room.guard.sessions.clear()
        tab.run("location.hash = '#/questions'")
        enter(tab, "a goat")
        tab.until("document.querySelector('#view h1')?.textContent === 'Questions'")
        tab.open("about:blank")


def enter(tab: Browser, password: str) -> None:
    """Type the password, and send it."""
    tab.until("document.querySelector('#view input[type=password]')")
    tab.run("document.querySelector('#view input').value = ''")
    tab.type("#view input", password)
    tab.press("Enter")


@pytest.mark.slow
def test_a_folder_is_dropped(page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "folder" / "below").mkdir(parents=True)
    for name, text in (("one.txt", "One goat."), ("below/two.txt", "Two goats."), (".hidden", "No goat.")):
        (tmp_path / "folder" / name).write_text(text)
    tab = page.open()
    data = {"items": [], "files": [str(tmp_path / "folder")], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        tab.send("Input.dispatchDragEvent", type=kind, x=300, y=300, data=data)
    tab.until("document.querySelectorAll('.document').length === 2")
    assert sorted(tab.texts(".document .title")) == ["one", "two"]


@pytest.mark.slow
def test_a_walk_is_drawn_while_it_goes(page: OpenPage, server: ModelServer) -> None:
    document = page.add(TEXT, "lamp")
    page.room.ran(documents=[document], method="mem-walker")
    tab = page.open(f"/ask/{document}")
    server.latency = 0.3
    page.ask("Who took the log book?", "mem-walker")
    tab.until("document.querySelector('.walk-box .here')")
    assert "down to In short: " in tab.texts(".walk-box .decisions")[0]
    tab.until("document.querySelector('.outcome .said')")
    assert not [name for name in tab.texts(".outcome .id") if re.fullmatch(r"\d+\.\d+", name.strip("✓ "))]
    assert "‘" in " ".join(tab.texts(".outcome .steps .summary")) and " 1.0" not in " ".join(tab.texts(".summary"))


@pytest.mark.slow
def test_an_agent_is_talked_with(page: OpenPage) -> None:
    tab = page.open("/agents/Ada")
    tab.type(".talking textarea", "Good <b>morning</b>.")
    tab.press("Enter")
    tab.until("document.querySelectorAll('.block').length > 1")
    assert tab.texts(".talk > [data-from]") == ["Good <b>morning</b>.", "It says so."]
    tab.run("document.querySelector('.block textarea').select()")
    tab.send("Input.insertText", text="I keep a lamp.")
    tab.click(".block button")
    tab.until("document.querySelector('#spoken').textContent === 'Saved.'")
    assert page.room.get("/api/agents/Ada")["blocks"][0]["text"] == "I keep a lamp."
    tab.click(".talking .doing:last-child button")
    tab.until("document.querySelectorAll('.talk > li').length === 0")
    page.go("/agents")
    assert tab.texts(".documents .title") == ["Ada"]
