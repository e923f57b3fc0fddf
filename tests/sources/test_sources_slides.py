"""Sources: PowerPoint's slides, and OpenDocument texts, as they are shown."""

import zipfile
from pathlib import Path

import pytest

from readgraph.sources import load
from tests.sources.test_sources_word import CHART, DIAGRAM
from tests.support.source_files import ODF, RELATION, labelled, shape, write_odt, write_pptx, write_zip

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
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name).replace(b"<p:sld ", b"<p:sld show='0' ") if name.endswith("slide1.xml") else
                   packed.read(name) for name in packed.namelist()}  # fmt: skip
    source = load(write_zip(path, members))
    assert source.text == "200\n\nBackup"
    assert source.problems == (
        f"{path}: left out: 1 passage that is deleted or struck out (slide 1).",
        f"{path}: slide 2: not shown in the presentation, and read all the same.",
    )


def test_charts_diagrams_and_merged_cells_of_a_slide(tmp_path: Path) -> None:
    def cell(text: str, merged: str = "") -> str:
        return f"<a:tc {merged}><a:txBody><a:p>{run(text)}</a:p></a:txBody></a:tc>"

    rows = cell("North") + cell("x") + "</a:tr><a:tr>" + cell("", "vMerge='1'") + cell("y")
    table = f"<a:tbl><a:tr>{rows}</a:tr></a:tbl>"
    drawn = "<c:chart xmlns:c='c' r:id='c'/><dgm:relIds xmlns:dgm='d' r:dm='d'/>"
    path = write_pptx(tmp_path / "a.pptx", [f"<p:graphicFrame>{table}{drawn}</p:graphicFrame>"])
    with zipfile.ZipFile(path) as packed:
        members: dict[str, str | bytes] = {name: packed.read(name) for name in packed.namelist()}
    links = "".join(f"<Relationship Id='{name}' Type='{RELATION}/x' Target='../{name}.xml'/>" for name in "cd")
    members |= {"ppt/slides/_rels/slide1.xml.rels": f"<Relationships>{links}</Relationships>"}
    source = load(write_zip(path, {**members, "ppt/c.xml": CHART, "ppt/d.xml": DIAGRAM}))
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


def load_odt(path: Path, body: str, pages: str = "", **more: str) -> tuple[str, tuple[str, ...]]:
    with zipfile.ZipFile(write_odt(path, body)) as packed:
        members: dict[str, str | bytes] = {name: packed.read(name) for name in packed.namelist()}
    objects = {f"{name}/content.xml": xml for name, xml in more.items()}
    source = load(write_zip(path, {**members, "styles.xml": STYLES.replace("{pages}", pages), **objects}))
    return source.text, source.problems


def test_numbers_of_opendocument(tmp_path: Path) -> None:
    def items(*inside: str) -> str:
        return "".join(f"<t:list-item>{each}</t:list-item>" for each in inside)

    nested = f"<t:p>one</t:p><t:list>{items('<t:p>under</t:p>', '<t:p>too</t:p>')}</t:list>"
    headings = ((1, "Scope"), (2, "Place"), (2, "Time"), (1, "Fees"))
    body = "".join(f'<t:h t:outline-level="{level}">{text}</t:h>' for level, text in headings)
    body += f'<t:list t:style-name="L">{items(nested, "<t:p>two</t:p>")}</t:list><t:p>between</t:p>'
    body += f'<t:list t:style-name="L" t:continue-numbering="true">{items("<t:p>three</t:p>")}</t:list>'
    body += f'<t:list t:style-name="L">{items("<t:p>anew</t:p>")}</t:list>'
    text, _ = load_odt(tmp_path / "a.odt", body)
    assert text.split("\n\n") == [
        *(
            "1 Scope",
            "1.1 Place",
            "1.2 Time",
            "2 Fees",
            "1. one\n(a) under\n(b) too\n2. two",
            "between",
            "3. three\n1. anew",
        )
    ]


def test_raised_hidden_and_deleted_text_of_opendocument(tmp_path: Path) -> None:
    body = (
        "<t:tracked-changes><t:changed-region><t:deletion><t:p>100</t:p></t:deletion></t:changed-region>"
        "</t:tracked-changes>"
        '<t:p>10<t:span t:style-name="up">6</t:span> cost <t:span t:style-name="out">100</t:span>200'
        '<t:span t:style-name="hid"> secret</t:span><t:page-number>7</t:page-number>.</t:p>'
    )
    text, problems = load_odt(tmp_path / "a.odt", body)
    assert text == "10^6 cost 200."
    assert [each.partition(": ")[2] for each in problems] == [
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
    assert load_odt(tmp_path / "a.odt", body, Object=math)[0] == "Take 3/4 cups.\n\n☒ paid"


def test_merged_cells_of_opendocument(tmp_path: Path) -> None:
    def cell(text: str, more: str = "") -> str:
        return f"<tb:table-cell {more}><t:p>{text}</t:p></tb:table-cell>"

    body = (
        "<tb:table><tb:table-row>" + cell("A", 'tb:number-columns-spanned="2"') + "<tb:covered-table-cell/>"
        + cell("North", 'tb:number-rows-spanned="2"') + "</tb:table-row><tb:table-row>" + cell("b") + cell("c")
        + "<tb:covered-table-cell/></tb:table-row></tb:table>"
    )  # fmt: skip
    assert load_odt(tmp_path / "a.odt", body)[0] == "A | North\nb | c | North"


def test_a_note_in_a_cell_of_opendocument_is_read_once(tmp_path: Path) -> None:
    note = "<t:note><t:note-body><t:p>In 1991.</t:p></t:note-body></t:note>"
    cells = "".join(f"<tb:table-cell><t:p>{text}</t:p></tb:table-cell>" for text in (f"a{note}", "b"))
    table = f"<tb:table><tb:table-row>{cells}</tb:table-row></tb:table>"
    assert load_odt(tmp_path / "a.odt", table)[0] == "a [^1] | b\n\n[^1] In 1991."


def test_slides_of_opendocument(tmp_path: Path) -> None:
    def slide(*frames: str, style: str = "") -> str:
        return f'<d:page d:style-name="{style}">{"".join(frames)}</d:page>'

    def frame(text: str, role: str = "outline") -> str:
        return f'<d:frame d:class="{role}"><d:text-box><t:p>{text}</t:p></d:text-box></d:frame>'

    notes = f"<d:notes>{frame('Slowly.', 'notes')}{frame('7', 'page-number')}</d:notes>"
    grouped = f"<d:g><d:g>{frame('deep')}</d:g></d:g><d:frame><d:image/><d:desc>A mill</d:desc></d:frame>"
    table = (
        "<tb:table><tb:table-row>" + 2 * "<tb:table-cell><t:p>x</t:p></tb:table-cell>" + "</tb:table-row></tb:table>"
    )
    body = slide(frame("Fees", "title"), frame("10"), frame("Board", "footer"), notes) + slide(
        grouped, table, style="S"
    )
    styles = '<d:style d:name="S" d:family="drawing-page"><d:properties d:visibility="hidden"/></d:style>'
    source = load(write_zip(tmp_path / "a.odp", {"content.xml": f"<o:d {ODF}>{styles}<o:body>{body}</o:body></o:d>"}))
    assert source.text == "Fees\n\n10\n\nNotes: Slowly.\n\ndeep\n\n[picture: A mill]\n\nx | x"
    assert labelled(source) == [("slide 1, Fees", "Fees\n\n10\n\nNo"), ("slide 2", "deep\n\n[pictu")]
    assert [each.partition(": ")[2] for each in source.problems] == [
        "slide 2: not shown in the presentation, and read all the same."
    ]


def test_heads_and_feet_of_opendocument_are_given_once(tmp_path: Path) -> None:
    foot = "<s:footer><t:p>Mill Road 3<t:tab/>Page <t:page-number>2</t:page-number></t:p></s:footer>"
    pages = f"<s:master-page><s:header><t:p>Weir <t:span>Board</t:span></t:p></s:header>{foot}</s:master-page>"
    text, problems = load_odt(tmp_path / "a.odt", "<t:p>We pay.</t:p>", pages)
    assert text == "We pay.\n\nHeader: Weir Board\nFooter: Mill Road 3" and not problems
