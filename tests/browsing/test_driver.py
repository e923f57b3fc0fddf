"""The driver in a real browser: what a page shows, what is done on it, and that nothing leaves its origin."""

import asyncio
import re
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest

from readgraph.features.web.driver import MASK, MOST_TABS, NUMBER, CannotAct, ChromiumDriver
from readgraph.features.web.elements import elements_of
from readgraph.features.web.page import web_page
from readgraph.state.errors import BadInput
from tests.support.browser import CHROMIUM
from tests.support.site import Site

pytest.importorskip("playwright", reason="pip install 'readgraph[web]'")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt install chromium)"),
]

PASSWORD = "hush & hush"


@pytest.fixture
def elsewhere() -> Iterator[Site]:
    """A site that is not the one that was named; whatever it is asked for has left the origin."""
    with Site({"/": "<h1>Elsewhere</h1>", "/x.js": "1"}) as site:
        yield site


async def named(driver: ChromiumDriver) -> dict[str, str]:
    """The numbers of the elements of the page, by what they are called."""
    elements = elements_of(web_page((await driver.look()).html, id_attribute=NUMBER).text)
    return {element.label: number for number, element in elements.items()}


async def test_a_form_is_filled_in_and_sent_and_its_password_never_shown() -> None:
    with Site() as site:
        async with ChromiumDriver.opened(f"{site.url}/booking-2.html") as driver:
            numbers = await named(driver)
            await driver.act(numbers["Full name"], "type", "Ellen Walker")
            await driver.act(numbers["Day"], "type", "2030-05-04")
            await driver.act(numbers["Access code"], "type", PASSWORD, secret=True)
            filled = web_page((await driver.look()).html, id_attribute=NUMBER).text
            assert 'value="Ellen Walker"' in filled and 'value="2030-05-04"' in filled and "hush" not in filled
            assert await driver.act(numbers["Next step"], "click") == []
            shown = await driver.look()
            assert shown.url.startswith(f"{site.url}/booking-3.html?name=Ellen+Walker") and MASK in shown.url
            assert any("code=hush+%26+hush" in path for path in site.asked), "the site got the password itself"
            numbers = await named(driver)
            await driver.act(numbers["Send updates by text message"], "click")
            after = (await driver.look()).html
            assert re.search(r'name="texts"[^>]*checked', after) is None and 'id="notes"' in after


@pytest.mark.parametrize("at_once", [1, 12])
async def test_a_site_that_opens_tab_after_tab_has_a_few(at_once: int) -> None:
    page = f"""<button>Weiter</button><script>document.querySelector("button").onclick =
        () => {{ for (let n = 0; n < {at_once}; n++) window.open("/?" + n) }}</script>"""
    with Site({"/": page}) as site:
        async with ChromiumDriver.opened(f"{site.url}/") as driver:
            for _ in range(6 // at_once + 1):
                notes = await driver.act((await named(driver))["Weiter"], "click")
            async with asyncio.timeout(20):  # a tab that opens late is closed late
                while len(driver.page.context.pages) > MOST_TABS:
                    await driver.look()
            assert "tabs were open: the oldest was closed" in notes[-1]
            assert "Weiter" in await named(driver), "the newest tab is shown"


@pytest.mark.parametrize("password", ["input", "password", "button"])
async def test_a_password_that_is_a_word_of_html_changes_no_element(password: str) -> None:
    page = """<input type="password" aria-label="Password"><input type="password" aria-label="Again">
        <button>Send</button><p id="typed"></p><script>
        document.querySelector("input").oninput = event => typed.textContent = "You typed " + event.target.value
        </script>"""
    with Site({"/": page}) as site:
        async with ChromiumDriver.opened(f"{site.url}/") as driver:
            numbers = await named(driver)
            await driver.act(numbers["Password"], "type", password, secret=True)
            text = web_page((await driver.look()).html, id_attribute=NUMBER).text
            elements = elements_of(text)
            assert [element.label for element in elements.values()] == ["Password", "Again", "Send"]
            assert [element.secret for element in elements.values()] == [True, True, False]
            assert f"You typed {MASK}" in text


async def test_a_password_is_not_shown_by_a_field_that_shows_what_is_typed() -> None:
    page = """<input id="one" type="password" value="kept & hidden" aria-label="Password">
        <input autocomplete="new-password" value="another one" aria-label="New"><a href="/?p=kept%20%26%20hidden">On</a>
        <button onclick="one.type = 'text'">Show</button><p title="another one">another one</p>"""
    with Site({"/": page}) as site:
        async with ChromiumDriver.opened(f"{site.url}/") as driver:
            assert elements_of(web_page((await driver.look()).html, id_attribute=NUMBER).text)["2"].secret
            await driver.act((await named(driver))["Show"], "click")
            html = (await driver.look()).html
            assert "kept" not in html and "another" not in html and html.count(MASK) == 5


AWAY = {
    "a link": '<a href="{away}/">Go</a>',
    "a link that leads on": '<a href="/on">Go</a>',
    "a new window": '<a href="{away}/" target="_blank">Go</a>',
    "a form": '<form action="{away}/"><button>Go</button></form>',
    "a script": "<button onclick=\"location = '{away}/'\">Go</button>",
}


@pytest.mark.parametrize("name", AWAY)
async def test_nothing_leads_away_from_the_site(elsewhere: Site, name: str) -> None:
    pages = {"/": AWAY[name].format(away=elsewhere.url), "/on": f"→ {elsewhere.url}/"}
    with Site(pages) as site:
        async with ChromiumDriver.opened(f"{site.url}/") as driver:
            numbers = await named(driver)
            notes = await driver.act(numbers["Go"], "click")
            assert notes == [f"It leads away from this site, to {elsewhere.url}: this was refused."]
            assert (await driver.look()).url == f"{site.url}/" and driver.blocked == {elsewhere.url: 1}
            assert "Go" in await named(driver)
    assert elsewhere.asked == []


async def test_nothing_that_a_page_does_by_itself_reaches_another_origin(elsewhere: Site) -> None:
    away, socket = elsewhere.url, elsewhere.url.replace("http", "ws")
    page = f"""<h1>Home</h1><img src="{away}/a.png"><iframe src="{away}/"></iframe><script src="{away}/x.js"></script>
        <link rel="stylesheet" href="{away}/a.css"><script>
        fetch("{away}/fetched").catch(() => 0); new WebSocket("{socket}/socket"); new Worker("/work.js");
        navigator.sendBeacon("{away}/beacon"); new Image().src = "/on";</script><p>rest</p>"""
    worker = f'new WebSocket("{socket}/of-worker"); fetch("{away}/of-worker").catch(() => 0);'
    with Site({"/": page, "/work.js": worker, "/on": f"→ {away}/on"}) as site:
        async with ChromiumDriver.opened(f"{site.url}/") as driver:
            assert "rest" in (await driver.look()).html
            await driver.page.wait_for_function("() => performance.getEntriesByType('resource').length > 0")
            assert driver.blocked[away] >= 5 and driver.blocked.keys() <= {away, socket}
    assert elsewhere.asked == []


async def test_what_the_page_asks_is_declined_and_a_changed_element_is_left_alone() -> None:
    page = """<button onclick="if (confirm('Sell all?')) document.title = 'sold'">Sell</button>
        <input aria-label="Name"><button id="other">Cancel</button>"""
    with Site({"/": page}) as site:
        async with ChromiumDriver.opened(f"{site.url}/") as driver:
            numbers = await named(driver)
            assert await driver.act(numbers["Sell"], "click") == ['The page asked "Sell all?", and was answered no.']
            assert (await driver.look()).title == ""
            numbers = await named(driver)
            await driver.show(numbers["Cancel"])
            await driver.page.evaluate("document.querySelector('#other').textContent = 'Pay'")
            with pytest.raises(CannotAct, match="has changed"):
                await driver.act(numbers["Cancel"], "click")
            for gone in ("99", "x", ""):
                with pytest.raises(CannotAct, match="no element"):
                    await driver.act(gone, "click")
            await driver.page.evaluate("document.querySelector('input').disabled = true")
            with pytest.raises(CannotAct):
                await driver.act(numbers["Name"], "type", "Ada")


async def test_no_connection_is_made_to_another_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0)
        away = f"http://127.0.0.1:{other.getsockname()[1]}/"
        page = f"""<link rel="preconnect" href="{away}"><form action="{away}" method="post"><button>Go</button></form>
            <script>window.open("{away}")</script>"""
        with Site({"/": page}) as site:
            async with ChromiumDriver.opened(f"{site.url}/") as driver:
                await driver.act((await named(driver))["Go"], "click")
                assert driver.blocked[away.rstrip("/")] >= 2
        with pytest.raises(BlockingIOError):
            other.accept()


async def test_what_a_page_does_not_take_is_said() -> None:
    page = """<div id="cover" style="position: fixed; inset: 50% 0 0 0; z-index: 1"></div>
        <input type="date" aria-label="Day"><input list="days" aria-label="Weekday">
        <datalist id="days"><option value="Monday"><option value="Friday"></datalist>
        <select aria-label="Size"><option>none</option><option label="Small">S</option></select>
        <a href="/file" download>List</a><iframe srcdoc="<button>Pay</button>"></iframe>
        <button style="position: fixed; bottom: 9px">Next</button>"""
    with Site({"/": page, "/file": "1"}) as site:
        async with ChromiumDriver.opened(f"{site.url}/") as driver:
            numbers = await named(driver)
            assert [*numbers] == ["Day", "Weekday", "Size", "List", "Next"], "a frame is no element that can be named"
            with pytest.raises(CannotAct, match="did not take this text"):
                await driver.act(numbers["Day"], "type", "tomorrow")
            with pytest.raises(CannotAct, match="Another element covers it"):
                await driver.act(numbers["Next"], "click")
            assert await driver.act(numbers["List"], "click") == ["It is a file to be downloaded: this was refused."]
            await driver.act(numbers["Weekday"], "select", "Friday")
            await driver.act(numbers["Size"], "select", "Small")
            text = web_page((await driver.look()).html, id_attribute=NUMBER).text
            assert 'value="Friday"' in text and "<option selected>Small" in text


async def test_a_page_whose_scripts_never_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.features.web.driver.ANSWERING", 1.0)
    monkeypatch.setattr("readgraph.features.web.driver.ACTING", 500)
    with Site({"/": '<button onclick="while (true);">Go</button>'}) as site:
        async with ChromiumDriver.opened(f"{site.url}/") as driver:
            numbers = await named(driver)
            with pytest.raises(CannotAct):
                await driver.act(numbers["Go"], "click")
            with pytest.raises(CannotAct, match="does not answer"):
                await driver.look()


async def test_a_page_that_loads_again_and_again_is_shown_or_given_up() -> None:
    with Site({"/": "<p>x<script>setTimeout(() => location.reload(), 110)</script>"}) as site:
        async with ChromiumDriver.opened(f"{site.url}/") as driver:
            for _ in range(4):
                with suppress(CannotAct):
                    assert "<p>x" in (await driver.look()).html


async def opened(address: str) -> None:
    async with ChromiumDriver.opened(address):
        raise AssertionError


async def test_a_page_that_cannot_be_opened_is_one_line(elsewhere: Site) -> None:
    with Site() as site:
        async with ChromiumDriver.opened(f"{site.url}/shop.html".replace("http://", "http://ada:hush@")) as driver:
            assert driver.url == (await driver.look()).url == f"{site.url}/shop.html"
        with pytest.raises(BadInput, match="can't be opened") as refused:
            await opened("http://ada:hush@127.0.0.1:9/")
        assert "hush" not in str(refused.value)
    with Site({"/on": f"→ {elsewhere.url}/"}) as site, pytest.raises(BadInput, match=f"leads on to {elsewhere.url}"):
        await opened(f"{site.url}/on")
    with pytest.raises(BadInput, match=r"can't be opened: .*REFUSED"):
        await opened(f"{site.url}/")
    assert elsewhere.asked == []
