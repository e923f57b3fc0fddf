"""What is wrong in the folder of a wiki, also in what a user wrote there: links, quotes, sentences that contradict."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from posixpath import normpath
from typing import Literal, NamedTuple
from urllib.parse import unquote

from readgraph.features.wiki.conflicts import find_conflicts
from readgraph.features.wiki.merging import BEGIN
from readgraph.features.wiki.state import WikiSource
from readgraph.features.wiki.vault import INDEX, LOG, fold_file_name, make_file_name, unescape
from readgraph.features.wiki.write import find_unsaid
from readgraph.library.documents import names_apart
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.citations import find_quote
from readgraph.nodes.evidence import find_difference
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from readgraph.state.words import on_one_line

ProblemKind = Literal["dead link", "orphan", "no mark", "quote", "differs", "contradiction"]

_LINK = re.compile(r"\[\[([^\[\]|#]*)(?:#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
_PLAIN_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\((?!\w+:)([^()\s#]+\.md)(?:#[^()\s]*)?\)")
_NOTE = re.compile(r"^\[\^([\w-]+)\]: (\[\[.*?\]\])(?:, (.*?))?: “(.*)”\s*$")
_MARK = re.compile(r"\[\^([\w-]+)\](?!:)")
_OWN_NOTE = re.compile(r"^\[\^([\w-]+)\]:", re.MULTILINE)
_NUMBERED, _ESCAPED = re.compile(r" \d+$"), re.compile(r"\\[^\w\s]")
_CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1|`[^`\n]+`", re.MULTILINE | re.DOTALL)


class VaultProblem(NamedTuple):
    """What is wrong, at a line (from 1) of a file, by its path in the folder; of a contradiction, `other` is where."""

    kind: ProblemKind
    file: str
    line: int
    text: str
    other: str = ""


class _Quoted(NamedTuple):
    """A quote of a file, at its line, and the page of the document that it is from."""

    file: str
    line: int
    page: str
    quote: str


async def check_vault(store: PageStore, folder: Path, documents: Sequence[Document]) -> list[VaultProblem]:
    """Check the files of a wiki against each other and against the documents.

    Args:
        store: The page store that holds the documents.
        folder: The wiki's folder.
        documents: The documents as they are now.

    Returns:
        The problems, by file and line: links to no page, pages to which nothing links, marks that no footnote explains,
        quotes that don't stand in their document, sentences that say another thing than their quotes, and quotes that
        contradict each other.

    Raises:
        BadInput: Where the folder holds no wiki.
    """
    try:
        paths = sorted(folder.rglob("*.md"))
        files = {path.relative_to(folder).as_posix(): path.read_text("utf-8", "replace") for path in paths}
    except OSError as problem:
        raise BadInput(f"{folder} can't be read: {problem.strerror}.") from None
    if BEGIN not in files.get(INDEX, ""):
        raise BadInput(f"{folder} holds no wiki: make one with readgraph wiki {folder}.")
    hidden = re.compile(r"(?:^|/)\.")  # such as Obsidian's own folder
    files = {name: text for name, text in files.items() if name != LOG and not hidden.search(name)}
    named = _documents_by_page(documents)
    problems, quoted = [*_check_links(files)], list[_Quoted]()
    for name, text in files.items():
        faults, quotes = _check_marks(name, text, named)
        problems += faults
        quoted += quotes
    quotes_of = defaultdict[str, dict[str, list[_Quoted]]](lambda: defaultdict(list))
    for each in quoted:
        quotes_of[each.page][each.quote].append(each)
    for page, by_quote in quotes_of.items():
        texts = [await store.text(document) for document in _pages_named(page, named)]
        flat = [on_one_line(text) for text in texts]
        for quote, places in by_quote.items():
            if not any(quote in text for text in flat) and not any(
                find_quote(quote, text, 0, len(text)) for text in texts
            ):
                problems += (VaultProblem("quote", place.file, place.line, quote) for place in places)
    return sorted([*problems, *_check_conflicts(quoted)], key=lambda each: (each.file, each.line, each.kind))


def _documents_by_page(documents: Sequence[Document]) -> dict[str, list[Document]]:
    """The documents that the page of a wiki may be of: titles may be told apart in it in another way than here."""
    named = defaultdict[str, list[Document]](list)
    for name, document in zip(names_apart(documents), documents, strict=True):
        for page in {fold_file_name(make_file_name(each)) for each in (name, document.title or document.id)}:
            named[page].append(document)
    return named


def _pages_named(page: str, named: Mapping[str, Sequence[Document]]) -> Sequence[Document]:
    """The documents of a page's name, also where it has a number behind it, since another page has the name."""
    folded = fold_file_name(page)
    return named.get(folded) or named.get(_NUMBERED.sub("", folded)) or []


def _check_links(files: Mapping[str, str]) -> Iterator[VaultProblem]:
    stems = {fold_file_name(name.removesuffix(".md")) for name in files}
    names = stems | {stem.rpartition("/")[2] for stem in stems} | {LOG.removesuffix(".md")}
    linked = set[str]()
    for file, text in files.items():
        folder = file.rpartition("/")[0]
        without_code = _CODE.sub(lambda code: "\n" * code[0].count("\n"), text)  # with as many lines
        for number, line in enumerate(without_code.splitlines(), 1):
            line = _ESCAPED.sub("", line)  # such as a link that a document's sentence has
            targets = [match[1].strip() for match in _LINK.finditer(line)]
            targets += [normpath(f"/{folder}/{unquote(match[2])}").lstrip("/") for match in _PLAIN_LINK.finditer(line)]
            for target in filter(None, targets):
                key = fold_file_name(target.removesuffix(".md"))
                if key not in names:
                    yield VaultProblem("dead link", file, number, target)
                elif key != fold_file_name(file.removesuffix(".md")):
                    linked |= {key}
    for file in files:
        stem = fold_file_name(file.removesuffix(".md"))
        if file != INDEX and not {stem, stem.rpartition("/")[2]} & linked:
            yield VaultProblem("orphan", file, 1, "nothing links to this page")


def _check_marks(
    name: str, text: str, named: Mapping[str, Sequence[Document]]
) -> tuple[list[VaultProblem], list[_Quoted]]:
    """What is wrong with the marks of a file, and its quotes."""
    problems, quoted, notes = list[VaultProblem](), list[_Quoted](), dict[str, str]()
    explained, lines = {*_OWN_NOTE.findall(text)}, text.splitlines()
    for number, line in enumerate(lines, 1):
        if not (match := _NOTE.match(line)):
            continue
        quote, linked = unescape(match[4]), _LINK.search(match[2])
        notes[match[1]] = quote
        target = linked[1].rpartition("/")[2] if linked else ""
        if not _pages_named(target, named):
            problems.append(VaultProblem("quote", name, number, f"there is no document '{target}'"))
        else:
            quoted.append(_Quoted(name, number, target, quote))
    for number, line in enumerate(lines, 1):
        marks = _MARK.findall(line)
        if not marks or _NOTE.match(line):
            continue
        if missing := [mark for mark in marks if mark not in explained]:
            problems.append(VaultProblem("no mark", name, number, f"[^{missing[0]}] is explained nowhere"))
        if any(mark not in notes for mark in marks):  # or a footnote of the user's own
            continue
        said = unescape(_MARK.sub("", _LINK.sub(lambda found: found[2] or found[1], line))).strip()
        quotes = [notes[mark] for mark in marks]
        if said in quotes:
            continue
        if difference := find_difference(said, "\n\n".join(quotes)):
            told = f"“{difference['draft'] or 'no negation'}”, the quote has “{difference['text'] or 'none'}”"
            problems.append(VaultProblem("differs", name, number, told))
        elif unsaid := find_unsaid(said, quotes, PurePath(name).stem):
            problems.append(VaultProblem("differs", name, number, f"“{unsaid}” is in none of its quotes"))
    return problems, quoted


def _check_conflicts(quoted: Sequence[_Quoted]) -> Iterator[VaultProblem]:
    first = dict[tuple[str, str], _Quoted]()
    for each in quoted:
        first.setdefault((each.page, each.quote), each)
    sources = [
        WikiSource(quote=each.quote, document=each.page, title=each.page, place=None, start=0, end=0)
        for each in first.values()
    ]
    for conflict in find_conflicts(sources):
        one, other = (first[sentence["document"], sentence["quote"]] for sentence in conflict["sentences"])
        text = f"{one.page}: “{one.quote}” — {other.page}: “{other.quote}”"
        yield VaultProblem("contradiction", one.file, one.line, text, f"{other.file}:{other.line}")
