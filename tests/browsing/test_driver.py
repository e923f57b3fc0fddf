"""The driver in a real browser: what a page shows, what is done on it, and that nothing leaves its origin."""

import re
from collections.abc import Iterator

import pytest

from readgraph.browsing.driver import MASK, ChromiumDriver
from readgraph.browsing.driving import NUMBER, CannotAct
from readgraph.sources.web.page import web_page
from readgraph.state.errors import BadInput
from readgraph.state.web_elements import elements_of
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


async def opened(address: str) -> None:
    async with ChromiumDriver.opened(address):
        raise AssertionError


async def test_a_page_that_cannot_be_opened_is_one_line(elsewhere: Site) -> None:
    with Site({"/on": f"→ {elsewhere.url}/"}) as site, pytest.raises(BadInput, match=f"leads on to {elsewhere.url}"):
        await opened(f"{site.url}/on")
    with pytest.raises(BadInput, match=r"can't be opened: .*REFUSED"):
        await opened(f"{site.url}/")
    assert elsewhere.asked == []
