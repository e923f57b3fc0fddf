"""A document's own table of contents, and the memory whose segments and tree follow it.

It is taken from the places that the source names; a text from no file is looked at as Markdown. Sections that are
together no longer than a segment are one, a heading without text belongs to what follows it, and a few short neighbours
share a segment. The tree has a node for each section of several segments, whose own stand before its subsections. Where
there is no outline, the memory is built as MemWalker does.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import NamedTuple

from readgraph.library.page_store import PageStore, page_store
from readgraph.library.store import hold_build_lock
from readgraph.nodes.building.build import ReadState, ReadUpdate, build_memory
from readgraph.nodes.building.paging import fewest_and_most, segments
from readgraph.nodes.building.parts import NotesSoFar, Parts, WriteNote, in_parts
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.step import MakeRecipe, StepNode, Work, node
from readgraph.sources.formats.plain_text import places_of_markdown
from readgraph.sources.places import BELOW
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups
from readgraph.state.records import CollectionPart, Document, Memory, Page
from readgraph.state.summary_tree import TreeShape
from readgraph.state.words import count_words

SECTIONS = 2  # the version of how sections are found and cut; a memory that was cut otherwise is another one
FEWEST_HEADINGS = 2  # a document with fewer headings has no outline
HEADING_SIGNS = 2  # words that a heading may have in the text beside its title: its marks, or a number

_LABEL = re.compile(r"§ (?P<path>.*?)(?P<page>, PDF page \d+.*)?|chapter '(?P<chapter>.*)'", re.DOTALL)
_LINE = re.compile(r"line \d+")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"\w+")
_LINE_OF_WORDS = re.compile(r"^.*\w.*$", re.MULTILINE)


class Section(NamedTuple):
    """Where a section's text begins, and the numbers of the sections that hold it, the highest and its own included."""

    start: int
    path: tuple[int, ...]


@dataclass(frozen=True)
class Outline:
    """Sections in the text's order, the first at 0, and `titles` by their numbers; `cuts`: where `spans` begin."""

    titles: Sequence[str]
    sections: Sequence[Section]
    cuts: Sequence[int]

    def spans(self, document: Document) -> list[CollectionPart]:
        """The spans that are cut into segments, each by itself: a section's own text, or that of short neighbours."""
        return [CollectionPart(document.id, start, end) for start, end in pairwise([*self.cuts, document.characters])]


@dataclass
class _Numbered:
    """Numbers for sections: each is new but those that are open above it."""

    titles: list[str] = field(default_factory=list)
    open: list[int] = field(default_factory=list)

    def enter(self, path: Sequence[str], within: tuple[int, ...] = ()) -> tuple[int, ...]:
        """The numbers of a section with these titles, below those that it is within."""
        above = [*within]
        for title in path[:-1]:
            at = len(above)
            number = self.open[at] if self.open[:at] == above and at < len(self.open) else None
            above.append(number if number is not None and self.titles[number] == title else self._new(title))
        self.open = [*above, *(self._new(title) for title in path[-1:])]
        return (*self.open,)

    def _new(self, title: str) -> int:
        self.titles.append(title)
        return len(self.titles) - 1


async def outline_of(store: PageStore, document: Document, context: ReaderContext) -> Outline | None:
    """The document's outline; None where the source has none. In a collection, each document is a section."""
    if document.sessions:
        return None
    numbered, sections, cuts = _Numbered(), list[Section](), list[int]()
    for part in document.parts or (CollectionPart(document.id, 0, document.characters),):
        member = await store.member(part) if document.parts else document
        text = await store.text(member)
        named = await store.places(member) or [(place.start, place.label) for place in places_of_markdown(text)]
        headings = [*headings_in(text, ((start, label) for start, label in named if not _LINE.fullmatch(label)))]
        if not document.parts and len(headings) < FEWEST_HEADINGS:
            return None
        within = numbered.enter([member.title or member.id]) if document.parts else ()
        own = [Section(start, numbered.enter(path, within)) for start, path in headings]
        if own and not text[: own[0].start].strip():
            own[0] = Section(0, own[0].path)
        else:
            own.insert(0, Section(0, within))
        whole = [*_merge_small_sections(own, len(text), text, len(within), fewest_and_most(context)[1])]
        whole = _with_text(whole, _starts_with_text(own, text, numbered.titles), text)
        sections += [Section(part.start + section.start, section.path) for section in whole]
        cuts += [part.start + start for start in _cuts(whole, text, context)]
    return Outline(numbered.titles, sections, cuts)


def headings_in(text: str, places: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """Where each heading stands, and its title after those above it."""
    before = None
    for start, label in places:
        heading = _LABEL.fullmatch(label)
        if heading and not (heading["page"] and heading["path"] == before):  # else another page of the same section
            if path := [title for title in (heading["path"] or heading["chapter"] or "").split(BELOW) if title]:
                yield start, path
        elif not heading:
            # Only a heading of a plain text is the line with which its place begins, and has letters, as no time has.
            line = " ".join(text[start : start + 4 * len(label) + 80].lstrip("# \t").partition("\n")[0].split())
            title = label.removesuffix("…")
            if _LETTER.search(label) and (line == label or (title != label and line.startswith(title))):
                yield start, [label]
        before = heading["path"] if heading else None


def _merge_small_sections(sections: Sequence[Section], end: int, text: str, depth: int, most: int) -> Iterator[Section]:
    """The sections up to an offset; of those that hold no more than `most` words together, the one that holds them."""
    first = sections[0]
    if len(sections) == 1:
        yield first
    elif count_words(text[first.start : end]) <= most:
        yield Section(first.start, first.path[:depth])
    else:
        runs = [[*run] for _, run in groupby(sections, key=lambda section: section.path[: depth + 1])]
        ends = [*(run[0].start for run in runs[1:]), end]
        for run, run_end in zip(runs, ends, strict=True):
            yield from _merge_small_sections(run, run_end, text, depth + 1, most)


def _with_text(sections: Sequence[Section], filled: Sequence[int], text: str) -> list[Section]:
    """The sections with more than headings (`filled`: where they begin); others' text goes below them, else before."""
    kept = list[Section]()
    moved: int | None = None
    spans = pairwise([*(section.start for section in sections), len(text)])
    for number, (section, (start, end)) in enumerate(zip(sections, spans, strict=True), 1):
        begin, moved = start if moved is None else moved, None
        following = sections[number].path if number < len(sections) else None
        if bisect_left(filled, start) < bisect_left(filled, end):
            kept.append(Section(begin, section.path))
        elif following and (not kept or following[: len(section.path)] == section.path):
            moved = begin
    return kept or [Section(0, sections[0].path)]


def _starts_with_text(sections: Sequence[Section], text: str, titles: Sequence[str]) -> list[int]:
    spans = pairwise([*(section.start for section in sections), len(text)])
    named = ((titles[section.path[-1]] if section.path else "") for section in sections)
    return [start for (start, end), title in zip(spans, named, strict=True) if not _is_heading(text[start:end], title)]


def _is_heading(text: str, title: str) -> bool:
    """Whether a text is only the heading with this title: it is one line, or ends with the title."""
    if count_words(text) > count_words(title) + HEADING_SIGNS:
        return False
    words, of_title = (" ".join(_WORD.findall(line.casefold())) for line in (text, title))
    return len(_LINE_OF_WORDS.findall(text)) <= 1 or words.endswith(of_title)


def _cuts(sections: Sequence[Section], text: str, context: ReaderContext) -> Iterator[int]:
    """Where sections begin that share no segment with the one before, as up to `children` short neighbours do."""
    joined = room = 0
    above: tuple[int, ...] | None = None
    for number, section in enumerate(sections):
        following = sections[number + 1] if number + 1 < len(sections) else None
        words = count_words(text[section.start : following.start if following else len(text)])
        holds = not section.path or (following and following.path[: len(section.path)] == section.path)
        if not holds and section.path[:-1] == above and words <= room and joined < context.children:
            joined, room = joined + 1, room - words
            continue
        yield section.start
        joined, room = 1, fewest_and_most(context)[1] - words
        above = None if holds else section.path[:-1]


WHOLE, BEGINNING = "the whole text", "the beginning"  # what the root is called, and what is before the first heading
BESIDE = " + "  # what stands between the titles of sections that are one leaf


@dataclass(frozen=True)
class _Node:
    """A node; `first` and `last`: its first and its last section, after which a group of nodes is called."""

    heading: str
    first: str
    last: str
    below: "tuple[_Node, ...]" = ()

    def all(self) -> "Iterator[_Node]":
        yield self
        for below in self.below:
            yield from below.all()


_SegmentSections = Sequence[tuple[int, ...]]
"""What a segment holds: the path of the section in which it begins, and of those that begin inside of it."""


def branches_over(pages: Sequence[Page], outline: Outline, most: int) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The tree of these pages, as a `Memory` has it: how many children each node has, at most `most`; and headings."""
    starts, paths = [section.start for section in outline.sections], [section.path for section in outline.sections]
    ats = [(max(bisect_right(starts, page.start), 1), bisect_left(starts, page.end)) for page in pages]
    root = _section([[paths[at - 1], *paths[at:end]] for at, end in ats], 0, outline.titles, most)
    nodes = [*root.all()]
    return tuple(len(node.below) for node in nodes), tuple(node.heading for node in nodes)


def _section(held: Sequence[_SegmentSections], depth: int, titles: Sequence[str], most: int) -> _Node:
    """The node of the section with these segments: the last of the first `depth` numbers of their paths."""
    if len(held) == 1:
        return _leaf(held[0], depth, titles)
    title = f"§ {titles[held[0][0][depth - 1]]}" if depth else WHOLE
    children = list[_Node]()
    for path, run in groupby(held, key=lambda paths: paths[0][: depth + 1]):
        inside = [*run]
        if len(path) > depth:
            children.append(_section(inside, depth + 1, titles, most))
        else:
            own = title if depth else BEGINNING
            children += [_make_node(f"{own} ({number})") for number, _ in enumerate(inside, 1)]
    if len(children) == 1:
        only = children[0].heading
        return _make_node(f"{title}{BELOW}{only.removeprefix('§ ')}" if depth else only, children[0].below)
    while len(children) > most:  # neighbours are grouped
        shape = TreeShape.over(len(children), most)
        groups = [[children[child] for child in shape.group(1, number)] for number in range(shape.counts[1])]
        children = [
            _Node(f"{group[0].first} – {group[-1].last}", group[0].first, group[-1].last, tuple(group))
            if len(group) > 1
            else group[0]
            for group in groups
        ]
    return _make_node(title, children)


def _leaf(held: _SegmentSections, depth: int, titles: Sequence[str]) -> _Node:
    """The node of a section, or of neighbours, in one segment: its titles from the last of the first `depth` on."""
    paths = [path[max(depth - 1, 0) :] for path in held]
    names = [BELOW.join(titles[number] for number in path) for path in paths if path]
    if not names:
        return _make_node(WHOLE)
    return _Node(f"§ {BESIDE.join(names)}", f"§ {names[0]}", f"§ {names[-1]}")


def _make_node(name: str, below: Sequence[_Node] = ()) -> _Node:
    return _Node(name, name, name, tuple(below))


def read_by_outline(
    write_note: WriteNote, recipe: MakeRecipe, *, without_model: WriteNote, settings: Groups
) -> StepNode[ReadState, ReadUpdate]:
    """A node that builds such a memory; its recipe needs `segment_words` and `children`."""

    def make_work(write_note: WriteNote) -> Work[ReadState, ReadUpdate]:
        async def parts(document: Document, notes: NotesSoFar, runtime: ReaderRuntime) -> Parts:
            outline = await outline_of(page_store(runtime), document, runtime.context)
            return in_parts(segments, outline.spans(document) if outline else ()), write_note

        async def read(state: ReadState, runtime: ReaderRuntime) -> ReadUpdate:
            update = await build_memory(state, runtime, parts, recipe)
            store = page_store(runtime)
            document, memory = await store.document_and_memory(state["document"], update["memory"])
            if not memory.complete:
                return update
            memory = await _with_branches(store, document, memory, runtime.context)
            why = "a history grows" if document.sessions else "the text has no outline"
            how = "along its outline" if memory.has_sections else f"in a balanced tree, since {why}"
            return {**update, "step_summary": f"{update['step_summary']}, {how}"}

        return read

    as_node = node(without_model=make_work(without_model), builds=True, settings=settings, recipe=recipe)
    return as_node(make_work(write_note))


async def _with_branches(store: PageStore, document: Document, memory: Memory, context: ReaderContext) -> Memory:
    """The memory with the tree of its sections; as it is where it has that already, or there is no outline."""
    if memory.has_sections or (outline := await outline_of(store, document, context)) is None:
        return memory
    async with hold_build_lock(store.store, memory.id):
        memory = await store.memory(document.id, memory.id)
        if memory.has_sections:  # another reading was first, and may have grown the tree already
            return memory
        pages = await store.pages(memory.id, range(memory.pages))
        branches, headings = branches_over(pages, outline, memory.recipe.parameters["children"])
        memory = replace(memory, levels=(), branches=branches, headings=headings)
        await store.put_memory(memory)
    return memory
