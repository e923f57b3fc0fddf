"""Sources: PowerPoint's slides, and OpenDocument texts, as they are shown."""

from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.converting import SourceText
from tests.sources.test_sources_word import CHART, DIAGRAM
from tests.support.source_files import (
    ODF,
    RELATION,
    edit_zip,
    labelled,
    notices,
    shape,
    unzip,
    write_odt,
    write_pptx,
    write_zip,
)

pytestmark = pytest.mark.quick

_MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
_MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def text_shape(*paragraphs: str) -> str:
    return f"<p:sp><p:txBody>{''.join(f'<a:p>{each}</a:p>' for each in paragraphs)}</p:txBody></p:sp>"


def run(text: str, **properties: str) -> str:
    said = " ".join(f"{name}='{each}'" for name, each in properties.items())
    return f"<a:r><a:rPr {said}/><a:t>{text}</a:t></a:r>"


FORMULA = f"""<mc:AlternateContent {_MC}><mc:Choice><a14:m xmlns:a14='a'><m:oMath {_MATH}><m:f>
<m:num><m:r><m:t>3</m:t></m:r></m:num><m:den><m:r><m:t>4</m:t></m:r></m:den></m:f></m:oMath></a14:m></mc:Choice></mc:AlternateContent>"""


@pytest.mark.parametrize(
    "paragraphs,text",
    [
        ([run("10") + run("6", baseline="30000") + run(" and H") + run("2", baseline="-25000")], "10^6 and H_2"),
        (["<a:pPr><a:buAutoNum type='arabicPeriod'/></a:pPr>" + run(each) for each in "ab"], "1. a\n2. b"),
        (["<a:pPr><a:buAutoNum type='alphaLcParenR' startAt='3'/></a:pPr>" + run("x")], "c) x"),
        ([run("Take") + FORMULA], "Take 3/4"),
        (["<a:r><a:rPr><a:sym typeface='Wingdings'/></a:rPr><a:t>ü</a:t></a:r>" + run(" done")], "✓ done"),
    ],
)  # fmt: skip
def test_what_stands_in_a_paragraph_of_a_slide(tmp_path: Path, paragraphs: list[str], text: str) -> None:
    assert load(write_pptx(tmp_path / "a.pptx", [text_shape(*paragraphs)])).text == text


def test_what_is_struck_out_and_hidden_slides_are_said(tmp_path: Path) -> None:
    path = write_pptx(tmp_path / "a.pptx", [text_shape(run("100", strike="sngStrike") + run("200")), shape("Backup")])
    source = load(edit_zip(path, {"ppt/slides/slide1.xml": ("<p:sld ", "<p:sld show='0' ")}))
    assert source.text == "200\n\nBackup"
    assert notices(source) == [
        "left out: 1 passage that is deleted or struck out (slide 1).",
        "slide 2: not shown in the presentation, and read all the same.",
    ]


def test_charts_diagrams_and_merged_cells_of_a_slide(tmp_path: Path) -> None:
    def row(*cells: tuple[str, str]) -> str:
        inside = (f"<a:tc {merged}><a:txBody><a:p>{run(text)}</a:p></a:txBody></a:tc>" for text, merged in cells)
        return f"<a:tr>{''.join(inside)}</a:tr>"

    rows = row(("North", ""), ("x", "")) + row(("", "vMerge='1'"), ("y", ""))
    drawn = "<c:chart xmlns:c='c' r:id='c'/><dgm:relIds xmlns:dgm='d' r:dm='d'/>"
    path = write_pptx(tmp_path / "a.pptx", [f"<p:graphicFrame><a:tbl>{rows}</a:tbl>{drawn}</p:graphicFrame>"])
    links = "".join(f"<Relationship Id='{name}' Type='{RELATION}/x' Target='../{name}.xml'/>" for name in "cd")
    parts = {"ppt/slides/_rels/slide1.xml.rels": f"<Relationships>{links}</Relationships>"}
    source = load(write_zip(path, {**unzip(path), **parts, "ppt/c.xml": CHART, "ppt/d.xml": DIAGRAM}))
    assert source.text == "North | x\nNorth | y\n\nHarvest\n2023 | rye: 5\n2024 | rye: 7\nSow\nReap"


STYLES = """<s:styles xmlns:s="s" xmlns:x="x"
xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><s:style s:name="up" s:family="text">
<s:text-properties s:text-position="super 58%"/></s:style>
<s:style s:name="hid" s:family="text"><s:text-properties x:display="none"/></s:style>
<s:style s:name="out" s:family="text"><s:text-properties s:text-line-through-style="solid"/></s:style>
<s:list-style s:name="L"><s:number x:level="1" s:num-format="1" s:num-suffix="."/>
<s:number x:level="2" s:num-format="a" s:num-prefix="(" s:num-suffix=")"/></s:list-style>
<s:outline-style><s:o x:level="1" s:num-format="1"/>
<s:o x:level="2" s:num-format="1" x:display-levels="2"/></s:outline-style>
{pages}</s:styles>"""


def load_odt(path: Path, body: str, pages: str = "", **more: str) -> SourceText:
    objects = {f"{name}/content.xml": xml for name, xml in more.items()}
    members = unzip(write_odt(path, body)) | {"styles.xml": STYLES.replace("{pages}", pages)}
    return load(write_zip(path, {**members, **objects}))


def table(*rows: str) -> str:
    return f"<tb:table>{''.join(f'<tb:table-row>{row}</tb:table-row>' for row in rows)}</tb:table>"


def cell(text: str, more: str = "") -> str:
    return f"<tb:table-cell {more}><t:p>{text}</t:p></tb:table-cell>"


def test_numbers_of_opendocument(tmp_path: Path) -> None:
    def items(*inside: str, more: str = 't:style-name="L"') -> str:
        return f"<t:list {more}>{''.join(f'<t:list-item>{each}</t:list-item>' for each in inside)}</t:list>"

    headings = ((1, "Scope"), (2, "Place"), (2, "Time"), (1, "Fees"))
    body = "".join(f'<t:h t:outline-level="{level}">{text}</t:h>' for level, text in headings)
    nested = items("<t:p>under</t:p>", "<t:p>too</t:p>", more="")
    body += items(f"<t:p>one</t:p>{nested}", "<t:p>two</t:p>") + "<t:p>between</t:p>"
    body += items("<t:p>three</t:p>", more='t:style-name="L" t:continue-numbering="true"') + items("<t:p>anew</t:p>")
    assert load_odt(tmp_path / "a.odt", body).text.split("\n\n") == [
        *("1 Scope", "1.1 Place", "1.2 Time", "2 Fees"),
        *("1. one\n(a) under\n(b) too\n2. two", "between", "3. three\n1. anew"),
    ]


def test_raised_hidden_and_deleted_text_of_opendocument(tmp_path: Path) -> None:
    def styled(style: str, text: str) -> str:
        return f'<t:span t:style-name="{style}">{text}</t:span>'

    deleted = "<t:changed-region><t:deletion><t:p>100</t:p></t:deletion></t:changed-region>"
    shown = f"10{styled('up', '6')} cost {styled('out', '100')}200{styled('hid', ' secret')}"
    shown += "<t:page-number>7</t:page-number>."
    source = load_odt(tmp_path / "a.odt", f"<t:tracked-changes>{deleted}</t:tracked-changes><t:p>{shown}</t:p>")
    assert source.text == "10^6 cost 200."
    assert notices(source) == [
        "left out: 2 passages that are deleted or struck out.",
        "left out: 1 passage that is hidden and not printed.",
    ]


def test_formulas_and_fields_of_opendocument(tmp_path: Path) -> None:
    math = "<math><semantics><mfrac><mn>3</mn><mn>4</mn></mfrac><annotation>3 over 4</annotation></semantics></math>"
    body = (
        '<o:forms xmlns:f="f"><f:checkbox f:id="c" f:label="paid" f:current-state="checked"/></o:forms>'
        '<t:p>Take <d:frame><d:object h:href="./Object" xmlns:h="h"/></d:frame>cups.</t:p>'
        '<t:p><d:control d:control="c"/></t:p>'
    )
    assert load_odt(tmp_path / "a.odt", body, Object=math).text == "Take 3/4 cups.\n\n☒ paid"


def test_merged_cells_of_opendocument(tmp_path: Path) -> None:
    covered = "<tb:covered-table-cell/>"
    wide, high = cell("A", 'tb:number-columns-spanned="2"'), cell("North", 'tb:number-rows-spanned="2"')
    body = table(wide + covered + high, cell("b") + cell("c") + covered)
    assert load_odt(tmp_path / "a.odt", body).text == "A | North\nb | c | North"


def test_a_note_in_a_cell_of_opendocument_is_read_once(tmp_path: Path) -> None:
    note = "<t:note><t:note-body><t:p>In 1991.</t:p></t:note-body></t:note>"
    source = load_odt(tmp_path / "a.odt", table(cell(f"a{note}") + cell("b")))
    assert source.text == "a [^1] | b\n\n[^1] In 1991."


def test_slides_of_opendocument(tmp_path: Path) -> None:
    def slide(*frames: str, style: str = "") -> str:
        return f'<d:page d:style-name="{style}">{"".join(frames)}</d:page>'

    def frame(text: str, role: str = "outline") -> str:
        return f'<d:frame d:class="{role}"><d:text-box><t:p>{text}</t:p></d:text-box></d:frame>'

    notes = f"<d:notes>{frame('Slowly.', 'notes')}{frame('7', 'page-number')}</d:notes>"
    first = slide(frame("Fees", "title"), frame("10"), frame("Board", "footer"), notes)
    grouped = f"<d:g><d:g>{frame('deep')}</d:g></d:g><d:frame><d:image/><d:desc>A mill</d:desc></d:frame>"
    body = first + slide(grouped, table(cell("x") * 2), style="S")
    styles = '<d:style d:name="S" d:family="drawing-page"><d:properties d:visibility="hidden"/></d:style>'
    source = load(write_zip(tmp_path / "a.odp", {"content.xml": f"<o:d {ODF}>{styles}<o:body>{body}</o:body></o:d>"}))
    assert source.text == "Fees\n\n10\n\nNotes: Slowly.\n\ndeep\n\n[picture: A mill]\n\nx | x"
    assert labelled(source) == [("slide 1, Fees", "Fees\n\n10\n\nNo"), ("slide 2", "deep\n\n[pictu")]
    assert notices(source) == ["slide 2: not shown in the presentation, and read all the same."]


def test_heads_and_feet_of_opendocument_are_given_once(tmp_path: Path) -> None:
    foot = "<s:footer><t:p>Mill Road 3<t:tab/>Page <t:page-number>2</t:page-number></t:p></s:footer>"
    pages = f"<s:master-page><s:header><t:p>Weir <t:span>Board</t:span></t:p></s:header>{foot}</s:master-page>"
    source = load_odt(tmp_path / "a.odt", "<t:p>We pay.</t:p>", pages)
    assert source.text == "We pay.\n\nHeader: Weir Board\nFooter: Mill Road 3" and not source.problems
