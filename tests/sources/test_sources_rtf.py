"""Sources: Rich Text as it is printed: raised text, changes, hidden text, lists' numbers, symbols, boxes, tables."""

from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.converting import SourceText
from tests.support.source_files import notices, write_file

pytestmark = pytest.mark.quick

FONTS = rb"{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset2 Wingdings;}{\f2\fcharset238 Arial CE;}"
FONTS += rb"{\f3\fcharset128 Mincho;}}"


def load_rtf(folder: Path, body: bytes) -> SourceText:
    return load(write_file(folder / "a.rtf", rb"{\rtf1\ansi\ansicpg1252\deff0" + FONTS + body + b"}"))


@pytest.mark.parametrize(
    "body,text",
    [
        (rb"10{\super 6} and H{\sub 2}O, m\super 2\nosupersub, 5\up6 1\up0 /\dn4 2\par", "10^6 and H_2O, m^2, 5 1/2"),
        (rb"{\mmath{\*\moMath{\mf{\mfPr{\mtype bar}}{\mnum{\mr 3}}{\mden{\mr 4}}}}} cups\par", "3/4 cups"),
        (rb"{\*\moMath{\mnary{\mnaryPr{\mchr \u8721?}}{\msub{\mr i=1}}{\msup{\mr n}}{\me{\mr i}}}}\par", "∑_{i=1}^n i"),
        (rb"one {\field{\*\fldinst PAGE}{\fldrslt 7}}{\field{\*\fldinst{ REF x}}{\fldrslt{two}}}\par", "one two"),
        (rb"{\field{\*\fldinst{ EQ \\f(3;4)}}} l{\field{\*\fldinst EQ \\r(2)}{\fldrslt }}\par", "3/4 l√(2)"),
        (rb"{\f1 \'fe} yes {\f1\u-3844?} no {\f2 \'b3}\'b3 {\f3 \'93\'fa}\par", "☑ yes ✓ no ł³ 日"),
        (rb"{\uc2\u26085\'93\'fa}{\uc1\u8212\endash}x{\uc0\u8364}5\par", "日—x€5"),
        (rb"{\listtext 1.2\tab}Ice\par{\listtext \'b7\tab}dot\par{\pntext (a)\tab}old\par", "1.2 Ice\ndot\n(a) old"),
        (rb"amid {a\*\b group} stays {\*\unknown gone}\par", "amid agroup stays"),
        (rb"text{\shp{\*\shpinst{\sp{\sn x}}{\shptxt boxed\par}}{\shprslt boxed}} on\par", "text on\n\nboxed"),
        (rb"{\upr{ansi}{\*\ud{\u26085?}}}{\object{\*\objdata 00ff}{\result shown}}\par", "日shown"),
        (rb"{\field{\*\fldinst FORMCHECKBOX{\*\formfield\ffres1}}{\fldrslt}} done\par", "☒ done"),
        (rb"a\-b\_c\~d{\header head}{\footer foot}\par", "ab-c d\n\nHeader: head\nFooter: foot"),
    ],
)  # fmt: skip
def test_what_stands_in_a_paragraph(tmp_path: Path, body: bytes, text: str) -> None:
    assert load_rtf(tmp_path, body).text == text


NESTED = (
    rb"\trowd\cellx1\cellx2\intbl a\cell\itap2 n1\nestcell n2\nestcell"
    rb"{\*\nesttableprops\trowd\nestrow}{\nonesttables\par}\itap1 b\cell\row"
)
MERGED = (
    rb"\trowd\clvmgf\cellx1\cellx2\intbl North\cell b\cell\row"
    rb"\trowd\clvmrg\cellx1\cellx2\intbl\cell c\cell\row"
)


@pytest.mark.parametrize(
    "body,text",
    [
        (rb"\trowd\intbl a\cell b\cell\trowd\intbl c\cell d\cell\pard after\par", "a | b\nc | d\n\nafter"),
        (rb"\trowd\cellx1\cellx2 a\cell b\cell", "a | b"),
        (rb"\trowd\intbl{\listtext 1.}a\par{\listtext 2.}b\cell{\pntext 3.}c\cell\row", "1. a 2. b | 3. c"),
        (rb"\trowd\intbl a\cell\par x\par{\listtext 1.}y\par", "a\n\nx\n1. y"),
        (rb"\trowd\intbl a\cell b\cell{\trowd\row}\pard\par x\par", "a | b\n\nx"),
        (MERGED, "North | b\nNorth | c"),
        (NESTED, "n1 | n2\na | b"),
    ],
)
def test_tables_of_rich_text(tmp_path: Path, body: bytes, text: str) -> None:
    assert load_rtf(tmp_path, body).text == text


def test_the_final_text_and_what_is_hidden_are_said(tmp_path: Path) -> None:
    source = load_rtf(tmp_path, rb"Fee {\deleted 100}{\revised 200}{\strike 300} crowns.{\v  secret {\b more}}\par")
    assert source.text == "Fee 200 crowns."
    assert notices(source) == [
        "left out: 2 passages that are deleted or struck out.",
        "left out: 1 passage that is hidden and not printed.",
    ]


def test_endnotes_and_comments_of_rich_text(tmp_path: Path) -> None:
    body = (
        rb"Said{\super\chftn{\footnote\ftnalt\pard\plain By her.}} so{\*\atnid AB}{\*\atnauthor Anna}"
        rb"\chatn{\*\annotation{\*\atnref 1}Really?}.\par"
    )
    assert load_rtf(tmp_path, body).text == "Said [^e1] so [^c1].\n\n[^e1] By her.\n[^c1] Anna: Really?"


def test_heads_and_feet_of_pages_are_given_once(tmp_path: Path) -> None:
    head = rb"{\headerf\pard\plain Weir {\b Board}\tab Page \chpgn\par Mill Road 3\par}"
    foot = rb"{\footer\pard {\field{\*\fldinst PAGE}{\fldrslt 7}}\par Tax number 12\par}{\footerl Tax number 12\par}"
    text = load_rtf(tmp_path, rb"\pard We pay.\par" + head + foot).text
    assert text == "We pay.\n\nHeader: Weir Board\nHeader: Mill Road 3\nFooter: Tax number 12"
