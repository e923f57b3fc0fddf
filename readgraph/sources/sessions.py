"""Files as the sessions of a history: one for a file, heading, line of JSON, day of a chat or mail, agent's session."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from readgraph.sources.encodings import decode
from readgraph.sources.formats.chat_folders import is_chat_folder, pack_folder
from readgraph.sources.formats.chat_turns import ChatConversation, minute, sessions_in
from readgraph.sources.formats.chats import chat_of, chats_in, chats_of_file
from readgraph.sources.formats.transcripts import is_transcript, json_lines, transcript_of
from readgraph.sources.inputs import read_bytes
from readgraph.sources.kinds import JSON_LINES, PLAIN, endings_in_folders, kind_of
from readgraph.sources.loading import call_converter, load, load_all, printable_path, raise_problem, select_files
from readgraph.state.errors import BadInput
from readgraph.state.words import format_count

__all__ = ["load_sessions"]
SAMPLE_FILES, SAMPLE_BYTES = 5, 1_000_000  # of a folder, and of each file: from these it is told if an agent wrote it
_MAY_HOLD_CHATS = (".html", ".htm", ".csv", JSON_LINES)  # beside the kinds whose files always do
_OF_SIGNAL = b'"chatItem"'  # in its own export
SESSION_HEADING = r"^#{1,6}\s+session\s+\d+\b\W*(?:(?P<time>.*\d.*)|(?P<title>.*))$"  # ## Session 3, 12 March 2024


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
    left_out: Callable[[BadInput | str], None] = raise_problem,
    notify: Callable[[str], None] = lambda _: None,
    *,
    follow_links: bool = False,
) -> list[SourceSession]:
    """The sessions of files and folders, in their order (see `load_all`); "-" is standard input.

    A `.jsonl` file has a session on each line. An exported chat (a file, an archive, or a folder) has a session for
    each day, and so has each thread of e-mail. Sessions of coding agents (`.jsonl`, and folders that hold such files)
    stay whole.

    Args:
        paths: Files and folders.
        glob: Selects among the files of folders, as in `load_all`.
        heading: A regular expression: a text is split before each line that it matches. It may have groups named
            `title` and `time`. Text before the first such line belongs to the first session. A file without such a
            line is one session with the file's title.
        gap_hours: A chat, or an agent's session, has a session after each silence of so many hours instead.
        left_out: Called with the error of each file that can't be read, as in `load_all`, and with what a file's text
            lacks.
        notify: Called with how a text is read, such as that it is no chat.
        follow_links: Links that lead out of a folder are read too, and those to folders.

    Raises:
        BadInput: If the expression can't be used, or for a file whose error isn't taken.
    """
    try:
        pattern = re.compile(heading) if heading is not None else re.compile(SESSION_HEADING, re.IGNORECASE)
    except re.error as problem:
        raise BadInput(f"{heading!a} is not a regular expression: {problem}.") from None

    reader = _Reader(pattern, glob, gap_hours, left_out, notify)
    kinds = (*endings_in_folders(), JSON_LINES)
    return [*chain(*load_all(paths, glob, left_out, reader.read, kinds, _is_whole, follow_links=follow_links))]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the sessions of one file or folder; the fields are the arguments of `load_sessions`."""

    heading: re.Pattern[str]
    glob: str | None
    gap_hours: float | None
    left_out: Callable[[BadInput | str], None]
    notify: Callable[[str], None]

    def read(self, file: Path) -> list[SourceSession]:
        """The sessions of a file, or of a folder that stands for itself."""
        suffix, name = file.suffix.lower(), printable_path(file)
        if _is_of_agent(file):
            within = self.glob if file.is_dir() else None
            talks = [*chain(*load_all([file], within, self.left_out, self._read_talks, (JSON_LINES,)))]
            if not talks:
                raise BadInput(f"{name} holds no session of an agent with its user.")
            return _as_sessions(talks, inf if self.gap_hours is None else self.gap_hours)
        if file.is_dir():
            return self._days_of(*chats_in(pack_folder(file, name), name))
        if suffix in _MAY_HOLD_CHATS:
            data = read_bytes(file, name)
            may_be_chat = suffix != JSON_LINES or _OF_SIGNAL in data
            if may_be_chat and (found := chats_of_file(data, name, suffix))[0]:
                return self._days_of(*found)
        if suffix == JSON_LINES:
            return _sessions_of_lines(file, name)
        if not (kind := kind_of(suffix)) or not kind.sessions:
            return self._read_text(file)
        return self._days_of(*call_converter(kind.sessions, read_bytes(file, name), name))

    def _days_of(self, chats: Sequence[ChatConversation], problems: Sequence[str]) -> list[SourceSession]:
        for problem in problems:
            self.left_out(problem)
        return _as_sessions(chats, self.gap_hours)

    def _read_talks(self, file: Path) -> list[ChatConversation]:
        """The talks of an agent with its user."""
        name = printable_path(file)
        lines, broken = json_lines(read_bytes(file, name))
        if broken:
            self.left_out(f"Left out: {format_count(broken, 'line')} of {name}: not JSON.")
        return [*filter(None, [transcript_of(lines)])]

    def _read_text(self, file: Path) -> list[SourceSession]:
        """The sessions under a text's headings, or those of the chat in it, or all of it."""
        source = load(file)
        for problem in source.problems:
            self.left_out(problem)
        if sessions := split_sessions(source.text, self.heading):
            return sessions
        if chat := chat_of(source.text):
            return _as_sessions([chat], self.gap_hours)
        if kind_of(file.suffix.lower()) in (None, PLAIN) and "\n" in source.text.strip():
            told = "has no lines with times and speakers: it is remembered as plain text, one session."
            self.notify(f"{printable_path(file)} {told}")
        return [SourceSession(source.text, source.title, source.date)]


def _as_sessions(chats: Sequence[ChatConversation], gap_hours: float | None) -> list[SourceSession]:
    chat_conversations = sessions_in(chats, gap_hours)
    return [SourceSession(session.as_text(), session.title, minute(session.time)) for session in chat_conversations]


def _is_whole(folder: Path) -> bool:
    return is_chat_folder(folder) or _is_of_agent(folder)


def _is_of_agent(path: Path) -> bool:
    """Whether these are sessions of a coding agent; a folder then stands for them, and for none of its other files."""
    try:
        files = [file for file in select_files([path], None, (JSON_LINES,)) if file.suffix.lower() == JSON_LINES]
        samples = (read_bytes(file, "")[:SAMPLE_BYTES] for file in files[:SAMPLE_FILES])
        return any(is_transcript(json_lines(sample)[0]) for sample in samples)
    except BadInput:  # there is no such file, or it can't be read
        return False


def split_sessions(text: str, heading: re.Pattern[str]) -> list[SourceSession]:
    """The sessions under their headings; an empty list without headings. Headings stay in the sessions' texts."""
    headings, offset = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip() and (match := heading.search(line.rstrip())):
            headings.append((offset, match))
        offset += len(line)
    bounds = pairwise([0, *(start for start, _ in headings[1:]), len(text)])
    sessions = []
    for (start, end), (_, match) in zip(bounds, headings, strict=False):
        groups = match.groupdict()
        title, time = ((groups.get(name) or "").strip() for name in ("title", "time"))
        sessions.append(SourceSession(text[start:end], title if groups else match.string.strip("#* \t"), time))
    return sessions


def _sessions_of_lines(file: Path, name: str) -> list[SourceSession]:
    sessions = list[SourceSession]()
    for number, line in enumerate(decode(read_bytes(file, name), name).split("\n"), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                raise BadInput(f"Line {number} of {name} is not JSON: each line must be one session.") from None
            where, fields = f"Line {number} of {name}", value if isinstance(value, dict) else {}
            turns = fields.get("turns")
            text = "\n".join(_turn(turn, where) for turn in turns) if isinstance(turns, list) else fields.get("text")
            if not isinstance(text, str) or not text.strip():
                raise BadInput(f"{where} is not a session: it needs a 'text', or 'turns' of 'speaker' and 'text'.")
            session = fields.get("session")
            title = fields.get("title") or (session if isinstance(session, str) else "")
            sessions.append(SourceSession(text, str(title), str(fields.get("time") or fields.get("date_time") or "")))
    if not sessions:
        raise BadInput(f"{name} is empty: there is nothing to remember.")
    return sessions


def _turn(turn: Any, where: str) -> str:
    text = turn.get("text") if isinstance(turn, dict) else None
    if not isinstance(text, str):
        raise BadInput(f"{where} has a turn without a 'text'.")
    return f"{turn['speaker']}: {text}" if turn.get("speaker") else text
