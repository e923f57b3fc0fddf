"""The text in a part of a page whose form is known: lines, links with their addresses, code, what is struck out."""

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from readgraph.sources.parsing import local_name, parse_html

if TYPE_CHECKING:
    from lxml.etree import _Element

_BLOCKS = frozenset(
    "address blockquote dd div dl dt figure h1 h2 h3 h4 h5 h6 hr li ol p pre section table td tr ul".split()
)
_NEVER_SHOWN = frozenset("script style template head title svg".split())
_SIGNS = {"s": "~~", "del": "~~", "strike": "~~", "code": "`"}
_TAGS = re.compile(r"<[^<>]*>")
_GAPS = re.compile(r"[ \t]*\n[ \t\n]*")
_FENCE = "\ue000"  # stands for a line end that is kept: what is private in Unicode is taken out of texts before


def text_of_html(html: str) -> str:
    """The text of a piece of HTML."""
    root = parse_html(html)
    return " ".join(_TAGS.sub(" ", html).split()) if root is None else text_of(root)


def text_of(element: "_Element", leave_out: Collection[str] = ()) -> str:
    """The text in an element, without what has a class that is left out."""
    text = _GAPS.sub("\n", "".join(_pieces(element, frozenset(leave_out)))).strip()
    return text.replace(_FENCE, "\n").strip("\n")


def classes_of(element: "_Element") -> frozenset[str]:
    """The classes of an element."""
    return frozenset((element.get("class") or "").split())


def _pieces(root: "_Element", leave_out: frozenset[str]) -> Iterator[str]:
    """The pieces of text, without recursion: a hostile page is nested deeply."""
    from lxml import etree

    skipped, kept_lines = 0, 0
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event in ("comment", "pi"):
            if not skipped and element is not root:
                yield _plain(element.tail, kept_lines)
            continue
        name = local_name(element.tag)
        is_hidden = name in _NEVER_SHOWN or (element is not root and bool(leave_out & classes_of(element)))
        if event == "start":
            skipped += is_hidden
            if skipped:
                continue
            kept_lines += name == "pre"
            yield from _opened(element, name)
            yield _plain(element.text, kept_lines)
        else:
            if not skipped:
                yield from _closed(element, name)
                kept_lines -= name == "pre"
            skipped -= is_hidden
            if not skipped and element is not root:
                yield _plain(element.tail, kept_lines)


def _plain(text: str | None, kept_lines: int) -> str:
    text = (text or "").replace(_FENCE, "")
    return text.replace("\n", _FENCE) if kept_lines else " ".join(re.split(r"[ \t\r\n\f]+", text))


def _opened(element: "_Element", name: str) -> Iterator[str]:
    if name == "br" or name in _BLOCKS:
        yield "\n"
    if name == "pre":
        yield f"```{_FENCE}"
    elif name == "blockquote":
        yield "> "
    elif name in _SIGNS and not _is_in_pre(element):
        yield _SIGNS[name]
    elif name in ("img", "emoji"):
        yield (element.get("alt") or "").strip()


def _closed(element: "_Element", name: str) -> Iterator[str]:
    if name == "a":
        address = element.get("href") or ""
        if address.startswith(("http://", "https://", "tg://", "mailto:")) and address not in "".join(
            element.itertext()
        ):
            yield f" ({address})"
    elif name == "pre":
        yield f"{_FENCE}```"
    elif name in _SIGNS and not _is_in_pre(element):
        yield _SIGNS[name]
    if name in _BLOCKS:
        yield "\n"


def _is_in_pre(element: "_Element") -> bool:
    parent = element.getparent()
    return parent is not None and local_name(parent.tag) == "pre"
