"""Notebooks as pages of the site, with their outputs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks"

_LINK = re.compile(r"\]\((?:\.\./)+notebooks/(?:README\.md|(\w+)\.ipynb)\)")


def notebook_pages() -> Iterator[tuple[str, str]]:
    """The path in the site and the Markdown of each notebook, and of the page that lists them."""
    yield "notebooks/index.md", _with_links((FOLDER / "README.md").read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield f"notebooks/{path.stem}.md", "\n\n".join(part for cell in cells for part in _parts(cell))


def links_to_pages(markdown: str, page: str) -> str:
    """Markdown in which links to notebooks lead to their pages; `page` is the path of the page with the links."""
    up = "../" * page.count("/")
    return _LINK.sub(lambda match: f"]({up}notebooks/{match[1] or 'index'}.md)", markdown)


def _with_links(markdown: str) -> str:
    """Markdown in which a notebook's relative links lead to pages of the site."""
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
