"""Plots as inline SVG for a page with a strict content policy: no styles, scripts or fonts of their own.

Matplotlib draws them. Text stays text, in the page's font, and everything drawn in `INK` gets the colour of the page's
text, so that plots are readable on light and dark backgrounds.
"""

import io
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from lxml import etree

from readgraph.evaluation.optional_imports import library

INK = "#010203"
"""Stands for the page's text colour."""

COLOURS = ("#0e8f96", "#d1702c", "#6a7fd8", "#b8558f", "#6f9b2e", "#b8921f", "#9a6fd0", "#d2545f", "#3f9a6b", "#85898e")
"""The methods' colours, in order: of medium lightness, for light and dark backgrounds."""

MARKERS = "osD^vPX<>h"
"""The methods' markers, so that nobody has to distinguish colours."""

SIZE = (5.6, 3.8)
"""Usual width and height in inches; only their ratio, and the size of text relative to them, matter."""

ROW_LETTERS = 54
"""Letters in a row of a legend."""

FEW_LINES = 5
"""Lines of a legend, or beside the axes, that have room in a plot of the usual height."""

LINE = 0.2
"""Height of a line in inches."""

SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "readgraph",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.15,
    "legend.frameon": False,
    "text.parse_math": False,
    **dict.fromkeys(
        (
            "text.color",
            "axes.labelcolor",
            "axes.edgecolor",
            "axes.titlecolor",
            "grid.color",
            "xtick.color",
            "ytick.color",
        ),
        INK,
    ),
}

Panel = Callable[[Any], None]
"""Draws into matplotlib's axes."""


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def drawn(panel: Panel, lines: int = 0) -> str:
    """A panel as an SVG element, with its labels in a legend below; `lines` of text beside the axes make it higher."""
    with library("matplotlib").rc_context(SETTINGS):
        figure = library("matplotlib.figure").Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        panel(axes)
        handles, names = axes.get_legend_handles_labels()
        labels = [folded(name, ROW_LETTERS) for name in names]
        columns = ROW_LETTERS // max((len(line) for label in labels for line in label.split("\n")), default=1) or 1
        rows = sum(label.count("\n") + 1 for label in labels) / columns
        figure.set_size_inches(SIZE[0], SIZE[1] + LINE * (max(0, rows - FEW_LINES) + max(0, lines - FEW_LINES)))
        if labels:
            figure.legend(handles, labels, loc="outside lower center", ncols=columns, columnspacing=1)
        written = io.BytesIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _for_a_page(written.getvalue())


def folded(name: str, letters: int) -> str:
    """A row's name; a longer one has each of its settings in a line of its own."""
    return name if len(name) <= letters else name.replace("@", "@\n").replace(",", ",\n")


def _for_a_page(svg: bytes) -> str:
    """The drawing alone: styles as attributes, no metadata, the ink as the page's."""
    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, remove_comments=True))
    etree.strip_elements(root, "{*}metadata", "{*}style", with_tail=False)
    for element in root.iter():
        if etree.QName(element).localname == "g":
            element.attrib.pop("id", None)
        for name, value in _declarations(element.attrib.pop("style", "")):
            element.set(name, value)
        for name in ("fill", "stroke"):
            if element.get(name) == INK:
                element.set(name, "currentColor")
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("stroke-linejoin", "round")
    root.set("aria-hidden", "true")
    return etree.tostring(root, encoding="unicode")


def _declarations(style: str) -> list[tuple[str, str]]:
    """The declarations of a style without the font, since the page's font is used."""
    pairs = [(name.strip(), value.strip()) for name, _, value in (one.partition(":") for one in style.split(";"))]
    return [(name, value) for name, value in pairs if name and name != "font-family"]
