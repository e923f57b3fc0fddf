"""The records that the page store keeps: documents, memories, pages, notes."""

import hashlib
import json
from bisect import bisect_right
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

PageEnd = Literal["model", "fallback", "rule", "rest"]
"""Who chose where a page ends: the model; the fall-back after unusable replies; a rule; or the text ended."""


def digest(value: object, length: int = 16) -> str:
    """Stable hexadecimal digest of a JSON-plain value."""
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:length]


@dataclass(frozen=True, slots=True)
class Part:
    """A document in a collection: its id, and the span `[start, end)` that it takes there."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """One source text; its id is the hash of the stored text, so the same text is stored once.

    `places` counts the places that the source names in its own terms (see `PageStore.place_names`). `parts` are the
    documents of a collection (see `readgraph.state.collections`), whose text is theirs, one behind the other. A
    history, whose text grows, has `sessions`, and its id is the hash of its name (see `readgraph.state.histories`).
    """

    id: str
    title: str
    source: str
    words: int
    characters: int
    added: str
    places: int = 0
    parts: tuple[Part, ...] = ()
    sessions: int = 0

    @classmethod
    def load(cls, value: dict[str, Any]) -> "Document":
        """The record of a stored value."""
        return cls(**{**value, "parts": tuple(Part(**part) for part in value.get("parts", ()))})

    def part_at(self, offset: int) -> Part:
        """The part of a collection that holds an offset."""
        return self.parts[bisect_right([part.start for part in self.parts], offset) - 1]


@dataclass(frozen=True, slots=True)
class Session:
    """One session of a history: the span `[start, end)` of its characters. Numbers count from 1, as people count.

    `digest` is that of what was given: a session that was seen is known by it.
    """

    number: int
    title: str
    time: str
    start: int
    end: int
    digest: str

    @property
    def place(self) -> str:
        """How a citation names it: "session 3, 12 March 2024, 19:40"."""
        return ", ".join(filter(None, [f"session {self.number}", self.title, self.time]))


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a memory is made: method, building parameters, model ("" = none) and prompt versions."""

    method: str
    parameters: dict[str, Any]
    model: str
    prompts: dict[str, int] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Names the memory that this recipe makes of a document."""
        return digest(asdict(self))

    def same_but_prompts(self, other: "Recipe") -> bool:
        """Whether the other recipe differs in nothing but the version of its prompts."""
        return (self.method, self.parameters, self.model) == (other.method, other.parameters, other.model)


@dataclass(frozen=True, slots=True)
class Memory:
    """What one method built from one document with one recipe.

    `pages` counts the pages so far and `read_to` is the character offset behind the last of them;
    `paged` says that they cover the document, `complete` that every page has its note too. `levels` counts the
    nodes on each level of the tree above the pages that is grown so far (MemWalker; see `summary_tree`).
    """

    id: str
    document: str
    recipe: Recipe
    started: str
    pages: int = 0
    read_to: int = 0
    paged: bool = False
    complete: bool = False
    levels: tuple[int, ...] = ()

    @classmethod
    def load(cls, value: dict[str, Any]) -> "Memory":
        """The record of a stored value."""
        return cls(**{**value, "recipe": Recipe(**value["recipe"]), "levels": tuple(value.get("levels", ()))})


@dataclass(frozen=True, slots=True)
class Page:
    """A contiguous span `[start, end)` of a document's characters; numbers count from 0."""

    number: int
    start: int
    end: int
    words: int
    ended_by: PageEnd


@dataclass(frozen=True, slots=True)
class Note:
    """The short text kept for a page: a gist, a summary, a memo. `fallback`: the model gave none that was usable.

    `header` is the line that puts the page in its context (GAM, section 2.2.1).
    """

    page: int
    text: str
    words: int
    fallback: bool = False
    header: str = ""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node above the pages: what stands below it, in short (MemWalker, section 3).

    `id` is as in `summary_tree`. `compressed` says that the text is shorter than its children's texts together.
    """

    id: str
    text: str
    words: int
    compressed: bool = False
    fallback: bool = False
