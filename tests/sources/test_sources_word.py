"""Sources: Word documents as they are printed: Word's own numbers, changes, symbols, formulas, and what is hidden."""

from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.converting import SourceText
from tests.support.source_files import RELATION, labelled, notices, write_zip

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
    document = f"<w:document {_SPACES}><w:body>{body}</w:body></w:document>"
    members: dict[str, str | bytes] = {"word/document.xml": document}
    relations = ""
    for kind, xml in parts.items():
        name, _, ending = kind.partition("_")
        file = f"{name}.{ending or 'xml'}"
        relations += f'<Relationship Id="{name}" Type="{RELATION}/{name}" Target="{file}"/>'
        members[f"word/{file}"] = xml if ending else f"<w:{name} {_SPACES}>{xml}</w:{name}>"
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


def lists(abstract: str, nums: str = "") -> str:
    whole = f'<w:abstractNum w:abstractNumId="1">{abstract}</w:abstractNum>'
    return f'{whole}<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>{nums}'


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def cell(text: str, properties: str = "") -> str:
    inside = text if text.startswith("<") else paragraph(text)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def field(code: str, result: str | None = None) -> str:
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    shown = "" if result is None else separate + result
    return f"{begin}<w:r><w:instrText>{code}</w:instrText></w:r>{shown}{end}"


RAISED, LOWERED = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'


def moved(text: str, by: int) -> str:
    return run(text, f'<w:position w:val="{by}"/><w:sz w:val="16"/>')


@pytest.mark.parametrize(
    "runs,text",
    [
        (["10", run("6", RAISED), " people, H", run("2", LOWERED), "O"], "10^6 people, H_2O"),
        (["in 5", run("1", RAISED), "/", run("2", LOWERED)], "in 5 1/2"),
        (["10", moved("6", 8), " and H", moved("2", -2), "O"], "10^6 and H_2O"),
        (["25 m", run("2", '<w:rStyle w:val="Up"/>'), " wide"], "25 m^2 wide"),
    ],
)
def test_raised_and_lowered_text_of_word(tmp_path: Path, runs: list[str], text: str) -> None:
    styles = f'<w:style w:type="character" w:styleId="Up"><w:rPr>{RAISED}</w:rPr></w:style>'
    assert load_word(tmp_path, paragraph(*runs), styles=styles).text == text


def test_the_final_text_of_changes(tmp_path: Path) -> None:
    deleted = "<w:del><w:r><w:delText>100</w:delText></w:r></w:del>"
    body = (
        paragraph("Fee", properties='<w:outlineLvl w:val="0"/>')
        + paragraph("It costs ", deleted, f"<w:ins>{run('200')}</w:ins>", run("300", "<w:strike/>"), " crowns.")
        + paragraph("One", properties="<w:rPr><w:del/></w:rPr>")
        + paragraph(" line")
        + table("<w:trPr><w:del/></w:trPr>" + cell("x") + cell("y"), cell("a") + cell("b"))
    )
    source = load_word(tmp_path, body)
    assert source.text == "Fee\n\nIt costs 200 crowns.\n\nOne line\n\na | b"
    assert notices(source) == ["left out: 3 passages that are deleted or struck out (§ Fee)."]


def test_formulas_of_word_documents(tmp_path: Path) -> None:
    three, four = (f"<m:r><m:t>{number}</m:t></m:r>" for number in "34")
    fraction = f"<m:oMath><m:f><m:num>{three}</m:num><m:den>{four}</m:den></m:f></m:oMath>"
    body = paragraph("Take 5", fraction, "cups.") + paragraph(f"<m:oMathPara>{fraction}</m:oMathPara>")
    assert load_word(tmp_path, body).text == "Take 5 3/4 cups.\n\n3/4"
    ole = '<w:r><w:object><o:OLEObject ProgID="Equation.DSMT4"/></w:object></w:r>'
    assert notices(load_word(tmp_path, paragraph("Let ", ole))) == ["left out: 1 formula that is kept as a picture."]


def test_the_numbers_that_word_makes(tmp_path: Path) -> None:
    forms = levels(("decimal", "Article %1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"), ("upperRoman", "%4)"))
    restart = '<w:num w:numId="9"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
    restart += "</w:lvlOverride></w:num>"
    items = [("Scope", 0), ("Place", 1), ("Time", 1), ("day", 2), ("night", 2), ("Fees", 0), ("Sum", 1), ("deep", 3)]
    body = "".join(item(*each) for each in items) + item("New", 0, 9) + item("Sub", 1, 9)
    assert load_word(tmp_path, body, numbering=lists(forms, restart)).text.split("\n") == [
        *("Article 1. Scope", "1.1 Place", "1.2 Time", "(a) day", "(b) night", "Article 2. Fees", "2.1 Sum"),
        *("I) deep", "Article 5. New", "5.1 Sub"),
    ]


def test_numbers_of_headings_come_from_their_styles(tmp_path: Path) -> None:
    def style(at: int) -> str:
        number = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
        return f'<w:style w:type="paragraph" w:styleId="H{at}"><w:name w:val="heading {at}"/>{number}</w:style>'

    def heading(text: str, at: int) -> str:
        return paragraph(text, properties=f'<w:pStyle w:val="H{at}"/>')

    linked = (
        '<w:lvl w:ilvl="0"><w:numFmt w:val="upperRoman"/><w:pStyle w:val="H1"/><w:lvlText w:val="%1"/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/><w:pStyle w:val="H2"/><w:isLgl/>'
        '<w:lvlText w:val="%1.%2"/></w:lvl>'
    )
    body = heading("Scope", 1) + heading("Place", 2) + heading("Time", 2) + paragraph("text")
    source = load_word(tmp_path, body, styles=style(1) + style(2), numbering=lists(linked))
    assert source.text == "I Scope\n\n1.1 Place\n\n1.2 Time\n\ntext"
    assert labelled(source)[-1][0] == "§ I Scope > 1.2 Time"


@pytest.mark.parametrize(
    "form,number,text",
    [
        *(("lowerRoman", 4, "iv"), ("upperLetter", 28, "BB"), ("ordinal", 22, "22nd"), ("decimalZero", 7, "07")),
        *(("ordinalText", 21, "Twenty-first"), ("cardinalText", 12, "Twelve"), ("hebrew1", 15, "טו")),
        *(("chineseCounting", 12, "十二"), ("chineseCountingThousand", 105, "一百零五"), ("russianLower", 2, "б")),
        *(("thaiNumbers", 12, "๑๒"), ("decimalEnclosedCircle", 3, "③"), ("numberInDash", 3, "- 3 -")),
        *(("ganada", 2, "나"), ("unknown", 3, "3")),
    ],
)
def test_numbers_of_other_languages(tmp_path: Path, form: str, number: int, text: str) -> None:
    level = f'<w:lvl w:ilvl="0"><w:start w:val="{number}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="%1"/></w:lvl>'
    assert load_word(tmp_path, item("clause"), numbering=lists(level)).text == f"{text} clause"


def test_ticks_and_symbols(tmp_path: Path) -> None:
    def sign(font: str, code: str) -> str:
        return f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>'

    ue = run("ü", '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>')
    tick = "<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>"
    form = f'<w:r><w:fldChar w:fldCharType="begin">{tick}</w:fldChar></w:r>'
    body = paragraph(sign("Wingdings", "F0FE"), " yes ", sign("Wingdings", "F0A8"), " no ", sign("Symbol", "F061"), ue)
    source = load_word(tmp_path, body + paragraph(form, sign("Nobody", "F041")))
    assert source.text == "☑ yes □ no α✓\n\n☒"
    assert "1 sign that is not known" in source.problems[0]


def test_what_is_not_printed(tmp_path: Path) -> None:
    styles = '<w:style w:type="paragraph" w:styleId="Hid"><w:name w:val="Hid"/><w:rPr><w:vanish/></w:rPr></w:style>'
    styles += '<w:style w:type="paragraph" w:styleId="Sub"><w:basedOn w:val="Hid"/></w:style>'
    gone = paragraph("gone", run("shown", '<w:vanish w:val="0"/>'), properties='<w:pStyle w:val="Sub"/>')
    source = load_word(tmp_path, paragraph("Seen", run(" secret", "<w:vanish/>")) + gone, styles=styles)
    assert source.text == "Seen\n\nshown"
    assert notices(source) == ["left out: 2 passages that are hidden and not printed."]


def test_fields_give_their_results_and_no_page_numbers(tmp_path: Path) -> None:
    simple, opened = (
        f"<w:fldSimple w:instr='PAGE'>{run('7')}</w:fldSimple>",
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
    )
    fields = field(" PAGE ", run("7")), field(" REF x ", run(" clause 4")), simple, opened
    body = paragraph("On page", *fields) + paragraph("see page ", field(" PAGEREF x ", run("17")))
    assert load_word(tmp_path, body).text == "On page clause 4\n\nsee page 17"


@pytest.mark.parametrize(
    "code,text",
    [
        *((r" EQ \f(3;4) ", "7 3/4 cups"), (r"EQ \* jc2 \* hps10 \o\ad(\s\up 9(ma),mill)", "7 mill cups")),
        *((r"EQ \s\up5(2)", "7^2 cups"), (r"EQ \o(\s\up5(2),\s\do4(1))", "7^2_1 cups"), (r"EQ \f(1", "7 1 cups")),
        *((r"eq \o\ac(○,1)+\r(3,x)", "7(1)+∛(x) cups"), (r"EQ \i\su(i=1,n,i)", "7∑_{i=1}^n i cups")),
        *((r"EQ \b\lc\{(\a\al(x=1,y=2))", "7{x=1, y=2 cups"), (r"EQ 3\,5\f(1,f(x,y))", "7 3,5 1/(f(x,y)) cups")),
    ],
)
def test_formulas_that_are_fields(tmp_path: Path, code: str, text: str) -> None:
    assert load_word(tmp_path, paragraph("7", field(code), " cups")).text == text


def test_comments_stand_with_the_notes(tmp_path: Path) -> None:
    comments = f'<w:comment w:id="0" w:author="Anna">{paragraph("Too much?")}</w:comment>'
    body = paragraph("It costs 200", '<w:r><w:commentReference w:id="0"/></w:r>')
    source = load_word(tmp_path, body, comments=comments)
    assert source.text == "It costs 200 [^c1]\n\n[^c1] Anna: Too much?"
    assert labelled(source) == [("comment 1", "[^c1] Anna: ")]


def test_a_text_box_is_read_once_also_in_a_cell(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    both = (
        f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert load_word(tmp_path, paragraph("text", both)).text == "text\n\nboxed"
    assert load_word(tmp_path, table(cell(paragraph("cell", both)) + cell("other"))).text == "cell boxed | other"


def test_deleted_and_merged_cells_of_word(tmp_path: Path) -> None:
    deleted = table(cell("a") + cell("gone", "<w:cellDel/>") + cell("b"))
    assert load_word(tmp_path, deleted).text == "a | b"
    first = cell("A", "<w:gridSpan w:val='2'/>") + cell("North", "<w:vMerge w:val='restart'/>")
    merged = table(first, cell("b") + cell("c") + cell("", "<w:vMerge/>"))
    assert load_word(tmp_path, merged).text == "A | North\nb | c | North"
    shifted = table(cell("a") + cell("b"), "<w:trPr><w:gridBefore w:val='1'/></w:trPr>" + cell("c"))
    assert load_word(tmp_path, shifted).text == "a | b\n | c"


CHART = f"""<c:chartSpace {_SPACES}><c:title><a:t>Harvest</a:t></c:title>
<c:ser><c:tx><c:v>rye</c:v></c:tx><c:cat><c:pt idx="0">
<c:v>2023</c:v></c:pt><c:pt idx="1"><c:v>2024</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>5</c:v></c:pt>
<c:pt idx="1"><c:v>7</c:v></c:pt></c:val></c:ser></c:chartSpace>"""
DIAGRAM = f"""<dgm:dataModel {_SPACES}><dgm:pt><dgm:t><a:p><a:r><a:t>Sow</a:t></a:r></a:p></dgm:t></dgm:pt>
<dgm:pt type="pres"/><dgm:pt><dgm:t><a:p><a:r><a:t>Reap</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>"""


def test_charts_and_diagrams(tmp_path: Path) -> None:
    drawings = "<w:r><w:drawing><c:chart r:id='chart'/><dgm:relIds r:dm='diagramData'/></w:drawing></w:r>"
    source = load_word(tmp_path, paragraph("See", drawings), chart_xml=CHART, diagramData_xml=DIAGRAM)
    assert source.text == "See\n\nHarvest\n2023 | rye: 5\n2024 | rye: 7\nSow\nReap"


def test_a_file_that_is_inserted_as_a_part(tmp_path: Path) -> None:
    body, page = paragraph("Before") + '<w:altChunk r:id="aFChunk"/>', "<html><body><p>From a page</p></body></html>"
    mail = f"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n{page}\n--b--\n"
    for part in ({"aFChunk_html": page}, {"aFChunk_mht": mail}):
        assert load_word(tmp_path, body, **part).text == "Before\n\nFrom a page"


def test_strict_open_xml(tmp_path: Path) -> None:
    strict = "http://purl.oclc.org/ooxml"

    def relation(kind: str, target: str) -> str:
        link = f'Type="{strict}/officeDocument/relationships/{kind}" Target="{target}"'
        return f'<Relationships><Relationship Id="r" {link}/></Relationships>'

    def part(name: str, inside: str) -> str:
        return f'<w:{name} xmlns:w="{strict}/wordprocessingml/main">{inside}</w:{name}>'

    members = {
        "_rels/.rels": relation("officeDocument", "word/document2.xml"),
        "word/document2.xml": part("document", f"<w:body>{item('words')}</w:body>"),
        "word/_rels/document2.xml.rels": relation("numbering", "/word/numbering.xml"),
        "word/numbering.xml": part("numbering", lists(levels(("decimal", "%1.")))),
    }
    assert load(write_zip(tmp_path / "a.docx", members)).text == "1. words"


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
