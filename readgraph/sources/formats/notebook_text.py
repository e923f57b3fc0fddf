"""Jupyter notebooks as plain text: Markdown, code and its printed results; places are the cells."""

import json
import re
from collections.abc import Iterator
from typing import Any

from readgraph.sources.converting import Blocks, Converted, dicts, require_text
from readgraph.sources.encodings import decode
from readgraph.sources.places import Place, order_places
from readgraph.state.errors import BadInput

LONGEST_RESULT = 4_000  # the most characters of one printed result; the rest is left out, and a line says so
_TERMINAL = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")


def convert(data: bytes, name: str) -> Converted:
    """The cells: Markdown unchanged, code between fences, then what it gave as text; places are "cell 3" and so on.

    Raises `BadInput` if the file is no notebook, or has no cell with text.
    """
    blocks = Blocks()
    places = []
    try:
        notebook = json.loads(decode(data, name))
    except (ValueError, RecursionError):
        raise BadInput(f"{name} is not a valid notebook: it is not JSON.") from None
    notebook = notebook if isinstance(notebook, dict) else {}
    found = notebook.get("cells")
    if found is None:  # before format 4, cells stood in worksheets
        sheets = notebook.get("worksheets")
        found = [cell for sheet in dicts(sheets) for cell in dicts(sheet.get("cells"))] if sheets else None
    if not isinstance(found, list):
        raise BadInput(f"{name} is not a valid notebook: it has no cells.")
    for number, cell in enumerate([cell if isinstance(cell, dict) else {} for cell in found], 1):
        for part in _parts(cell):
            if part.strip():
                places.append(Place(blocks.add(part.strip("\n").rstrip()), f"cell {number}"))
    return Converted(require_text(blocks.text(), name), order_places(places))


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    source = _join_notebook_text(cell.get("source", cell.get("input")))
    if cell.get("cell_type") != "code":
        yield source
        return
    if source.strip():
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", source)), default=0))
        yield f"{fence}\n{source.strip(chr(10)).rstrip()}\n{fence}"
    for output in dicts(cell.get("outputs")):
        if output.get("output_type") in ("error", "pyerr"):
            shown = f"{_join_notebook_text(output.get('ename'))}: {_join_notebook_text(output.get('evalue'))}"
        else:  # of a picture only what stands for it
            data = output.get("data")
            shown = _join_notebook_text(data.get("text/plain") if isinstance(data, dict) else output.get("text"))
        result = _TERMINAL.sub("", shown)
        if len(result) > LONGEST_RESULT:
            result = f"{result[:LONGEST_RESULT].rstrip()}\n[The rest is left out.]"
        yield result


def _join_notebook_text(text: Any) -> str:
    """A text that is stored whole or as a list of lines."""
    lines = text if isinstance(text, list) else [text]
    return "".join(line for line in lines if isinstance(line, str))
