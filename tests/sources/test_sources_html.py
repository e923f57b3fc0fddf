"""Sources: pages of HTML."""

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readgraph.sources import load
from readgraph.sources.formats.html_text import convert
from tests.support.source_files import where, write_file
from tests.support.sources import assert_file_refused

pytestmark = pytest.mark.quick


PAGE = """<!DOCTYPE html><html><head><title>The  Lamp &amp;
its keeper</title><style>p { color: red }</style><script>var text = "<p>no</p>";</script></head><body>
<nav><a href="/">Home</a></nav><div role="navigation">Menu</div><header><h1>The Lamp</h1></header>
<p hidden>Secret</p><p style="color:red; display : none">Secret</p><noscript>Turn it on</noscript><template>t</template>
<p>First   <b>bold</b>
paragraph,<br>second&nbsp;line. of&shy;fice &#xFB01;ne &lt;script&gt;alert(1)&lt;/script&gt;</p>Loose text
<h2>Fees <small>2024</small></h2><!-- no comment --><p>Before
<table><caption>Prices</caption><thead><tr><th>Day<th>Fee</thead>
<tr><td>Monday</td><td>1 <b>pound</b></td></tr><tr><td></td><td><p>two</p><p>pounds</p></td></tr><tr></tr></table>
<ul><li>One<li><p>Two</p><p>and more</p><ul><li>Two A</li></ul></ul>
<ol start=3><li>Three</li><li value=7>Seven<li>Eight</ol>
<dl><dt>Word</dt><dd>Meaning</dd></dl><pre>
  code   here
    indented
</pre><h3></h3><h2>Rules</h2><blockquote>Quoted</blockquote><footer>The end</footer>
</body></html>"""
BLOCKS = [
    *("The Lamp", "First bold paragraph,\nsecond line. office fine <script>alert(1)</script>", "Loose text"),
    *("Fees 2024", "Before", "Prices", "Day | Fee\nMonday | 1 pound\n | two pounds", "One\nTwo", "and more"),
    *("Two A\n3. Three\n7. Seven\n8. Eight\nWord\nMeaning", "  code   here\n    indented"),
    *("Rules", "Quoted", "The end"),
]


def text_of(html: str | bytes) -> str:
    return convert(html.encode() if isinstance(html, str) else html, "page.html").text


def test_a_page(tmp_path: Path) -> None:
    source = load(path := write_file(tmp_path / "page.HTM", PAGE))
    assert source.text.split("\n\n") == BLOCKS
    assert source.title == "The Lamp & its keeper" and source.source == str(path)
    assert (where(source, "First"), where(source, "The end")) == ("§ The Lamp", "§ The Lamp > Rules")
    assert where(source, "Monday") == where(source, "Fees") == "§ The Lamp > Fees 2024"


INNER = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"


def test_xhtml_and_html_that_only_looks_like_it() -> None:
    head = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>'
    page = "<script src='x'/></head><body><p>a&nbsp;b &eacute;&amp;lt;<![CDATA[ <c>]]></p></body></html>"
    assert text_of(head + page) == "a b é&lt; <c>"
    assert text_of(f"{head}</head><body><p>one<p>two <b>three</p>four").split() == ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    "html,text",
    [
        ("<p>a<b>b<i>c</b>d</i><p>e", "abcd\n\ne"),
        ("a</div></b></table>b<p>c</td>d", "ab\n\ncd"),
        ("<h1>Title<p>para</h1><p>more", "Title\n\npara\n\nmore"),
        *[("<h2><p>Title</p></h2>more", "Title\n\nmore"), ("<h2>Part<div>One</div></h2>more", "Part One\n\nmore")],
        ("<p>a < b && c > d &amp;amp; &unknown; &copy", "a < b && c > d &amp; &unknown; ©"),
        ("<p>one<script>if (a < b) '</p>'</script>two<style>p{}</style>", "onetwo"),
        ("<p>one<p>two<!-- never closed <p>three", "one\n\ntwo"),
        ("one<br><br><br>two<br>three<hr>four", "one\n\ntwo\nthree\n\nfour"),
        ("<select><option>a</select><button>b</button><svg><title>s</title><text>t</text></svg>kept", "kept"),
        ("<o:p>a</o:p><x-y>b</x-y><p class>c", "ab\n\nc"),
        ("<ol><li>a<ol><li>b</ol><li>c</ol><li value=x>d", "1. a\n1. b\n2. c\nd"),
        ('<p>It is long<sup><a href="#n">1</a></sup>, of 3 km<sup>2</sup>.', "It is long [^1], of 3 km^2."),
        ('<p>Long<a href="#n"><sup>*</sup></a>.<p><sup><a href="#t">2</a></sup> Sic.', "Long [^*].\n\n[^2] Sic."),
        (f"<table><tr><td>x<td>y{INNER}z</table>after", "x\n\ny\n\na | b\nc | d\n\nz\n\nafter"),
        (f"{INNER}{INNER}", "a | b\nc | d\n\na | b\nc | d"),
        ("<table><tr><td>menu<td><h1>Title</h1><p>one</p><p>two</p></table>", "menu\n\nTitle\n\none\n\ntwo"),
        ("<table><tr><td><p>one<p>two</table>", "one\n\ntwo"),
        ("<table><tr><td>side<td><p>one<p>two<p>three</table>", "side\n\none\n\ntwo\n\nthree"),
        ("<table>stray<tr><td>a<td>b</table>", "stray\n\na | b"),
    ],
)
def test_malformed_and_odd_html(html: str, text: str) -> None:
    assert text_of(html) == text


def test_nesting_has_no_limit() -> None:
    began = time.process_time()
    for tags in ("<div>", "<b><font>", "<table><tr><td>", "<ul><li>", "<blockquote><pre>"):
        words = [f"word{number}" for number in range(5000)]
        assert [word for word in text_of("".join(tags + word + " " for word in words)).split() if word != "|"] == words
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "html", ["<p></p>", "<!-- x -->", "<script>1</script><title>Only a title</title>", " ", "<nav>a</nav>"]
)
def test_a_page_without_text(tmp_path: Path, html: str) -> None:
    assert_file_refused(write_file(tmp_path / "page.html", html), r"holds no text: there is nothing to read\.$")


def test_binary_data_is_no_page(tmp_path: Path) -> None:
    assert_file_refused(write_file(tmp_path / "page.html", b"\x00\x01\x02" * 99), "binary")


@pytest.mark.parametrize(
    "head,encoding",
    [
        ('<meta charset="iso-8859-1">', "cp1252"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">', "cp932"),
        *[("<?xml version='1.0' encoding='EUC-JP'?>", "euc_jp"), ("<meta charset=iso-2022-jp>", "iso2022_jp")],
        *[("<meta charset=utf-16>", "utf-8"), ('<meta charset="windows-1252">', "utf-8"), ("", "utf-16")],
        *[("<meta charset=nonsense>", "utf-8"), ("<meta charset=rot13>", "utf-8-sig")],
    ],
)
def test_declared_encodings(head: str, encoding: str) -> None:
    text = "“Café”" if encoding == "cp1252" else "日本語です"
    assert text_of(f"{head}<p>{text}</p>".encode(encoding)) == text


def test_entities_of_a_file_are_not_followed() -> None:
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    page = '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY {}>]><html><p>one &x; two</p></html>'
    assert text_of(page.format('x SYSTEM "file:///etc/hostname"')) == "one two"
    assert len(text_of(page.format(f'a0 "ha">{levels}<!ENTITY x "&a11;"'))) < 100


Node = str | tuple[str, list[Any], bool]

TAGS = st.sampled_from(
    "p div span b i a h1 h2 h3 ul ol li dl dt dd table tr td th tbody thead caption blockquote pre section article main"
    " header footer aside em strong small sub sup center font form label figure figcaption address br hr o:p custom-tag"
    " ruby details summary fieldset legend q cite code".split()
)
WORDS = st.text(alphabet="abcxyz é人&<", min_size=1, max_size=6).filter(lambda word: word.split() == [word])


def _written(nodes: Sequence[Node]) -> str:
    return "".join(map(_one, nodes))


def _one(node: Node) -> str:
    if isinstance(node, str):
        return " " + node.replace("&", "&amp;").replace("<", "&lt;") + " "
    tag, inside, closed = node
    return f"<{tag}>{_written(inside)}" + (f"</{tag}>" if closed else "")


def _words(nodes: Sequence[Node]) -> list[str]:
    return [word for node in nodes for word in ([node] if isinstance(node, str) else _words(node[1]))]


NODES = st.recursive(
    st.lists(WORDS, max_size=3),
    lambda inner: st.lists(st.one_of(WORDS, st.tuples(TAGS, inner, st.booleans())), max_size=4),
    max_leaves=30,
)


@given(NODES)
@example([("table", ["a", ("tr", ["b", ("td", ["c"], True), "d"], True), "e"], True), "f"])
@example([("sub", [], False), "<", ("sub", ["<"], False), ("sub", [], False)])
@example([("table", [("tr", ["a"], False), ("h1", ["b"], False), ("caption", ["c"], True)], False)])
def test_words_of_nested_tags_come_out_in_order(nodes: Sequence[Node]) -> None:
    words = _words(nodes)
    if not words:
        return
    found = convert(_written(nodes).encode(), "page.html")
    shown = re.sub(r"[_^]\{|\}", " ", found.text).split()  # without the signs of what stands lowered within another
    assert [word for word in shown if word != "|" and not word.rstrip(".").isdecimal()] == words
    starts = [place.start for place in found.places]
    assert starts == sorted(set(starts)) and all(start < len(found.text) for start in starts)
    assert not found.text.startswith("\n") and "\n\n\n" not in found.text and found.text == found.text.rstrip()
