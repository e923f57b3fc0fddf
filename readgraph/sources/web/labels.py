"""Labels, tied to the controls that they belong to."""

from readgraph.sources.web.dom import LABELLED, Dom, Entry, Label
from readgraph.state.web.lines import LONGEST_VALUE, cut

_BUTTONS = frozenset(("submit", "button", "reset"))


def label_controls(dom: Dom) -> None:
    """Give each control the label that the page ties to it, and drop the label's own text, which would stand twice."""
    own = {entry.own_id: entry for entry in reversed(dom.entries) if entry.own_id and entry.tag in LABELLED}
    labelled: dict[Entry, Label] = {}
    for label in dom.labels:
        if control := own.get(label.of) if label.of else label.control:
            label.control = control
            labelled.setdefault(control, label)
    for entry in dom.entries:
        if entry.label and entry.label.control and entry.label.control.kept:
            entry.kept = False
        elif entry.tag and "id" in entry.attributes:
            _label(dom, entry, labelled.get(entry))


def _label(dom: Dom, entry: Entry, label: Label | None) -> None:
    said = entry.attributes.get("label", "")
    if entry.labelled_by:
        said = " ".join(_text(dom, *dom.spans.get(own_id, (0, 0))) for own_id in entry.labelled_by.split()[:4]) or said
    if not said.strip() and label:
        said = _text(dom, label.start, label.end)
    if not said.strip() and entry.tag == "input" and entry.attributes.get("type") in _BUTTONS:
        said = entry.attributes.pop("value", "")
    if said := cut(said):
        entry.attributes["label"] = said


MOST_TEXTS = 200
"""Texts of a label that are looked at."""


def _text(dom: Dom, start: int, end: int) -> str:
    return " ".join(text[:LONGEST_VALUE] for text in dom.texts[start : min(end, start + MOST_TEXTS)])
