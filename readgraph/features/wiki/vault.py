"""A wiki as a folder of Markdown files, which Obsidian opens as a vault.

What a user adds to a file stays (`readgraph.features.wiki.merging`), and it is written only where it would change.
Every sentence ends with the mark of a footnote, which links to the page of its document, with its place and its words.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from readgraph.features.wiki.merging import BEGIN, merge
from readgraph.features.wiki.state import WikiPage, WikiSentence, WikiSource
from readgraph.state.errors import BadInput
from readgraph.state.files import replace_file
from readgraph.state.records import digest
from readgraph.state.words import format_count, on_one_line

__all__ = ["write_vault"]

INDEX, LOG, DOCUMENTS, PAGES = "index.md", "log.md", "documents", "pages"
KINDS = {
    "document": "Documents",
    "person": "Persons",
    "place": "Places",
    "thing": "Things",
    "topic": "Topics",
    "name": "Other names",
}
LONGEST_NAME, LONGEST_LOGGED = 80, 50  # characters of a file's name; files that a line of the log names

_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\/:*?\"<>|#^\[\]`$]+|%%+|==+|~~+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_LINE = re.compile(r"line \d+")  # a place that moves with every line above it
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$=^#]|%(?=%)|(?<=%)%|&(?=#?\w+;)")
_BLOCK = re.compile(r"^(\d*)(?=[#>+-]|(?<=\d)[.)])")


class VaultChanges(NamedTuple):
    """The files that were written, and those that were removed, by their paths in the folder."""

    written: list[str]
    removed: list[str]


def write_vault(folder: Path, pages: Sequence[WikiPage], now: datetime) -> VaultChanges:
    """Write a wiki's pages, an index, and a line of the log.

    Args:
        folder: The folder, made if there is none; files that are not of a wiki are left alone.
        pages: The pages, of documents and of what they tell of.
        now: When this is, for the log.

    Returns:
        What was changed; nothing where all is as it was.

    Raises:
        BadInput: Where a file can't be read or written.
    """
    files, written, removed = make_files(pages), list[str](), list[str]()
    try:
        for name, lines in files.items():
            if _update(folder / name, lines):
                written.append(name)
        kept = {fold_file_name(name) for name in files}
        for path in sorted(each for part in (DOCUMENTS, PAGES) for each in (folder / part).glob("*.md")):
            name = path.relative_to(folder).as_posix()
            if fold_file_name(name) not in kept and BEGIN in _read(path) and _update(path):
                removed.append(name)
        _log(folder / LOG, written, removed, now)
    except OSError as problem:
        with suppress(OSError):  # what was written until then
            _log(folder / LOG, written, removed, now)
        where = problem.filename or folder
        raise BadInput(f"The wiki can't be written to {where}: {problem.strerror or problem}.") from None
    return VaultChanges(written, removed)


def is_of_wiki(folder: Path, file: str, text: str) -> bool:
    """Whether a file is one that we wrote into the folder of a wiki, and so is no source of it."""
    inside = folder.absolute() in Path(file).parents
    return inside and (BEGIN in text or Path(file) == folder.absolute() / LOG)


def make_files(pages: Sequence[WikiPage]) -> dict[str, list[str]]:
    """Our lines of each file, by its path in the folder."""
    paths, taken = list[str](), set[str]()
    for page in pages:
        base = f"{DOCUMENTS if page['document'] else PAGES}/{make_file_name(page['name'])}"
        names = (f"{base} {number}" if number > 1 else base for number in range(1, len(pages) + 2))
        path = next(name for name in names if fold_file_name(name) not in taken)
        taken.add(fold_file_name(path))
        paths.append(path)
    of_document = {page["document"]: path for page, path in zip(pages, paths, strict=True) if page["document"]}
    told = defaultdict[tuple[str, int], list[int]](list)
    for number, page in enumerate(pages):
        for source in (wiki_source for sentence in page["sentences"] for wiki_source in sentence["sources"]):
            if not page["document"] and number not in told[_key(source)]:
                told[_key(source)].append(number)
    linked = [Link(path, _link_pattern((page["name"], *page["also"]))) for page, path in zip(pages, paths, strict=True)]
    files = {INDEX: _make_index(pages, paths)}
    for number, (page, path) in enumerate(zip(pages, paths, strict=True)):
        files[f"{path}.md"] = _make_page(page, number, of_document, told, linked)
    return files


def make_file_name(name: str) -> str:
    """A name that every system takes for a file."""
    clean = on_one_line(_UNSAFE.sub(" ", normalize("NFC", name))).strip(". ")
    while len(clean.encode()) > 2 * LONGEST_NAME or len(clean) > LONGEST_NAME:
        clean = clean[:-1].rstrip(". ")
    return f"_{clean}" if not clean or _RESERVED.fullmatch(clean) else clean


def fold_file_name(name: str) -> str:
    """A file's name as systems compare it that keep no two of which only case or the form of accents differs."""
    return normalize("NFC", normalize("NFC", name).casefold())


class Link(NamedTuple):
    """A page that sentences link to, and how they name what it is about."""

    path: str
    named: re.Pattern[str]


def _link_pattern(names: Iterable[str]) -> re.Pattern[str]:
    longest = sorted({escape(name) for name in names}, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w\[])(?:{'|'.join(map(re.escape, longest))})(?!\w)")


def escape(text: str) -> str:
    """A text on one line, in Markdown that shows it as it is."""
    return _SPECIAL.sub(r"\\\g<0>", on_one_line(text))


def unescape(text: str) -> str:
    """The text that `escape` was given, on one line."""
    return re.sub(r"\\([^\w\s]|_)", r"\1", text)


def _key(source: WikiSource) -> tuple[str, int]:
    return source["document"], source["start"]


def _make_index(pages: Sequence[WikiPage], paths: Sequence[str]) -> list[str]:
    lines = ["# Index"]
    for kind, heading in KINDS.items():
        of_kind = [
            f"- {make_link(path, page['name'])}"
            for page, path in zip(pages, paths, strict=True)
            if page["kind"] == kind
        ]
        lines += ["", f"## {heading}", "", *of_kind] if of_kind else []
    return lines


def make_link(path: str, shown: str) -> str:
    """A link to a page, as Obsidian writes it."""
    return f"[[{path}|{on_one_line(_UNSAFE.sub(' ', shown))}]]"


def _make_page(
    page: WikiPage,
    number: int,
    of_document: Mapping[str, str],
    sequences: Mapping[tuple[str, int], Sequence[int]],
    linked: Sequence[Link],
) -> list[str]:
    about = [
        KINDS[page["kind"]].removesuffix("s"),
        *(["also: " + escape(", ".join(page["also"]))] if page["also"] else []),
    ]
    about += [f"{page['left_out']} more sentences tell of it"] if page["left_out"] else []
    lines, notes, before = [f"# {escape(page['name'])}", "", f"*{' · '.join(about)}*"], dict[str, str](), ""
    for sentence in page["sentences"]:
        first = sentence["sources"][0]
        if sentence["extracted"] and not page["document"] and first["title"] != before:
            lines += ["", f"## {escape(first['title'])}"]
            before = first["title"]
        others = {each for source in sentence["sources"] for each in sequences[_key(source)] if each != number}
        marks = list[str]()
        for source in sentence["sources"]:
            mark = digest([source["title"], source["quote"]])[:8]
            place = "" if _LINE.fullmatch(source["place"] or "") else escape(source["place"] or "").replace(":", r"\:")
            where = ", ".join(filter(None, [make_link(of_document[source["document"]], source["title"]), place]))
            notes[mark] = f"[^{mark}]: {where}: “{escape(source['quote'])}”"
            marks.append(f"[^{mark}]")
        lines += ["", _with_links(sentence, [linked[each] for each in sorted(others)]) + "".join(dict.fromkeys(marks))]
    return [*lines, "", *notes.values()]


def _with_links(sentence: WikiSentence, links: Sequence[Link]) -> str:
    """A sentence in Markdown; of each page that it names, the first time with a link."""
    text = _BLOCK.sub(r"\1\\", escape(sentence["text"]))  # or it would begin a list, a heading or a quote
    found = sorted((named.start(), -named.end(), link.path) for link in links if (named := link.named.search(text)))
    made, at = "", 0
    for start, end, path in found:
        if start >= at:
            made += f"{text[at:start]}[[{path}|{text[start:-end]}]]"
            at = -end
    return made + text[at:]


def _read(path: Path) -> str:
    if path.is_symlink():
        raise BadInput(f"{path} is a link to another file, which no wiki writes to: move it away.")
    return path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path, errors="surrogateescape") as file:
        file.write(text)


def _update(path: Path, lines: Sequence[str] = ()) -> bool:
    """Write a file with these lines of ours, or remove it where it has none, nor any of the user's; False: it is so."""
    existing = _read(path)
    if (text := merge(existing, lines)) == existing:
        return False
    if text:
        _write(path, text)
    else:
        path.unlink()
    return True


def _log(path: Path, written: Sequence[str], removed: Sequence[str], now: datetime) -> None:
    if not written and not removed:
        return

    def name_files(what: str, names: Sequence[str]) -> Iterator[str]:
        shown = ", ".join(f"[[{name.removesuffix('.md')}]]" for name in names[:LONGEST_LOGGED])
        more = f", and {len(names) - LONGEST_LOGGED} more" if len(names) > LONGEST_LOGGED else ""
        if names:
            yield f"- {what} {format_count(len(names), 'page')}: {shown}{more}"

    lines = [f"## {now:%Y-%m-%d %H:%M}", "", *name_files("wrote", written), *name_files("removed", removed)]
    before = _read(path) or "# Log\n"
    _write(path, before + "\n" * (2 - before.endswith("\n")) + "\n".join(lines) + "\n")
