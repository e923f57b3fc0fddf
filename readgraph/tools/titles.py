"""Documents by a part of their title, and titles that are spelt nearly alike."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from readgraph.state.search.catalogue import title_words

NEAR = 0.75
"""How alike a title must be to be suggested, as `difflib` counts it: 1 is the same."""

MOST_LISTED = 5
"""The most titles that a message lists."""


def titled(documents: Sequence[Document], part: str) -> Document | None:
    """The document whose title has this part, from the beginning of a word; None where there is none.

    A document comes before the collections that hold it. Raises `BadInput` where several documents match.
    """
    wanted = f" {title_words(part)}"
    matches = [document for document in documents if wanted.strip() and wanted in f" {title_words(document.title)}"]
    matches = [document for document in matches if not document.parts] or matches
    if len(matches) > 1:
        listed = "; ".join(f"'{document.title}', id {document.id}" for document in matches[:MOST_LISTED])
        more = "; …" if len(matches) > MOST_LISTED else ""
        raise BadInput(f"'{part}' is in the titles of several documents: give the id of one ({listed}{more}).")
    return matches[0] if matches else None


def suggestion(documents: Sequence[Document], name: str) -> str:
    """The question whether a title that is spelt nearly like this was meant, after a space; "" where there is none."""
    if not (wanted := title_words(name)):
        return ""
    near: dict[str, str] = {}
    for document in sorted(documents, key=lambda document: len(document.parts)):  # before collections with it
        for stretch in _stretches(title_words(document.title), wanted.count(" ") + 1):
            near.setdefault(stretch, document.title)
    matches = get_close_matches(wanted, near, MOST_LISTED, NEAR)
    titles = " or ".join(dict.fromkeys(f"'{near[match]}'" for match in matches))
    return f" Do you mean {titles}?" if titles else ""


def _stretches(title: str, count: int) -> Iterator[str]:
    """The whole title, and every run of `count` neighbouring words in it."""
    words = title.split(" ")
    yield title
    yield from (" ".join(words[start : start + count]) for start in range(len(words) - count + 1))
