"""The elements and texts of a page, collected while it is parsed: no tree is built, so nesting has no limit."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from readgraph.sources.markup import local_name
from readgraph.sources.web.attributes import (
    FRAMES,
    INLINE,
    LEFT_OUT,
    TELLING,
    as_in_html,
    can_be_acted_on,
    is_hidden,
    kept_attributes,
    role_of,
)
from readgraph.state.web.lines import cut, on_one_line

LABELLED = frozenset("input select textarea button".split())
"""Controls that a label belongs to."""

LONGEST_ID = 64
"""Most characters of a given id."""


@dataclass(slots=True, eq=False)
class Label:
    """A label: its texts `[start, end)` among the page's, and the control that it belongs to, or the control's id."""

    start: int
    end: int = 0
    of: str = ""
    control: "Entry | None" = None


@dataclass(slots=True, eq=False)
class Entry:
    """An element (`tag` "": a text) at a depth of the DOM, `inside` another; `within` counts the entries in it.

    `kept`: it has a line. `own_id` is the page's own id of it, `labelled_by` the ids of the elements whose texts are
    its label.
    """

    depth: int
    inside: "Entry | None" = None
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


@dataclass(slots=True, eq=False)
class _Open:
    """An element that is not yet closed; `entry` is None for one that doesn't interrupt a sentence."""

    tag: str
    entry: Entry | None
    own_id: str
    begun: int


class Dom:
    """A parser target that collects entries in the page's order, the texts of elements with an id, and labels."""

    def __init__(self, id_attribute: str = "") -> None:
        self.entries: list[Entry] = []
        self.texts: list[str] = []
        self.spans: dict[str, tuple[int, int]] = {}
        self.labels: list[Label] = []
        self.datalists: dict[str, list[str]] = defaultdict(list)
        self.title = ""
        self._id_attribute = id_attribute
        self._ids = set[str]()
        self._open: list[_Open] = []
        self._blocks: list[Entry] = []
        self._open_labels: list[Label] = []
        self._sink: Entry | None = None
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
        self._open.append(_Open(tag, entry, attributes.get("id", ""), len(self.texts)))
        if tag == "label":
            self._open_label(attributes)
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
            if self._skipped or not (self._open and self._open[-1].tag in LEFT_OUT):
                return
        if not self._open:
            return
        closed = self._open.pop()
        if closed.own_id:
            self.spans.setdefault(closed.own_id, (closed.begun, len(self.texts)))
        if closed.tag == "title" and self._title is not None:
            self.title, self._title = on_one_line("".join(self._title)), None
        elif closed.tag == "datalist":
            self._datalist = ""
        elif closed.tag == "label" and self._open_labels:
            self._open_labels.pop().end = len(self.texts)
        elif closed.tag == "br":
            self._put(" ")
        if closed.entry:
            self._close(closed.entry)

    def close(self) -> "Dom":
        """Called by the parser at the end."""
        return self

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

    def _entry(self, tag: str, attributes: Mapping[str, str], identity: str) -> Entry | None:
        said = cut(attributes.get("aria-label", ""))
        if not (identity or said or role_of(attributes)) and (tag in INLINE or tag in ("br", "wbr", "title")):
            return None
        kept = {"id": identity} if identity else {}
        kept |= kept_attributes(tag, attributes)
        if said:
            kept["label"] = said
        stays = bool(identity or said or "role" in kept or "alt" in kept) or tag in TELLING
        entry = Entry(
            len(self._open), self._block, tag, kept, stays and not self._datalist, own_id=attributes.get("id", "")
        )
        entry.labelled_by, entry.options_of = attributes.get("aria-labelledby", ""), attributes.get("list", "")
        if tag in LABELLED and self._open_labels:
            label = self._open_labels[-1]
            label.control = label.control or (None if label.of else entry)
        self.entries.append(entry)
        self._blocks.append(entry)
        self._sink = entry if stays else None
        return entry

    def _open_label(self, attributes: Mapping[str, str]) -> None:
        label = Label(len(self.texts), of=attributes.get("for", ""))
        self.labels.append(label)
        self._open_labels.append(label)

    def _put(self, data: str) -> None:
        """Add a text to the line that is open, or begin one."""
        if self._sink is None:
            if not data or data.isspace():
                return
            self._sink = Entry(len(self._open), self._block)
            self.entries.append(self._sink)
            if self._open_labels and not self._in_named():
                self._sink.label = self._open_labels[-1]
            elif self._block:
                self._block.within += 1
        self._sink.texts.append(data)
        if self._sink.tag not in ("option", "textarea"):
            self.texts.append(data)

    def _in_named(self) -> bool:
        return self._block is not None and "id" in self._block.attributes

    @property
    def _block(self) -> Entry | None:
        """The innermost element that is open, but for those that don't interrupt a sentence."""
        return self._blocks[-1] if self._blocks else None

    def _close(self, entry: Entry) -> None:
        """Without content an element has a line if it can be named; around a single one only where it says more."""
        self._blocks.pop()
        self._sink = None
        named = "id" in entry.attributes or "alt" in entry.attributes
        if entry.kept:
            alone = entry.within == 1 and entry.tag not in FRAMES and not entry.attributes.keys() & {"role", "label"}
            entry.kept = bool(named or entry.text or (entry.within and not alone))
        else:
            entry.kept = entry.within > 1
        counts = 1 if entry.kept else min(entry.within, 1)
        if self._block:
            self._block.within += counts
