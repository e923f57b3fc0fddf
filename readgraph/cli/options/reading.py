"""The options of readings and questions: what the commands that read are given, and `compare`."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from readgraph.cli import shell as completing
from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import EstimateOnly, FollowLinks, Glob, LibraryFolder, MethodName, files
from readgraph.cli.options.output import OpenReport, Report, ShowSteps
from readgraph.cli.options.settings import argument, option


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Which files are read, and how."""

    paths: list[Path] = files(
        "Files, folders and https:// addresses: text, Markdown, HTML, PDF, EPUB, Word, OpenDocument, RTF, "
        "PowerPoint, Excel, CSV, Jupyter notebooks, subtitles, reStructuredText, e-mail, exported chats; - for "
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


@dataclass(frozen=True, kw_only=True)
class RememberOptions:
    """Which sessions are appended to which history, and where they begin and end."""

    history: str = argument(metavar="HISTORY", help="Name of the history; a new name creates one.")
    paths: list[Path] = files("Files and folders of sessions; - for standard input.")
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


worker_option = partial(option, rich_help_panel="Workers")


@dataclass(frozen=True, kw_only=True)
class CorpusOptions:
    """Which folders are read, and who reads them: so many workers, on a kind of cluster or here."""

    paths: list[Path] = files("Folders of documents, with the folders in them.")
    glob: Glob = None
    follow_links: FollowLinks = False
    method: MethodName = None
    watch: bool = option(
        "--watch",
        default=False,
        help="Go on: what is new, changed, renamed or deleted in the folders follows in the library. A deleted file's "
        "document is forgotten.",
    )
    listed: bool = option(
        "--list", default=False, help="Only list the files of the folders, as --watch left them: state and reason."
    )
    workers: int | None = worker_option(
        min=1, metavar="N", help="How many processes read. Default: one for each processor."
    )
    cluster: Literal["ray"] | None = worker_option(
        "--on", metavar="CLUSTER", help="Who runs the workers: 'ray'. Default: processes of this machine."
    )
    address: str | None = worker_option(
        help="With --on ray: the address of a running cluster, such as auto. Default: one is started here."
    )
    max_calls_in_all: int | None = option(
        min=0,
        metavar="N",
        rich_help_panel="Budget",
        help="Stop after this many calls of all documents and workers together.",
    )
    estimate: EstimateOnly = False
    library: LibraryFolder = None


FILES_OR_ALL = (
    "Files, folders and https:// addresses, or documents in the library; without any, the documents of the library."
)
FILES_AS_ONE = (
    "Files, folders and https:// addresses (several are read as one), - for standard input, or a document "
    "in the library."
)


@dataclass(frozen=True, kw_only=True)
class SummariseOptions:
    """What is summarised: documents, a part of them, and what it is to be about; None for all of it."""

    paths: list[Path] = files(FILES_AS_ONE)
    words: int | None = option(metavar="N", min=20, help="At most this many words (300).")
    part: str | None = option(
        metavar="NAME", help="Only this part: a heading, its number, or pages: 'Part two', 3.2, 'pages 10-20'."
    )
    about: str | None = option(metavar="TEXT", help="What the summary is to be about, such as 'the money'.")
    check: bool | None = option("--check/--no-check", help="Check each sentence against its pages (yes).")
    glob: Glob = None
    follow_links: FollowLinks = False
    as_of: shared.AsOf = ""
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
    report: Report = None
    opened: OpenReport = False


@dataclass(frozen=True, kw_only=True)
class VerifyOptions:
    """Which text is checked, against which documents, and where the result goes."""

    draft: Path = argument(
        metavar="DRAFT", help="The text to check: a file, of any kind that can be read, or - for standard input."
    )
    paths: list[Path] = files(FILES_OR_ALL, default=[])
    glob: Glob = None
    follow_links: FollowLinks = False
    collection: shared.CollectionName = None
    as_of: shared.AsOf = ""
    strict: bool = option(
        "--strict", default=False, help="End with exit code 1 also where something is not found or not decided."
    )
    out: Path | None = option(metavar="FILE", help="Write the draft with what was found as footnotes (Markdown).")
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
    report: Report = None
    opened: OpenReport = False


@dataclass(frozen=True, kw_only=True)
class WikiOptions:
    """Which folder holds the wiki, and of which documents it is."""

    folder: Path = argument(
        metavar="FOLDER",
        help="The folder of the wiki; it is made where there is none. Or 'check', and then the folder.",
    )
    paths: list[Path] = files(FILES_OR_ALL, default=[])
    glob: Glob = None
    follow_links: FollowLinks = False
    collection: shared.CollectionName = None
    as_of: shared.AsOf = ""
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """What the rows of a table are, of which documents, and where it goes."""

    paths: list[Path] = files(
        "Files, folders and https:// addresses (several make one table), - for standard input, or documents in "
        "the library.",
        default=[],
    )
    wanted: str = argument(metavar="WHAT", help="What the rows are, and the columns: the last argument.")
    out: Path | None = option(
        metavar="FILE",
        help="Write the table to this file, in the form that its ending says: .csv, .json, .xlsx or .md.",
    )
    glob: Glob = None
    follow_links: FollowLinks = False
    as_of: shared.AsOf = ""
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    report: Report = None
    opened: OpenReport = False


@dataclass(frozen=True, kw_only=True)
class CompressOptions:
    """Which documents are to fit into how many tokens, by which engine."""

    paths: list[Path] = files(FILES_AS_ONE)
    budget: int = option(default=..., metavar="TOKENS", help="Fit the text into this many tokens.")
    question: str | None = option(
        metavar="TEXT", help="Print the answer to this question, within the budget, instead of the shortened text."
    )
    engine: str = option(
        default="readagent_gist",
        metavar="ID",
        help="How to compress: readagent_gist, memwalker_tree, gam_memos, extractive, or another package's engine.",
    )
    trace: Path | None = option(
        metavar="FILE", help="Write what was done, as JSON: steps, replies, sizes, time.", show_default=False
    )
    glob: Glob = None
    follow_links: FollowLinks = False
    as_of: shared.AsOf = ""
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
    choices: Choices = field(default_factory=list)
    method: MethodName = None
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
    report: Report = None
    opened: OpenReport = False


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
    choices: Choices = field(default_factory=list)
    library: LibraryFolder = None


DocumentOptions = (
    ReadOptions
    | CorpusOptions
    | SummariseOptions
    | VerifyOptions
    | WikiOptions
    | TableOptions
    | CompressOptions
    | AskOptions
    | CompareOptions
)
"""What says of which files and of which library documents are: `paths`, `glob`, `follow_links`, `library`."""
