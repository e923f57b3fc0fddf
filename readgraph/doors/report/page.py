"""The reading report: its data, and one HTML page that needs nothing else, no network and no other file.

The data, plain JSON values, is the contract between Python and the page's script. It goes in as JSON that holds no
character which HTML minds, and the script puts it in as text nodes only, so what a document says is never markup. The
Content-Security-Policy allows this style and this script, by their hashes, and no connection.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, NotRequired

from typing_extensions import TypedDict

import readgraph
from readgraph.doors.report import MARK
from readgraph.doors.report.structure import HeadingBlock, TableBlock, heading_lines, structure_of
from readgraph.library.documents import names_at
from readgraph.library.notices import notices_of
from readgraph.library.page_store import PageStore
from readgraph.state.reading import Question
from readgraph.state.records import CollectionPart, Document, Memory, Page
from readgraph.state.summary_tree import TreeShape, is_leaf, node_id

__all__ = ["render", "report_of_answer"]

MOST_CHARACTERS = 2_000_000  # of a document whose whole text goes into the report; of longer ones, what is needed
MOST_SENT = 200  # pages that all go to the reading room with a report; of more, it asks for those that it shows


class ReportPage(TypedDict):
    """A page: its character span `[start, end)`, its note, and its text unless that is left out.

    `place` says in the source's own terms where it begins; `fallback`: the model gave no usable note; `corrected`: the
    user wrote it. `blocks` are the headings and tables in the text, in their order.
    """

    start: int
    end: int
    words: int
    place: str | None
    header: str
    note: str | None
    fallback: bool
    corrected: bool
    text: str | None
    blocks: list[HeadingBlock | TableBlock]


class ReportPart(TypedDict):
    """A document of a collection, the offset where it begins, and where its source can be opened (None: nowhere)."""

    title: str
    start: int
    link: str | None


class ReportNode(TypedDict):
    """A node above the pages: the pages `[first, last]` below it, its children, its text ("" if it has none yet)."""

    first: int
    last: int
    children: list[str]
    text: str


class ReportTree(TypedDict):
    """A tree of summaries; a child "0.13" that is no node is the leaf of page 13. `headings`: in a tree of sections."""

    root: str
    nodes: dict[str, ReportNode]
    headings: dict[str, str]


class ReportData(TypedDict):
    """All data of the page. `note` is the method's word for the note of a page, `link` where its source can be opened.

    `purpose` is what notes are for, or ""; `notices` say what the text lacks. `method` is the method that answered, if
    `found` names it, else the one that built the memory. `found` is the output of the graph that answered, with `cost`
    in dollars if it is known; None without a question. `numbers` are those of the pages where they are not all.
    """

    title: str
    link: str | None
    words: int
    characters: int
    read_to: int
    method: str
    model: str
    purpose: str
    note: str
    notices: list[str]
    parts: list[ReportPart]
    pages: list[ReportPage]
    numbers: NotRequired[list[int]]
    tree: ReportTree | None
    question: str
    options: list[str]
    found: dict[str, Any] | None


Links = Mapping[str, str]  # by the ids of documents, where their sources are: an address, or a path from the report


async def report_of_document(
    store: PageStore,
    document: Document,
    memory: Memory,
    note: str,
    links: Links | None = None,
    *,
    can_ask: bool = False,
) -> ReportData:
    """The report of a memory without a question; of a long document, it has the texts of the first pages.

    `can_ask`: for a page that can ask for more, which gets the first page alone of a memory of many.
    """
    if can_ask and sends_some(memory):
        pages = await store.pages(memory.id, [0])
        data = await _collect_report(store, document, memory, note, pages, [0], links or {})
        return {**data, "numbers": [0]}
    pages = await store.pages(memory.id, range(memory.pages))
    first = [page.number for page in pages if page.end <= MOST_CHARACTERS]
    return await _collect_report(store, document, memory, note, pages, first, links or {})


async def report_of_answer(
    store: PageStore,
    asked: Question,
    found: Mapping[str, Any],
    note: str,
    links: Links | None = None,
    *,
    can_ask: bool = False,
) -> ReportData:
    """The report of a question and a graph's output; of a long document, it has the texts that support the answer.

    These are the pages that were cited or read, and their neighbours. `can_ask`: for a page that can ask for more,
    which gets these alone of a memory of many.
    """
    document, memory = await store.document_and_memory(found["document"], found["memory"])
    some = can_ask and sends_some(memory)
    around: Sequence[int] = range(memory.pages)
    if some or document.characters > MOST_CHARACTERS:
        around = await _supporting(store, memory, found)
    pages = await store.pages(memory.id, around if some else range(memory.pages))
    data = await _collect_report(store, document, memory, note, pages, around, links or {})
    answered: Any = {"question": asked["question"], "options": asked.get("options", []), "found": dict(found)}
    numbers: Any = {"numbers": [page.number for page in pages]} if some else {}
    return {**data, **answered, **numbers, "method": found.get("method", data["method"])}


async def whole_report(store: PageStore, data: ReportData, document: str, memory: str) -> ReportData:
    """A report with all its pages, of one that may have some of them."""
    if "numbers" not in data:
        return data
    if data["found"] is None:
        return await report_of_document(store, *await store.document_and_memory(document, memory), data["note"])
    question = Question(question=data["question"], options=data["options"])
    return await report_of_answer(store, question, data["found"], data["note"])


def sends_some(memory: Memory) -> bool:
    """Whether a page that can ask for more gets some pages of a memory: of a tree it shows the notes of all leaves."""
    return memory.complete and memory.pages > MOST_SENT and "children" not in memory.recipe.parameters


async def _supporting(store: PageStore, memory: Memory, found: Mapping[str, Any]) -> list[int]:
    """The pages that were cited, read or shown for an answer, and their neighbours, in their order."""
    cited, open_ends = set[int](), {citation["page"]: citation["end"] for citation in found["citations"]}
    while open_ends:  # a citation goes on to the pages behind its first one
        pages = {page.number: page for page in await store.pages(memory.id, sorted(open_ends))}
        cited |= pages.keys()
        open_ends = {number + 1: open_ends[number] for number, page in pages.items() if page.end < open_ends[number]}
    shown = [page for done in found.get("rounds", ()) for page in done["pages_shown"]]
    around = {page + step for page in (*found["pages_read"], *cited, *shown) for step in (-1, 0, 1)}
    return sorted(page for page in around if 0 <= page < memory.pages)


async def page_marks(store: PageStore, document: Document, memory: Memory) -> dict[str, Any]:
    """What a strip shows of all pages of a memory: lists of their starts, ends, words, and places (None: no place)."""
    pages = await store.pages(memory.id, range(memory.pages))
    places, _ = await _places_and_headings(store, document, pages)
    marks = {name: [getattr(page, name) for page in pages] for name in ("start", "end", "words")}
    return {**marks, "place": places if any(places) else None}


async def _collect_report(
    store: PageStore,
    document: Document,
    memory: Memory,
    note: str,
    pages: Sequence[Page],
    wanted: Sequence[int],
    links: Links,
) -> ReportData:
    parts = [(part, await store.member(part)) for part in document.parts]
    return {
        "title": document.title or document.id,
        "link": links.get(document.id),
        "words": document.words,
        "characters": document.characters,
        "read_to": memory.read_to,
        "method": memory.recipe.method,
        "model": memory.recipe.model,
        "purpose": memory.recipe.purpose,
        "note": note,
        "notices": notices_of([one for _, one in parts] or [document]),
        "parts": [{"title": one.title, "start": part.start, "link": links.get(one.id)} for part, one in parts],
        "pages": await _collect_pages(store, document, memory, pages, wanted),
        "tree": await _tree(store, memory),
        "question": "",
        "options": [],
        "found": None,
    }


async def shown_pages(
    store: PageStore, document: Document, memory: Memory, numbers: Sequence[int], *, with_texts: bool = False
) -> dict[int, ReportPage]:
    """Some pages of a memory by their numbers, those that are there; their texts only where they are wanted."""
    pages = await store.pages(memory.id, numbers)
    there = [page.number for page in pages]
    shown = await _collect_pages(store, document, memory, pages, there if with_texts else [])
    return dict(zip(there, shown, strict=True))


async def _collect_pages(
    store: PageStore, document: Document, memory: Memory, pages: Sequence[Page], wanted: Sequence[int]
) -> list[ReportPage]:
    notes = {note.page: note for note in await store.notes(memory.id, [page.number for page in pages])}
    whole = frozenset(wanted)
    spans = {page.number: (page.start, page.end) for page in pages if page.number in whole}
    texts = dict(zip(spans, await store.spans(document, [*spans.values()]), strict=True))
    places, headings = await _places_and_headings(store, document, pages)
    shown = list[ReportPage]()
    for page, place in zip(pages, places, strict=True):
        note, text = notes.get(page.number), texts.get(page.number)
        shown.append(
            {
                "start": page.start,
                "end": page.end,
                "words": page.words,
                "place": place,
                "header": note.header if note else "",
                "note": note.text if note else None,
                "fallback": bool(note and note.fallback),
                "corrected": bool(note and note.replaced is not None),
                "text": text,
                "blocks": structure_of(text, page.start, headings) if text else [],
            }
        )
    return shown


async def _places_and_headings(
    store: PageStore, document: Document, pages: Sequence[Page]
) -> tuple[list[str | None], dict[int, str]]:
    """Where pages begin in their source's own terms, without a collection's titles; and the headings, by offsets."""
    names, headings = list[str | None](), dict[int, str]()
    for part in document.parts or (CollectionPart(document.id, 0, document.characters),):
        inside = [page for page in pages if part.start <= page.start < part.end]
        member = await store.member(part) if document.parts else document
        spans = [(page.start - part.start, page.end - part.start) for page in inside]
        places = await store.places_in(member, spans) if inside else []
        names += names_at(places, [start for start, _ in spans])
        headings |= heading_lines([(part.start + start, place) for start, place in places])
    return names, headings


async def _tree(store: PageStore, memory: Memory) -> ReportTree | None:
    """The tree above the pages; None if the method builds none, or the root is a page itself."""
    if "children" not in memory.recipe.parameters or not memory.pages:
        return None
    shape = TreeShape.of(memory)
    if is_leaf(shape.root):
        return None
    ids = [node_id(level, number) for level, count in enumerate(shape.counts) if level for number in range(count)]
    texts = {node.id: node.text for node in await store.tree_nodes(memory.id, ids)}
    nodes = dict[str, ReportNode]()
    for node in ids:
        below = shape.pages(node)
        children = shape.children(node)
        nodes[node] = {"first": below[0], "last": below[-1], "children": children, "text": texts.get(node, "")}
    leaves = [node_id(0, number) for number in range(memory.pages)]
    headings = {node: heading for node in (*ids, *leaves) if (heading := shape.heading(node))}
    return {"root": shape.root, "nodes": nodes, "headings": headings}


STYLES = tuple("base answer strip page findings search media".split())
PARTS = tuple("elements citations answer strip page findings search report".split())
SCRIPTS = (*PARTS, "alone")  # in this order; `PARTS` also serve pages that show one report after another
_SPECIAL = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def render(data: ReportData) -> bytes:
    """The page of a report, as UTF-8."""
    assets = files("readgraph.doors.report").joinpath("assets")
    styles = [assets.joinpath(f"{name}.css") for name in STYLES]
    scripts = [assets.joinpath(f"{name}.js") for name in SCRIPTS]
    return html_page("Reading report", styles, scripts, data).encode()


def html_page(
    title: str, styles: Sequence[Traversable], scripts: Sequence[Traversable], data: Any, body: str = ""
) -> str:
    """A page of these files, which finds its data in the element `#data`; `title` and `body` are markup."""
    style = "\n".join(file.read_text(encoding="utf-8") for file in styles)
    script = "(() => {\n" + "\n".join(file.read_text(encoding="utf-8") for file in scripts) + "})();\n"
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""{MARK.decode()}{readgraph.__version__}">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
<body>
<noscript>This report needs JavaScript; it loads nothing and sends nothing.</noscript>{body}
<script type="application/json" id="data">{escape_json_for_html(data)}</script>
<script>{script}</script>
</body>
</html>
"""


def escape_json_for_html(value: Any) -> str:
    """JSON that can stand in an HTML script element: no tag, comment, entity or lone surrogate is in it."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
