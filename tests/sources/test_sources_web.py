"""Sources: web pages, from a server on the loopback interface."""

from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event

import pytest

from readgraph.sources import Address, load, load_all
from readgraph.sources import inputs as fetching
from readgraph.state.errors import BadInput
from tests.support.command import Command, assert_refused
from tests.support.site import Site
from tests.support.source_files import labelled, write_pdf_lines
from tests.support.sources import assert_file_refused

PAGE = (
    "<html><head><title>Rivers of the north</title><script src='/script.js'></script></head><body><h1>Rivers</h1>"
    "<p>The Lunde was drawn by Käthe Orm in 1991.</p><img src='/picture.png'></body></html>"
)


class HeadedSite(Site):
    """A web site: by path the status, the headers and the body."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.may_answer = Event()
        self.may_answer.set()

    def put(
        self, path: str, body: str | bytes = "", kind: str = "text/html", status: int = 200, **more: str
    ) -> Address:
        """Put a page on the site, and return its address."""
        body = body.encode() if isinstance(body, str) else body
        self.answers[path] = (status, {"Content-Type": kind, **more}, body)
        return Address(self.url + path)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.may_answer.wait(10)
        status, headers, body = self.answers.get(request.path, (404, {}, b""))
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.end_headers()
        with suppress(OSError):  # the reader left
            request.wfile.write(body)


@pytest.fixture
def site() -> Iterator[HeadedSite]:
    with HeadedSite() as site:
        yield site
        site.may_answer.set()


def test_a_page_is_read_and_nothing_else_is_fetched(site: HeadedSite) -> None:
    address = site.put("/rivers//north/?a=1", PAGE)
    (source,) = load_all([address, address])
    assert (source.title, source.source) == ("Rivers of the north", str(address))
    assert source.text == "Rivers\n\nThe Lunde was drawn by Käthe Orm in 1991."
    assert labelled(source) == [("§ Rivers", "Rivers\n\nThe ")]
    assert site.asked == ["/rivers//north/?a=1"]


def test_redirects_are_followed_to_web_addresses_only(site: HeadedSite, tmp_path: Path) -> None:
    site.put("/new/page", "<p>moved")
    moved = site.put("/old", status=302, Location="/new/page")
    assert (load(moved).text, load(moved).title, load(moved).source) == ("moved", "old", str(moved))
    for elsewhere in ((tmp_path / "a.txt").as_uri(), "ftp://127.0.0.1/a", "javascript:alert(1)"):
        assert_file_refused(
            site.put("/away", status=301, Location=elsewhere), "no https:// or http:// address|doesn't answer"
        )
    with_key = str(moved).replace("//", "//ada:key@", 1)
    with pytest.raises(BadInput, match="a user or a password"):
        load(site.put("/key", status=302, Location=with_key))
    assert_file_refused(site.put("/round", status=302, Location="/round"), "without end")


def test_the_content_type_decides_the_kind(site: HeadedSite, tmp_path: Path) -> None:
    pdf = write_pdf_lines(tmp_path / "a.pdf", [["The Lunde rose."]]).read_bytes()
    source = load(site.put("/paper", pdf, "application/pdf"))
    assert labelled(source) == [("PDF page 1", "The Lunde ro")] and source.title == "paper"
    assert labelled(load(site.put("/a.md", "# One\n\ntext", "text/plain; charset=utf-8")))[0][0] == "§ One"
    assert load(site.put("/table", "a,b\nc,1", "text/csv")).text == "a: c | b: 1"
    assert load(site.put("/b.pdf", pdf, "application/octet-stream")).text == "The Lunde rose."
    assert load(site.put("/plain", "<p>", "text/plain")).text == "<p>"
    # The header names the encoding, not the page.
    page = "<meta charset='utf-8'><p>Пожарный пришёл.".encode("koi8-r")
    assert load(site.put("/koi", page, "text/html; charset=koi8-r")).text == "Пожарный пришёл."
    assert_file_refused(site.put("/x.html", "GIF", "image/gif"), "image/gif, which is not a kind")
    assert_file_refused(site.put("/c.pdf", "no", "application/pdf"), "PDF")


def test_an_address_that_does_not_answer(site: HeadedSite, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_file_refused(site.put("/gone", status=404), "answers with 404 Not Found")
    assert_file_refused(site.put("/hollow", ""), "is empty")
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "1")
    assert_file_refused(site.put("/long", b"a" * 1_000_001), "more than 1 MB")
    site.may_answer.clear()
    monkeypatch.setattr(fetching, "MOST_SECONDS", 0.1)
    assert_file_refused(site.put("/slow"), "didn't answer within|doesn't answer")
    for address in ("http://127.0.0.1:1/a", "https://", "http://[", "http://127.0.0.1:99999/"):
        assert_file_refused(Address(address), "address")


def test_the_command_reads_an_address(readgraph: Command, site: HeadedSite) -> None:
    address = site.put("/rivers", PAGE)
    asked = readgraph("ask", "Who drew the Lunde?", address, "--json").json
    assert "Käthe Orm" in str(asked["citations"]) and "§ Rivers" in str(asked["citations"])
    listed = readgraph("show").text
    assert f"from {address}" in listed and "added" in listed
    assert "Rivers of the north" in readgraph("show", address).text
    assert site.asked == ["/rivers"]
    assert_refused(readgraph("read", "http://127.0.0.1:1/a"), "doesn't answer")
    assert_refused(readgraph("read", "http://me:secret@127.0.0.1:1/a"), "a user or a password")
