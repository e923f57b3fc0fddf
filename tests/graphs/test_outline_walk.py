"""A walk along the document's own outline: uneven trees, headings instead of numbers, what is paid for."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from readgraph.cli.terminal.rendering import draw_walk
from readgraph.doors.report.page import report_of_answer
from readgraph.graphs.hybrids.outline_walk import build
from readgraph.graphs.methods import METHODS
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.collections import add_collection
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.nodes.building.outline import outline_of
from readgraph.sources.loading import load
from readgraph.state.context import ReaderContext
from readgraph.state.errors import Damaged
from readgraph.state.records import Document, Memory
from readgraph.state.summary_tree import SectionTree, TreeShape, section_tree
from readgraph.state.words import count_words
from tests.doubles.model_server import ModelServer
from tests.doubles.walker import CONTEXT, REVERT, Found, Walker, down, says

pytestmark = pytest.mark.filterwarnings("ignore:The graph has no store")

OFFLINE = replace(CONTEXT, model="")
PLANTED = "The sluice of Vell broke in the night of 3 March, as the keeper had left its gate open for the eels."


def log(begin: int, days: int) -> list[str]:
    """A paragraph of 20 words, a segment, for each day."""
    return [
        f"On day {day} of the voyage the crew of the boat counted the gulls above the mast and slept again."
        for day in range(begin, begin + days)
    ]


def markdown() -> str:
    """A chapter of one paragraph, one of forty, and one with four levels, in which a fact is planted."""
    rivers = ["# Rivers", *log(50, 2), "## Discharge", *log(52, 2), "### Stations", "#### Hexley", *log(54, 2)]
    return "\n\n".join(
        [
            "# Preface",
            *log(0, 1),
            "# Voyages",
            *log(1, 40),
            *rivers,
            "#### Vell",
            PLANTED,
            *log(56, 1),
            "## Ice",
            *log(57, 2),
        ]
    )


async def stored(library: Library, folder: Path, text: str, name: str = "book.md") -> Document:
    """The document of a file with this text."""
    (folder / name).write_text(text, encoding="utf-8")
    return await of_file(library, folder / name)


async def of_file(library: Library, path: Path) -> Document:
    source = load(path)
    places = [(place.start, place.label) for place in source.places]
    return await library.pages.add_document(source.text, title=source.title, source=source.source, places=places)


async def run(library: Library, document: Document, context: ReaderContext = CONTEXT, **given: Any) -> Found:
    graph = build().compile(store=library.store)
    asked: Any = {"document": document.id, **given}
    return dict(await graph.ainvoke(asked, context=context))


async def tree_of(library: Library, document: Document, context: ReaderContext = OFFLINE) -> TreeShape:
    found = await run(library, document, context)
    return TreeShape.of(await library.pages.memory(document.id, found["memory"]))


def drawn(tree: TreeShape, node: str = "") -> Any:
    """A tree as nested lists: the heading of each node, then its children."""
    node = node or tree.root
    return [tree.name(node), *(drawn(tree, child) for child in tree.children(node))]


def nodes_of(tree: TreeShape) -> Iterator[str]:
    return (f"{level}.{number}" for level, count in enumerate(tree.counts) for number in range(count))


async def test_the_tree_has_the_sections_of_the_outline(library: Library, tmp_path: Path) -> None:
    tree = await tree_of(library, await stored(library, tmp_path, markdown()), replace(OFFLINE, children=4))
    assert tree.name(tree.root) == "the whole text"
    preface, voyages, rivers = drawn(tree)[1:]
    assert preface == ["§ Preface"]
    assert voyages[0] == "§ Voyages" and voyages[1][0] == "§ Voyages (1) – § Voyages (16)"
    assert [tree.pages(node) for node in tree.children(tree.root)] == [range(1), range(1, 41), range(41, 51)]
    stations = [
        "§ Stations",
        ["§ Hexley", ["§ Hexley (1)"], ["§ Hexley (2)"]],
        ["§ Vell", ["§ Vell (1)"], ["§ Vell (2)"]],
    ]
    discharge = ["§ Discharge", ["§ Discharge (1)"], ["§ Discharge (2)"], stations]
    ice = ["§ Ice", ["§ Ice (1)"], ["§ Ice (2)"]]
    assert rivers == ["§ Rivers", ["§ Rivers (1)"], ["§ Rivers (2)"], discharge, ice]


async def test_a_text_from_no_file_is_looked_at_as_markdown(library: Library) -> None:
    tree = await tree_of(library, await library.pages.add_document(markdown(), title="book"))
    assert [name for name, *_ in drawn(tree)[1:]] == ["§ Preface", "§ Voyages", "§ Rivers"]
    assert tree.name("0.47") == "§ Vell (1)"
    lines = await library.pages.add_document("\n\n".join(log(0, 20)), title="log")
    assert (await run(library, lines, OFFLINE))["steps"][1]["summary"].endswith("since the text has no outline")


async def test_a_planted_fact_is_found_by_headings(server: ModelServer, library: Library, tmp_path: Path) -> None:
    document = await stored(library, tmp_path, markdown())
    context = replace(CONTEXT, children=4)
    await run(library, document, context)
    tree = await tree_of(library, document, context)
    inner = sum(tree.counts[1:])
    assert server.calls <= tree.counts[0] + inner, "each segment and each section is summarised once"
    server.respond = walker = Walker(
        down(1),
        REVERT | {"part": None},
        down(2),
        down(2),
        down(2),
        down(1),
        down(0),
        says("answer", "the eels", PLANTED),
    )
    calls = server.calls
    found = await run(library, document, context, question="Why was the gate left open?")
    assert (found["status"], found["answer"], found["pages_read"]) == ("answered", "the eels", [47])
    assert server.calls - calls == len(walker.decided) == 8
    shown = walker.decided[0].text
    assert re.findall(r"^<part\S* (\d)>\n(§ \w+)$", shown, re.MULTILINE) == [
        ("0", "§ Preface"),
        ("1", "§ Voyages"),
        ("2", "§ Rivers"),
    ]
    steps = [step["summary"] for step in found["steps"]]
    assert "at the whole text: went down to § Voyages (parts 1-40): it looks near" in steps
    assert any(step.startswith("at § Voyages: went back up to the whole text") for step in steps)
    assert any(step.startswith("at § Vell: went down to § Vell (1) (part 47)") for step in steps)
    headings = [(hop.get("heading"), hop.get("next_heading")) for hop in found["hops"]][2:]
    path = ["the whole text", "§ Rivers", "§ Discharge", "§ Stations", "§ Vell", "§ Vell (1)", None]
    assert headings == list(pairwise(path))
    carried = walker.decided[-1].text
    assert "§ Rivers\n" in carried and "§ Voyages\n" not in carried.partition("<passage>")[0].replace("§ Voyages (", "")
    tree_drawn = draw_walk(found["hops"])
    assert str(tree_drawn.label) == "the whole text" and str(tree_drawn.children[0].label).startswith("§ Voyages  ")
    report = await report_of_answer(library.pages, {"question": "Why?"}, found, "summary")
    assert report["tree"] is not None
    assert report["tree"]["headings"][tree.root] == "the whole text"
    assert report["tree"]["headings"]["0.47"] == "§ Vell (1)"


async def test_a_pdf_has_the_tree_of_its_outline(library: Library, tmp_path: Path) -> None:
    outline = [
        (0, "Summary", 1),
        (0, "Rivers", 6),
        (1, "Discharge", 2),
        (2, "Hexley", 5),
        (3, "Floods", 4),
        (1, "Ice", 2),
    ]
    canvas = Canvas(str(tmp_path / "report.pdf"), pagesize=A5)
    for number, (level, title, days) in enumerate(outline):
        canvas.bookmarkPage(f"at{number}")
        canvas.addOutlineEntry(title, f"at{number}", level)
        canvas.drawString(40, 560, title)
        for line, day in enumerate(log(10 * number, days)):
            words = day.split()
            canvas.drawString(40, 520 - 60 * line, " ".join(words[:10]))
            canvas.drawString(40, 506 - 60 * line, " ".join(words[10:]))
        canvas.showPage()
    canvas.save()
    document = await of_file(library, tmp_path / "report.pdf")
    tree = await tree_of(library, document, replace(OFFLINE, segment_words=24, children=9))
    children = {tree.name(node): [tree.name(child) for child in tree.children(node)] for node in nodes_of(tree)}
    assert children["the whole text"] == ["§ Summary", "§ Rivers"]
    assert children["§ Rivers"][-2:] == ["§ Discharge", "§ Ice"] and children["§ Rivers"][0] == "§ Rivers (1)"
    assert children["§ Discharge"][-1] == "§ Hexley" and children["§ Hexley"][-1] == "§ Floods"


@pytest.mark.parametrize("heading", ["", "# Log"])
async def test_without_an_outline_the_tree_is_mem_walkers(library: Library, tmp_path: Path, heading: str) -> None:
    document = await stored(library, tmp_path, "\n\n".join([heading, *log(0, 20)]).strip())
    found = await run(library, document, OFFLINE)
    again = await run(library, document, OFFLINE)
    assert found["steps"][1]["summary"] == "read 20 parts, in a balanced tree, since the text has no outline"
    assert again["steps"][1]["summary"].endswith("in a balanced tree, since the text has no outline")
    memory = await library.pages.memory(document.id, found["memory"])
    walker = (
        await METHODS["mem-walker"]
        .build()
        .compile(store=library.store)
        .ainvoke({"document": document.id}, context=OFFLINE)
    )
    balanced = await library.pages.memory(document.id, walker["memory"])
    assert memory.id != balanced.id, "its recipe has another fingerprint"
    assert TreeShape.of(memory) == TreeShape.of(balanced)
    texts = [await library.pages.tree_nodes(each.id, ["1.0", "2.1"]) for each in (memory, balanced)]
    assert texts[0] == texts[1]


async def test_a_history_has_the_balanced_tree(library: Library) -> None:
    days = [SessionText(f"# Day {number}\n\n{text}") for number, text in enumerate(log(0, 4))]
    diary = (await append_sessions(library.pages, "diary", days)).document
    found = await run(library, diary, OFFLINE)
    assert found["steps"][1]["summary"] == "read 4 parts, in a balanced tree, since a history grows"
    assert TreeShape.of(await library.pages.memory(diary.id, found["memory"])).counts == (4, 2, 1)


async def test_three_hundred_chapters_are_grouped(library: Library, tmp_path: Path) -> None:
    chapters = [f"# Chapter {number}\n\n{log(number, 1)[0]}" for number in range(300)]
    document = await stored(library, tmp_path, "\n\n".join(chapters))
    found = await run(library, document, replace(OFFLINE, children=8), question="What was counted on day 271?")
    assert (found["status"], found["pages_read"]) == ("nearest", [271])
    tree = TreeShape.of(await library.pages.memory(document.id, found["memory"]))
    assert tree.counts == (300, 38, 5, 1) and max(len(tree.children(node)) for node in nodes_of(tree)) == 8
    assert tree.name("1.0") == "§ Chapter 0 – § Chapter 7" and tree.name("2.0") == "§ Chapter 0 – § Chapter 63"
    assert found["hops"][-1]["heading"] == "§ Chapter 271"


async def test_headings_without_text_are_no_segments(library: Library, tmp_path: Path) -> None:
    one, two, three = ("\n\n".join(log(10 * number, 2)) for number in range(3))
    parts = f"# Part One\n\n## First\n\n{one}\n\n## Empty\n\n"
    text = f"{parts}# Part Two\n\n## Second\n\n### Third\n\n{two}\n\n# Four\n\n{three}\n\n# End"
    document = await stored(library, tmp_path, text)
    tree = await tree_of(library, document)
    first = ["§ Part One > First", ["§ First (1)"], ["§ First (2)"]]
    assert drawn(tree)[1] == first
    assert drawn(tree)[2] == ["§ Part Two > Second > Third", ["§ Third (1)"], ["§ Third (2)"]]
    assert [child[0] for child in drawn(tree)[1:]] == ["§ Part One > First", "§ Part Two > Second > Third", "§ Four"]
    outline = await outline_of(library.pages, document, OFFLINE)
    assert outline is not None
    spans = [text[span.start : span.end] for span in outline.spans(document)]
    assert "".join(spans) == text and [span.partition("\n")[0] for span in spans] == [
        "# Part One",
        "# Part Two",
        "# Four",
    ]


async def test_short_sections_are_one_with_what_is_below_them(library: Library, tmp_path: Path) -> None:
    chapters = [f"# {name}\n\nIt is brief.\n\n## More of {name}\n\nSo is this.\n\n" for name in ("Oak", "Elm", "Ash")]
    document = await stored(library, tmp_path, "".join(chapters))
    tree = await tree_of(library, document, replace(OFFLINE, segment_words=14))
    assert drawn(tree)[1:] == [["§ Oak"], ["§ Elm"], ["§ Ash"]]
    whole = await tree_of(library, document, replace(OFFLINE, segment_words=200))
    assert drawn(whole) == ["the whole text"] and whole.root == "0.0"


async def test_short_neighbours_are_one_segment_with_every_heading(
    server: ModelServer, library: Library, tmp_path: Path
) -> None:
    items = [f"## Item {number}\n\nIt costs {number} crowns." for number in range(400)]
    document = await stored(library, tmp_path, "\n\n".join(items))
    context = replace(CONTEXT, segment_words=60, children=8)
    foreseen = await rehearse_method(METHODS["outline-walk"], library.pages, document, context, {})
    tree = await tree_of(library, document, context)
    assert tree.counts == (50, 7, 1)
    assert tree.name("0.1") == f"§ {' + '.join(f'Item {number}' for number in range(8, 16))}"
    assert tree.name("1.0") == "§ Item 0 – § Item 63"
    assert server.calls == foreseen.calls.expected == 58
    sent = sum(count_words(request.text) for request in server.requests)
    assert abs(foreseen.input_words.expected / sent - 1) < 0.25, "segments are shorter than the setting says"
    items[3] += "\n\n## Item 3b\n\nIt is new."
    after = await stored(library, tmp_path, "\n\n".join(items))
    calls = server.calls
    changed = await tree_of(library, after, context)
    names = [changed.name(f"0.{page}") for page in range(changed.counts[0])]
    assert server.calls - calls <= 2 + sum(changed.counts[1:]), "neighbours further on are joined as before"
    assert [heading for name in names for heading in name.removeprefix("§ ").split(" + ")] == [
        item[3:].partition("\n")[0] for item in "\n\n".join(items).split("\n\n") if item.startswith("##")
    ]


async def test_only_neighbours_with_nothing_below_them_are_joined(library: Library, tmp_path: Path) -> None:
    short = [
        "# Tools",
        "Of iron.",
        "## Axe",
        "Cuts.",
        "## Saw",
        "Cuts too.",
        "## Logs",
        *log(0, 2),
        "## Nail",
        "Holds.",
    ]
    others = ["### Head", "Is flat.", "# Ropes", "Of hemp.", "# Oars", "## A", "### B", "# Sails", *log(2, 2)]
    document = await stored(library, tmp_path, "\n\n".join([*short, *others]))
    logs, nail = ["§ Logs", ["§ Logs (1)"], ["§ Logs (2)"]], ["§ Nail"]
    tools = ["§ Tools", ["§ Tools (1)"], ["§ Axe + Saw"], logs, nail]
    sails = ["§ Sails", ["§ Sails (1)"], ["§ Sails (2)"]]
    tree = await tree_of(library, document, replace(OFFLINE, children=4))
    assert drawn(tree)[1:] == [tools, ["§ Ropes"], sails]


async def test_chapters_of_plain_text_and_its_beginning(library: Library, tmp_path: Path) -> None:
    chapters = [f"Chapter {number}\n\n" + "\n\n".join(log(20 * number, 3)) for number in (1, 2)]
    document = await stored(library, tmp_path, "\n\n".join([*log(0, 2), *chapters]), "story.txt")
    tree = await tree_of(library, document, replace(OFFLINE, children=9))
    assert [name for name, *_ in drawn(tree)[1:]] == [
        "the beginning (1)",
        "the beginning (2)",
        "§ Chapter 1",
        "§ Chapter 2",
    ]


async def test_documents_of_a_collection_are_sections(library: Library, tmp_path: Path) -> None:
    members = [await stored(library, tmp_path, markdown(), "book.md")]
    members.append(await stored(library, tmp_path, "\n\n".join(log(80, 4)), "plain.txt"))
    document = await add_collection(library.pages, members)
    tree = await tree_of(library, document, replace(OFFLINE, children=9))
    assert [name for name, *_ in drawn(tree)[1:]] == ["§ book", "§ plain"]
    assert tree.pages(tree.children(tree.root)[1]) == range(51, 55)


async def test_a_changed_file_pays_only_for_what_changed(server: ModelServer, library: Library, tmp_path: Path) -> None:
    before = await stored(library, tmp_path, markdown())
    await run(library, before)
    calls = server.calls
    after = await stored(
        library, tmp_path, markdown().replace("## Ice", "## Thaw\n\nIt was warm. " + log(99, 1)[0] + "\n\n## Ice")
    )
    changed = await tree_of(library, after, CONTEXT)
    assert "§ Thaw" in {changed.name(node) for node in nodes_of(changed)}
    assert 0 < server.calls - calls <= 8, "a new segment, those beside it, and the sections above them"
    calls = server.calls
    assert (await run(library, after))["usage"]["calls"] == server.calls - calls == 0


async def test_a_spent_budget_is_continued(server: ModelServer, library: Library, tmp_path: Path) -> None:
    document = await stored(library, tmp_path, markdown())
    foreseen = await rehearse_method(METHODS["outline-walk"], library.pages, document, CONTEXT, {})
    found, used = await run(library, document, replace(CONTEXT, max_calls=30)), 30
    assert found["usage"]["calls"] == 30
    while (found := await run(library, document, replace(CONTEXT, max_calls=15)))["usage"]["calls"]:
        used += found["usage"]["calls"]
    memory = await library.pages.memory(document.id, found["memory"])
    assert isinstance(TreeShape.of(memory), SectionTree) and used == server.calls
    assert memory.pages < foreseen.calls.expected <= used <= (foreseen.calls.high or 0)


async def test_an_estimate_counts_what_is_left(server: ModelServer, library: Library, tmp_path: Path) -> None:
    document = await stored(library, tmp_path, markdown())
    asked: list[dict[str, Any]] = [{}, {"question": "Why was the gate left open?"}]
    for given in asked:
        foreseen = await rehearse_method(METHODS["outline-walk"], library.pages, document, CONTEXT, given)
        found = await run(library, document, **given)
        for name in ("calls", "input_words", "output_words"):
            limits = getattr(foreseen, name)
            assert found["usage"][name] <= (limits.high or 1e9), name


@pytest.mark.parametrize(
    "branches", [(0,), (2, 0, 0), (3, 0, 2, 0, 0, 0), (2, 2, 0, 2, 0, 0, 0), (2, 0, 2, 0, 2, 0, 2, 0, 0)]
)
def test_branches_describe_a_whole_tree(branches: tuple[int, ...]) -> None:
    tree = section_tree(branches, tuple(map(str, range(len(branches)))))
    nodes = [*nodes_of(tree)]
    assert len(nodes) == len({*nodes}) == len(branches)
    for node in nodes:
        assert all(tree.parent(child) == node for child in tree.children(node))
        below = [page for child in tree.children(node) for page in tree.pages(child)]
        assert [*tree.pages(node)] == (below or [int(node.partition(".")[2])])
    assert tree.pages(tree.root) == range(branches.count(0)) and tree.parent(tree.root) is None
    in_order = [tree.root]
    for node in in_order:
        at = in_order.index(node) + 1
        in_order[at:at] = tree.children(node)
    assert [tree.heading(node) for node in in_order] == [str(number) for number in range(len(branches))]


@pytest.mark.parametrize("branches", [(1,), (2, 0), (0, 0), (2, 0, 0, 0)])
def test_a_damaged_tree_is_refused(branches: tuple[int, ...]) -> None:
    value: dict[str, Any] = {
        "id": "m",
        "document": "d",
        "recipe": {"method": "outline-walk", "parameters": {}, "model": ""},
        "started": "2026-01-01T00:00:00+00:00",
        "branches": branches,
        "headings": [""] * len(branches),
    }
    with pytest.raises(Damaged):
        Memory.load(value)
