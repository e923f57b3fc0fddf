"""Origins, and the search for a browser: what needs none."""

import pytest

from readgraph.features.web.driver import executable
from readgraph.features.web.one_origin import OneOrigin, flags, origin_of, web_origin, without_login
from readgraph.state.errors import BadInput

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://Shop.example:443/a?b#c", "https://shop.example"),
        ("http://user:word@127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("http://[::1]:80/a", "http://[::1]"),
        ("wss://shop.example/a", "wss://shop.example"),
        ("https://shop.example.evil.example/", "https://shop.example.evil.example"),
        ("about:blank", ""),
        ("http://a:b:c/", ""),
    ],
)
def test_the_origin_of_an_address(address: str, origin: str) -> None:
    assert origin_of(address) == origin


def test_no_password_of_an_address_is_shown() -> None:
    assert without_login("http://ada:hush@shop.example:8080/a?b=c@d#e") == "http://shop.example:8080/a?b=c@d#e"
    assert without_login("http://shop.example/@ada") == "http://shop.example/@ada"
    with pytest.raises(BadInput) as refused:
        web_origin("ftp://ada:hush@shop.example/")
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("address", ["shop.example", "file:///etc/passwd", "javascript:alert(1)", "ws://a/", ""])
def test_what_is_no_web_page_is_refused(address: str) -> None:
    with pytest.raises(BadInput, match="no address of a web page"):
        web_origin(address)


def test_only_the_origin_is_allowed() -> None:
    rule = OneOrigin("https://shop.example")
    near = (
        "http://shop.example/",
        "https://shop.example:8443/",
        "https://www.shop.example/",
        "https://shop.example@x/",
    )
    assert not any(map(rule.allows, near)) and rule.allows("https://shop.example/a") and rule.allows("data:text/css,")


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        ("https://shop.example", "shop.example:443"),
        ("http://shop.example:8080", "shop.example:8080"),
        ("http://[::1]:81", "[::1]:81"),
    ],
)
def test_no_other_host_or_port_is_connected_to(origin: str, own: str) -> None:
    assert f"--host-resolver-rules=MAP {own} {own}, MAP * ~NOTFOUND" in flags(origin)


def test_a_browser_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="no browser 'netscape': name chromium, chrome, edge, or the path"):
        executable("netscape")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BadInput, match=r"No chromium is installed: install it \(Debian: apt install chromium\)"):
        executable()
