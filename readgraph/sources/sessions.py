"""Files as the sessions of a history: one session for each file, heading, line of JSON, or day of a chat."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from readgraph.sources.encodings import decode
from readgraph.sources.formats.chats import (
    ChatConversation,
    chat_of,
    chats_in,
    chats_in_folder,
    is_slack_folder,
    minute,
    sessions_in,
    text_of,
)
from readgraph.sources.inputs import read_bytes
from readgraph.sources.kinds import CHATS, IN_FOLDERS
from readgraph.sources.loading import load, load_all, printable_path, raise_problem
from readgraph.state.errors import BadInput

__all__ = ["SourceSession", "load_sessions"]

JSON_LINES = ".jsonl"

SESSION_HEADING = r"^#{1,6}\s+session\s+\d+\b\W*(?:(?P<time>.*\d.*)|(?P<title>.*))$"
"""A Markdown heading such as "## Session 3, 12 March 2024, 19:40"."""


class SourceSession(NamedTuple):
    """One session: its text, and its title and time ("" if the source does not give them)."""

    text: str
    title: str
    time: str


def load_sessions(
    paths: Sequence[Path],
    glob: str | None = None,
    heading: str | None = None,
    gap_hours: float | None = None,
    left_out: Callable[[BadInput], None] = raise_problem,
) -> list[SourceSession]:
    """The sessions of files and folders, in their order (see `load_all`); "-" is standard input.

    A `.jsonl` file has a session on each line. An exported chat (of WhatsApp, Slack, ChatGPT or Claude; a folder may be
    Slack's) has a session for each day.

    Args:
        paths: Files and folders.
        glob: Selects among the files of folders, as in `load_all`.
        heading: A regular expression: a text is split before each line that it matches. It may have groups named
            `title` and `time`. Text before the first such line belongs to the first session. A file without such a
            line is one session with the file's title.
        gap_hours: A chat has a session after each silence of so many hours instead.
        left_out: Called with the error of each file that can't be read, as in `load_all`.

    Raises:
        BadInput: If the expression can't be used, or for a file whose error isn't taken.
    """
    try:
        pattern = re.compile(heading) if heading is not None else re.compile(SESSION_HEADING, re.IGNORECASE)
    except re.error as problem:
        raise BadInput(f"{heading!a} is not a regular expression: {problem}.") from None

    def of_file(file: Path) -> list[SourceSession]:
        return [*_of_file(file, pattern, gap_hours)]

    return [*chain(*load_all(paths, glob, left_out, of_file, (*IN_FOLDERS, JSON_LINES), is_slack_folder))]


def _of_file(file: Path, heading: re.Pattern[str], gap_hours: float | None) -> Iterable[SourceSession]:
    suffix = file.suffix.lower()
    if suffix == JSON_LINES:
        return _of_json_lines(file)
    if file.is_dir():
        return _of_chats(chats_in_folder(file, printable_path(file)), gap_hours)
    if suffix in CHATS.endings:
        return _of_chats(chats_in(read_bytes(file, printable_path(file)), printable_path(file)), gap_hours)
    source = load(file)
    if sessions := split_sessions(source.text, heading):
        return sessions
    if chat := chat_of(source.text):
        return _of_chats([chat], gap_hours)
    return [SourceSession(source.text, source.title, "")]


def _of_chats(chats: Sequence[ChatConversation], gap_hours: float | None) -> list[SourceSession]:
    return [
        SourceSession(text_of(session.turns), session.title, minute(session.time))
        for session in sessions_in(chats, gap_hours)
    ]


def split_sessions(text: str, heading: re.Pattern[str]) -> list[SourceSession]:
    """The sessions under their headings; an empty list without headings. Headings stay in the sessions' texts."""
    headings, offset = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip() and (match := heading.search(line.rstrip())):
            headings.append((offset, match))
        offset += len(line)
    bounds = pairwise([0, *(start for start, _ in headings[1:]), len(text)])
    return [
        SourceSession(text[start:end], *_title_and_time(match))
        for (start, end), (_, match) in zip(bounds, headings, strict=False)
    ]


def _title_and_time(match: re.Match[str]) -> tuple[str, str]:
    groups = match.groupdict()
    if not groups:
        return match.string.strip("#* \t"), ""
    title, time = ((groups.get(name) or "").strip() for name in ("title", "time"))
    return title, time


def _of_json_lines(file: Path) -> Iterator[SourceSession]:
    name, count = printable_path(file), 0
    for number, line in enumerate(decode(read_bytes(file, name), name).split("\n"), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                raise BadInput(f"Line {number} of {name} is not JSON: each line must be one session.") from None
            count += 1
            yield _session(value, f"Line {number} of {name}")
    if not count:
        raise BadInput(f"{name} is empty: there is nothing to remember.")


def _session(value: Any, where: str) -> SourceSession:
    """The session in `{"text"}` or `{"turns": [{"speaker", "text"}]}`, with `title`/`session` and `time`/`date_time`.

    A number under `session` is not used as a title: the history counts by itself.
    """
    fields = value if isinstance(value, dict) else {}
    turns = fields.get("turns")
    text = "\n".join(_turn(turn, where) for turn in turns) if isinstance(turns, list) else fields.get("text")
    if not isinstance(text, str) or not text.strip():
        raise BadInput(f"{where} is not a session: it needs a 'text', or 'turns' of 'speaker' and 'text'.")
    session = fields.get("session")
    title = fields.get("title") or (session if isinstance(session, str) else "")
    return SourceSession(text, str(title), str(fields.get("time") or fields.get("date_time") or ""))


def _turn(turn: Any, where: str) -> str:
    text = turn.get("text") if isinstance(turn, dict) else None
    if not isinstance(text, str):
        raise BadInput(f"{where} has a turn without a 'text'.")
    return f"{turn['speaker']}: {text}" if turn.get("speaker") else text
