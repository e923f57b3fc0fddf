"""Files as the sessions of a history: one each, one under each heading, or one on each line of JSON."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from readgraph.sources.encodings import decode
from readgraph.sources.folders import chosen_files
from readgraph.sources.given_files import read_bytes
from readgraph.sources.loading import SUFFIXES, load, shown
from readgraph.state.errors import BadInput

JSON_LINES = ".jsonl"

SESSION_HEADING = r"^#{1,6}\s+session\s+\d+\b\W*(?:(?P<time>.*\d.*)|(?P<title>.*))$"
"""A Markdown heading such as "## Session 3, 12 March 2024, 19:40"."""


class SourceSession(NamedTuple):
    """One session: its text, and what it is called and when it was, where the source says so."""

    text: str
    title: str
    time: str


def load_sessions(paths: Sequence[Path], glob: str | None = None, heading: str | None = None) -> list[SourceSession]:
    """The sessions of files and folders, in their order (see `load_all`); "-" is standard input.

    A text is split before each line in which the regular expression `heading` is found, which may have groups named
    `title` and `time`; what stands before the first such line belongs to the first session. Where it is found
    nowhere, the file is one session with its title. A `.jsonl` file has a session on each line. Raises `BadInput`.
    """
    try:
        marked = re.compile(heading) if heading is not None else re.compile(SESSION_HEADING, re.IGNORECASE)
    except re.error as problem:
        raise BadInput(f"{heading!a} is no regular expression: {problem}.") from None
    sessions = list[SourceSession]()
    for file in chosen_files(paths, glob, (*SUFFIXES, JSON_LINES)):
        if file.suffix.lower() == JSON_LINES:
            sessions += _of_json_lines(file)
        else:
            source = load(file)
            sessions += split_sessions(source.text, marked) or [SourceSession(source.text, source.title, "")]
    return sessions


def split_sessions(text: str, heading: re.Pattern[str]) -> list[SourceSession]:
    """The sessions under their headings; none where there is no heading. A heading stays in its session's text."""
    found, at = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip() and (match := heading.search(line.rstrip())):
            found.append((at, match))
        at += len(line)
    bounds = pairwise([0, *(start for start, _ in found[1:]), len(text)])
    return [
        SourceSession(text[start:end], *_named(match)) for (start, end), (_, match) in zip(bounds, found, strict=False)
    ]


def _named(match: re.Match[str]) -> tuple[str, str]:
    groups = match.groupdict()
    if not groups:
        return match.string.strip("#* \t"), ""
    title, time = ((groups.get(name) or "").strip() for name in ("title", "time"))
    return title, time


def _of_json_lines(file: Path) -> Iterator[SourceSession]:
    name, count = shown(file), 0
    for number, line in enumerate(decode(read_bytes(file, name), name).split("\n"), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                raise BadInput(f"Line {number} of {name} is no JSON: each line is one session.") from None
            count += 1
            yield _session(value, f"Line {number} of {name}")
    if not count:
        raise BadInput(f"{name} is empty: there is nothing to remember.")


def _session(value: Any, where: str) -> SourceSession:
    """A session of `{"text"}` or `{"turns": [{"speaker", "text"}]}`, with `title` or `session`, `time` or `date_time`.

    A session's number is no title: the history counts by itself.
    """
    given = value if isinstance(value, dict) else {}
    turns = given.get("turns")
    text = "\n".join(_turn(turn, where) for turn in turns) if isinstance(turns, list) else given.get("text")
    if not isinstance(text, str) or not text.strip():
        raise BadInput(f"{where} is no session: it needs a 'text', or 'turns' of 'speaker' and 'text'.")
    session = given.get("session")
    title = given.get("title") or (session if isinstance(session, str) else "")
    return SourceSession(text, str(title), str(given.get("time") or given.get("date_time") or ""))


def _turn(turn: Any, where: str) -> str:
    text = turn.get("text") if isinstance(turn, dict) else None
    if not isinstance(text, str):
        raise BadInput(f"{where} has a turn without a 'text'.")
    return f"{turn['speaker']}: {text}" if turn.get("speaker") else text
