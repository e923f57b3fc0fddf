"""The page of the room in a real browser: texts go in, are read before one's eyes, asked about and compared."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph import open_library
from readgraph.library.watched import WatchedFile
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for, reader
from tests.report.conftest import IN_BROWSER
from tests.serve.browsing import OpenPage
from tests.support.browser import Browser
from tests.support.examples import STORY, WHOLE_STORY
from tests.support.reports import HOSTILE
from tests.support.source_files import write_pdf

pytestmark = IN_BROWSER

TEXT = Path(STORY).read_text(encoding="utf-8")
SHORT = "\n\n".join(TEXT.split("\n\n")[:8])


@pytest.mark.slow
def test_a_pdf_is_added_read_and_asked_about(page: OpenPage, server: ModelServer, tmp_path: Path) -> None:
    tab = page.open()
    assert "Nothing here yet" in tab.texts(".first")[0]
    paragraphs = [one for one in TEXT.split("\n\n") if len(one) > 200]
    write_pdf(tmp_path / "the lamp.pdf", [paragraphs[:3], paragraphs[3:6]])
    tab.put_files("#files", tmp_path / "the lamp.pdf")
    tab.until("document.querySelector('.document .title')")
    tab.until("document.querySelector('.added [data-state=done]')")
    tab.click(".document .title")
    tab.until("document.querySelector('.reading-panel .estimate').textContent.startsWith('About')")
    server.latency = 0.15
    tab.click(".reading-panel .main")
    tab.until("document.querySelector('.live .strip .cell.unread')")
    tab.until("document.querySelector('.outcome .shown')")
    assert tab.texts(".note p")[0].startswith("In short: ")
    assert "calls" in tab.texts(".outcome .facts dt"), "what it took is still told"

    tab.click(".outcome .button")
    tab.until("document.querySelector('.chips button')")
    assert tab.focused().startswith("textarea"), "the question is what is to be written"
    page.ask("Who took the log book?")
    tab.until("document.querySelector('.outcome .said')")
    assert tab.texts(".said") == ["It says so. [1]"] and tab.texts(".outcome h1") == ["Who took the log book?"]
    tab.click(".said .mark")
    quoted = tab.texts("mark.chosen")
    assert "".join(quoted).split() == tab.texts(".citation q")[0].split() != []
    tab.until("document.querySelector('.original img')?.naturalWidth > 300")
    source = str(tab.run("document.querySelector('.original img').getAttribute('src')"))
    assert "/original/" in source and source.endswith(".png?width=900")


@pytest.mark.slow
def test_watched_folders_are_shown_with_the_states_of_their_files(page: OpenPage, tmp_path: Path) -> None:
    async def watch(*files: WatchedFile) -> None:
        async with open_library(tmp_path / "library") as library:
            await library.watched.keep(files)

    lamp, goat = (WatchedFile("/docs", f"/docs/{name}", "waiting") for name in ("lamp.txt", "goat.txt"))
    asyncio.run(watch(replace(lamp, state="skipped", reason="it is <b>empty</b>"), goat))
    tab = page.open()
    tab.until("document.querySelector('.watched summary')")
    assert tab.texts(".watched summary") == ["/docs: 1 waiting, 1 skipped"]
    tab.click(".watched summary")
    assert tab.texts(".watched li") == ["/docs/goat.txtwaiting", "/docs/lamp.txtskipped: it is <b>empty</b>"]
    asyncio.run(watch(replace(goat, state="read")))
    tab.until("document.querySelector('.watched summary').textContent === '/docs: 1 skipped, 1 read'")


@pytest.mark.slow
def test_of_several_pdfs_each_page_has_its_own_original(page: OpenPage, tmp_path: Path) -> None:
    paragraphs = [one for one in TEXT.split("\n\n") if len(one) > 200]
    added = []
    for name, some in (("one", paragraphs[:3]), ("two", paragraphs[3:6])):
        write_pdf(tmp_path / f"{name}.pdf", [some])
        added.append(page.room.added(f"{name}.pdf", (tmp_path / f"{name}.pdf").read_bytes())["id"])
    tab = page.open(f"/ask/{','.join(added)}")
    page.ask("Who took the log book?", "read-agent")
    tab.until("document.querySelector('.outcome .said')")
    for row, document in enumerate(added):
        tab.click(f".strip [role=group]:nth-child({row + 1}) .cell")
        tab.until(f"document.querySelector('.original img')?.src.includes('{document}/original/1.png')")
        tab.until("document.querySelector('.original img').naturalWidth > 300")


def test_the_answer_can_be_copied_kept_and_asked_on(page: OpenPage) -> None:
    document = page.add(SHORT, "lamp")
    tab = page.open(f"/ask/{document}")
    page.ask("Who took the log book?")
    tab.until("document.querySelector('.outcome .said')")
    tab.run("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    tab.click(".ways-on button")
    copied = str(tab.until("window.copied"))
    quote = tab.texts(".citation q")[0]
    assert copied.startswith("**Who took the log book?**\n\nIt says so. [1]\n\n1. ")
    assert all(line.strip() in copied for line in quote.splitlines())
    kept = page.room.client.get(str(tab.run("document.querySelector('.ways-on a[download]').getAttribute('href')")))
    assert kept.headers["content-disposition"].startswith("attachment") and b"Who took the log book?" in kept.content
    tab.click(".ways-on > button")
    assert tab.focused().startswith("textarea")
    tab.send("Input.insertText", text="And when?")
    tab.until("document.querySelector('.follow-up .estimate').textContent.startsWith('About')")
    tab.click(".follow-up button")
    tab.until("document.querySelector('.outcome h1')?.textContent === 'And when?'")
    page.go("/questions")
    assert tab.texts(".questions .title") == ["And when?"], "one thread, its last question"
    tab.click(".questions .title")
    tab.until("document.querySelector('.outcome .said')")
    kept = page.room.client.get(str(tab.run("document.querySelector('.ways-on a[download]').getAttribute('href')")))
    assert kept.status_code == 200 and b"And when?" in kept.content
    tab.run("history.back()")
    tab.until("document.querySelector('.questions .title')")


@pytest.mark.slow
def test_reading_stops_and_goes_on(page: OpenPage, server: ModelServer) -> None:
    document = page.add(Path(WHOLE_STORY).read_text(encoding="utf-8")[:30_000], "lamp")
    tab = page.open(f"/document/{document}")
    server.latency = 0.1
    tab.click(".reading-panel .main")
    for cell in (".cell.unread", ".cell:not(.unread)"):
        tab.until(f"document.querySelector('.live .strip {cell}')")
    told = "[...document.querySelectorAll('.run dt')].map((each) => each.textContent)"
    for name in ("parts", "notes", "calls", "words", "money so far"):
        tab.until(f"{told}.includes('{name}')")
    tab.click(".run button")
    tab.until("document.querySelector('.state').textContent.startsWith('Stopped')")
    server.latency, paid = 0.0, {*server.answered}
    asked = len(server.requests)
    tab.click(".run .doing:not([hidden]) button")
    tab.until("document.querySelector('.outcome .shown')")
    repeated = [request for request in server.requests[asked:] if request.key in paid]
    assert paid and len(repeated) <= page.room.room.context.concurrency
    assert tab.texts(".outcome .strip .cell.unread") == []


@pytest.mark.slow
def test_two_methods_side_by_side(page: OpenPage) -> None:
    page.add(SHORT, "lamp")
    tab = page.open("/compare")
    page.choose("lamp")
    page.ask("Who took the log book?")
    tab.until("document.querySelectorAll('.compared').length === 2")
    assert tab.texts(".side h2") == ["read-agent", "mem-walker"]
    assert tab.texts(".side .said") == ["It says so. [1]"] * 2
    for side in (2, 1):
        tab.click(f".side:nth-child({side}) .said .mark")
        quote = tab.texts(f".side:nth-child({side}) .citation q")[0]
        assert "".join(tab.texts("mark.chosen")).split() == quote.split()
        current = "document.querySelectorAll('.side .citation[aria-current=true]').length"
        assert tab.run(current) == 1
    place = tab.run("location.hash")
    tab.open("about:blank")
    tab.open(f"{page.room.base}/{place}")
    tab.until("document.querySelectorAll('.compared').length === 2")


def wait_for_reader(page: OpenPage, switch: str) -> Browser:
    """The story, asked about with this switch on, when the run waits for its reader."""
    document = page.add(TEXT, "lamp")
    tab = page.open(f"/ask/{document}")
    page.open_how()
    tab.until(f"!document.querySelector('.how > {switch}').hidden")
    tab.click(f".how > {switch} input")
    page.ask("Who took the log book?")
    tab.until("document.querySelector('.pausing input')")
    return tab


def choose_parts(tab: Browser, numbers: str) -> None:
    """Type the numbers of parts, and go on."""
    tab.run("document.querySelector('.pausing input').select()")
    tab.send("Input.insertText", text=numbers)
    tab.click(".pausing button")


@pytest.mark.slow
def test_parts_are_chosen_before_they_are_looked_up(page: OpenPage) -> None:
    tab = wait_for_reader(page, ".switch")
    tab.click(".pausing .doing:last-child button")
    assert "Open a part" in tab.texts(".pausing .trouble")[-1]
    tab.click('.live .cell[data-page="1"]')
    tab.click(".pausing .doing:last-child button")
    assert tab.run("document.querySelector('.pausing input').value").endswith("1")
    choose_parts(tab, "2")
    tab.until("document.querySelector('.outcome .said')")
    assert tab.run("document.querySelector('.cell.read[data-page=\"2\"]').textContent") == "1"


@pytest.mark.slow
def test_the_reader_decides_which_parts_and_whether_the_answer_stands(page: OpenPage) -> None:
    tab = wait_for_reader(page, ".switch:last-child")
    choose_parts(tab, "999")
    tab.until("document.querySelector('.pausing .trouble')?.textContent.includes('no page 999')")
    choose_parts(tab, "2")
    tab.until("document.querySelector('.pausing textarea')")
    assert tab.texts(".pausing h2") == ["Does this answer stand?"] and tab.texts(".pausing .said") == ["It says so."]
    tab.click(".pausing .main")
    tab.until("document.querySelector('.outcome .said')")
    assert tab.texts(".outcome .said") == ["It says so. [1]"]
    assert tab.run("document.querySelector('.cell.read[data-page=\"2\"]').textContent") == "1"


@pytest.mark.slow
def test_only_changed_settings_are_sent(page: OpenPage, tmp_path: Path) -> None:
    document = page.add(SHORT, "lamp")
    tab = page.open(f"/ask/{document}")
    tab.run("""(() => { const send = window.fetch; window.sent = [];
        window.fetch = (path, settings) => { if (settings.method === "POST") window.sent.push([path, settings.body]);
            return send(path, settings); }; })()""")
    page.open_how()
    labels = set(tab.texts(".panel label"))
    assert "Max pages" in labels and "Max hops" not in labels, "those of a walk are not read-agent's"
    script = "id => { const f = document.getElementById(id); f.value = '2'; f.dispatchEvent(new Event('input')) }"
    field = tab.run("[...document.querySelectorAll('.panel label')].find(e => e.textContent === 'Max pages').htmlFor")
    tab.run(f"({script})('{field}')")
    page.ask("Who took the log book?")
    tab.until("document.querySelector('.outcome .said')")
    sent: list[Any] = tab.run(
        "window.sent.filter(([path]) => path === '/api/runs').map(([, body]) => JSON.parse(body))"
    )
    assert [body["settings"] for body in sent] == [{"max_pages": 2}]


@pytest.mark.slow
def test_hostile_text_stays_text(page: OpenPage) -> None:
    document = page.add(HOSTILE, "</title><script>document.title = 'taken'</script>")
    tab = page.open()
    assert tab.texts(".document .title") == ["</title><script>document.title = 'taken'</script>"]
    page.go(f"/ask/{document}")
    page.ask("<img src=x onerror=alert(1)>")
    tab.until("document.querySelector('.outcome .shown')")
    assert tab.texts(".outcome h1") == ["<img src=x onerror=alert(1)>"]
    tab.run("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    tab.click(".ways-on button")
    copied = str(tab.until("window.copied"))
    assert copied.startswith("**\\<img src=x onerror=alert(1)>**") and "*\\</title>\\<script>" in copied
    texts = []
    for number in range(len(tab.texts(".strip .cell"))):
        tab.click(f'.cell[data-page="{number}"]')
        texts += tab.texts(".raw")
    assert "".join(texts) == HOSTILE
    assert tab.run("document.querySelectorAll('.outcome :is(script, style, img, iframe)').length") == 0
    assert "taken" not in tab.run("document.title").replace("'taken'", "")


@pytest.mark.slow
def test_an_option_that_no_model_chose_is_shown_and_copied_as_a_guess(page: OpenPage, server: ModelServer) -> None:
    server.respond = lambda request: "hm" if asked_for(request) == "ChosenAnswer" else reader(request)
    document = page.add("A goat stood on the gallery of the lamp in January. " * 30, "goat")
    tab = page.open(f"/ask/{document}")
    page.open_how()
    tab.run("document.querySelector('.options-given').open = true")
    tab.type(".options-given textarea", "On the roof\nOn the gallery")
    page.ask("Where did the goat stand?")
    tab.until("document.querySelector('.outcome .said')")
    assert tab.texts(".outcome .lead") == ["A guess by shared words, no better than chance:"]
    assert [text[-7:] for text in tab.texts(".outcome .options .chosen")] == ["guessed"]
    tab.run("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    tab.click(".ways-on button")
    assert "\n\nA guess by shared words, no better than chance: " in str(tab.until("window.copied"))


@pytest.mark.slow
def test_a_question_about_all_texts_steps_back(page: OpenPage, server: ModelServer) -> None:
    page.add(TEXT, "lamp")
    page.add("A goat stood on the gallery of the lamp in January. " * 6, "goat")
    tab = page.open("/ask")
    page.open_how()
    tab.run("document.querySelector('.options-given').open = true")
    tab.type(".options-given textarea", "On the roof\nOn the gallery")
    server.latency = 0.05
    page.ask("Where did the goat stand?")
    tab.until("document.querySelectorAll('.live .strip .part').length === 2")
    server.latency = 0.0
    tab.until("document.querySelector('.outcome .said')")
    assert tab.texts(".options .letter") == ["A", "B"] and len(tab.texts(".options .chosen")) == 1
    page.go(f"/question/{page.room.get('/api/questions')['questions'][0]['thread']}")
    tab.until("document.querySelector('.stepping')")
    tab.click(".stepping summary")
    names = tab.texts(".steps-back li > button")
    assert "Before: open" not in names, "nothing was asked before the text was opened"
    assert "Before: look up" in names and not [name for name in names if "start" in name]
    tab.click(f".steps-back li:nth-child({names.index('Before: look up') + 1}) > button")
    tab.type(".steps-back input", "0")
    tab.click(".steps-back .doing button")
    tab.until("document.querySelector('.outcome .strip .cell[data-page=\"0\"]')?.textContent === '1'")
    assert tab.run("location.hash").startswith("#/run/")
