"""The options of readings and questions: what the commands that read are given, and `compare`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import typer

from readgraph.cli.options.documents import FILES, CollectionName, EstimateOnly, Glob, LibraryFolder, MethodName, files
from readgraph.cli.options.output import OpenReport, Report, ShowSteps
from readgraph.cli.shell import completer_of_list, methods

ReadFiles = Annotated[
    list[Path],
    files(
        "Files, folders and https:// addresses: text, Markdown, HTML, PDF, EPUB, Word, OpenDocument, RTF, "
        "PowerPoint, CSV, Jupyter notebooks, subtitles, reStructuredText, exported chats; - for standard input."
    ),
]


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Which files are read, and how."""

    paths: ReadFiles
    glob: Glob = None
    method: MethodName = None
    estimate: EstimateOnly = False
    library: LibraryFolder = None


HistoryName = Annotated[str, typer.Argument(metavar="HISTORY", help="Name of the history; a new name creates one.")]
SessionFiles = Annotated[list[Path], files("Files and folders of sessions; - for standard input.")]
SessionsAt = Annotated[
    str | None,
    typer.Option(
        metavar="REGEX",
        help="A session begins at each line that matches; named groups: 'title', 'time'. "
        "Default: at headings such as '## Session 3, 12 March 2024'.",
        show_default=False,
    ),
]
Gap = Annotated[
    float | None,
    typer.Option(
        metavar="HOURS",
        min=0.1,
        help="In an exported chat, a session ends where nobody wrote for this long. Default: each day is one.",
        show_default=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class RememberOptions:
    """Which sessions are appended to which history, and where they begin and end."""

    history: HistoryName
    paths: SessionFiles
    glob: Glob = None
    sessions_at: SessionsAt = None
    gap: Gap = None
    library: LibraryFolder = None


WORKERS = "Workers"
"""The panel of the options for who reads."""

Folders = Annotated[list[Path], files("Folders of documents, with the folders in them.")]
WorkerCount = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        rich_help_panel=WORKERS,
        show_default=False,
        help="How many processes read. Default: one for each processor.",
    ),
]
Cluster = Annotated[
    Literal["ray"] | None,
    typer.Option(
        "--on",
        metavar="CLUSTER",
        rich_help_panel=WORKERS,
        show_default=False,
        help="Who runs the workers: 'ray'. Default: processes of this machine.",
    ),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=WORKERS,
        show_default=False,
        help="With --on ray: the address of a running cluster, such as auto. Default: one is started here.",
    ),
]
MaxCallsInAll = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        rich_help_panel="Budget",
        show_default=False,
        help="Stop after this many calls of all documents and workers together.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class CorpusOptions:
    """Which folders are read, and who reads them: so many workers, on a kind of cluster or here."""

    paths: Folders
    glob: Glob = None
    method: MethodName = None
    workers: WorkerCount = None
    cluster: Cluster = None
    address: ClusterAddress = None
    max_calls_in_all: MaxCallsInAll = None
    estimate: EstimateOnly = False
    library: LibraryFolder = None


FilesAsOne = Annotated[
    list[Path],
    files(
        "Files, folders and https:// addresses (several are read as one), - for standard input, or a document "
        "in the library."
    ),
]
MostWords = Annotated[
    int | None, typer.Option(metavar="N", min=20, help="At most this many words (300).", show_default=False)
]
PartName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Only this part: a heading, its number, or pages: 'Part two', 3.2, 'pages 10-20'.",
        show_default=False,
    ),
]
About = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="What the summary is to be about, such as 'the money'.", show_default=False),
]
Check = Annotated[
    bool | None,
    typer.Option("--check/--no-check", help="Check each sentence against its pages (yes).", show_default=False),
]


@dataclass(frozen=True, kw_only=True)
class SummariseOptions:
    """What is summarised: documents, a part of them, and what it is to be about; None for all of it."""

    paths: FilesAsOne
    words: MostWords = None
    part: PartName = None
    about: About = None
    check: Check = None
    glob: Glob = None
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
    report: Report = None
    opened: OpenReport = False


TabledFiles = Annotated[
    list[Path],
    files(
        "Files, folders and https:// addresses (several make one table), - for standard input, or documents in "
        "the library."
    ),
]
WantedRows = Annotated[
    str,
    typer.Argument(metavar="WHAT", show_default=False, help="What the rows are, and the columns: the last argument."),
]
TableFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the table to this file, in the form that its ending says: .csv, .json, .xlsx or .md.",
        show_default=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """What the rows of a table are, of which documents, and where it goes."""

    paths: TabledFiles = field(default_factory=list)
    wanted: WantedRows
    out: TableFile = None
    glob: Glob = None
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    report: Report = None
    opened: OpenReport = False


TokenBudget = Annotated[int, typer.Option(metavar="TOKENS", help="Fit the text into this many tokens.")]
QuestionToFit = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="Print the answer to this question, within the budget, instead of the shortened text."
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        metavar="ID",
        help="How to compress: readagent_gist, memwalker_tree, gam_memos, extractive, or another package's engine.",
    ),
]
Trace = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write what was done, as JSON: steps, replies, sizes, time.", show_default=False),
]


@dataclass(frozen=True, kw_only=True)
class CompressOptions:
    """Which documents are to fit into how many tokens, by which engine."""

    paths: FilesAsOne
    budget: TokenBudget
    question: QuestionToFit = None
    engine: Engine = "readagent_gist"
    trace: Trace = None
    glob: Glob = None
    library: LibraryFolder = None


QuestionText = Annotated[str, typer.Argument(metavar="QUESTION", show_default=False, help="What you want to know.")]
Choices = Annotated[
    list[str],
    typer.Option(
        "--option", help="One option of a multiple-choice question; repeat for each option.", show_default=False
    ),
]
AskedFiles = Annotated[
    list[Path],
    files(
        "Files, folders and https:// addresses (several are read as one), - for standard input, or documents in "
        "the library; without any, the documents of the library that share most words with the question."
    ),
]
FollowUp = Annotated[
    bool,
    typer.Option("--continue", help="Ask a follow-up to the last question; the model sees it with its answer."),
]
MostDocuments = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        rich_help_panel=FILES,
        help="Without FILE: read at most this many of the library's documents (3).",
    ),
]


@dataclass(frozen=True, kw_only=True)
class AskOptions:
    """What is asked, about which documents, and what is left of it."""

    question: QuestionText
    paths: AskedFiles = field(default_factory=list)
    glob: Glob = None
    follow_up: FollowUp = False
    documents: MostDocuments = None
    collection: CollectionName = None
    choices: Choices = field(default_factory=list)
    method: MethodName = None
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
    report: Report = None
    opened: OpenReport = False


ComparedFiles = Annotated[
    list[Path], files("Files and folders (several are read as one), or a document in the library.")
]
ComparedMethods = Annotated[
    str,
    typer.Option(
        metavar="NAME,…",
        help="The methods to ask; 'readgraph methods' lists them.",
        autocompletion=completer_of_list(methods),
    ),
]


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """What is asked, about which documents, and with which methods."""

    question: QuestionText
    paths: ComparedFiles
    methods: ComparedMethods = "read-agent,bm25,full-text"
    glob: Glob = None
    choices: Choices = field(default_factory=list)
    library: LibraryFolder = None
