"""The real Chromium of this machine (none is downloaded), showing one web site; what an episode needs of any driver."""

import asyncio
import os
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar
from urllib.parse import quote, quote_plus

from readgraph.features.web.one_origin import OneOrigin, flags, origin_of, web_origin, without_login
from readgraph.features.web.page import HIDDEN
from readgraph.state.errors import BadInput, ReadgraphError

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Dialog, ElementHandle, JSHandle, Page, Request

__all__ = ["ChromiumDriver"]
NUMBER = "data-readgraph-id"  # the attribute that holds an element's number


class PageSeen(NamedTuple):
    """A page as it was shown: its address, title, and HTML in which elements have numbers (`NUMBER`)."""

    url: str
    title: str
    html: str


class CannotAct(ReadgraphError):
    """An action that could not be done, with the reason in words."""


class Driver(Protocol):
    """Shows one page of one site at a time. `blocked` counts the requests to other origins, by origin."""

    @property
    def blocked(self) -> Counter[str]:
        """How often each other origin was asked for, and refused."""

    @property
    def url(self) -> str:
        """The page's address, without passwords."""

    async def look(self) -> PageSeen:
        """What the page shows now, with numbers for its elements; raises `CannotAct` where it does not answer."""

    async def show(self, element: str) -> None:
        """Remember what an element is now, when a person is asked about it."""

    async def act(self, element: str, operation: str, value: str = "", *, secret: bool = False) -> list[str]:
        """Do an action (click, type, select) on the element with this number; a `secret` value is never shown again.

        Returns what happened besides, in words. Raises `CannotAct` where it can't be done.
        """


NAMES = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "chrome": ("google-chrome", "google-chrome-stable"),
    "edge": ("microsoft-edge", "microsoft-edge-stable"),
}  # drivers by their names, with the programs that are looked for

CHROMIUM = "chromium"


def executable(driver: str = CHROMIUM) -> Path:
    """The program of a driver, which is one of `NAMES` or a program's path; raises `BadInput` where there is none."""
    if driver not in NAMES:
        if program := shutil.which(driver):
            return Path(program)
        raise BadInput(f"There is no browser '{driver}': name {', '.join(NAMES)}, or the path of a Chromium.")
    program = next(filter(None, map(shutil.which, NAMES[driver])), None)
    if program is None:
        raise BadInput(f"No {driver} is installed: install it (Debian: apt install chromium), or name its path.")
    return Path(program)


def playwright() -> Any:
    """Playwright's asynchronous interface; raises `BadInput` where it is not installed."""
    try:
        return import_module("playwright.async_api")
    except ImportError:
        raise BadInput("Browsing needs one more package: pip install 'readgraph[web]'.") from None


MASK = "•" * 8
SHORTEST_MASKED = 4  # characters of a password: a shorter one would be found in other words of the page
OPENING, ACTING, SETTLING = 30_000, 3_000, 3_000  # the longest waits in ms: for a page, for an element, for rest
MOST_TABS = 4  # the one that is shown, and those that opened it: a site could open any number
TRIES = 3  # how often a page is looked at, where another one takes its place meanwhile
ANSWERING = 30.0  # seconds: a page whose scripts never end says nothing
T = TypeVar("T")

SETTLED = """(most) => new Promise(done => {
  let timer;
  const watching = new MutationObserver(() => again());
  const end = () => { watching.disconnect(); done(); };
  const again = () => { clearTimeout(timer); timer = setTimeout(end, 100); };
  watching.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  setTimeout(end, most);
  again();
})"""  # ends when the page has not changed for a tenth of a second

COVERED = "intercepts pointer events"  # what Playwright says of an element that another one covers
SEEN = "e => [e.isConnected, e.localName, e.type, e.href, (e.innerText ?? '').slice(0, 200)].join('|')"
"""What an element is, so that one that changed meanwhile is not acted on."""


class ChromiumDriver:
    """One visible tab of one site. `opened` makes it; `blocked` counts the requests to other origins by origin."""

    def __init__(self, browser: "Browser", context: "BrowserContext", rule: OneOrigin) -> None:
        self._browser, self._context, self._rule = browser, context, rule
        self._page: Page | None = None
        self._acted_on: Page | None = None
        self._elements: JSHandle | None = None
        self._shown: dict[str, str] = {}
        self._secrets: list[str] = []
        self._notes: list[str] = []
        context.on("page", self._turn_to)
        context.on("page", self._close_oldest)
        context.on("requestfailed", self._note_refused)
        context.on("dialog", self._decline)

    @classmethod
    @asynccontextmanager
    async def opened(cls, url: str, driver: str = CHROMIUM) -> AsyncIterator["ChromiumDriver"]:
        """A browser without a window that shows this page; raises `BadInput` where either is not to be had."""
        origin, api, program = web_origin(url), playwright(), executable(driver)
        rule = OneOrigin(origin)
        async with api.async_playwright() as tool:
            options = flags(origin)
            root = hasattr(os, "geteuid") and os.geteuid() == 0
            try:
                browser: Browser = await tool.chromium.launch(
                    executable_path=program, args=options, chromium_sandbox=not root, handle_sigint=False
                )
            except api.Error as problem:
                raise BadInput(f"{program} can't be started: {_reason(problem)}.") from None
            try:
                await rule.block_other_origins(browser)
                context = await browser.new_context(service_workers="block", accept_downloads=False)
                opened = cls(browser, context, rule)
                await opened._open(url, api.Error)
                yield opened
            finally:
                with suppress(api.Error):  # Ctrl-C in a terminal may have ended it already
                    await browser.close()

    @property
    def blocked(self) -> Counter[str]:
        """How often each other origin was asked for, and refused."""
        return self._rule.blocked

    @property
    def page(self) -> "Page":
        """The page that is shown."""
        assert self._page is not None, "a driver is made by `opened`"
        return self._page

    @property
    def url(self) -> str:
        """The page's address, without passwords."""
        return self._mask_passwords(without_login(self.page.url))

    async def look(self) -> PageSeen:
        """What the page shows now, with numbers for its elements; raises `CannotAct` where it does not answer."""
        for _ in range(TRIES):
            await self._settle()
            with suppress(playwright().Error):  # another page came meanwhile
                script = files("readgraph.features.web").joinpath("snapshot.js").read_text(encoding="utf-8")
                given = [NUMBER, HIDDEN, MASK, self._password_forms(), SHORTEST_MASKED]
                parts = await (await _wait_for_answer(self.page.evaluate_handle(script, given))).get_properties()
                html, passwords = str(await parts["html"].json_value()), await parts["passwords"].json_value()
                self._elements, self._shown = parts["elements"], {}
                self._secrets += {*passwords} - {*self._secrets}
                return PageSeen(self.url, self._mask_passwords(await _wait_for_answer(self.page.title())), html)
        raise CannotAct("The page does not come to rest: it loads again and again.")

    async def show(self, element: str) -> None:
        """Remember what an element is now, when a person is asked about it."""
        self._shown[element] = await _state_of(await self._element(element))

    async def act(self, element: str, operation: str, value: str = "", *, secret: bool = False) -> list[str]:
        """Do an action on an element (see `Driver`); returns what else happened, such as a link that was refused."""
        self._notes.clear()
        if secret and value:
            self._secrets.append(value)
        handle = await self._element(element)
        if self._shown.get(element) not in (None, await _state_of(handle)):
            raise CannotAct("The element has changed since it was shown.")
        self._acted_on = self.page
        try:
            if operation == "type":
                await _fill(handle, value)
            elif operation == "select" and await _wait_for_answer(handle.evaluate("e => e.localName === 'input'")):
                await _fill(handle, value)  # a field that offers texts
            elif operation == "select":
                await handle.select_option(label=value, timeout=ACTING)
            else:
                await handle.click(timeout=ACTING)
        except playwright().Error as problem:
            raise CannotAct(self._mask_passwords(_reason(problem))) from None
        finally:
            self._acted_on = None
            await self._close_oldest()
        await self._settle()
        return [self._mask_passwords(note) for note in self._notes]

    async def _element(self, number: str) -> "ElementHandle":
        if self._elements is None or not number.isdecimal():
            raise CannotAct(f"The page has no element {number}.")
        error = playwright().Error
        try:
            coroutine = self._elements.evaluate_handle("(all, number) => all[number - 1]", int(number))
            handle = (await _wait_for_answer(coroutine)).as_element()
        except error:  # the page that held it has gone
            handle = None
        if handle is None:
            raise CannotAct(f"The page has no element {number} any more.")
        return handle

    async def _open(self, url: str, error: type[Exception]) -> None:
        page, shown = await self._context.new_page(), without_login(url)
        try:
            await page.goto(url, timeout=OPENING)
        except error as problem:
            away = next(iter(self.blocked), "")
            if "ERR_ABORTED" in str(problem) and away:
                led = f"{shown} leads on to {away}: give the address there, if that is the site you mean."
                raise BadInput(led) from None
            raise BadInput(f"{shown} can't be opened: {_reason(problem).replace(url, shown)}.") from None

    def _turn_to(self, page: "Page") -> None:
        self._page, self._elements = page, None
        page.on("close", self._turn_back)
        page.on("download", lambda _: self._notes.append("It is a file to be downloaded: this was refused."))

    async def _close_oldest(self, *_: "Page") -> None:
        """Close the tabs that were opened longest ago, where there are too many; not the one that is acted on."""
        for page in [each for each in self._context.pages[:-MOST_TABS] if each is not self._acted_on]:
            if (note := f"More than {MOST_TABS} tabs were open: the oldest was closed.") not in self._notes:
                self._notes.append(note)
            with suppress(playwright().Error):  # it is being closed already
                await page.close()

    def _turn_back(self, page: "Page") -> None:
        others = [each for each in self._context.pages if each is not page]
        if page is self._page and others:
            self._page, self._elements = others[-1], None

    def _note_refused(self, request: "Request") -> None:
        if not self._rule.allows(request.url) and request.is_navigation_request() and not _is_for_frame(request):
            self._notes.append(f"It leads away from this site, to {origin_of(request.url)}: this was refused.")

    async def _decline(self, dialog: "Dialog") -> None:
        if dialog.type == "beforeunload":
            self._notes.append("The page asked whether it may be left, and was answered no.")
        elif dialog.type != "alert":
            self._notes.append(f'The page asked "{dialog.message}", and was answered no.')
        else:
            self._notes.append(f'The page said "{dialog.message}".')
        with suppress(playwright().Error):
            await dialog.dismiss()

    async def _settle(self) -> None:
        """Wait until the page, or the one that takes its place, is there and at rest."""
        error = playwright().Error
        for _ in range(TRIES):
            if self.page.url in ("", "about:blank") and len(self._context.pages) > 1:
                await self.page.close()  # a window to where nothing may go
            try:
                await self.page.wait_for_load_state(timeout=OPENING)
                await _wait_for_answer(self.page.evaluate(SETTLED, SETTLING))
                return
            except error:  # another page came meanwhile
                continue

    def _mask_passwords(self, text: str) -> str:
        for form in self._password_forms():
            text = text.replace(form, MASK)
        return text

    def _password_forms(self) -> list[str]:
        """The passwords that are looked for, in the forms that a page or an address has them in."""
        long_enough = [secret for secret in self._secrets if len(secret) >= SHORTEST_MASKED]
        return [form for secret in long_enough for form in {secret, quote(secret), quote_plus(secret)}]


async def _wait_for_answer(awaitable: Awaitable[T]) -> T:
    """What a page says; raises `CannotAct` where it says nothing for too long."""
    try:
        return await asyncio.wait_for(awaitable, ANSWERING)
    except TimeoutError:
        raise CannotAct("The page does not answer: its scripts don't come to an end.") from None


async def _state_of(handle: "ElementHandle") -> str:
    try:
        return str(await _wait_for_answer(handle.evaluate(SEEN)))
    except playwright().Error:  # the page that held it has gone
        raise CannotAct("The element is not on the page any more.") from None


async def _fill(handle: "ElementHandle", value: str) -> None:
    """Put a text into a field; raises `CannotAct` where the field drops it, as one for a date does with other words."""
    await handle.fill(value, timeout=ACTING)
    if await _wait_for_answer(handle.evaluate("e => e.localName === 'input' && e.value === ''")):
        raise CannotAct("The field did not take this text: it stayed empty.")


def _is_for_frame(request: "Request") -> bool:
    """Whether a request is for a part of the page (a frame), and not for the page or a new window."""
    try:
        return request.frame.parent_frame is not None
    except playwright().Error:  # the window is not there yet
        return False


def _reason(problem: Exception) -> str:
    """The first line of a browser's error, without Playwright's own call."""
    if COVERED in str(problem):
        return "Another element covers it"
    first = str(problem).strip().splitlines()[0]
    return first.split(": ", 1)[-1].rstrip(".")
