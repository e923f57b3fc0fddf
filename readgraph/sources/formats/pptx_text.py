"""PowerPoint presentations as plain text: the words of each slide and its notes; places are the slides."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from readgraph.sources.converting import ITEM, PARAGRAPH, Blocks, Converted, on_a_line, require_text
from readgraph.sources.formats.html_seen import describe_image
from readgraph.sources.formats.numerals import write_numeral
from readgraph.sources.formats.office_text import DELETED
from readgraph.sources.formats.open_xml import PROPERTIES, Package, Relation, child, value
from readgraph.sources.formats.symbol_fonts import is_symbol_font, signs_of
from readgraph.sources.left_out import LeftOut
from readgraph.sources.linear_math import linear_math
from readgraph.sources.parsing import elements_named, local_name
from readgraph.sources.places import Place, order_places, shorten_label
from readgraph.sources.raised_text import LOWERED, RAISED, join_runs

if TYPE_CHECKING:
    from lxml.etree import _Element

_PRESENTATION = "ppt/presentation.xml"
_TITLES = frozenset(("title", "ctrTitle"))
_FURNITURE = frozenset(("dt", "ftr", "sldNum", "hdr"))  # date, footer, slide number, header: the same on every slide
_DRAWN = frozenset(("chart", "relids"))
_TITLE = "title"
_FORMS = {"arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman"}
_FORMS |= {"romanUc": "upperRoman", "circleNumDb": "decimalEnclosedCircle", "ea1Chs": "chineseCounting"}
_FORMS |= {"ea1Cht": "chineseCounting", "thaiAlpha": "thaiLetters", "thaiNum": "thaiNumbers", "hebrew2": "hebrew2"}
_SURROUNDED = {"ParenBoth": "({})", "ParenR": "{})", "Period": "{}.", "Minus": "{}-"}
Block = tuple[str, str]  # text and kind


def convert(data: bytes, name: str) -> Converted:
    """The text of the slides in their order: title, text, rows of tables, and the speaker's notes after "Notes:".

    A place is a slide, with its title ("slide 3, Results"). Hidden slides are read, and named in a notice. Raises
    `BadInput` if the file can't be opened.
    """
    package = Package.open(data, name, "PowerPoint", ".pptx")
    blocks, left_out = Blocks(), LeftOut()
    places, hidden = list[Place](), list[str]()
    for number, part in enumerate(_slides(package), 1):
        slide = Drawing(package, part)
        parts = [*slide.blocks(), *_notes(package, part)]
        title = next((text for text, kind in parts if kind == _TITLE), "")
        label = f"slide {number}, {shorten_label(title)}" if title else f"slide {number}"
        starts = [blocks.add(text, PARAGRAPH if kind == _TITLE else kind) for text, kind in parts]
        places += [Place(start, label) for start in starts[:1]]
        hidden += [f"slide {number}"] * slide.is_hidden
        for thing in slide.left_out:
            left_out.add(thing, f"slide {number}")
    problems = (*left_out.problems(name), *hidden_slides_notice(name, hidden))
    text, title = require_text(blocks.text(), name), package.archive.title(PROPERTIES)
    title = "" if title == "PowerPoint Presentation" else title  # what the program writes where nobody named it
    return Converted(text, order_places(places), title, problems)


def hidden_slides_notice(name: str, hidden: Sequence[str]) -> list[str]:
    """The notice on slides that are hidden."""
    said = f"{name}: {', '.join(hidden)}: not shown in the presentation, and read all the same."
    return [said] if hidden else []


def _slides(package: Package) -> Iterator[str]:
    """The parts of the slides, in the order in which they are shown."""
    main = package.main_part(_PRESENTATION)
    relations = package.relations(main)
    for slide in elements_named(package.root(main), "sldid"):
        identity = next((text for key, text in slide.attrib.items() if key.endswith("}id")), "")
        if part := relations.get(identity, Relation("", "")).part:
            yield part


def _notes(package: Package, slide: str) -> Iterator[Block]:
    """The speaker's notes and the comments of a slide."""
    for part in package.related(slide, "notesSlide"):
        said = (text for text, kind in Drawing(package, part).blocks() if kind != _TITLE)
        yield from ((text if at else f"Notes: {text}", PARAGRAPH) for at, text in enumerate(said))
    for relation in package.relations(slide).values():
        if relation.kind == "comments" and relation.part:
            for comment in elements_named(package.root(relation.part), "cm"):
                texts = (
                    "".join(element.itertext()) for name in ("text", "t") for element in elements_named(comment, name)
                )
                if text := on_a_line(" ".join(texts)):
                    yield f"Comment: {text}", PARAGRAPH


class Drawing:
    """The shapes of a slide, of the page of its notes, or of a sheet of a workbook."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._relations = package.relations(part)
        self._root = package.root(part)
        self.is_hidden = value(self._root, "show", "1") in ("0", "false")
        self.left_out: list[str] = []
        self._tables = 0

    def blocks(self) -> Iterator[Block]:
        """The blocks of the shapes and tables in their order, each with its kind."""
        yield from self._blocks_in(self._root)

    def _blocks_in(self, container: "_Element") -> Iterator[Block]:
        for element in container:
            name = local_name(element.tag)
            if name == "sp":
                yield from self._shape(element)
            elif name == "tbl":
                yield from self._table(element)
            elif name == "pic":
                said = describe_image({"alt": value(child(element, "nvPicPr", "cNvPr"), "descr")}).strip()
                yield from [(said, PARAGRAPH)] if said else []
            elif name in _DRAWN:
                drawn = self._package.drawn_lines(element, self._relations)
                yield from ((line, "lines of a drawing") for line in drawn)
            elif name == "alternatecontent":
                choices = [each for each in element if local_name(each.tag) == "choice"]
                usual = [each for each in element if local_name(each.tag) == "fallback"]
                yield from next(filter(None, ([*self._blocks_in(each)] for each in [*choices, *usual])), [])
            elif name and name not in ("timing", "extlst"):
                yield from self._blocks_in(element)

    def _table(self, table: "_Element") -> Iterator[Block]:
        self._tables += 1
        above: dict[int, str] = {}
        for row in (element for element in table if local_name(element.tag) == "tr"):
            texts: dict[int, str] = {}
            for at, cell in enumerate(element for element in row if local_name(element.tag) == "tc"):
                if value(cell, "vMerge") in ("1", "true"):
                    texts[at] = above.get(at, "")
                elif value(cell, "hMerge") not in ("1", "true"):
                    texts[at] = " ".join(filter(None, map(self._text, elements_named(cell, "p"))))
            above = texts
            if any(texts.values()):
                yield " | ".join(texts.values()), f"rows of table {self._tables}"

    def _shape(self, shape: "_Element") -> Iterator[Block]:
        placeholder = child(shape, "nvSpPr", "nvPr", "ph")
        role = "" if placeholder is None else value(placeholder, "type", "obj")
        if role in _FURNITURE:
            return
        texts, counts = list[str](), dict[str, int]()
        for paragraph in elements_named(shape, "p"):
            if text := self._text(paragraph):
                texts.append(f"{_number(paragraph, counts)}{text}")
        if role in _TITLES and texts:
            yield " ".join(texts), _TITLE
        else:
            yield from ((text, ITEM if len(texts) > 1 else PARAGRAPH) for text in texts)

    def _text(self, paragraph: "_Element") -> str:
        return on_a_line(join_runs(self._runs(paragraph)))

    def _runs(self, container: "_Element") -> Iterator[tuple[str, str]]:
        for element in container:
            name = local_name(element.tag)
            if name in ("r", "fld") and value(element, "type") != "slidenum":
                yield self._run(element)
            elif name in ("br", "tab"):
                yield " ", ""
            elif name in ("omath", "omathpara"):
                yield f" {linear_math(element)} ", ""
            elif name in ("m", "alternatecontent", "choice"):
                yield from self._runs(element)

    def _run(self, run: "_Element") -> tuple[str, str]:
        properties = child(run, "rPr")
        text = "".join(element.text or "" for element in run if local_name(element.tag) == "t")
        if value(properties, "strike", "noStrike") != "noStrike" and text.strip():
            self.left_out.append(DELETED)
            return "", ""
        fonts = [value(child(properties, name), "typeface") for name in ("sym", "latin")]
        for font in filter(is_symbol_font, fonts):
            text = signs_of(font, text)
        raised = value(properties, "baseline", "0").rstrip("%")
        return text, "" if raised in ("0", "-0") else LOWERED if raised.startswith("-") else RAISED


def _number(paragraph: "_Element", counts: dict[str, int]) -> str:
    """The number before a paragraph that PowerPoint makes: "2. "; counted on in `counts`."""
    properties = child(paragraph, "pPr")
    level, automatic = value(properties, "lvl", "0"), child(properties, "buAutoNum")
    for below in [count for count in counts if count > level or (count == level and automatic is None)]:
        del counts[below]
    if automatic is None:
        return ""
    start, kind = value(automatic, "startAt", "1"), value(automatic, "type", "arabicPeriod")
    counts[level] = counts[level] + 1 if level in counts else int(start) if start.isdecimal() else 1
    form = next((form for begin, form in _FORMS.items() if kind.startswith(begin)), "decimal")
    around = next((around for end, around in _SURROUNDED.items() if kind.endswith(end)), "{}")
    return f"{around.format(write_numeral(counts[level], form))} "
