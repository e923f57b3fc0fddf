"""Pages that stand beside the code that they are about, as pages of the site; links lead to the same places there."""

import re
from collections.abc import Iterator
from pathlib import Path

BESIDE = {"evaluation": Path(__file__).parents[2] / "evaluation" / "docs"}
"""Folders of pages, by their folders in the site."""

_TO_BESIDE = re.compile(rf"\]\((?:\.\./)+({'|'.join(BESIDE)})/docs/")
_TO_DOCS = re.compile(r"\]\((?:\.\./)+docs/")


def pages_beside() -> Iterator[tuple[str, Path]]:
    """The path in the site and the file of each of these pages."""
    for name, folder in BESIDE.items():
        yield from ((f"{name}/{path.name}", path) for path in sorted(folder.glob("*.md")))


def links_beside(markdown: str, page: str) -> str:
    """Markdown in which links to these pages and from them lead to pages of the site; `page` is its path there."""
    up = "../" * page.count("/")
    if page.partition("/")[0] in BESIDE:
        return _TO_DOCS.sub(f"]({up}", markdown)
    return _TO_BESIDE.sub(lambda match: f"]({up}{match[1]}/", markdown)
