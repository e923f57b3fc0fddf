"""Sources: what pages show by more than their words (raised, deleted, formulas, fields), and broken pages."""

import time
from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.formats.html_text import convert
from tests.support.source_files import notices, unzip, write_epub, write_file, write_zip
from tests.support.sources import assert_file_refused

pytestmark = pytest.mark.quick

X_2 = "<msup><mi>x</mi><mn>2</mn></msup>"
TEX = "<annotation encoding='application/x-tex'>x^{2}</annotation>"
MATH = f"<math><semantics><mrow>{X_2}</mrow>{TEX}</semantics></math>"
OVER = "&lt;math>&lt;mfrac>&lt;mn>3&lt;/mn>&lt;mn>4&lt;/mn>&lt;/mfrac>&lt;/math>"


def text_of(html: str) -> str:
    return convert(html.encode(), "page.html").text


@pytest.mark.parametrize(
    "html,text",
    [
        ("10<sup>6</sup> m<sup>2</sup>, H<sub>2</sub>O, x<sup>n+1</sup>", "10^6 m^2, H_2O, x^{n+1}"),
        ("|x|<sup>2</sup>, ∂<sup>2</sup>u, x̄<sup>2</sup>", "|x|^2, ∂^2u, x̄^2"),
        ("10⁶ of 5&frac12; on the 1<sup>st</sup>", "10⁶ of 5½ on the 1st"),
        ("5<sup>1</sup>&frasl;<sub>2</sub> or 5<sup>1</sup>/<sub>2</sub> cups", "5 1/2 or 5 1/2 cups"),
        ("5<span class=frac>1&frasl;2</span> in", "5 1/2 in"),
        ("2<sup>3<sub> </sub></sup>, x<sub>1<sup></sup></sub> and <sub> &lt; <sub>", "2^3, x_1 and <"),
        ("2<sup>3<sup>2</sup></sup>, x<sub>i<sub>1</sub></sub>, a<sup><sup>2</sup></sup>", "2^{3^{2}}, x_{i_{1}}, a^2"),
        ("€ 1.299,<sup>00</sup>, 4,<sup>99</sup> €, old,<sup>12</sup>", "€ 1.299,00, 4,99 €, old, [^12]"),
        ("1<progress>75%</progress><meter>2 of 10</meter>3", "1 75% 2 of 10 3"),
        (
            "<span class=frac>5<span class=sr-only>+</span><span class=num>1</span>&frasl;<span "
            "class=den>2</span></span>",
            "5 1/2",
        ),
        ("5<span class=sfrac><span class=num>1</span><span class=den>2</span></span>", "5 1/2"),
        ("<sup>16</sup>For God so loved. <sup>17</sup>For he", "16 For God so loved. 17 For he"),
        ("<b>16</b>For God, the <b>3</b>rd, <span>10</span>km, <b>5</b>G", "16 For God, the 3rd, 10km, 5G"),
        ("<span class=verse>4</span>and it was", "4 and it was"),
        ('a word<sup class=reference><a href="#c1">[1]</a></sup><sup><a href="#c2">[2]</a></sup>', "a word [^1] [^2]"),
        ('a word<sup><a href="#c">1</a>,<a href="#d">2</a></sup>, then', "a word [^1], [^2], then"),
        ('a word<a epub:type="noteref" href="n.html#n3">3</a>next', "a word [^3] next"),
        ('a word<sup class="footnote-ref">4</sup> goes', "a word [^4] goes"),
        ('10<span style="vertical-align: super; font-size: 70%">6</span>', "10^6"),
        ('10<i style="position:relative; top:-.4em">6</i> 10<i style="vertical-align: 1px">6</i>', "10^6 106"),
        ("<style>.c{vertical-align:super}@media tv{.d{vertical-align:sub}}</style>10<i class='x c'>6</i>4<i class=d>5",
         "10^{6}45"),
        ("<span style='display:inline-block'>100</span><span style='display:inline-block'>200</span>", "100 200"),
        ("<div style='display:flex'><i>100</i><i>200</i></div>", "100 200"),
        ("<m:math><m:mfrac><m:mn>3</m:mn><m:mn>4</m:mn></m:mfrac></m:math>", "3/4"),
        ("<span style='display:block'>100</span>200", "100\n200"),
        ("100<wbr>000 extra&shy;ordinary 12<br>34", "100000 extraordinary 12\n34"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>を読む", "漢字を読む"),
        ("<ruby><rb>東<rb>京<rtc><rt>とう<rt>きょう</ruby>へ", "東京へ"),
    ],
)  # fmt: skip
def test_what_stands_apart_keeps_a_sign_of_it(html: str, text: str) -> None:
    assert text_of(f"<p>{html}</p>") == text


@pytest.mark.parametrize(
    "sheet,html,text",
    [
        (".neg::before{content:'-'}", "<p>profit <b class=neg>500</b>", "profit -500"),
        ('.n:after { content: " not" }', "<p>It is<i class='a n'></i> safe", "It is not safe"),
        (".neg:before{content:'\\2212'} .u::after{content:' ' attr(data-u)}", "<p class='neg u' data-u=kg>5", "−5 kg"),
        (".t .neg::before{content:'-'}", "<p class=t><b class=neg>5</b><p><b class=neg>6</b>", "-5\n\n6"),
        (".a.b::before{content:'-'} li>b::after{content:'!'}", "<p><i class=a>5</i> <i class='b a'>6</i>", "5 -6"),
        ("td[data-x=y]:after{content:'%'}", "<table><tr><td data-x=y>5<td>6</table>", "5% | 6"),
        ("@media screen{.n::before{content:'−'}} @media print{.n::after{content:'p'}}", "<p class=n>5", "−5"),
        (".e::after{content:'3';vertical-align:super}", "<p>5 m<i class=e></i>", "5 m^3"),
        (
            ".c:after{content:'.';visibility:hidden} .c:before{content:'\\f101'} p:hover:after{content:'x'}",
            "<p class=c>5",
            "5",
        ),
        (
            ".x::before{content:'a;b{c} '} h2::before{content:'Part '}",
            "<h2>One</h2><p class=x>5",
            "Part One\n\na;b{c} 5",
        ),
        (".cart .old{text-decoration:line-through}", "<p class=cart><i class=old>10</i> 8", "8"),
        (".s{font-size:.8em;position:relative;top:.08em}", "<p>H<i class=s>2</i>O", "H_2O"),
        (".p{margin-left:1em}", "<p><i class=p>100</i><i class=p>200</i>", "100 200"),
        ("", "<p>It is 10<i class=superscript>3</i> H<i class=subscript>2</i>O", "It is 10^3 H_2O"),
        (
            "ol{list-style:lower-greek} .d{list-style:disc}",
            "<ol><li>a<li>b</ol><ol class=d><li>c</ol>",
            "α. a\nβ. b\nc",
        ),
    ],
)
def test_what_style_sheets_add_or_move_is_read(sheet: str, html: str, text: str) -> None:
    assert text_of(f"<style>{sheet}</style>{html}") == text


def test_numbers_that_a_style_sheet_counts_are_named() -> None:
    page = convert(b"<style>b::before{content:counter(x) '. '}</style><p><b>One</b><b>two", "page.html")
    assert page.problems == ("page.html: left out: 2 numbers that are counted by a style sheet.",)


@pytest.mark.parametrize("part", ["a", "@", "/*", "a{", "a{content:", "a:after{content:attr("])
def test_a_style_sheet_that_is_broken_takes_no_time(part: str) -> None:
    began = time.process_time()
    assert text_of(f"<style>{part * 30_000}</style><p>text") == "text"
    assert time.process_time() - began < 2


FALLBACK = r"<img class='mwe-math-fallback-image' alt='{\displaystyle x^{2}}'>"
PREVIEW = f"<span class=MathJax_Preview>34</span><span class=MathJax data-mathml='{OVER}'><nobr>34</nobr></span>"


@pytest.mark.parametrize(
    "html,text",
    [
        ("a <math><mfrac><mn>3</mn><mn>4</mn></mfrac></math>cup", "a 3/4 cup"),
        (f"<span class=katex>{MATH}<span class=katex-html aria-hidden=true>x2</span></span>.", "x^2."),
        (f"<span class='mwe-math-mathml-a11y' style='display:none'>{MATH}</span>{FALLBACK}.", "x^2."),
        (r"so <img alt='{\displaystyle x^{2}}'>", "so x^{2}"),
        (PREVIEW + r"<script type='math/tex'>\frac34</script>", "3/4"),
        ("with <script type='math/tex'>a^2</script>", "with a^2"),
        (f"<mjx-container><mjx-math>x2</mjx-math><mjx-assistive-mml>{MATH}</mjx-assistive-mml></mjx-container>", "x^2"),
    ],
)
def test_formulas_are_read_once(html: str, text: str) -> None:
    assert text_of(f"<p>{html}</p>") == text


def test_final_text_is_read_and_what_is_left_out_is_named() -> None:
    page = convert(
        b"<h1>Fees</h1><p>It costs <del>100</del><ins>200</ins>, <s>30</s> <strike>40</strike> <i>50</i></p>"
        b"<h2>More</h2><p style='text-decoration: red line-through'>No</p><ruby>x<rt>y</ruby>"
        b"<iframe src=a></iframe><iframe width=1 src=b></iframe><video>v</video><svg><text>w</text></svg><svg/>",
        "page.html",
    )
    assert page.text == "Fees\n\nIt costs 200, 50\n\nMore\n\nx"
    once = ("1 ruby reading", "1 embedded page", "1 recording", "1 labelled drawing")
    assert page.problems == (
        "page.html: left out: 4 deleted passages (§ Fees, § Fees > More).",
        *(f"page.html: left out: {each} (§ Fees > More)." for each in once),
    )


def test_fields_ticks_and_pictures_are_read() -> None:
    form = (
        "<form><label><input type=checkbox checked>Yes</label><input type=radio>No<p>Name<input value=Anna>"
        "<input type=hidden value=h><input type=password value=p><input type=submit value=s>"
        "<select><option>a<option selected>Blue<option selected>Red</select>end<p><textarea>one\ntwo</textarea>after"
        "<p><img alt='A map'><img alt=T>he <img alt=logo><img alt=a.png></form>"
    )
    assert text_of(form) == "☒ Yes ☐ No\n\nName Anna Blue, Red end\n\none\ntwo\nafter\n\n[picture: A map] The"
    folded = "<details><summary>More</summary>Words</details><iframe srcdoc='<p>In<p>it'></iframe>"
    assert text_of(folded).split() == ["More", "Words", "In", "it"]


LONG = "words that are no menu " * 20


@pytest.mark.parametrize(
    "html,text",
    [
        *[("<nav><div></nav><p>text", "text"), ("<noscript><div></noscript><p>text", "text"), ("<svg><p>text", "text")],
        *[("<nav><a>home</a><p>text", "home\n\ntext"), ("<p hidden><b>no</p><p>text", "text")],
        *[("<div hidden><span>no</div>text", "text"), ("<aside><div></aside>text", "text")],
        *[("<h2><div>Title</h2>text", "Title\n\ntext"), ("<del>100<p>text", "100\n\ntext")],
        *[("<template><p>text", "text"), ("<math><mi>x</mi><p>text", "x\n\ntext"), ("<iframe><p>text", "text")],
        ("<title>Title<p>text</p>", "Title\n\ntext"),
        ("<BODY><NAV><DIV></NAV><SCRIPT>no</SCRIPT>text</BODY>more", "textmore"),
        (f"<div><nav><a>home</a><p>{LONG}</div>text", f"home\n\n{LONG.strip()}\n\ntext"),
    ],
)
def test_what_is_never_closed_swallows_nothing(html: str, text: str) -> None:
    assert text_of(html) == text


def test_an_end_that_is_lost_is_named(tmp_path: Path) -> None:
    for end in ("<!-- no", "<script>no", "<a href='no"):
        problem = "a.html: left out: 1 unreadable end after an unclosed comment or tag."
        assert convert(f"<p>text{end}<p>lost".encode(), "a.html").problems == (problem,)
    assert_file_refused(write_file(tmp_path / "a.html", "<nav><div>menu</div></nav></body></html>"), "holds no text")


def test_a_books_style_sheets_say_what_is_raised_and_deleted(tmp_path: Path) -> None:
    link = '<link rel="stylesheet" href="s/a.css"/>'
    body = f"<body><h1>One</h1><p>10<span class='k'>6</span> <i class='d'>old</i> new {MATH}</p></body>"
    page = f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>{link}</head>{body}</html>'
    path = write_epub(tmp_path / "book.epub", {"a.xhtml": page, "b.xhtml": page})
    sheet = ".k { vertical-align: super }\ni.d{text-decoration:line-through}"
    source = load(write_zip(path, {**unzip(path), "OEBPS/s/a.css": sheet}))
    assert source.text == "One\n\n10^6 new x^2\n\nOne\n\n10^6 new x^2"
    assert notices(source) == ["left out: 2 deleted passages (§ One)."]


MERGED = "<tr><th>Year<th colspan=2>2024<tr><td rowspan=2>Rye<td>1<td>2<tr><td>3<td>4<tr><td colspan=3>All"


@pytest.mark.parametrize(
    "page,text",
    [
        ("<ol reversed><li>x<li>y<li>z</ol>", "3. x\n2. y\n1. z"),
        ("<ol reversed start=10><li>x<li>y</ol>", "10. x\n9. y"),
        ("<ol><li>a<ol type=a reversed><li>x<li>y</ol><li>b</ol>", "1. a\nb. x\na. y\n2. b"),
        ("<ol type=I start=4><li>x<li value=9>y<li>z</ol>", "IV. x\nIX. y\nX. z"),
        ("<style>ol.c{list-style:upper-alpha inside}</style><ol class=c><li>x<li>y</ol>", "A. x\nB. y"),
        ("<ol style='list-style:none'><li>x<li>y</ol>", "x\ny"),
        ("<dialog>shut</dialog><dialog open>there</dialog>", "there"),
        ("<table><tr><td>10<br>20<td>x</tr><tr><td>5<td>7</table>", "10 / 20 | x\n5 | 7"),
        (f"<table>{MERGED}</table>", "Year | 2024 | 2024\nRye | 1 | 2\nRye | 3 | 4\nAll"),
        ("<h2>Chapter 1<br>2024</h2>", "Chapter 1 / 2024"),
        ("<p>10<img alt='20'>30", "10 [picture: 20] 30"),
        ("<p>3<span role='doc-pagebreak' aria-label='13'>13</span>000", "3000"),
        ("<h1>A<a class=headerlink href=#a>¶</a></h1><p>It is.<a href=#n><sup>†</sup></a></p>", "A¶\n\nIt is. [^†]"),
    ],
)
def test_numbers_of_lists_and_numbers_beside_each_other(page: str, text: str) -> None:
    assert text_of(f"<html><body>{page}</body></html>") == text
    xhtml = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{page}</body></html>'
    assert convert(xhtml.encode(), "a.xhtml").text == text
