"""Sources: OpenDocument, Rich Text Format and PowerPoint."""

from pathlib import Path

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE

from readgraph.sources import load
from tests.support.source_files import ODF, labelled, shape, unzip, write_file, write_odt, write_pptx, write_zip
from tests.support.sources import assert_file_refused

pytestmark = pytest.mark.quick

ODT = """<t:tracked-changes><t:p>deleted</t:p></t:tracked-changes>
<t:h t:outline-level="1">Rivers</t:h>
<t:p>The <t:span>river</t:span><t:s t:c="999999999"/>rose<t:note><t:note-citation>1</t:note-citation><t:note-body>
<t:p>In 1991.</t:p></t:note-body></t:note> by<t:line-break/>night.<o:annotation><t:p>a remark</t:p></o:annotation></t:p>
<t:section><t:h t:outline-level="2">North</t:h></t:section>
<t:list><t:list-item><t:p>one</t:p></t:list-item><t:list-item><t:p>two</t:p></t:list-item></t:list>
<tb:table><tb:table-header-rows><tb:table-row><tb:table-cell><t:p>station</t:p></tb:table-cell><tb:table-cell>
<t:p>year</t:p></tb:table-cell></tb:table-row></tb:table-header-rows>
<tb:table-row tb:number-rows-repeated="999999999"><tb:table-cell><t:p>Lundeford</t:p></tb:table-cell>
<tb:table-cell tb:number-columns-repeated="999999999"><t:p>1991</t:p></tb:table-cell></tb:table-row></tb:table>
<t:p>Last.<d:frame><d:text-box><t:p>In a box.</t:p></d:text-box></d:frame></t:p>"""


def test_an_opendocument_text(tmp_path: Path) -> None:
    source = load(write_odt(tmp_path / "a.odt", ODT, "A report"))
    assert source.text == (
        "Rivers\n\nThe river rose [^1] by\nnight. [^c1]\n\nNorth\n\none\ntwo\n\nstation | year\nLundeford | 1991"
        "\n\nLast.\n\nIn a box.\n\n[^1] In 1991.\n[^c1] a remark"
    )
    assert source.title == "A report"
    assert labelled(source) == [
        ("§ Rivers", "Rivers\n\nThe "),
        ("§ Rivers > North", "North\n\none\nt"),
        ("footnote 1, § Rivers", "[^1] In 1991"),
        ("comment 1, § Rivers", "[^c1] a rema"),
    ]


def test_footnotes_and_endnotes_are_numbered_apart(tmp_path: Path) -> None:
    note = '<t:note t:note-class="{}"><t:note-body><t:p>{}</t:p></t:note-body></t:note>'
    notes = [note.format(*each) for each in (("endnote", "Quelle"), ("footnote", "Nebenbei"), ("endnote", "Archiv"))]
    body = "".join(f"<t:h>Teil {number}</t:h><t:p>Satz{each}.</t:p>" for number, each in enumerate(notes, 1))
    source = load(write_odt(tmp_path / "a.odt", body, "Heft"))
    assert source.text.endswith("Satz [^e2].\n\n[^e1] Quelle\n[^1] Nebenbei\n[^e2] Archiv")
    labels = [label for label, _ in labelled(source)][-3:]
    assert labels == ["endnote 1, § Teil 1", "footnote 1, § Teil 2", "endnote 2, § Teil 3"]


def test_a_damaged_opendocument_text(tmp_path: Path) -> None:
    path, invalid = tmp_path / "a.odt", "not a valid OpenDocument"
    locked = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    whole = write_odt(path, "<t:p>" + "text " * 999 + "</t:p>").read_bytes()
    assert_file_refused(write_file(path, whole[: len(whole) // 2]), invalid)
    assert_file_refused(write_file(path, "no zip"), invalid)
    assert_file_refused(write_zip(path, {"a.txt": "a"}), "lacks 'content.xml'")
    for body in ("<t:p>cut", "<t:span>" * 9_999 + "</t:span>" * 9_999):
        assert_file_refused(write_odt(path, body), invalid)
    assert_file_refused(write_odt(path, "<t:p/>"), "holds no text")
    assert_file_refused(write_odt(path, "<t:p>text</t:p>", manifest=locked), "locked by a password")


@pytest.mark.parametrize("entity", ["&outside;", "&e9;"])
def test_entities_of_a_file_are_not_expanded(tmp_path: Path, entity: str) -> None:
    secret = write_file(tmp_path / "secret.txt", "a secret")
    growing = "".join(f"<!ENTITY e{number} '{f'&e{number - 1};' * 10}'>" for number in range(1, 10))
    types = f"<!DOCTYPE x [<!ENTITY e0 'lol'><!ENTITY outside SYSTEM '{secret.as_uri()}'>{growing}]>"
    content = f"{types}<o:x {ODF}><o:body><t:p>words {entity} more</t:p></o:body></o:x>"
    path = write_zip(tmp_path / "a.odt", {"content.xml": content})
    assert_file_refused(path, "not a valid OpenDocument")


@pytest.mark.parametrize(
    "name,member",
    [
        *[("a.odt", "content.xml"), ("a.pptx", "ppt/presentation.xml"), ("a.docx", "word/document.xml")],
        ("a.epub", "META-INF/container.xml"),
    ],
)
def test_an_archive_that_would_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, member: str
) -> None:
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "1")
    path = write_zip(tmp_path / name, {member: b" " * 2_000_000})
    assert path.stat().st_size < 10_000
    assert_file_refused(path, "would unpack to more than 1 MB")


RTF = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset204 Times Cyr;}}
{\stylesheet{\s0 Normal;}{\s1\b heading 1;}{\s2\outlinelevel1 Own;}}{\*\generator Nobody;}
{\info{\title A report}{\author Nobody}}{\header\pard Page head\par}
\pard\plain\s1 Rivers\par
\pard\plain The {\b river} ro\'dfe \'93high\'94\u8212?so\~it was{\super\chftn{\footnote\pard\plain\chftn In 1991.}}
\line by night.\par
\pard\plain\s2 North\par
\pard\plain {\uc2\u-10188\'3f\'3f\u-8930\'3f\'3f} {\f1 \'cf\'ee\'e6\'e0\'f0} {\pict\pngblip 89504e47}
{\field{\*\fldinst HYPERLINK "x"}{\fldrslt a link}}\par
\trowd\cellx1\cellx2\pard\intbl station\cell year\cell\row\trowd\pard\intbl Lunde\par ford\cell 1991\cell\row
\pard Last\{\}.{\bin2 }}}{\par}}"""


def test_rich_text(tmp_path: Path) -> None:
    source = load(write_file(tmp_path / "a.rtf", RTF))
    assert source.text == (
        "Rivers\n\nThe river roße “high”—so it was [^1]\nby night.\n\nNorth\n\n𝄞 Пожар a link\n\nstation | year\n"
        "Lunde ford | 1991\n\nLast{}.\n\n[^1] In 1991.\n\nHeader: Page head"
    )
    assert source.title == "A report"
    assert labelled(source) == [
        ("§ Rivers", "Rivers\n\nThe "),
        ("§ Rivers > North", "North\n\n𝄞 Пож"),
        ("footnote 1, § Rivers", "[^1] In 1991"),
        ("page header", "Header: Page"),
    ]


@pytest.mark.parametrize(
    "text,reason",
    [
        (b"no RTF", "not a valid RTF"),
        (RTF[:700], "its end is missing"),
        (rb"{\rtf1" + b"{" * 5_000 + b"}" * 5_001, "nested too deeply"),
        (rb"{\rtf1{\fonttbl{\f0 Times;}}\par}", "holds no text"),
        (rb"{\rtf1\bin-9 \u99999999 \ansicpg77777 \uc-1 \s-1 \outlinelevel-1 \}", "its end is missing"),
    ],
)
def test_damaged_rich_text(tmp_path: Path, text: bytes, reason: str) -> None:
    assert_file_refused(write_file(tmp_path / "a.rtf", text), reason)


TABLE = "<p:graphicFrame><a:tbl><a:tr>{}{}</a:tr><a:tr>{}{}</a:tr></a:tbl></p:graphicFrame>".format(
    *(f"<a:tc><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:tc>" for cell in ("station", "year", "Lundeford", "1991"))
)


def test_a_presentation(tmp_path: Path) -> None:
    slides = [
        shape("Rivers rise", role="ctrTitle") + shape("One point", "Other point") + shape("7", role="sldNum"),
        "",
        TABLE + f"<p:grpSp>{shape('In a group')}</p:grpSp>",
    ]
    notes = {1: shape("1", role="sldNum") + shape("Say hello.", "Then stop.")}
    source = load(write_pptx(tmp_path / "a.pptx", slides, notes))
    assert source.text == (
        "Rivers rise\n\nOne point\nOther point\n\nNotes: Say hello.\n\nThen stop.\n\n"
        "station | year\nLundeford | 1991\n\nIn a group"
    )
    assert labelled(source) == [("slide 1, Rivers rise", "Rivers rise\n"), ("slide 3", "station | ye")]


def test_a_damaged_presentation(tmp_path: Path) -> None:
    path = tmp_path / "a.pptx"
    assert_file_refused(write_file(path, "no zip"), "not a valid PowerPoint")
    assert_file_refused(write_file(path, b"\xd0\xcf\x11\xe0" + b"\0" * 99), "locked by a password, or is an old .ppt")
    assert_file_refused(write_zip(path, {"a.txt": "a"}), "lacks 'ppt/presentation.xml'")
    assert_file_refused(write_pptx(path, ["<a:p>"]), "can't be read")
    assert_file_refused(write_pptx(path, [shape()]), "holds no text")
    members = unzip(write_pptx(path, [shape("text")]))
    unlinked = {name: members[name] for name in members if "/_rels/" not in name}
    assert_file_refused(write_zip(path, unlinked), "holds no text")


def test_a_table_of_contents_of_word_is_left_out(tmp_path: Path) -> None:
    document = docx.Document()
    document.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("1 The cost of the crane\t7", style="toc 1")
    document.add_heading("The cost of the crane", 1)
    document.add_paragraph("It cost 400,000 crowns.")
    document.save(str(tmp_path / "a.docx"))
    assert load(tmp_path / "a.docx").text == "The cost of the crane\n\nIt cost 400,000 crowns."
