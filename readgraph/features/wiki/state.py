"""The state of a wiki: what its documents tell of, and the pages made of their sentences."""

from typing import Literal

from typing_extensions import TypedDict

from readgraph.language.compare import Difference
from readgraph.state.reading import Answered, ReadingState, TextGiven

SubjectKind = Literal["document", "person", "place", "thing", "topic", "name"]
"""`name`: something with a name, of which rules can't tell what it is."""


class Subject(TypedDict):
    """What a page is about: its name, its other names, and the sentences `[start, end)` that tell of it.

    `of`: the id of the document that the page is of, "" for what documents tell of.
    """

    name: str
    kind: SubjectKind
    also: list[str]
    spans: list[tuple[int, int]]
    of: str


class WikiSource(TypedDict):
    """A sentence of a document, exactly as it stands, with its place.

    `start`, `end`: characters of that document.
    """

    quote: str
    document: str
    title: str
    place: str | None
    start: int
    end: int


class WikiSentence(TypedDict):
    """A sentence of a page, and what it rests on. `extracted`: it is the document's own."""

    text: str
    sources: list[WikiSource]
    extracted: bool


class WikiPage(TypedDict):
    """A page: of a document (`document` is its id), or of what documents tell of ("").

    `left_out`: how many sentences tell of it too, for which the page has no room.
    """

    name: str
    kind: SubjectKind
    also: list[str]
    document: str
    sentences: list[WikiSentence]
    left_out: int


class Conflict(TypedDict):
    """Two sentences that can't both hold, by rules; of what differs, `draft` is in the first, `text` in the other."""

    sentences: list[WikiSource]
    differs: Difference


class WikiWanted(TextGiven):
    """Input of a wiki: a document or a collection in the page store, or a short text."""


class WikiMade(Answered):
    """Output of a wiki: its pages, and the sentences on them that contradict each other."""

    pages: list[WikiPage]
    conflicts: list[Conflict]


class WikiState(ReadingState, WikiMade):
    """All channels of a wiki."""

    noted: list[str]  # the memory of each document that the model noted, in their order
    subjects: list[Subject]
