"""Notebooks as pages of the site, with the outputs that they hold."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks"

_LINK = re.compile(r"\]\((?:\.\./)+notebooks/(?:README\.md|(\w+)\.ipynb)\)")


def notebook_pages() -> Iterator[tuple[str, str]]:
    """(path among the pages, Markdown) of the notebooks, and of the page that lists them."""
    yield "notebooks/index.md", _with_links((FOLDER / "README.md").read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield f"notebooks/{path.stem}.md", "\n\n".join(part for cell in cells for part in _parts(cell))


def links_to_pages(markdown: str, page: str) -> str:
    """A page's links to notebooks as links to their pages; the page is named by its path."""
    up = "../" * page.count("/")
    return _LINK.sub(lambda found: f"]({up}notebooks/{found[1] or 'index'}.md)", markdown)


def _with_links(markdown: str) -> str:
    """Links as they are beside a notebook, made links between pages."""
    return re.sub(r"\]\((\w+)\.ipynb\)", r"](\1.md)", markdown).replace("](../docs/", "](../")


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield _with_links(source)
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        yield _shown(output)


def _shown(output: dict[str, Any]) -> str:
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
    if "image/svg+xml" in data:
        return f'<figure class="output">{data["image/svg+xml"]}</figure>'
    if "image/png" in data:
        return (
            f'<figure class="output"><img alt="plot" src="data:image/png;base64,{data["image/png"].strip()}"></figure>'
        )
    if "text/html" in data:
        return data["text/html"].strip()
    return f"```text\n{''.join(output.get('text', data.get('text/plain', '')))}\n```"
