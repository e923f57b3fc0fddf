"""Arguments and options that say which documents, which place of one, of which library, read how."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Protocol

from typer import Argument, Option

from readgraph.cli.options.output import Json, OpenReport, Report
from readgraph.cli.options.settings import argument, option
from readgraph.cli.shell import collections, complete_sources, completer_of, methods
from readgraph.library.address import library_place
from readgraph.state.errors import BadInput

FileOption = partial(Option, rich_help_panel="Files")
file_option = partial(option, rich_help_panel="Files")
MethodOption = partial(Option, "--method", metavar="NAME", autocompletion=completer_of(methods))


LibraryFolder = Annotated[
    Any,  # Place | None: Typer takes no other unions
    Option(
        "--library",
        metavar="FOLDER",
        envvar="READGRAPH_LIBRARY",
        parser=library_place,
        help="A folder or postgresql://user@host/db.",
    ),
]
CollectionName = Annotated[
    str | None,
    FileOption(
        "--collection",
        metavar="NAME",
        help="Only the documents of this collection: see 'readgraph collection'.",
        autocompletion=completer_of(collections),
    ),
]
AsOf = Annotated[
    str,
    FileOption(
        "--as-of",
        metavar="DATE",
        help="As it was on this day: without later documents and sessions. What has no date stays.",
        show_default=False,
    ),
]
UpTo = Annotated[
    str,
    FileOption(
        "--up-to",
        metavar="PLACE",
        help="As if read to the end of this place and no further: 'page 120', 'chapter 7', 'session 3', '0:42:00'.",
        show_default=False,
    ),
]
Glob = Annotated[
    str | None, FileOption(help="Read only the files of folders that match, such as '*.md'.", metavar="PATTERN")
]
FollowLinks = Annotated[
    bool, FileOption("--follow-links", help="Also follow links in folders to folders, and to places outside of them.")
]
MethodName = Annotated[
    str | None,
    MethodOption(
        help="How to read: auto (default), or another that 'readgraph methods' lists; or package.module:build."
    ),
]
MemoryOfMethod = Annotated[str | None, MethodOption(help="Take the notes of this method; else the newest.")]
EstimateOnly = Annotated[
    bool, Option("--estimate", help="Print how many calls and words it will take, without making a call.")
]
Sure = Annotated[bool, Option("--yes", help="Don't ask for confirmation.")]


def files(text: str, **more: Any) -> Any:
    """The field of options for files and folders; `text` is its help."""
    return argument(metavar="FILE", parser=_path_named, help=text, autocompletion=complete_sources, **more)


FILES_OR_ALL = (
    "Files, folders and https:// addresses, or documents in the library; without any, the documents of the library."
)
FILES_AS_ONE = (
    "Files, folders and https:// addresses (several are read as one), - for standard input, or a document "
    "in the library."
)
"""What the documents of a command are, in its help."""

WHICH = "files that were read, ids, titles or parts of titles."
"""What names a document of the library, in the help of an argument for several."""


def document_argument(text: str, **more: Any) -> Any:
    """The argument for documents that the library holds; `text` is its help."""
    return Argument(metavar="DOCUMENT", help=text, autocompletion=complete_sources, **more)


def _path_named(name: str) -> Path:
    if not name:  # for example an unset shell variable; the empty path would mean the current folder
        raise BadInput("A file name is empty: name a file, or '.' for the files of this folder.")
    from readgraph.sources.inputs import file_or_address

    return file_or_address(name)


class DocumentOptions(Protocol):
    """The options that say of which files and of which library a command's documents are."""

    @property
    def paths(self) -> list[Path]:
        """Files, folders, addresses, or names of documents in the library."""

    @property
    def glob(self) -> str | None:
        """Which files of folders are read."""

    @property
    def follow_links(self) -> bool:
        """Whether links in folders are followed."""

    @property
    def library(self) -> Any:
        """The library's place; None: the default."""


@dataclass(frozen=True)
class WantedPlace:
    """What to show: a page of the source, a part, a place by its name; `quote` are the words to mark."""

    page: str | None = None
    part: int | None = None
    at: str | None = None
    quote: str | None = None

    def check(self, method: str | None) -> None:
        """Raise `BadInput` where two of them exclude each other."""
        given = {"--page": self.page, "--part": self.part, "--at": self.at}
        named = [option for option, value in given.items() if value is not None]
        if len(named) > 1:
            raise BadInput(f"{' and '.join(named)} each say where: leave all but one of them out.")
        if self.at is not None and method:
            raise BadInput("--at needs no memory: leave --method out.")


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """Which document is shown, or which place of it, and as what."""

    document: str = argument(
        metavar="DOCUMENT",
        help="The document to show: a file, an id, a title or some words of one.",
        autocompletion=complete_sources,
        default="",
    )
    page: str | None = option(
        metavar="N", help="Show this page, as the file counts them; where it has no pages, this part."
    )
    part: int | None = option(min=0, metavar="N", help="Show this part, as readgraph divided the text: of part 4, 4.")
    at: str | None = option(
        metavar="PLACE", help="Show the text at a place in the source's own terms, such as 'page 58'."
    )
    quote: str | None = option(metavar="TEXT", help="Mark these words; without a place, show the part that has them.")
    method: MemoryOfMethod = None
    made_for: str | None = option(
        "--purpose", metavar="TEXT", help="Show the notes whose purpose has these words; '' are those without."
    )
    library: LibraryFolder = None
    report: Report = None
    opened: OpenReport = False
    as_json: Json = False

    @property
    def place(self) -> WantedPlace:
        """The place that is to be shown."""
        return WantedPlace(self.page, self.part, self.at, self.quote)


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What is searched for, and where."""

    words: str = argument(metavar="WORDS", help="What to search for.")
    documents: list[str] | None = argument(
        metavar="DOCUMENT",
        help="Search only these: files that were read, ids, titles or parts of titles.",
        autocompletion=complete_sources,
        show_default=False,
        default=None,
    )
    most: int = option("--limit", default=10, min=1, metavar="N", help="Show at most this many passages.")
    collection: CollectionName = None
    as_of: AsOf = ""
    up_to: UpTo = ""
    library: LibraryFolder = None
    as_json: Json = False


@dataclass(frozen=True, kw_only=True)
class CorrectOptions:
    """Which note of a document is replaced, and by what."""

    document: str = argument(
        metavar="DOCUMENT",
        help="A document that was read: a file, an id, a title or some words of one.",
        autocompletion=complete_sources,
    )
    page: str | None = option(metavar="N", help="Correct the note of the part with this page of the source.")
    part: int | None = option(min=0, metavar="N", help="Correct the note of this part.")
    at: str | None = option(metavar="PLACE", help="Correct the note of the part at this place, such as 'page 58'.")
    text: str | None = option(metavar="TEXT", help="The note as it should be; else an editor opens.")
    restore: bool = option("--restore", default=False, help="Put the method's own note back.")
    method: MemoryOfMethod = None
    library: LibraryFolder = None
    as_json: Json = False

    @property
    def place(self) -> WantedPlace:
        """The place of the note."""
        return WantedPlace(self.page, self.part, self.at)
