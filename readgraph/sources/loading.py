"""Files, folders, web pages and standard input as texts: one (`load`), or many (`load_all`)."""

import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from typing_extensions import TypeVar

from readgraph.sources.bibliography import BIBLIOGRAPHY, CitedFile, cited_files
from readgraph.sources.converting import Converted, SourceText
from readgraph.sources.formats.chat_folders import is_chat_folder, is_signal_file, pack_folder
from readgraph.sources.inputs import Address, fetch, read_bytes, read_standard_input
from readgraph.sources.kinds import (
    CHATS,
    JSON_LINES,
    PDF,
    PICTURE,
    PLAIN,
    FileKind,
    endings_in_folders,
    kind_of,
    readable_endings,
)
from readgraph.sources.pdf.scans import recognizer_version
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput, Way
from readgraph.state.installed import object_at

REMEMBER = Way("'readgraph remember NAME FILE'", tool="remember, as texts", page="the command line")

PROGRAMS = frozenset(
    f".{ending}"
    for ending in (
        "bash c cc clj cpp cs css dart ex erl go h hpp hs java jl js jsx kt lua m ml php pl ps1 py r rb rs scala sh "
        "sql swift toml ts tsx vue yaml yml zig"
    ).split()
)
"""Endings of programs' files, which are text: those that are named are read, and those in folders are left out."""

STANDARD_INPUT = "-"
CONVERSION = 11
"""Version of the conversion: raise it when texts of files or their notices change: known files are converted again."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file or web page that was read, and not yet converted. `source` is its absolute path, or its address."""

    name: str
    source: str
    title: str
    kind: FileKind
    data: bytes
    cited: str = ""  # the title and the date that a bibliography gives it
    date: str = ""

    @property
    def digest(self) -> str:
        """The hash of the bytes and of how they are converted; "" for a kind that is kept as it is.

        Of a PDF, text recognition is a part of that: a file is converted again once it is installed.
        """
        if self.kind.kept:
            return ""
        recognizer = recognizer_version() if self.kind in (PDF, PICTURE) else ""
        made = " ".join(filter(None, [self.kind.id, str(CONVERSION), recognizer, self.cited]))
        return hashlib.sha256(f"{made}\n".encode() + self.data).hexdigest()[:32]

    def convert(self) -> SourceText:
        """The file's text; raises `BadInput` with one line where there is none to read."""
        began = time.perf_counter()
        converted = call_converter(self.kind.converter, self.data, self.name) if self.data else Converted("")
        if not isinstance(converted, Converted):
            raise BadInput(f"{self.name} can't be read, since {self.kind.converter} gives no `Converted`.")
        return self._text_of(converted, time.perf_counter() - began)

    def convert_each(self) -> list[SourceText]:
        """The texts of a file: of an export with several chats, one for each chat, under the chat's name.

        Raises `BadInput` with one line where there is none to read.
        """
        if self.kind is not CHATS or not self.data:
            return [self.convert()]
        from readgraph.sources.formats.chats import chats_in, convert_chats

        began = time.perf_counter()
        chats, problems = chats_in(self.data, self.name)
        each_apart = len(chats) > 1 and all(chat.lasts for chat in chats)
        parts = [convert_chats([chat]) for chat in chats] if each_apart else [convert_chats(chats)]
        seconds, names = (time.perf_counter() - began) / len(parts), Counter[str]()
        texts = list[SourceText]()
        for number, part in enumerate(parts):
            text = self._text_of(part._replace(problems=() if number else tuple(problems)), seconds)
            names[text.title] += 1
            name = f"{text.title} ({names[text.title]})" if names[text.title] > 1 else text.title
            alone = replace(text, source=f"{self.source}/{name}", title=name, digest="")
            texts.append(alone if each_apart else text)
        return texts

    def _text_of(self, converted: Converted, seconds: float) -> SourceText:
        if not converted.text or converted.text.isspace():
            raise BadInput(f"{self.name} is empty: there is nothing to read.")
        title = self.cited or shorten_label(converted.title) or " ".join(self.title.split())
        text, places, _, problems, date, supersedes = converted
        source_text = SourceText(title, text, self.source, places, problems, self.digest, seconds, self.date or date)
        return replace(source_text, cited=bool(self.cited), supersedes=supersedes)


def call_converter(place: str, data: bytes, name: str) -> Any:
    """What the function at this place makes of a file; whatever another package's raises leaves out this file alone."""
    convert = object_at(place, f"What reads {name}")
    try:
        return convert(data, name)
    except BadInput:
        raise
    except Exception as problem:
        if place.startswith("readgraph."):
            raise
        told = f"{type(problem).__name__}: {str(problem).partition(chr(10))[0]:.200}"
        raise BadInput(f"{name} can't be read, since {place} fails with it: {told}.") from problem


def load(path: Path) -> SourceText:
    """The text of one file or `Address` ("-": of standard input); raises `BadInput` where there is none."""
    if str(path) != STANDARD_INPUT:
        return read_file(path).convert()
    return SourceFile("Standard input", STANDARD_INPUT, "standard input", PLAIN, read_standard_input()).convert()


def names_file(path: Path) -> bool:
    """Whether there is a file or folder of this name, readable or not, or it is an `Address` or standard input."""
    return isinstance(path, Address) or str(path) == STANDARD_INPUT or os.path.lexists(path)


def read_file(path: Path) -> SourceFile:
    """A file of a kind that can be converted, or what stands at an `Address`; raises `BadInput`."""
    name = printable_path(path)
    if isinstance(path, Address):
        data, suffix = fetch(str(path))
        address = urlsplit(str(path))
        title = PurePosixPath(unquote(address.path)).stem or address.hostname or str(path)
        return SourceFile(name, str(path), title, kind_of(suffix) or PLAIN, data)
    if os.path.isdir(path):
        if not is_chat_folder(path):
            raise BadInput(f"{name} is a folder: name a file.")
        source = legible_name(str(path.absolute()))
        return SourceFile(name, source, legible_name(path.absolute().name), CHATS, pack_folder(path, name))
    title, kind = _title_and_kind(path)
    if path.suffix.lower() == JSON_LINES and is_signal_file(path):
        kind = CHATS
    if kind is None and os.path.lexists(path):
        raise _unreadable(name)
    about = (path.title, path.date) if isinstance(path, CitedFile) else ()
    source = legible_name(str(path.absolute()))
    return SourceFile(name, source, title, kind or PLAIN, read_bytes(path, name), *about)


def file_of_bytes(name: str, data: bytes) -> SourceFile:
    """A file that came as bytes under this name; raises `BadInput` for a kind that can't be read."""
    title, kind = _title_and_kind(Path(name))
    if kind is None:
        raise _unreadable(name)
    return SourceFile(printable_path(Path(name)), name, title, kind, data)


def _title_and_kind(path: Path) -> tuple[str, FileKind | None]:
    ending = path.suffix.lower()
    title, kind = (path.name, PLAIN) if ending in PROGRAMS else (path.stem, kind_of(ending))
    return legible_name(title), kind


def legible_name(name: str) -> str:
    r"""A name with the bytes escaped that are not in UTF-8: "caf\xe9"."""
    return name if is_in_utf8(name) else os.fsencode(name).decode("utf-8", "backslashreplace")


def is_in_utf8(name: str) -> bool:
    """Whether a file's name is text: Linux takes any bytes."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


AS_TEXT = Way(
    "pipe it into standard input, and write - as its name", tool="give it as text", page="let its name end with .txt"
)


def _unreadable(name: str) -> BadInput:
    if Path(name).suffix.lower() == JSON_LINES:
        return BadInput(f"{name} can't be read as a document: sessions in it are taken by ", REMEMBER, ".")
    return BadInput(
        f"{name} is not of a kind that can be read ({', '.join(readable_endings())}, and programs such as .py): "
        "if it is text, ",
        AS_TEXT,
        ".",
    )


def printable_path(path: Path) -> str:
    """A path as messages show it: on one line, with unprintable characters escaped."""
    name = str(path)
    return name if name.isprintable() else ascii(name)


Loaded = TypeVar("Loaded", default=SourceText)
_DIGITS = re.compile(r"(\d+)")

LEADS_OUT = "a link that leads out of the folder: --follow-links reads it too"


def fault_of(path: Path, what: str) -> BadInput:
    """The error that says what is wrong with a file or folder, in one line."""
    return BadInput(f"{printable_path(path)} {what}")


class LinkLeadsOut(BadInput):
    """A link in a folder that leads out of it: it is left out, and is no reason to leave out the other files."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"{printable_path(file)} is {LEADS_OUT}.")


def raise_problem(problem: BadInput | str) -> None:
    """Raise the error of a file that can't be read, unless it is left out anyway; a notice is none."""
    if isinstance(problem, BadInput) and not isinstance(problem, LinkLeadsOut):
        raise problem


def load_all(
    paths: Sequence[Path],
    glob: str | None = None,
    left_out: Callable[[BadInput], None] = raise_problem,
    load_file: Callable[[Path], Loaded] = load,  # type: ignore[assignment]
    suffixes: Sequence[str] = (),
    is_whole: Callable[[Path], bool] = is_chat_folder,
    *,
    follow_links: bool = False,
) -> list[Loaded]:
    """The texts of files and folders, in the given order; "-" is standard input.

    A folder stands for all files of known kinds below it, without hidden ones, sorted by path with numbers by value
    (chapter 2 before chapter 10). A file that occurs twice is loaded once. Links that lead out of a folder are left
    out.

    Args:
        paths: Files and folders.
        glob: Selects among the files of folders ("*.md", "notes/*.txt", "2024/**/*.html").
        left_out: Called with the error of each file that can't be read, and of each folder that holds no file, as long
            as there is something else to read; by default it raises the error.
        load_file: Loads a file in another way.
        suffixes: The endings of the files that a folder stands for; without any, those of all kinds that do.
        is_whole: Whether a folder stands for itself, as one of an exported chat does.
        follow_links: Links that lead out of a folder are read too, and those to folders.

    Raises:
        BadInput: If nothing can be read.
    """
    texts, problems = list[Loaded](), list[BadInput]()
    note = raise_problem if left_out is raise_problem else problems.append
    named, bounds = {*paths}, [] if follow_links else [path for path in paths if os.path.isdir(path)]
    for file in select_files(paths, glob, suffixes, is_whole, note, follow_links=follow_links):
        try:
            check_inside(file, [] if file in named else bounds)
            texts.append(load_file(file))
        except BadInput as problem:
            note(problem)
    for unreadable in problems:
        if not texts:
            raise unreadable
        left_out(unreadable)
    return texts


def select_files(
    paths: Sequence[Path],
    glob: str | None,
    suffixes: Sequence[str] = (),
    is_whole: Callable[[Path], bool] = is_chat_folder,
    left_out: Callable[[BadInput], None] = raise_problem,
    *,
    follow_links: bool = False,
) -> list[Path]:
    """The files that `load_all` loads, of the kinds with these endings; a folder that `is_whole` stands for itself.

    A bibliography stands for the files that its entries name. `left_out` is also told of links that lead out of a
    folder, where something else is in it.
    """
    chosen: dict[str, Path] = {}
    for path in paths:
        try:
            if path.suffix.lower() == BIBLIOGRAPHY and os.path.isfile(path):
                files = cited_files(path, left_out)
            else:
                in_folder = os.path.isdir(path) and not is_whole(path)
                wanted = suffixes or endings_in_folders()
                files = _files_in(path, glob, wanted, left_out, follow_links, is_whole) if in_folder else [path]
        except BadInput as problem:
            left_out(problem)
            continue
        for file in files:
            named = str(file) == "-" or isinstance(file, Address)
            chosen.setdefault(str(file) if named else os.path.realpath(file), file)
    return list(chosen.values())


def list_files(folder: Path, glob: str | None, *, follow_links: bool = False) -> dict[Path, str]:
    """All files below a folder but hidden ones, each with why it is left out; "" for those that are read."""
    matching = _matching(folder, glob)
    files, paths = dict[Path, str](), dict[str, Path]()
    walked, in_folders = _walk(folder, follow_links), endings_in_folders()
    for file, leads_out in sorted(walked, key=lambda each: _natural(each[0].relative_to(folder))):
        ending = file.suffix.lower()
        if leads_out:
            files[file] = f"it is {LEADS_OUT}"
        elif matching is not None and file not in matching:
            files[file] = f"its name does not match {glob}"
        elif ending not in in_folders:
            known = kind_of(ending) or ending in PROGRAMS
            files[file] = "files of this kind are read only where they are named" if known else "its kind can't be read"
        else:
            first = paths.setdefault(os.path.realpath(file), file)
            files[file] = "" if first == file else f"it is the same file as {printable_path(first)}"
    return files


def _matching(folder: Path, glob: str | None) -> set[Path] | None:
    try:
        return None if glob is None else {*folder.rglob(glob)}
    except (ValueError, NotImplementedError, IndexError):
        raise BadInput(f"{glob!a} is not a pattern for files below a folder: try '*.md'.") from None


def _files_in(
    folder: Path,
    glob: str | None,
    suffixes: Sequence[str],
    left_out: Callable[[BadInput], None],
    follow_links: bool,
    is_whole: Callable[[Path], bool],
) -> list[Path]:
    matching = _matching(folder, glob)
    files, outside = list[Path](), list[LinkLeadsOut]()
    for file, leads_out in _walk(folder, follow_links, is_whole):
        is_wanted = file.suffix.lower() in suffixes or leads_out or os.path.isdir(file)
        if is_wanted and (matching is None or file in matching):
            if leads_out:
                outside.append(LinkLeadsOut(file))
            else:
                files.append(file)
    if not files:
        wanted = "file of a known kind" if glob is None else f"file of a known kind that matches {glob!a}"
        empty = BadInput(f"{printable_path(folder)} holds no {wanted}: {', '.join(suffixes)}.")
        raise BadInput(str(outside[0])) if outside else empty
    for problem in outside:
        left_out(problem)
    return sorted(files, key=lambda file: _natural(file.relative_to(folder)))


def check_inside(file: Path, folders: Iterable[Path]) -> None:
    """Raise `BadInput` if a file stands in one of these folders, but is a link to a place outside of them all.

    It is asked again right before a file is read: a link may be changed after its folder was listed.
    """
    within = [folder for folder in folders if file.is_relative_to(folder)]
    real = os.path.realpath(file)
    if within and not any(_is_below(real, os.path.realpath(folder)) for folder in within):
        raise LinkLeadsOut(file)


def _is_below(real: str, folder: str) -> bool:
    return real == folder or Path(real).is_relative_to(folder)


def _walk(
    folder: Path, follow_links: bool, is_whole: Callable[[Path], bool] = lambda _: False
) -> Iterator[tuple[Path, bool]]:
    """The files below a folder, without hidden ones and the lock files of open Word documents.

    A folder that `is_whole` stands for its files.

    Beside each: whether it is a link (to a file, or a folder) that leads out, and is not followed.
    """

    def refuse(problem: OSError) -> None:
        raise BadInput(f"{printable_path(Path(problem.filename))} can't be read: {problem.strerror}.") from None

    home, seen = os.path.realpath(folder), set[str]()
    for inside, folders, names in os.walk(folder, onerror=refuse, followlinks=follow_links):
        seen.add(os.path.realpath(inside))
        folders[:] = [name for name in folders if not name.startswith(".")]
        if follow_links:  # in a loop of links a folder would come again and again
            folders[:] = [name for name in folders if os.path.realpath(Path(inside, name)) not in seen]
        whole = {name for name in folders if not os.path.islink(Path(inside, name)) and is_whole(Path(inside, name))}
        yield from ((Path(inside, name), False) for name in whole)
        folders[:] = [name for name in folders if name not in whole]
        for name in [*names, *(each for each in folders if os.path.islink(Path(inside, each)))]:
            if name.startswith((".", "~$")) or not os.path.exists(file := Path(inside, name)):
                continue
            is_link = os.path.islink(file) and not follow_links
            leads_out = is_link and not _is_below(os.path.realpath(file), home)
            if leads_out or name in names:
                yield file, leads_out


def _natural(path: Path) -> list[list[tuple[int, int, str]]]:
    """The key to sort paths folder by folder, numbers by value, and letters without regard to case."""
    return [[(0, int(run), run) if run.isdecimal() else (1, 0, run.casefold()) for run in _DIGITS.split(part)]
            for part in path.parts]  # fmt: skip
