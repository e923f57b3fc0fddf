"""The plots of an evaluation, as inline SVG without styles, scripts or fonts of its own, in the page's text colour."""

import io
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from importlib.resources import files
from itertools import chain, pairwise
from statistics import fmean
from typing import Any, NamedTuple

from lxml import etree

from readgraph_evaluation.records import texts_of
from readgraph_evaluation.results import RIGHT, ScoredEvaluation

INK = "#010203"  # in `plots.mplstyle` too, stands for the page's text colour

COLOURS = ("#0e8f96", "#d1702c", "#6a7fd8", "#b8558f", "#6f9b2e", "#b8921f", "#9a6fd0", "#d2545f", "#3f9a6b", "#85898e")
"""The methods' colours, in order: of medium lightness, for light and dark backgrounds."""

MARKERS = "osD^vPX<>h"  # the methods' markers, so that nobody has to distinguish colours
SIZE = (5.6, 3.8)  # usual width and height in inches; only their ratio, and the size of text relative to them, matter
ROW_LETTERS = 54  # letters in a row of a legend
FEW_LINES = 5  # lines of a legend, or beside the axes, that have room in a plot of the usual height
Panel = Callable[[Any], None]  # draws into matplotlib's axes


def draw_panel(panel: Panel, lines: int = 0) -> str:
    """A panel as an SVG element, with its labels in a legend below; `lines` of text beside the axes make it higher."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(fname=str(files(__package__).joinpath("assets", "plots.mplstyle"))):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        panel(axes)
        handles, names = axes.get_legend_handles_labels()
        labels = [break_name(name, ROW_LETTERS) for name in names]
        columns = ROW_LETTERS // max((len(line) for label in labels for line in label.split("\n")), default=1) or 1
        rows = sum(label.count("\n") + 1 for label in labels) / columns
        figure.set_size_inches(SIZE[0], SIZE[1] + 0.2 * (max(0, rows - FEW_LINES) + max(0, lines - FEW_LINES)))
        if labels:
            figure.legend(handles, labels, loc="outside lower center", ncols=columns, columnspacing=1)
        written = io.BytesIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _for_a_page(written.getvalue())


def _for_a_page(svg: bytes) -> str:
    """The drawing alone: styles as attributes, no metadata, the ink and the font as the page's."""
    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, remove_comments=True))
    etree.strip_elements(root, "{*}metadata", "{*}style", with_tail=False)
    for element in root.iter():
        if etree.QName(element).localname == "g":
            element.attrib.pop("id", None)
        for declaration in element.attrib.pop("style", "").split(";"):
            name, _, value = map(str.strip, declaration.partition(":"))
            if name and name != "font-family":
                element.set(name, value)
        for name in ("fill", "stroke"):
            if element.get(name) == INK:
                element.set(name, "currentColor")
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("stroke-linejoin", "round")
    root.set("aria-hidden", "true")
    return etree.tostring(root, encoding="unicode")


def break_name(name: str, letters: int) -> str:
    """A row's name; a longer one has each of its settings in a line of its own."""
    return name if len(name) <= letters else name.replace("@", "@\n").replace(",", ",\n")


class Plot(NamedTuple):
    """A plot: its heading, a sentence on what it shows, and its panels, each an SVG element."""

    heading: str
    line: str
    panels: list[str]


def plots_of(evaluation: ScoredEvaluation) -> list[Plot]:
    """The plots that can be drawn; needs matplotlib."""
    made: tuple[Callable[[ScoredEvaluation], Plot | None], ...] = (score_by_words, score_by_length, walks, words)
    return [plot for make in made if (plot := make(evaluation))]


def score_by_words(evaluation: ScoredEvaluation) -> Plot | None:
    """The leading metric by the words sent to a model, or without a model by the words in view."""
    name = evaluation.metrics[0]
    methods = [method for method in evaluation.methods if name in method["metrics"]]
    if not methods:
        return None
    sent = [method["figures"]["input_words"] or 0 for method in methods]
    built = [method["building"]["input_words"] / method["outcomes"] for method in methods]
    total = [words + of_memories for words, of_memories in zip(sent, built, strict=True)]
    by = "the words sent to the model for a question, and with memories counted in"
    places = {"words a question": sent, "words a question, with its share of the memories": total}
    if not any(sent):
        by = "the words of the text that were in view at the answer (no model)"
        places = {"words in view": [method["figures"]["words_in_view"] or 0.0 for method in methods]}
    panels = [draw_panel(partial(_scatter, name, methods, xs, label)) for label, xs in places.items()]
    return Plot("Score by words read", f"{name} with its 95 % interval, by {by}", panels)


def score_by_length(evaluation: ScoredEvaluation) -> Plot | None:
    """The leading metric by the length of the text, in groups of equal size (MemWalker, figure 2)."""
    name, sizes = evaluation.metrics[0], evaluation.text_words
    groups = length_groups(sizes)
    series = [
        (number, method, points)
        for number, method in enumerate(evaluation.outcomes)
        if (points := _means_by_length(evaluation, method, groups))
    ]
    if len(groups) < 2 or not series:
        return None

    def panel(axes: Any) -> None:
        for number, method, points in series:
            beside = 0.03 * (number - len(series) / 2)  # so that equal scores don't hide one another
            axes.plot([group + beside for group in points], [*points.values()], label=method, **_look(number))
        bounds = [(min(sizes[text] for text in group), max(sizes[text] for text in group)) for group in groups]
        labels = [f"{low:,}–{high:,}" if low < high else f"{low:,}" for low, high in bounds]
        axes.set_xticks(range(len(groups)), labels)
        axes.set_ylim(0, 100)
        axes.set_ylabel(name)
        axes.set_xlabel("words of the text")

    return Plot("Score by length", f"{name} by the length of the text, in groups of as many texts", [draw_panel(panel)])


def words(evaluation: ScoredEvaluation) -> Plot | None:
    """How long texts and pages are, and what memories keep of them (ReadAgent, figures 2 to 5); memories of run 1."""
    noted, seen = defaultdict[str, list[dict[str, Any]]](list), set[str]()
    for memory in evaluation.built:  # one that several methods share is under the first of them
        if memory["run"] == 0 and memory["memory"] not in seen and any(memory["note_words"]):
            seen.add(memory["memory"])
            noted[memory["method"]].append(memory)
    if not noted:
        return None
    notes, pages = list[_Series](), list[_Series]()
    for number, (method, memories) in enumerate(noted.items()):
        colour = COLOURS[(number + 1) % len(COLOURS)]
        notes.append(_Series(f"notes, {method}", [sum(one["note_words"]) for one in memories], colour))
        for label, of, dashed in ((f"parts, {method}", "page_words", True), (f"notes, {method}", "note_words", False)):
            pages.append(_Series(label, [size for one in memories for size in one[of]], colour, dashed))
    panels = [partial(_histogram, pages, "parts")]
    sizes = evaluation.text_words
    if len(sizes) >= 5:  # fewer make no histogram
        panels.insert(0, partial(_histogram, [_Series("texts", [*sizes.values()], COLOURS[0], True), *notes], "texts"))
    line = "words of texts and their parts, and of the notes that memories keep of them; in brackets the mean"
    return Plot("Words and notes", line, [draw_panel(panel) for panel in panels])


def walks(evaluation: ScoredEvaluation) -> Plot | None:
    """The share of the text that walks read: all walks, and those with a right answer (MemWalker, figure 4)."""
    shares, metric = defaultdict[str, list[tuple[float, bool]]](list), evaluation.metrics[0]
    for outcome in chain.from_iterable(evaluation.outcomes.values()):
        if outcome.hops is not None and outcome.percent_read is not None:
            shares[outcome.method].append((outcome.percent_read, (evaluation.score(outcome, metric) or 0) >= RIGHT))
    if not shares:
        return None
    names = [break_name(method, 18) for method in shares]

    def panel(axes: Any) -> None:
        for offset, (label, wanted) in enumerate({"all walks": (True, False), "right answers": (True,)}.items()):
            means = [[share for share, right in of if right in wanted] for of in shares.values()]
            at = [number + 0.32 * offset - 0.16 for number in range(len(shares))]
            axes.barh(at, [fmean(of) if of else 0 for of in means], 0.3, label=label, color=COLOURS[offset])
        axes.set_yticks(range(len(shares)), names)
        axes.set_ylim(len(shares) - 0.3, -0.7)
        axes.grid(visible=False, axis="y")
        axes.set_xlim(0, 100)
        axes.set_xlabel("% of the text read")

    line = f"words of the text in segments that walks read; right: {metric} of 50 or more"
    return Plot("What walks read", line, [draw_panel(panel, sum(name.count("\n") + 1 for name in names))])


def length_groups(sizes: dict[str, int]) -> list[list[str]]:
    """Texts in at most four groups by their number of words, shortest first, as equal in size as possible."""
    ordered = sorted(sizes, key=lambda text: (sizes[text], text))
    count = min(4, len(set(sizes.values())))
    ends = [round(number * len(ordered) / count) for number in range(count + 1)] if count else []
    return [ordered[start:end] for start, end in pairwise(ends)]


def _means_by_length(evaluation: ScoredEvaluation, method: str, groups: Sequence[Sequence[str]]) -> dict[int, float]:
    group_of = {text: number for number, group in enumerate(groups) for text in group}
    texts = texts_of(evaluation.dataset.items)
    scores = defaultdict[int, list[float]](list)
    for run in evaluation.scores[method][evaluation.metrics[0]].values():
        for item, score in run.items():
            if texts[item] in group_of:
                scores[group_of[texts[item]]].append(score)
    return {number: fmean(scores[number]) for number in sorted(scores)}


def _scatter(name: str, methods: Sequence[dict[str, Any]], at: Sequence[float], label: str, axes: Any) -> None:
    for number, (method, x) in enumerate(zip(methods, at, strict=True)):
        metric, look = method["metrics"][name], _look(number)
        if metric["interval"]:
            axes.vlines(x, *metric["interval"], color=look["color"], alpha=0.45)
        axes.plot([x], [metric["mean"]], label=method["method"], **{**look, "linestyle": "none"})
    axes.set_ylim(0, 100)
    axes.set_ylabel(name)
    axes.set_xlabel(label)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter("{x:,.0f}")


class _Series(NamedTuple):
    """Numbers of words with the label and the look that they have in a histogram."""

    label: str
    sizes: list[int]
    colour: str
    dashed: bool = False


def _histogram(series: Sequence[_Series], counted: str, axes: Any) -> None:
    most = max(max(one.sizes) for one in series)
    for one in series:
        label, style = f"{one.label} ({fmean(one.sizes):,.0f})", "--" if one.dashed else "-"
        axes.hist(one.sizes, 20, range=(0, most), histtype="step", label=label, color=one.colour, ls=style)
    axes.set_xlabel("words")
    axes.set_ylabel(counted)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.get_major_locator().set_params(integer=True)


def _look(number: int) -> dict[str, Any]:
    marker = MARKERS[(number + number // len(COLOURS)) % len(MARKERS)]  # with another colour after each ten
    return {"color": COLOURS[number % len(COLOURS)], "marker": marker, "markeredgecolor": INK}
