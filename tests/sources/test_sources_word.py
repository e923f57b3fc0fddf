"""Sources: Word documents as they are printed: Word's own numbers, changes, symbols, formulas, and what is hidden."""

from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.converting import SourceText
from tests.support.source_files import RELATION, labelled, write_zip

pytestmark = pytest.mark.quick

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SPACES = " ".join(
    [f'xmlns:w="{_W}" xmlns:r="{RELATION}" xmlns:v="urn:v" xmlns:o="urn:o"']
    + [f'xmlns:{short}="http://schemas.openxmlformats.org/{name}"' for short, name in (
        ("m", "officeDocument/2006/math"), ("mc", "markup-compatibility/2006"), ("a", "drawingml/2006/main"),
        ("c", "drawingml/2006/chart"), ("dgm", "drawingml/2006/diagram"))]
)  # fmt: skip


def load_word(folder: Path, body: str, **parts: str) -> SourceText:
    """A Word document with this XML as its body; other keywords are parts (`styles`, `numbering`, `comments`)."""
    members: dict[str, str | bytes] = {
        "word/document.xml": f"<w:document {_SPACES}><w:body>{body}</w:body></w:document>"
    }
    relations = ""
    for kind, xml in parts.items():
        name, _, ending = kind.partition("_")
        relations += f'<Relationship Id="{name}" Type="{RELATION}/{name}" Target="{name}.{ending or "xml"}"/>'
        members[f"word/{name}.{ending or 'xml'}"] = xml if ending else f"<w:{name} {_SPACES}>{xml}</w:{name}>"
    members["word/_rels/document.xml.rels"] = f"<Relationships>{relations}</Relationships>"
    return load(write_zip(folder / "a.docx", members))


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*inside: str, properties: str = "") -> str:
    runs = "".join(each if each.startswith("<") else run(each) for each in inside)
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"


def item(text: str, level: int = 0, number: int = 1) -> str:
    return paragraph(text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def levels(*forms: tuple[str, str]) -> str:
    return "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, (form, text) in enumerate(forms)
    )


def lists(*abstract: str, nums: str = "") -> str:
    whole = "".join(
        f'<w:abstractNum w:abstractNumId="{at}">{each}</w:abstractNum>' for at, each in enumerate(abstract, 1)
    )
    named = "".join(
        f'<w:num w:numId="{at}"><w:abstractNumId w:val="{at}"/></w:num>' for at in range(1, len(abstract) + 1)
    )
    return whole + named + nums


RAISED, LOWERED = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'


def test_raised_and_lowered_text_of_word(tmp_path: Path) -> None:
    body = paragraph(
        "10", run("6", RAISED), " people, H", run("2", LOWERED), "O, 5", run("1", RAISED), "/", run("2", LOWERED)
    )
    assert load_word(tmp_path, body).text == "10^6 people, H_2O, 5 1/2"


def test_text_that_is_moved_up_or_down(tmp_path: Path) -> None:
    moved = [run(text, f'<w:position w:val="{by}"/><w:sz w:val="16"/>') for text, by in (("6", 8), ("2", -2))]
    assert load_word(tmp_path, paragraph("10", moved[0], " and H", moved[1], "O")).text == "10^6 and H_2O"


def test_heights_of_styles(tmp_path: Path) -> None:
    styles = f'<w:style w:type="character" w:styleId="Up"><w:rPr>{RAISED}</w:rPr></w:style>'
    source = load_word(tmp_path, paragraph("25 m", run("2", '<w:rStyle w:val="Up"/>'), " wide"), styles=styles)
    assert source.text == "25 m^2 wide"


def test_the_final_text_of_changes(tmp_path: Path) -> None:
    deleted = "<w:del><w:r><w:delText>100</w:delText></w:r></w:del>"
    body = (
        paragraph("Fee", properties='<w:outlineLvl w:val="0"/>')
        + paragraph("It costs ", deleted, f"<w:ins>{run('200')}</w:ins>", run("300", "<w:strike/>"), " crowns.")
        + paragraph("One", properties="<w:rPr><w:del/></w:rPr>")
        + paragraph(" line")
        + f"<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>{paragraph('x')}</w:tc><w:tc>{paragraph('y')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{paragraph('a')}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>"
    )
    source = load_word(tmp_path, body)
    assert source.text == "Fee\n\nIt costs 200 crowns.\n\nOne line\n\na | b"
    said = "3 passages that are deleted or struck out (§ Fee)."
    assert source.problems == (f"{tmp_path / 'a.docx'}: left out: {said}",)


def test_formulas_of_word_documents(tmp_path: Path) -> None:
    fraction = (
        "<m:oMath><m:f><m:num><m:r><m:t>3</m:t></m:r></m:num><m:den><m:r><m:t>4</m:t></m:r></m:den></m:f></m:oMath>"
    )
    body = paragraph("Take 5", fraction, "cups.") + paragraph(f"<m:oMathPara>{fraction}</m:oMathPara>")
    assert load_word(tmp_path, body).text == "Take 5 3/4 cups.\n\n3/4"
    ole = '<w:r><w:object><o:OLEObject ProgID="Equation.DSMT4"/></w:object></w:r>'
    source = load_word(tmp_path, paragraph("Let ", ole))
    assert source.problems == (f"{tmp_path / 'a.docx'}: left out: 1 formula that is kept as a picture.",)


def test_the_numbers_that_word_makes(tmp_path: Path) -> None:
    forms = levels(("decimal", "Article %1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"), ("upperRoman", "%4)"))
    restart = '<w:num w:numId="9"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
    restart += "</w:lvlOverride></w:num>"
    body = (
        item("Scope") + item("Place", 1) + item("Time", 1) + item("day", 2) + item("night", 2) + item("Fees")
        + item("Sum", 1) + item("deep", 3) + item("New", 0, 9) + item("Sub", 1, 9)
    )  # fmt: skip
    source = load_word(tmp_path, body, numbering=lists(forms, nums=restart))
    assert source.text.split("\n") == [
        *("Article 1. Scope", "1.1 Place", "1.2 Time", "(a) day", "(b) night", "Article 2. Fees", "2.1 Sum"),
        *("I) deep", "Article 5. New", "5.1 Sub"),
    ]


def test_numbers_of_headings_come_from_their_styles(tmp_path: Path) -> None:
    linked = (
        '<w:lvl w:ilvl="0"><w:numFmt w:val="upperRoman"/><w:pStyle w:val="H1"/><w:lvlText w:val="%1"/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/><w:pStyle w:val="H2"/><w:isLgl/>'
        '<w:lvlText w:val="%1.%2"/></w:lvl>'
    )
    number = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="H{at}"><w:name w:val="heading {at}"/>{number}</w:style>'
        for at in (1, 2)
    )
    body = "".join(
        paragraph(text, properties=f'<w:pStyle w:val="H{at}"/>')
        for at, text in ((1, "Scope"), (2, "Place"), (2, "Time"))
    )
    source = load_word(tmp_path, body + paragraph("text"), styles=styles, numbering=lists(linked))
    assert source.text == "I Scope\n\n1.1 Place\n\n1.2 Time\n\ntext"
    assert labelled(source)[-1][0] == "§ I Scope > 1.2 Time"


@pytest.mark.parametrize(
    "form,number,text",
    [
        *(
            ("lowerRoman", 4, "iv"),
            ("upperLetter", 28, "BB"),
            ("ordinal", 22, "22nd"),
            ("ordinalText", 21, "Twenty-first"),
        ),
        *(
            ("cardinalText", 12, "Twelve"),
            ("decimalZero", 7, "07"),
            ("chineseCounting", 12, "十二"),
            ("hebrew1", 15, "טו"),
        ),
        *(("chineseCountingThousand", 105, "一百零五"), ("russianLower", 2, "б"), ("thaiNumbers", 12, "๑๒")),
        *(("decimalEnclosedCircle", 3, "③"), ("numberInDash", 3, "- 3 -"), ("ganada", 2, "나"), ("unknown", 3, "3")),
    ],
)
def test_numbers_of_other_languages(tmp_path: Path, form: str, number: int, text: str) -> None:
    level = f'<w:lvl w:ilvl="0"><w:start w:val="{number}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="%1"/></w:lvl>'
    assert load_word(tmp_path, item("clause"), numbering=lists(level)).text == f"{text} clause"


def test_ticks_and_symbols(tmp_path: Path) -> None:
    def sign(font: str, code: str) -> str:
        return f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>'

    fonts = '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>'
    tick = "<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>"
    form = f'<w:r><w:fldChar w:fldCharType="begin">{tick}</w:fldChar></w:r>'
    body = paragraph(
        *(
            sign("Wingdings", "F0FE"),
            " yes ",
            sign("Wingdings", "F0A8"),
            " no ",
            sign("Symbol", "F061"),
            run("ü", fonts),
        ),
        *(form, sign("Nobody", "F041")),
    )
    source = load_word(tmp_path, body)
    assert source.text == "☑ yes □ no α✓☒"
    assert "1 sign that is not known" in source.problems[0]


def test_what_is_not_printed(tmp_path: Path) -> None:
    styles = '<w:style w:type="paragraph" w:styleId="Hid"><w:name w:val="Hid"/><w:rPr><w:vanish/></w:rPr></w:style>'
    styles += '<w:style w:type="paragraph" w:styleId="Sub"><w:basedOn w:val="Hid"/></w:style>'
    shown = run("shown", '<w:vanish w:val="0"/>')
    body = paragraph("Seen", run(" secret", "<w:vanish/>")) + paragraph(
        "gone", shown, properties='<w:pStyle w:val="Sub"/>'
    )
    source = load_word(tmp_path, body, styles=styles)
    assert source.text == "Seen\n\nshown"
    assert source.problems == (f"{tmp_path / 'a.docx'}: left out: 2 passages that are hidden and not printed.",)


def test_fields_give_their_results_and_no_page_numbers(tmp_path: Path) -> None:
    def field(code: str, result: str) -> str:
        return (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>'
            f'{code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>{result}'
            '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )

    simple, opened = "<w:fldSimple w:instr='PAGE'>{}</w:fldSimple>", '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    fields = field(" PAGE ", run("7")), field(" REF x ", run(" clause 4")), simple.format(run("7")), opened
    body = paragraph("On page", *fields) + paragraph("see page ", field(" PAGEREF x ", run("17")))
    assert load_word(tmp_path, body).text == "On page clause 4\n\nsee page 17"


@pytest.mark.parametrize(
    "code,text",
    [
        (r" EQ \f(3;4) ", "7 3/4 cups"),
        (r"EQ \* jc2 \* hps10 \o\ad(\s\up 9(ma),mill)", "7 mill cups"),
        (r"EQ \s\up5(2)", "7^2 cups"),
        (r"EQ \o(\s\up5(2),\s\do4(1))", "7^2_1 cups"),
        (r"eq \o\ac(○,1)+\r(3,x)", "7(1)+∛(x) cups"),
        (r"EQ \i\su(i=1,n,i)", "7∑_{i=1}^n i cups"),
        (r"EQ \b\lc\{(\a\al(x=1,y=2))", "7{x=1, y=2 cups"),
        (r"EQ 3\,5\f(1,f(x,y))", "7 3,5 1/(f(x,y)) cups"),
        (r"EQ \f(1", "7 1 cups"),
    ],
)
def test_formulas_that_are_fields(tmp_path: Path, code: str, text: str) -> None:
    begin, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "end"))
    field = f"{begin}<w:r><w:instrText>{code}</w:instrText></w:r>{end}"
    assert load_word(tmp_path, paragraph("7", field, " cups")).text == text


def test_comments_stand_with_the_notes(tmp_path: Path) -> None:
    comments = f'<w:comment w:id="0" w:author="Anna">{paragraph("Too much?")}</w:comment>'
    source = load_word(
        tmp_path, paragraph("It costs 200", '<w:r><w:commentReference w:id="0"/></w:r>'), comments=comments
    )
    assert source.text == "It costs 200 [^c1]\n\n[^c1] Anna: Too much?"
    assert labelled(source) == [("comment 1", "[^c1] Anna: ")]


def test_a_text_box_is_read_once_also_in_a_cell(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    both = (
        f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert load_word(tmp_path, paragraph("text", both)).text == "text\n\nboxed"
    table = f"<w:tbl><w:tr><w:tc>{paragraph('cell', both)}</w:tc><w:tc>{paragraph('other')}</w:tc></w:tr></w:tbl>"
    assert load_word(tmp_path, table).text == "cell boxed | other"


def test_a_cell_that_is_deleted(tmp_path: Path) -> None:
    cells = f"<w:tc>{paragraph('a')}</w:tc><w:tc><w:tcPr><w:cellDel/></w:tcPr>{paragraph('gone')}</w:tc>"
    table = f"<w:tbl><w:tr>{cells}<w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>"
    assert load_word(tmp_path, table).text == "a | b"


def test_merged_cells_of_word(tmp_path: Path) -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    first = cell("A", "<w:gridSpan w:val='2'/>") + cell("North", "<w:vMerge w:val='restart'/>")
    table = f"<w:tbl><w:tr>{first}</w:tr><w:tr>{cell('b')}{cell('c')}{cell('', '<w:vMerge/>')}</w:tr></w:tbl>"
    assert load_word(tmp_path, table).text == "A | North\nb | c | North"


CHART = f"""<c:chartSpace {_SPACES}><c:title><a:t>Harvest</a:t></c:title>
<c:ser><c:tx><c:v>rye</c:v></c:tx><c:cat><c:pt idx="0">
<c:v>2023</c:v></c:pt><c:pt idx="1"><c:v>2024</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>5</c:v></c:pt>
<c:pt idx="1"><c:v>7</c:v></c:pt></c:val></c:ser></c:chartSpace>"""
DIAGRAM = f"""<dgm:dataModel {_SPACES}><dgm:pt><dgm:t><a:p><a:r><a:t>Sow</a:t></a:r></a:p></dgm:t></dgm:pt>
<dgm:pt type="pres"/><dgm:pt><dgm:t><a:p><a:r><a:t>Reap</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>"""


def test_charts_and_diagrams(tmp_path: Path) -> None:
    drawings = "<w:r><w:drawing><c:chart r:id='chart'/><dgm:relIds r:dm='diagramData'/></w:drawing></w:r>"
    parts = {"chart_xml": CHART, "diagramData_xml": DIAGRAM}
    source = load_word(tmp_path, paragraph("See", drawings), **parts)
    assert source.text == "See\n\nHarvest\n2023 | rye: 5\n2024 | rye: 7\nSow\nReap"


def test_a_file_that_is_inserted_as_a_part(tmp_path: Path) -> None:
    page = "<html><body><p>From a page</p></body></html>"
    source = load_word(tmp_path, paragraph("Before") + '<w:altChunk r:id="aFChunk"/>', aFChunk_html=page)
    assert source.text == "Before\n\nFrom a page"
    mail = f"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n{page}\n--b--\n"
    source = load_word(tmp_path, paragraph("Before") + '<w:altChunk r:id="aFChunk"/>', aFChunk_mht=mail)
    assert source.text == "Before\n\nFrom a page"


def test_strict_open_xml(tmp_path: Path) -> None:
    strict = "http://purl.oclc.org/ooxml"
    document = f'<w:document xmlns:w="{strict}/wordprocessingml/main"><w:body>{item("words")}</w:body></w:document>'
    numbering = (
        f'<w:numbering xmlns:w="{strict}/wordprocessingml/main">{lists(levels(("decimal", "%1.")))}</w:numbering>'
    )
    relations = (
        f'<Relationships><Relationship Id="n" Type="{strict}/officeDocument/relationships/numbering"'
        ' Target="/word/numbering.xml"/></Relationships>'
    )
    root = (
        f'<Relationships><Relationship Id="d" Type="{strict}/officeDocument/relationships/officeDocument"'
        ' Target="word/document2.xml"/></Relationships>'
    )
    members = {"word/document2.xml": document, "word/_rels/document2.xml.rels": relations, "_rels/.rels": root}
    assert load(write_zip(tmp_path / "a.docx", {**members, "word/numbering.xml": numbering})).text == "1. words"


def test_the_small_signs_of_word(tmp_path: Path) -> None:
    inside = "<w:r><w:t>co</w:t><w:softHyphen/><w:t>op</w:t><w:noBreakHyphen/><w:t>ed</w:t><w:tab/><w:t>tab</w:t></w:r>"
    ruby = f"<w:r><w:ruby><w:rt>{run('とう')}</w:rt><w:rubyBase>{run('東')}</w:rubyBase></w:ruby></w:r>"
    control = f"<w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent>{run('chosen')}</w:sdtContent></w:sdt>"
    assert load_word(tmp_path, paragraph(inside, ruby, " ", control)).text == "coop-ed tab東 chosen"


def test_heads_and_feet_of_pages_are_given_once(tmp_path: Path) -> None:
    page = '<w:fldSimple w:instr=" PAGE "><w:r><w:t>3</w:t></w:r></w:fldSimple>'
    head = paragraph(run("Weir Board", "") + "<w:r><w:tab/></w:r>" + run("Page ") + page) + paragraph("Fees 2024")
    source = load_word(tmp_path, paragraph("Fees 2024") + paragraph("We pay."), header=head, footer=paragraph(page))
    assert source.text == "Fees 2024\n\nWe pay.\n\nHeader: Weir Board" and not source.problems
    assert labelled(source)[-1] == ("page header", "Header: Weir")
