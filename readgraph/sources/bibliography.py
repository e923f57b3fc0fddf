"""Files that a bibliography (.bib) names: each is read under its entry's key and title, with its date."""

import logging
import os
import re
import sys
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from readgraph.sources.encodings import decode
from readgraph.sources.inputs import read_bytes
from readgraph.sources.kinds import kind_of
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput

if sys.platform == "win32":
    from pathlib import WindowsPath as _SystemPath
else:
    from pathlib import PosixPath as _SystemPath

BIBLIOGRAPHY = ".bib"
_APART, _PARTS = re.compile(r"(?<!\\);"), re.compile(r"(?<!\\):")
_ESCAPED = re.compile(r"\\([\\:;_&%$#{}])")


class CitedFile(_SystemPath):
    """A file that an entry of a bibliography names: a path, so that it can stand among the paths of files.

    `title` begins with the entry's key, by which an answer then names its source; `date` is "" where there is none.
    """

    title = date = ""

    def with_segments(self, *segments: str | PathLike[str]) -> Path:
        """A path derived from this one: a plain one."""
        return Path(*segments)


def cited_files(path: Path, left_out: Callable[[BadInput], None]) -> list[Path]:
    """The files of a bibliography's entries, in its order.

    Args:
        path: The bibliography.
        left_out: Called for what can't be read of it, for entries whose file is not there, and once for those that name
            no file.

    Raises:
        BadInput: Where the bibliography can't be read, or none of its entries has a file that is there.
    """
    from readgraph.language.calendars import find_date

    entries, broken = _parse(decode(read_bytes(path, str(path)), str(path)))
    paths, without, problems = list[Path](), list[str](), [BadInput(f"{path}, {each}") for each in broken]
    for key, fields in entries:
        named = [*_names(fields.get("file", ""))]
        there = (each for name in named if kind_of((each := path.parent / name).suffix.lower()))
        file = next((each for each in there if os.path.lexists(each)), None)
        if file:
            cited = CitedFile(str(file))
            cited.title = shorten_label(f"{key}: {' '.join(fields['title'].split()) or file.stem}")
            cited.date = find_date(fields.get("date", "")) or find_date(fields.get("year", ""))
            paths.append(cited)
        elif named:
            other = os.path.lexists(path.parent / named[0])
            wrong = "is of a kind that can't be read" if other else "is not there"
            problems.append(BadInput(f"{path}: the file of {key} {wrong}: {named[0]}."))
        else:
            without.append(key)
    if without:
        shown = ", ".join(without[:5]) + (" …" if len(without) > 5 else "")
        problems.append(BadInput(f"{path}: entries that name no file: {shown}."))
    if not paths:
        raise problems[0] if problems else BadInput(f"{path} holds no entry: there is nothing to read.")
    for problem in problems:
        left_out(problem)
    return paths


def _parse(text: str) -> tuple[list[tuple[str, dict[str, str]]], list[str]]:
    """The entries by their keys, with titles without marks for LaTeX, and what could not be read."""
    import bibtexparser
    from bibtexparser.middlewares import LatexDecodingMiddleware

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # told by its failed blocks
    parsed = bibtexparser.parse_string(text)
    decoded = LatexDecodingMiddleware(allow_inplace_modification=False).transform(parsed)
    titles = {entry.key: str(entry["title"]) for entry in decoded.entries if "title" in entry.fields_dict}
    entries = list[tuple[str, dict[str, str]]]()
    for entry in parsed.entries:
        fields = {name.lower(): str(field.value) for name, field in entry.fields_dict.items()}
        entries.append((entry.key, {**fields, "title": titles.get(entry.key, "")}))
    return entries, [f"line {block.start_line + 1}: {_fault_of(block)}." for block in parsed.failed_blocks]


def _fault_of(block: Any) -> str:
    key = getattr(block, "key", "")
    return f"there is another entry with the key {key} before" if key else "this entry can't be read"


def _names(field: str) -> Iterator[str]:
    """The paths in a field `file`: alone, or each as "what:path:kind", several with ";" between."""
    for each in filter(None, map(str.strip, _APART.split(field))):
        parts = _PARTS.split(each)
        if len(parts) >= 3:  # a Windows path has a colon of its own, which some programs don't mask
            yield _ESCAPED.sub(r"\1", ":".join(parts[1:-1]))
        yield _ESCAPED.sub(r"\1", each)
