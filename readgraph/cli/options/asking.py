"""The options of questions: what `ask` and `compare` are given."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from readgraph.cli.options.documents import (
    FILES,
    CollectionName,
    EstimateOnly,
    Glob,
    LibraryFolder,
    MethodName,
    files,
)
from readgraph.cli.options.reports import OpenReport, Report, ShowSteps
from readgraph.cli.shell.completing import completing_each, methods

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
        autocompletion=completing_each(methods),
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
