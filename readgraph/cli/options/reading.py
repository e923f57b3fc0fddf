"""The options of readings and questions: what the commands that read are given, and `compare`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from readgraph.cli import shell as completing
from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import EstimateOnly, FollowLinks, Glob, LibraryFolder, MethodName, files
from readgraph.cli.options.output import OpenReport, Report, ShowSteps
from readgraph.cli.options.settings import argument, option
from readgraph.sources.kinds import every_kind


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Which files are read, and how."""

    paths: list[Path] = files(
        f"Files, folders and https:// addresses: {', '.join(dict.fromkeys(kind.name for kind in every_kind()))}; - for "
        "standard input."
    )
    glob: Glob = None
    follow_links: FollowLinks = False
    date: str = option(
        metavar="DATE",
        default="",
        help="The document's date: YYYY-MM-DD, YYYY-MM or YYYY. Default: what the file says.",
    )
    supersedes: str = option(
        metavar="DOCUMENT", default="", help="The earlier document in whose place this one stands: an id or a title."
    )
    method: MethodName = None
    estimate: EstimateOnly = False
    library: LibraryFolder = None


DAILY = " or ".join(f"{kind.name} ({', '.join(kind.endings)})" for kind in every_kind() if kind.sessions)


@dataclass(frozen=True, kw_only=True)
class RememberOptions:
    """Which sessions are appended to which history, and where they begin and end."""

    history: str = argument(metavar="HISTORY", help="Name of the history; a new name creates one.")
    paths: list[Path] = files(f"Files and folders of sessions; each day of {DAILY} is one; - for standard input.")
    glob: Glob = None
    follow_links: FollowLinks = False
    sessions_at: str | None = option(
        metavar="REGEX",
        help="A session begins at each line that matches; named groups: 'title', 'time'. "
        "Default: at headings such as '## Session 3, 12 March 2024'.",
    )
    gap: float | None = option(
        metavar="HOURS",
        min=0.1,
        help="In an exported chat, a session ends where nobody wrote for this long. Default: each day is one.",
    )
    no_secrets: bool = option(
        "--no-secrets",
        default=False,
        help="Leave passwords, keys and codes out of every text, such as mail; of agents' sessions they always are.",
    )
    library: LibraryFolder = None


QuestionText = Annotated[str, Argument(metavar="QUESTION", help="What you want to know.")]
Choices = Annotated[
    list[str],
    Option("--option", help="One option of a multiple-choice question; repeat for each option.", show_default=False),
]


@dataclass(frozen=True, kw_only=True)
class AskOptions:
    """What is asked, about which documents, and what is left of it."""

    question: QuestionText
    paths: list[Path] = files(
        "Files, folders and https:// addresses (several are read as one), - for standard input, or documents in "
        "the library; without any, the documents of the library that share most words with the question.",
        default=[],
    )
    glob: Glob = None
    follow_links: FollowLinks = False
    review: bool = option(
        "--review",
        default=False,
        rich_help_panel="Answers",
        help="Decide yourself: which parts are read again, what is searched, and whether the answer stands.",
    )
    follow_up: bool = option(
        "--continue", default=False, help="Ask a follow-up to the last question; the model sees it with its answer."
    )
    documents: int | None = shared.file_option(
        min=1, metavar="N", help="Without FILE: read at most this many of the library's documents (3)."
    )
    collection: shared.CollectionName = None
    as_of: shared.AsOf = ""
    up_to: shared.UpTo = ""
    choices: Choices = field(default_factory=list)
    method: MethodName = None
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
    report: Report = None
    opened: OpenReport = False
    save: Path | None = option(
        metavar="FILE",
        rich_help_panel="Answers",
        help="Save the answer in a file from which 'readgraph replay' repeats it.",
    )


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """What is asked, about which documents, and with which methods."""

    question: QuestionText
    paths: list[Path] = files("Files and folders (several are read as one), or a document in the library.")
    methods: str = option(
        default="read-agent,bm25,full-text",
        metavar="NAME,…",
        help="The methods to ask; 'readgraph methods' lists them.",
        autocompletion=completing.completer_of(completing.methods, several=True),
    )
    glob: Glob = None
    follow_links: FollowLinks = False
    as_of: shared.AsOf = ""
    up_to: shared.UpTo = ""
    choices: Choices = field(default_factory=list)
    library: LibraryFolder = None
