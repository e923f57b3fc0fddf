"""A page of HTML as a text that keeps its elements and controls, for who acts on it (ReadAgent, appendix E).

Its elements and texts are collected while it is parsed: no tree is built, so nesting has no limit.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from readgraph.features.web.elements import LONGEST_VALUE, cut, element_line, indentation, text_line
from readgraph.sources.encodings import decode_html
from readgraph.sources.parsing import feed_html, local_name
from readgraph.state.errors import BadInput
from readgraph.state.words import on_one_line

__all__ = ["web_page"]

HIDDEN = "data-readgraph-hidden"
"""An attribute with which whoever renders a page marks what is not shown: it is left out, with all that is in it."""

LEFT_OUT = frozenset(
    "script style template noscript iframe frame object embed canvas audio video svg math base link meta".split()
)
INLINE = frozenset(
    "abbr b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span strong sub sup text time"
    " tt u var".split()
)
"""Elements that don't interrupt a sentence; `text` is what Mind2Web puts around each text."""

_RECORDED = {
    "aria_label": "aria-label",
    "aria_role": "role",
    "input_checked": "checked",
    "input_value": "value",
    "text_value": "value",
    "option_selected": "selected",
}
"""Names under which Mind2Web records what a browser knew of an element."""

TELLING = frozenset(
    "h1 h2 h3 h4 h5 h6 p li td th dt dd caption legend form fieldset dialog nav main table tr details blockquote"
    " pre option optgroup".split()
)
"""Elements whose tag says something, so that it is kept; others have a line only where several things are in them."""

FRAMES = frozenset("form fieldset dialog nav main details".split())  # they have a line also around a single other one

_ROLES = frozenset(
    "button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox textbox searchbox"
    " spinbutton slider treeitem".split()
)
_CONTROLS = frozenset("button input select textarea summary".split())
_STATES = {"aria-checked": "checked", "aria-selected": "selected", "aria-expanded": "expanded"}
_SWITCHES = ("checked", "selected", "disabled", "readonly", "required", "multiple")
_TEXTS = ("role", "name", "placeholder", "title", "alt")
_OF_PASSWORDS = frozenset(("current-password", "new-password"))
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_NOWHERE = re.compile(r"\s*(?:#|javascript:)", re.IGNORECASE)
LONGEST_ADDRESS = 60  # most characters of a link's address that are shown


def as_in_html(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """The attributes by the names that HTML has for them, where a page was recorded with others."""
    if _RECORDED.keys().isdisjoint(attributes):
        return attributes
    recorded = {_RECORDED[name]: value for name, value in attributes.items() if name in _RECORDED}
    return {**attributes, **{name: value for name, value in recorded.items() if value.lower() != "false"}}


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is not shown, as far as the page itself says so."""
    return (
        attributes.get("hidden", "until-found") != "until-found"
        or HIDDEN in attributes
        or "inert" in attributes
        or attributes.get("aria-hidden", "").lower() == "true"
        or (tag == "input" and attributes.get("type", "").lower() == "hidden")
        or (tag == "dialog" and "open" not in attributes)
        or bool(_NOT_SHOWN.search(attributes.get("style", "")))
    )


def can_be_acted_on(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is a link or a control, or behaves as one."""
    return (
        tag in _CONTROLS
        or (tag in ("a", "area") and "href" in attributes)
        or role_of(attributes) in _ROLES
        or is_editable(attributes)
        or "onclick" in attributes
        or attributes.get("tabindex", "-1").strip().isdecimal()
    )


def is_editable(attributes: Mapping[str, str]) -> bool:
    """Whether an element's text can be edited in its place."""
    return attributes.get("contenteditable", "false").lower() in ("", "true", "plaintext-only")


def role_of(attributes: Mapping[str, str]) -> str:
    """The first role that an element says it has; "" for none."""
    return next(iter(attributes.get("role", "").lower().split()), "")


def select_attributes(tag: str, attributes: Mapping[str, str]) -> dict[str, str]:
    """The attributes that matter to whoever reads or acts, without the label; those that are merely on have ""."""
    # A field of texts may say that a password belongs into it, as one does that shows what is typed.
    takes_password = not _OF_PASSWORDS.isdisjoint(attributes.get("autocomplete", "").lower().split())
    kind = "password" if takes_password else attributes.get("type", "").lower().strip()
    kept = {"type": kind} if tag == "input" and kind not in ("", "text") else {}
    kept |= {name: cut(attributes[name]) for name in _TEXTS if attributes.get(name, "").strip()}
    if tag not in _CONTROLS:
        kept.pop("name", None)
    if "role" in kept:
        kept["role"] = role_of(attributes)
    if tag in ("a", "area") and not _NOWHERE.match(href := attributes.get("href", "#")):
        kept["href"] = cut(href, LONGEST_ADDRESS)
    kept |= {name: "" for name in _SWITCHES if name in attributes}
    kept |= {name: "" for aria, name in _STATES.items() if attributes.get(aria, "").lower() == "true"}
    if attributes.get("aria-disabled", "").lower() == "true":
        kept["disabled"] = ""
    if is_editable(attributes):
        kept["editable"] = ""
    if tag == "input" and (value := attributes.get("value", "")):
        kept |= {"filled": ""} if kind == "password" else {"value": cut(value)}
    return kept


LABELLED = frozenset("input select textarea button".split())  # controls that a label belongs to
LONGEST_ID = 64  # most characters of a given id
MOST_TEXTS = 200  # texts of a label that are looked at


@dataclass(slots=True, eq=False)
class Label:
    """A label: its texts `[start, end)` among the page's, and the control that it belongs to, or the control's id."""

    start: int
    end: int = 0
    of: str = ""
    control: "DomEntry | None" = None


@dataclass(slots=True, eq=False)
class DomEntry:
    """An element (`tag` "": a text) at a depth of the DOM, `inside` another; `within` counts the entries in it.

    `kept`: it has a line. `own_id` is the page's own id of it, `labelled_by` the ids of what labels it.
    """

    depth: int
    inside: "DomEntry | None" = None
    tag: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    kept: bool = True
    texts: list[str] = field(default_factory=list)
    within: int = 0
    own_id: str = ""
    labelled_by: str = ""
    options_of: str = ""
    label: Label | None = None

    @property
    def text(self) -> str:
        """The text on the entry's line."""
        return on_one_line("".join(self.texts))


class Dom:
    """A parser target that collects entries in the page's order, the texts of elements with an id, and labels."""

    def __init__(self, id_attribute: str = "") -> None:
        self.entries: list[DomEntry] = []
        self.texts: list[str] = []
        self.spans: dict[str, tuple[int, int]] = {}
        self.labels: list[Label] = []
        self.datalists: dict[str, list[str]] = defaultdict(list)
        self.title = ""
        self._id_attribute = id_attribute
        self._ids = set[str]()
        self._open: list[tuple[str, DomEntry | None, str, int]] = []  # tag, entry if any, own id, where texts begin
        self._block: DomEntry | None = None  # the innermost one that is open
        self._open_labels: list[Label] = []
        self._sink: DomEntry | None = None
        self._skipped = 0
        self._title: list[str] | None = None
        self._datalist = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Called by the parser for a start tag."""
        tag, attributes = local_name(tag), as_in_html(attributes)
        if self._skipped or is_hidden(tag, attributes):
            self._skipped += 1
            return
        identity = self._identity(tag, attributes)
        if tag in LEFT_OUT and not identity:
            self._skipped += 1
            return
        if tag == "title" and not self.title:
            self._title = []
        elif tag == "datalist":
            self._datalist = attributes.get("id", "")
        elif tag == "option" and self._datalist:
            self.datalists[self._datalist].append(attributes.get("value") or attributes.get("label") or "")
        entry = self._entry(tag, attributes, identity)
        self._open.append((tag, entry, attributes.get("id", ""), len(self.texts)))
        if tag == "label":
            self._open_labels.append(Label(len(self.texts), of=attributes.get("for", "")))
            self.labels.append(self._open_labels[-1])
        if tag in LEFT_OUT:
            self._skipped = 1

    def data(self, data: str) -> None:
        """Called by the parser for text."""
        if self._title is not None:
            self._title.append(data)
        elif not (self._skipped or self._datalist):
            self._put(data)

    def end(self, tag: str) -> None:
        """Called by the parser for an end tag, also for one that it added."""
        if self._skipped:
            self._skipped -= 1
            # An element that is left out but for its line is closed as others are.
            if self._skipped or not (self._open and self._open[-1][0] in LEFT_OUT):
                return
        if not self._open:
            return
        tag, entry, own_id, begun = self._open.pop()
        if own_id:
            self.spans.setdefault(own_id, (begun, len(self.texts)))
        if tag == "title" and self._title is not None:
            self.title, self._title = on_one_line("".join(self._title)), None
        elif tag == "datalist":
            self._datalist = ""
        elif tag == "label" and self._open_labels:
            self._open_labels.pop().end = len(self.texts)
        elif tag == "br":
            self._put(" ")
        if entry:
            self._close(entry)

    def close(self) -> "Dom":
        """Called by the parser at the end."""
        return self

    def text_of(self, start: int, end: int) -> str:
        """The texts of a label, as far as they are looked at."""
        return " ".join(text[:LONGEST_VALUE] for text in self.texts[start : min(end, start + MOST_TEXTS)])

    def _identity(self, tag: str, attributes: Mapping[str, str]) -> str:
        """The id by which an element can be named: its given one, or the next number; "" for none."""
        if self._datalist or tag in ("option", "text"):
            return ""
        given = cut(attributes.get(self._id_attribute, ""), LONGEST_ID) if self._id_attribute else ""
        if not self._id_attribute and can_be_acted_on(tag, attributes):
            given = str(len(self._ids) + 1)
        if given in self._ids:
            return ""
        self._ids.update({given} - {""})
        return given

    def _entry(self, tag: str, attributes: Mapping[str, str], identity: str) -> DomEntry | None:
        said = cut(attributes.get("aria-label", ""))
        if not (identity or said or role_of(attributes)) and (tag in INLINE or tag in ("br", "wbr", "title")):
            return None
        kept = {"id": identity} if identity else {}
        kept |= select_attributes(tag, attributes)
        if said:
            kept["label"] = said
        stays = bool(identity or said or "role" in kept or "alt" in kept) or tag in TELLING
        entry = DomEntry(len(self._open), self._block, tag, kept, stays and not self._datalist)
        entry.own_id, entry.labelled_by = attributes.get("id", ""), attributes.get("aria-labelledby", "")
        entry.options_of = attributes.get("list", "")
        if tag in LABELLED and self._open_labels:
            label = self._open_labels[-1]
            label.control = label.control or (None if label.of else entry)
        self.entries.append(entry)
        self._block = entry
        self._sink = entry if stays else None
        return entry

    def _put(self, data: str) -> None:
        if self._sink is None:
            if not data or data.isspace():
                return
            self._sink = DomEntry(len(self._open), self._block)
            self.entries.append(self._sink)
            if self._open_labels and not (self._block and "id" in self._block.attributes):
                self._sink.label = self._open_labels[-1]
            elif self._block:
                self._block.within += 1
        self._sink.texts.append(data)
        if self._sink.tag not in ("option", "textarea"):
            self.texts.append(data)

    def _close(self, entry: DomEntry) -> None:
        """Without content an element has a line if it can be named; around a single one only where it says more."""
        self._block, self._sink = entry.inside, None
        named = "id" in entry.attributes or "alt" in entry.attributes
        if entry.kept:
            alone = entry.within == 1 and entry.tag not in FRAMES and not entry.attributes.keys() & {"role", "label"}
            entry.kept = bool(named or entry.text or (entry.within and not alone))
        else:
            entry.kept = entry.within > 1
        counts = 1 if entry.kept else min(entry.within, 1)
        if self._block:
            self._block.within += counts


_BUTTONS = frozenset(("submit", "button", "reset"))
MOST_LABELS = 4  # elements that name a control together


def label_controls(dom: Dom) -> None:
    """Give each control the label that the page ties to it, and drop the label's own text, which would stand twice."""
    own = {entry.own_id: entry for entry in reversed(dom.entries) if entry.own_id and entry.tag in LABELLED}
    labelled: dict[DomEntry, Label] = {}
    for label in dom.labels:
        if control := own.get(label.of) if label.of else label.control:
            label.control = control
            labelled.setdefault(control, label)
    for entry in dom.entries:
        if entry.label and entry.label.control and entry.label.control.kept:
            entry.kept = False
        elif entry.tag and "id" in entry.attributes:
            spans = (dom.spans.get(own_id, (0, 0)) for own_id in entry.labelled_by.split()[:MOST_LABELS])
            said = " ".join(dom.text_of(*span) for span in spans) or entry.attributes.get("label", "")
            if not said.strip() and entry in labelled:
                said = dom.text_of(labelled[entry].start, labelled[entry].end)
            if not said.strip() and entry.tag == "input" and entry.attributes.get("type") in _BUTTONS:
                said = entry.attributes.pop("value", "")
            if said := cut(said):
                entry.attributes["label"] = said


class WebPage(NamedTuple):
    """A page's title ("" if it has none) and its text: a line for each element (see `elements.py`)."""

    title: str
    text: str


def web_page(html: str | bytes, *, id_attribute: str = "", name: str = "The page") -> WebPage:
    """The text of a page of HTML, with the ids by which its elements can be named.

    Scripts, styles and what the page hides are left out.

    Args:
        html: The page.
        id_attribute: An element can be named if it has this attribute, whose value is the id; without, links and
            controls get running numbers.
        name: Stands for the page in messages.

    Raises:
        BadInput: For a page in which there is nothing to read and nothing to act on, or that is no text.
    """
    written = decode_html(html, name) if isinstance(html, bytes) else html
    dom = Dom(id_attribute)
    if written.strip():
        feed_html(written, dom)
    label_controls(dom)
    text = "\n".join(_lines(dom))
    if not text:
        raise BadInput(f"{name} holds nothing to read, and nothing to act on.")
    return WebPage(dom.title, text)


def _lines(dom: Dom) -> Iterator[str]:
    if dom.title:
        yield element_line(0, "title", {}, dom.title)
    places: dict[DomEntry, tuple[int, int]] = {}  # the depth and the indentation of the line that others stand in
    for entry in dom.entries:
        around = places.get(entry.inside) if entry.inside else None
        if not entry.kept:
            if around:
                places[entry] = around
            continue
        indented = indentation(*around) if around else 0
        if entry.tag:
            places[entry] = entry.depth, indented
            attributes, text = entry.attributes, entry.text
            if entry.tag == "textarea" and text:  # what stands in it is its value
                attributes, text = {**attributes, "value": cut(text)}, ""
            yield element_line(indented, entry.tag, attributes, text)
            options = dom.datalists.get(entry.options_of, []) if entry.tag == "input" else []
            yield from (element_line(indented + 1, "option", {}, option) for option in options)
        elif entry.text:
            yield text_line(indented, entry.text)
