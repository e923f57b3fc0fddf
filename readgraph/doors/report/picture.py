"""A graph as a picture in a notebook, and flowcharts in mermaid's notation as SVG, drawn without network access.

Understood: `graph LR` or `graph TD`, nodes `name` and `name[Label]`, edges `-->` and `-.->`, chained, with `|label|`;
lines of `%%` are comments. Anything else is refused, so that nothing is drawn wrongly.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from html import escape
from typing import Any

from langgraph.graph import END, START
from langgraph.graph.state import CompiledStateGraph

__all__ = ["picture"]
_HEAD = re.compile(r"(?:graph|flowchart)\s+(LR|TD|TB)\s*;?")
_NODE = re.compile(r"\s*(\w+)(?:[\[({]+\"?([^\])}\"]+)\"?[\])}]+)?\s*")
_EDGE = re.compile(r"(-->|-\.->)(?:\s*\|\s*\"?([^|\"]+?)\"?\s*\|)?")
LETTER, SMALL_LETTER, HEIGHT, PADDING = 7.8, 6.7, 34.0, 13.0
APART, BESIDE, MARGIN = 42.0, 18.0, 6.0  # pixels, between boxes in a row and side by side, and around all

STYLE = """
.flowchart { height: auto; max-width: 100%; }
.flowchart rect { fill: #f3faf9; stroke: #00796b; stroke-width: 1.2; }
.flowchart text { fill: #222; font: 13px monospace; text-anchor: middle; }
.flowchart text.label { fill: #777; font-size: 11px; }
.flowchart path { fill: none; stroke: #888; stroke-width: 1.3; }
.flowchart path.dotted { stroke-dasharray: 4 3; }
.flowchart polygon { fill: #888; }
"""  # of a drawing without a page, readable on light and dark backgrounds

Point = tuple[float, float]


@dataclass(frozen=True)
class Edge:
    """An arrow; a dotted one is a choice."""

    start: str
    end: str
    dotted: bool
    label: str


@dataclass
class Chart:
    """A flowchart as it is written: labels by node, in order of appearance."""

    across: bool
    labels: dict[str, str] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)


def draw(source: str) -> str:
    """The flowchart as HTML; a horizontal one is also drawn vertically, for narrow screens."""
    chart = parse(source)
    ways = [("wide", True), ("narrow", False)] if chart.across else [("both", False)]
    drawn = "".join(_Layout(chart, across).svg(name) for name, across in ways)
    return f'<figure class="drawing">{drawn}</figure>'


def parse(source: str) -> Chart:
    """The chart in this notation; raises `ValueError` with the line that isn't understood."""
    first, *lines = [line.strip() for line in source.strip().splitlines()]
    if not (head := _HEAD.fullmatch(first)):
        raise ValueError(f"A drawing begins with 'graph LR' or 'graph TD', not with '{first}'.")
    chart = Chart(head[1] == "LR")
    for line in (line.rstrip(";") for line in lines if line and not line.startswith("%%")):
        at, before, arrow = 0, "", None
        while node := _NODE.match(line, at):
            name, label = node[1], node[2]
            chart.labels[name] = label or chart.labels.get(name, name)
            if arrow:
                chart.edges.append(Edge(before, name, arrow[1] == "-.->", arrow[2] or ""))
            before, at = name, node.end()
            arrow = _EDGE.match(line, at)
            if not arrow:
                break
            at = arrow.end()
        if at != len(line):
            raise ValueError(f"This line of a drawing isn't understood: '{line}'.")
    return chart


class _Layout:
    """The positions: nodes in ranks along the chart's direction, nodes of one rank side by side."""

    def __init__(self, chart: Chart, across: bool) -> None:
        self.chart, self.across = chart, across
        self.ranks = _ranks(chart)
        self.width = {name: max(2, len(label)) * LETTER + 2 * PADDING for name, label in chart.labels.items()}
        self.at: dict[str, Point] = {}
        rows: dict[int, list[str]] = defaultdict(list)
        for name, rank in self.ranks.items():
            rows[rank].append(name)
        longest = max((len(edge.label) for edge in self.chart.edges), default=0) * SMALL_LETTER
        gap = APART + (longest if self.across else 0)
        along = 0.0
        for rank in sorted(rows):
            row = rows[rank]
            deep = max(map(self._size_along, row))
            aside = -(sum(map(self._size_across, row)) + BESIDE * (len(row) - 1)) / 2
            for name in row:
                self.at[name] = (along + deep / 2, aside + self._size_across(name) / 2)
                aside += self._size_across(name) + BESIDE
            along += deep + gap

    def _size_along(self, name: str) -> float:
        return self.width[name] if self.across else HEIGHT

    def _size_across(self, name: str) -> float:
        return HEIGHT if self.across else self.width[name]

    def svg(self, name: str, style: str = "") -> str:
        """The drawing as an SVG element of this class, with a style if the page around it has none."""
        arrows = [self._arrow(edge) for edge in self.chart.edges]
        ends = [point for points, _ in arrows for point in points]
        for node, (along, aside) in self.at.items():
            half = (self._size_along(node) / 2, self._size_across(node) / 2)
            ends += [(along - half[0], aside - half[1]), (along + half[0], aside + half[1])]
        shown = [self._point(end) for end in ends]
        left, top = (min(point[axis] for point in shown) - MARGIN for axis in (0, 1))
        width, height = (max(p[axis] for p in shown) - low + MARGIN for axis, low in ((0, left), (1, top)))
        description = ", ".join(f"{edge.start} to {edge.end}" for edge in self.chart.edges)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" role="img" aria-label="{escape(description)}" '
            f'viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">'
            + style
            + "".join(drawn for _, drawn in arrows)
            + "".join(map(self._box, self.at))
            + "</svg>"
        )

    def _point(self, point: Point) -> Point:
        return point if self.across else (point[1], point[0])

    def _box(self, name: str) -> str:
        x, y = self._point(self.at[name])
        wide = self.width[name]
        return (
            f'<g data-node="{escape(name)}">'
            f'<rect x="{x - wide / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{wide:.1f}" height="{HEIGHT}" rx="5"/>'
            f'<text x="{x:.1f}" y="{y + 5:.1f}">{escape(self.chart.labels[name])}</text></g>'
        )

    def _arrow(self, edge: Edge) -> tuple[list[Point], str]:
        """The points that a curved arrow stays within, and the arrow."""
        way = self._way(edge)
        start, first, second, end = (self._point(point) for point in way)
        kind = ' class="dotted"' if edge.dotted else ""
        path = f"M{_pair(start)}C{_pair(first)} {_pair(second)} {_pair(end)}"
        drawn = f'<path d="{path}"{kind}/><polygon points="{self._head(way[2], way[3])}"/>'
        # A curve reaches three quarters of the way to its middle points.
        reached = [(way[0][0] + 0.75 * (x - way[0][0]), way[0][1] + 0.75 * (y - way[0][1])) for x, y in way[1:3]]
        within = [way[0], *reached, way[3]]
        if edge.label:
            x, y = ((a + 3 * b + 3 * c + d) / 8 for a, b, c, d in zip(start, first, second, end, strict=True))
            y -= 6 if self.across else -4
            drawn += f'<text class="label" x="{x:.1f}" y="{y:.1f}">{escape(edge.label)}</text>'
            half = len(edge.label) * SMALL_LETTER / 2
            within += [self._point((x - half, y - 12)), self._point((x + half, y + 4))]
        return within, drawn

    def _way(self, edge: Edge) -> tuple[Point, Point, Point, Point]:
        """Start, two middle points and end of a curve, along and aside."""
        (along, aside), (to, beside) = self.at[edge.start], self.at[edge.end]
        steps = self.ranks[edge.end] - self.ranks[edge.start]
        if edge.start == edge.end:
            # The loop stands on the other side where an edge that goes back ends or starts at the node.
            back = [other for other in self.chart.edges if self.ranks[other.end] < self.ranks[other.start]]
            side = 1 if any(edge.start in (other.start, other.end) for other in back) else -1
            near, wide = aside + side * self._size_across(edge.start) / 2, min(11.0, self._size_along(edge.start) / 4)
            far = near + side * 34
            return (along - wide, near), (along - 2 * wide, far), (along + 2 * wide, far), (along + wide, near)
        if steps == 1:
            out, into = along + self._size_along(edge.start) / 2, to - self._size_along(edge.end) / 2
            middle = (out + into) / 2
            return (out, aside), (middle, aside), (middle, beside), (into, beside)
        side = 1 if steps > 0 else -1  # those that skip a rank pass on one side, those that go back on the other
        out, into = (at + side * self._size_across(name) / 2 for at, name in ((aside, edge.start), (beside, edge.end)))
        first, last = sorted((self.ranks[edge.start], self.ranks[edge.end]))
        widest = max(self._size_across(name) for name, rank in self.ranks.items() if first <= rank <= last)
        bulge = side * (widest / 2 + 22 * abs(steps) ** 0.5)
        return (along, out), (along, out + bulge), (to, into + bulge), (to, into)

    def _head(self, before: Point, tip: Point) -> str:
        length = ((tip[0] - before[0]) ** 2 + (tip[1] - before[1]) ** 2) ** 0.5 or 1.0
        along, aside = (tip[0] - before[0]) / length, (tip[1] - before[1]) / length
        back = (tip[0] - 8 * along, tip[1] - 8 * aside)
        corners = [tip, (back[0] - 4 * aside, back[1] + 4 * along), (back[0] + 4 * aside, back[1] - 4 * along)]
        return " ".join(_pair(self._point(corner)) for corner in corners)


def _pair(point: Point) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"


def _ranks(chart: Chart) -> dict[str, int]:
    """The number of steps from the first node to each node, along the longest path without repeated nodes."""
    followers: dict[str, list[str]] = defaultdict(list)
    for edge in chart.edges:
        followers[edge.start].append(edge.end)
    order: list[str] = []
    forward: list[tuple[str, str]] = []
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        for follower in followers[name]:
            if follower not in (*path, name):
                forward.append((name, follower))
                if follower not in done:
                    visit(follower, (*path, name))
        done.add(name)
        order.append(name)

    for name in chart.labels:
        if name not in done:
            visit(name, ())
    ranks = dict.fromkeys(chart.labels, 0)
    for name in reversed(order):
        for start, end in forward:
            if start == name:
                ranks[end] = max(ranks[end], ranks[start] + 1)
    return ranks


class Picture(str):
    """A flowchart in mermaid's notation, which a notebook shows as a drawing."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_svg_(self) -> str:
        chart = parse(self)
        return _Layout(chart, chart.across).svg("flowchart", f"<style>{STYLE}</style>")


def picture(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Picture:
    """A compiled graph's nodes and edges, without its start and end; dotted edges are choices.

    Drawn on this machine, where LangGraph's `draw_mermaid_png`, and a graph at the end of a cell, ask a server.
    """
    chart = _chart_of(graph)
    lines = [f"{edge.start} {'-.->' if edge.dotted else '-->'} {edge.end}" for edge in chart.edges]
    return Picture("\n    ".join(["graph LR", *(lines or chart.labels)]))


def draw_downwards(graph: CompiledStateGraph[Any, Any, Any, Any]) -> str:
    """A compiled graph as an SVG element, from top to bottom; each box has the name of its node as `data-node`."""
    return _Layout(_chart_of(graph), across=False).svg("graph")


def _chart_of(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Chart:
    drawn = graph.get_graph()
    names = [name for name in drawn.nodes if name not in (START, END)]
    edges = [edge for edge in drawn.edges if edge.source in names and edge.target in names]
    edges.sort(key=lambda edge: (names.index(edge.source), names.index(edge.target)))
    arrows = [Edge(edge.source, edge.target, edge.conditional, "") for edge in edges]
    return Chart(across=True, labels=dict(zip(names, names, strict=True)), edges=arrows)
