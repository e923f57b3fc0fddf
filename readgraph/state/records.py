"""The records that the page store keeps (documents, memories, pages, notes), checked when they are read."""

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from readgraph.state.errors import Damaged

__all__ = ["Recipe"]

MOST = 2**32  # the largest count in a record: no text has more characters
UNREADABLE = {"unreadable": True}  # for a stored value that is not a JSON object; no valid record either


@lru_cache(4096)  # the records of a document say the same times again and again
def is_time(time: str) -> bool:
    """Whether a text is a time as records keep it."""
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return False
    return True


def _time(time: str) -> str:
    if time and not is_time(time):
        raise ValueError("this is not a time")
    return time


Count = Annotated[int, Field(ge=0, le=MOST)]
Id = Annotated[str, Field(pattern=r"^[\w-]{1,64}$")]  # a part of file names, so it leads to no other folder
Time = Annotated[str, AfterValidator(_time)]  # a time as records keep it, or "" if it is unknown
_FILE_NAME = re.compile(r"[\w-][\w.-]{0,119}")
MOST_NOTICES, LONGEST_NOTICE = 20, 400  # lines, and characters of each
Notices = Annotated[
    tuple[Annotated[str, Field(max_length=LONGEST_NOTICE)], ...], Field(max_length=MOST_NOTICES)
]  # what a source's text lacks
Record = TypeVar("Record")


def file_name(name: str) -> str:
    """A name as a file may have it, hashed where it could lead elsewhere: a stranger's records may name anything."""
    return name if _FILE_NAME.fullmatch(name) else hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def load_record(kind: type[Record], value: Any) -> Record:
    """The record in a stored value; raises `Damaged` if it holds none."""
    record: Record = _validate(kind, value, kind.__name__)
    return record


def dump_record(record: object) -> dict[str, Any]:
    """A record as it is stored, from which `load_record` makes it again."""
    kind: Any = type(record)
    dumped: dict[str, Any] = _adapter(kind).dump_python(record, warnings=False)
    return dumped


def load_records(kind: type[Record], values: list[Any]) -> list[Record]:
    """The records in these stored values, all at once; raises `Damaged` if one of them holds none."""
    records: list[Record] = _validate(list[kind], values, kind.__name__)  # type: ignore[valid-type]
    return records


def _validate(kind: Any, value: Any, name: str) -> Any:
    try:
        return _adapter(kind).validate_python(value)
    except (ValidationError, ValueError, TypeError, RecursionError) as problem:
        raise Damaged(name.lower()) from problem


def load_valid(kind: type[Record], values: Iterable[Any]) -> Iterator[Record]:
    """The records in these stored values, without the missing and the damaged ones."""
    for value in values:
        if value is not None:
            with suppress(Damaged):
                yield load_record(kind, value)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


PageEnd = Literal["model", "fallback", "rule", "rest"]
"""What ended a page: the model's choice, the fall-back after unusable replies, a rule, or the text's end."""


def digest(value: object, length: int = 16) -> str:
    """Stable hexadecimal digest of a plain JSON value."""
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:length]


@dataclass(frozen=True, slots=True)
class CollectionPart:
    """A document in a collection: its id, and its span `[start, end)` in the joined text."""

    document: Id
    start: Count
    end: Count


def parts_until(parts: Iterable[CollectionPart], end: int) -> tuple[CollectionPart, ...]:
    """The parts of a collection up to an offset, which may be in the last of them."""
    return tuple(replace(part, end=min(part.end, end)) for part in parts if part.start < end)


@dataclass(frozen=True, slots=True)
class Document:
    """One source text. Its id is the hash of the stored text, so the same text is stored once."""

    id: Id
    title: str
    source: str
    words: Count
    characters: Count
    added: Time
    places: Count = 0  # how many places the source names in its own terms (see `PageStore.place_names`)
    parts: tuple[CollectionPart, ...] = ()  # of a collection: the documents whose texts are joined
    sessions: Count = 0  # of a history, whose text grows, and whose id is the hash of its name
    date: str = ""  # YYYY-MM-DD, YYYY-MM or YYYY, where one is known
    supersedes: str = ""  # the id of the document in whose place it stands
    notices: Notices = ()  # what its conversion left out or could not have, a line each

    @classmethod
    def load(cls, value: Any) -> "Document":
        """The record in a stored value; raises `Damaged` if it holds none."""
        document = load_record(cls, value)
        edges = [0, *(edge for part in document.parts for edge in (part.start, part.end)), document.characters]
        if edges != sorted(edges) or (document.parts and edges[-2] != edges[-1]):
            raise Damaged("document")
        return document

    @property
    def kept_with(self) -> str:
        """The id of the document with which places and sessions are kept: of a beginning, the one that it begins."""
        return self.parts[0].document if len(self.parts) == 1 else self.id

    def part_at(self, offset: int) -> CollectionPart:
        """The part of a collection that holds an offset."""
        return self.parts[bisect_right([part.start for part in self.parts], offset) - 1]


@dataclass(frozen=True, slots=True)
class Session:
    """One session of a history: its character span `[start, end)`. Numbers count from 1, as people count."""

    number: Count
    title: str
    time: str
    start: Count
    end: Count
    digest: str  # of the session as it was given, by which a repeated one is recognised

    @property
    def place(self) -> str:
        """The name of this session in citations: "session 3, 12 March 2024, 19:40"."""
        return ", ".join(filter(None, [f"session {self.number}", self.title, self.time]))


PRESET, PURPOSE = "preset", "gist_purpose"  # what notes are for, in recipes; the second by its earlier name


FORMER = {"stretches": 1}
"""What parameters were by default that recipes leave out today: memories with these values serve in their place."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a memory is built: method, building parameters, model ("" = none) and prompt versions."""

    method: str
    parameters: dict[str, Any]
    model: str
    prompts: dict[str, int] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """A hash that identifies this recipe; with the document's id it names the memory."""
        return digest({each.name: getattr(self, each.name) for each in fields(self)})

    @property
    def purpose(self) -> str:
        """What the notes are for, in one line: the preset's name, and the purpose; "" where there is none."""
        told = [self.parameters.get(name) for name in (PRESET, PURPOSE)]
        return " ".join(": ".join(str(each) for each in told if each).split())

    def same_but_prompts(self, wanted: "Recipe") -> bool:
        """Whether the wanted recipe is the same except for prompt versions, or leaves open what was the default."""
        named = {
            name: value
            for name, value in self.parameters.items()
            if name in wanted.parameters or FORMER.get(name) != value
        }
        return (self.method, named, self.model) == (wanted.method, wanted.parameters, wanted.model)

    def serves(self, wanted: "Recipe") -> bool:
        """Whether it is also the same in its prompts."""
        return self.prompts == wanted.prompts and self.same_but_prompts(wanted)


@dataclass(frozen=True, slots=True)
class Memory:
    """What one method built from one document with one recipe."""

    id: Id
    document: Id
    recipe: Recipe
    started: Time
    pages: Count = 0  # so far
    read_to: Count = 0  # the character offset after the last of them
    paged: bool = False  # they cover the document
    complete: bool = False  # every page has its note too
    note_words: Count | None = None  # of all notes, once it is complete; None: not counted, as in earlier versions
    levels: tuple[Count, ...] = ()  # the nodes on each level of the tree above the pages (see `summary_tree`)
    branches: tuple[Count, ...] = ()  # the children of each node of a tree of sections, each node before those below it
    headings: tuple[str, ...] = ()  # what these nodes are called

    @classmethod
    def load(cls, value: Any) -> "Memory":
        """The record in a stored value; raises `Damaged` if it holds none."""
        memory = load_record(cls, value)
        if memory.pages > memory.read_to or any(level > memory.pages for level in memory.levels):
            raise Damaged("memory")
        if len(memory.branches) != len(memory.headings) or not _is_one_tree(memory.branches):
            raise Damaged("memory")
        return memory

    @property
    def has_sections(self) -> bool:
        """Whether its tree is one of sections, above all of its pages."""
        return bool(self.branches) and self.branches.count(0) == self.pages


def _is_one_tree(branches: tuple[int, ...]) -> bool:
    """Whether these counts of children describe one whole tree, or none."""
    missing = 1 if branches else 0
    for number, children in enumerate(branches, 1):
        missing += children - 1
        if (missing == 0) != (number == len(branches)):
            return False
    return missing == 0


@dataclass(frozen=True, slots=True)
class Page:
    """A contiguous span `[start, end)` of a document's characters; numbers count from 0."""

    number: Count
    start: Count
    end: Count
    words: Count
    ended_by: PageEnd


FEWEST_NOTE_WORDS = 40  # that a note may always have, since the note of a mere heading may be longer than it


@dataclass(frozen=True, slots=True)
class Note:
    """The short text stored for a page: a gist, a summary or a memo."""

    page: Count
    text: str
    words: Count
    fallback: bool = False  # the model gave no usable one
    header: str = ""  # the line that puts the page in its context (GAM, section 2.2.1)
    replaced: str | None = None  # the method's own text, where a user corrected it (see `library.corrections`)

    @property
    def is_substitute(self) -> bool:
        """Whether the text is neither a model's nor a user's."""
        return self.fallback and self.replaced is None


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the tree above the pages: a summary of what is below it (MemWalker, section 3)."""

    id: str  # see `summary_tree`
    text: str
    words: Count
    compressed: bool = False  # the text is shorter than its children's texts together
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """A model's recorded reply."""

    said: str
    cut: bool  # the server cut it off
    asked: str  # the name of the prompt
    document: str  # for which it was recorded
    tokens: tuple[Count, Count] = (0, 0)  # in and out; replies recorded by early versions have (0, 0)
    flaw: str = ""  # what the server did to it (see `readgraph.models.reply`)


def utc_now() -> str:
    """The time as records keep it: UTC, sortable."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
