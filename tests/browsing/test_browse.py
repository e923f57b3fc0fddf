"""`readgraph browse` in a real browser: episodes from their beginning to their end, with scripted replies."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for
from tests.doubles.web_agent import WebAgent, does
from tests.support.browser import CHROMIUM
from tests.support.command import DOUBLE, Command, assert_refused, plain
from tests.support.site import Site

pytest.importorskip("playwright", reason="pip install 'readgraph[web]'")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt install chromium)"),
]

BOOK = "Book an appointment for a renewal at North Quay for Ellen Walker, telephone 123. No updates by text message."
PASSWORD = "hush-hush-0123"


class Do(NamedTuple):
    """An action on the element whose line holds these words."""

    operation: str
    words: str = ""
    value: str | None = None


class ByWords(WebAgent):
    """A web agent whose script names elements by the words of their lines."""

    def __call__(self, request: ChatRequest) -> str | dict[str, Any]:
        if asked_for(request) == "NextAction" and self.script:
            planned = self.script.pop(0)
            assert isinstance(planned, Do)
            lines = re.findall(r'^ *<\w+ id="(\d+)".*$', request.text, re.M)
            named = [re.search(rf'^ *<\w+ id="{number}".*$', request.text, re.M) for number in lines]
            found = [number for number, line in zip(lines, named, strict=True) if line and planned.words in line[0]]
            self.script.insert(0, does(planned.operation, found[0] if found and planned.words else None, planned.value))
        return super().__call__(request)


BOOKING = (
    Do("click", "A renewal"),
    Do("select", "Post office", "North Quay"),
    Do("click", "Next step"),
    Do("type", "Full name", "Ellen Walker"),
    Do("type", "Telephone", "123"),
    Do("type", "Access code", "it is secret"),
    Do("click", "Next step"),
    Do("click", "Send updates"),
    Do("click", "I accept"),
    Do("click", "Book now"),
    Do("finished"),
)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


def script(server: ModelServer, *actions: Do) -> ByWords:
    agent = ByWords(*actions)  # type: ignore[arg-type]
    server.respond = agent
    return agent


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_a_form_of_three_steps_is_filled_in_to_its_end(
    readgraph: Command, server: ModelServer, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READGRAPH_PASSWORD", PASSWORD)
    agent = script(server, *BOOKING)
    found = readgraph("browse", f"{site.url}/booking-1.html", BOOK, *DOUBLE, "--yes", "--json").json
    assert (found["outcome"], found["actions"], len(found["steps"])) == ("finished", 10, 10)
    assert "/booked.html" in found["url"] and found["blocked"] == {} and found["usage"]["calls"] > 20
    assert site.asked[-1].startswith("/booked.html?terms=yes&notes=") or site.asked[-1] == "/favicon.ico"
    assert any("service=renewal&office=n" in path for path in site.asked)
    assert any(f"name=Ellen+Walker&phone=123&day=2030-04-01&code={PASSWORD}" in path for path in site.asked)
    assert "select 'North Quay'" in agent.acted[-1].text and "Ellen Walker" in agent.acted[-1].text
    assert PASSWORD not in str(found) and PASSWORD not in "".join(request.text for request in server.requests)
    assert PASSWORD.encode() not in everything_in(tmp_path)
    noted = len(agent.noted)
    script(server, *BOOKING)
    again = readgraph("browse", f"{site.url}/booking-1.html", BOOK, *DOUBLE, "--yes", "--json").json
    assert again["usage"]["calls"] == 0 and len(agent.noted) == noted, "pages that come again are read no second time"


def test_a_shop_of_two_pages_and_what_leads_away_from_it(readgraph: Command, server: ModelServer) -> None:
    with Site({"/": "<h1>Offer</h1>"}) as elsewhere, Site() as site:
        shop = (Path(__file__).parents[1] / "support" / "web" / "shop.html").read_text(encoding="utf-8")
        site.pages["/shop.html"] = shop.replace("https://elsewhere.example/offer", f"{elsewhere.url}/")
        agent = script(
            server,
            Do("click", "A better shop"),
            Do("click", "add=lantern"),
            Do("select", "Pieces", "2"),
            Do("type", "Send it to", "North Quay 1"),
            Do("click", "Order"),
            Do("finished"),
        )
        ran = readgraph("browse", f"{site.url}/shop.html", "Order two storm lanterns.", *DOUBLE, "--yes")
    assert "5. Your basket" in ran.text and "click [" in ran.text and "'Order'" in ran.text
    assert f"It leads away from this site, to {elsewhere.url}: this was refused." in ran.text
    assert "Finished" in ran.text and "5 steps, 5 actions done" in ran.text
    assert f"blocked requests to other sites: {elsewhere.url} 1" in ran.text
    assert elsewhere.asked == [] and any(path.startswith("/ordered.html?pieces=2") for path in site.asked)
    assert "this was refused" in agent.acted[1].text, "the agent learns it"


def test_an_injected_text_changes_nothing(readgraph: Command, server: ModelServer, site: Site) -> None:
    agent = script(server, Do("finished"))
    assert readgraph("browse", f"{site.url}/shop.html", "Look.", *DOUBLE, "--yes", "--json").json["steps"] == []
    shown = agent.acted[0].text
    assert '<button id="99">' not in shown and '&lt;button id="99"&gt;' in shown
    script(server, Do("click", 'button id="99"'), Do("stuck"))
    found = readgraph("browse", f"{site.url}/shop.html", "Look again.", *DOUBLE, "--yes", "--json").json
    assert (found["outcome"], found["steps"]) == ("stuck", [])


def on_terminal(site: Site, said: str, *more: str) -> tuple[int, str]:
    """The command on a terminal, on which this is typed; its exit code, and all that the terminal showed."""
    main, other = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-m", "readgraph", "browse", f"{site.url}/shop.html", "Buy rope.", *DOUBLE, *more]
    started = subprocess.Popen(command, stdin=other, stdout=other, stderr=other, start_new_session=True)
    os.close(other)
    shown, replies = b"", said.splitlines(keepends=True)
    try:
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:  # the terminal closes with the last of its processes
                break
            shown += part
            while replies and shown.count(b"[y/N]") > len(said.splitlines()) - len(replies):
                reply = replies.pop(0)
                if reply == "^C\n":
                    os.killpg(started.pid, signal.SIGINT)
                else:
                    os.write(main, reply.encode())
        return started.wait(30), plain(shown.decode())
    finally:
        started.kill()
        os.close(main)


def test_each_action_is_confirmed_on_a_terminal(server: ModelServer, site: Site) -> None:
    agent = script(server, Do("click", "add=rope"), Do("click", "add=rope"), Do("click", "Order"), Do("finished"))
    code, shown = on_terminal(site, "n\ny\n\n")
    assert code == 0 and shown.count("[y/N]") == 3
    assert "Left undone." in shown and "3 steps, 1 action done" in shown
    assert "the person refused it" in agent.acted[1].text
    assert [path.partition("?")[0] for path in site.asked if "favicon" not in path] == ["/shop.html", "/basket.html"]


MARK = "OF_THIS_TEST"


def marked(environment: Path, value: str) -> bool:
    try:
        return f"{MARK}={value}".encode() in environment.read_bytes()
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system does not list its processes in /proc")
def test_ctrl_c_closes_the_browser(
    server: ModelServer, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(server, Do("click", "add=rope"))
    monkeypatch.setenv(MARK, str(tmp_path))  # the browser inherits it
    code, shown = on_terminal(site, "^C\n")
    assert not [each for each in Path("/proc").glob("[0-9]*/environ") if marked(each, str(tmp_path))]
    assert code == 130 and "stopped." in shown and "Traceback" not in shown
    assert site.asked[0] == "/shop.html" and not any("basket" in path for path in site.asked)


def test_steps_and_budget_end_an_episode(readgraph: Command, server: ModelServer, site: Site) -> None:
    script(server, Do("type", "Search the shop", "rope"), Do("click", "Search"))
    line = ("browse", f"{site.url}/shop.html", "Buy rope.", *DOUBLE, "--yes", "--json")
    found = readgraph(*line, "--max-steps", 1).json
    assert (found["outcome"], found["actions"]) == ("steps", 1)
    script(server, Do("type", "Search the shop", "flag"), Do("click", "Search"))
    assert readgraph(*line[:2], "Buy a flag.", *line[3:], "--max-calls", 2).json["outcome"] == "budget"


def test_what_cannot_begin_is_one_line(readgraph: Command, server: ModelServer) -> None:
    address = "http://127.0.0.1:9/"
    assert_refused(readgraph("browse", address, "Buy.", *DOUBLE), "or allow every action with --yes")
    assert_refused(readgraph("browse", address, "Buy.", "--yes"), "Browsing needs a model")
    assert_refused(readgraph("browse", address, " ", "--yes", *DOUBLE), "The instruction is empty")
    assert_refused(readgraph("browse", "shop.example", "Buy.", "--yes", *DOUBLE), "is no address of a web page")
    assert_refused(readgraph("browse", address, "Buy.", "--yes", *DOUBLE, "--driver", "x"), "There is no browser 'x'")
    assert_refused(readgraph("browse", address, "Buy.", "--yes", *DOUBLE), "can't be opened")
