"""The options that commands share: a group of them becomes one argument of the command."""

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from readgraph.state.errors import BadInput

Command = Callable[..., None]

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result and nothing else.")]
LibraryFolder = Annotated[
    Path | None,
    typer.Option(
        "--library", metavar="FOLDER", envvar="READGRAPH_LIBRARY", help="Where documents and memories are kept."
    ),
]


def files(text: str) -> Any:
    """The argument that names files and folders; `text` is its help."""
    return typer.Argument(metavar="FILE", parser=_path_named, help=text, show_default=False)


def _path_named(name: str) -> Path:
    if not name:  # as of a variable that is not set; its path would be the folder one is in
        raise BadInput("The name of a file is empty: name one, or '.' for the files of this folder.")
    return Path(name)


QuestionText = Annotated[str, typer.Argument(metavar="QUESTION", show_default=False, help="What you want to know.")]
Option = Annotated[
    list[str] | None, typer.Option(help="One option of a multiple choice; give each its own.", show_default=False)
]
MethodName = Annotated[
    str | None,
    typer.Option(
        "--method", metavar="NAME", help="How to read (read-agent): see 'readgraph methods'.", show_default=False
    ),
]
EstimateOnly = Annotated[
    bool, typer.Option("--estimate", help="Say how many calls and words it will take, and make no call.")
]
Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write a report: one HTML page that shows what was read.", show_default=False),
]
Sure = Annotated[bool, typer.Option("--yes", help="Don't ask.")]
Glob = Annotated[str | None, typer.Option(help="Of folders, only files like this: '*.md'.", metavar="PATTERN")]


class Strategy(StrEnum):
    """How pages are looked up."""

    parallel = "parallel"
    sequential = "sequential"


class WorkingMemory(StrEnum):
    """What a walk carries."""

    path = "path"
    visited = "visited"
    off = "off"


class Evidence(StrEnum):
    """What a context holds beside the notes."""

    integration = "integration"
    pages = "pages"
    snippets = "snippets"


def _option(kind: Any, text: str, **settings: Any) -> Any:
    return Annotated[kind | None, typer.Option(help=text, show_default=False, **settings)]


_MODEL: dict[str, Any] = {"metavar": "PROVIDER:NAME", "envvar": "READGRAPH_MODEL"}

READING: dict[str, Any] = {
    "model": _option(
        str, "The model to read with, such as openai:gpt-4.1-mini. Without one, reading is extractive.", **_MODEL
    ),
    "reading_model": _option(
        str, "Another model to build memories with, such as a cheaper one.", metavar="PROVIDER:NAME"
    ),
    "profile": _option(
        str,
        "Sizes of the papers' experiments: quality, qmsum, gutenberg, movie, screenplay, report or nested-keys.",
        metavar="NAME",
    ),
    "min_page_words": _option(int, "A page has at least this many words (280).", min=1),
    "max_page_words": _option(int, "A page has at most this many words (600).", min=2),
    "stretches": _option(int, "Page this many stretches of a long text at once (1).", min=1),
    "gist_words": _option(int, "Ask for gists of at most this many words.", min=10),
    "gist_purpose": _option(
        str, "What gists are for: a task that is known before, or the kind of text.", metavar="TEXT"
    ),
    "window_words": _option(int, "Words of the model's window (60000); pages are merged until gists fit.", min=1000),
    "baseline_words": _option(int, "Words that first-words and last-words keep (as many as fit the window).", min=1),
    "retrieval_words": _option(int, "bm25, dense, fused: a segment has at most this many words (1536).", min=10),
    "max_calls": _option(int, "Budget: stop after this many model calls.", min=0),
    "max_words": _option(int, "Budget: stop after this many words sent and received.", min=0),
    "concurrency": _option(int, "Model calls in flight at once (16).", min=1),
    "timeout": _option(float, "Seconds that one model call may take (120).", min=0.1),
    "rebuild": Annotated[
        bool | None,
        typer.Option("--rebuild", help="Build the memory again where prompts have changed.", show_default=False),
    ],
}

SCREEN: dict[str, Any] = {
    "as_json": Json,
    "quiet": Quiet,
    "verbose": Annotated[bool, typer.Option("--verbose", "-v", help="Tell each step, and each reply refused.")],
    "price": _option(
        str,
        "Dollars for a million tokens in and out, such as 0.4/1.6; known prices are built in.",
        metavar="IN/OUT",
    ),
}

LOOKING_UP: dict[str, Any] = {
    "strategy": _option(Strategy, "Look pages up all at once (parallel, the default), or one by one."),
    "max_pages": _option(int, "Read at most this many pages again (5).", min=0),
    "max_chain": _option(int, "mem-gpt: at most this many function calls (30).", min=1),
}

CHATTING: dict[str, Any] = {
    "model": _option(str, "The model that the agent thinks with, such as openai:gpt-4.1-mini.", **_MODEL),
    "window_words": _option(int, "Words of the model's window (60000): the agent never sees more at once.", min=1000),
    "min_page_words": _option(int, "A page of a file that it is given has at least this many words (280).", min=1),
    "max_page_words": _option(int, "A page has at most this many words (600).", min=2),
    "max_calls": _option(int, "Budget of a turn: it ends after this many model calls.", min=0),
    "max_words": _option(int, "Budget of a turn: it ends after this many words sent and received.", min=0),
    "timeout": READING["timeout"],
    "max_chain": _option(int, "At most this many function calls before the agent waits again (30).", min=1),
}

_GAM: dict[str, Any] = {"rich_help_panel": "GAM"}


def _gam_flag(flag: str, text: str) -> Any:
    return Annotated[bool | None, typer.Option(flag, help=text, show_default=False, **_GAM)]


MEMORIZING: dict[str, Any] = {
    "session_page_words": _option(int, "A page of a session has at most this many words (1536).", min=50, **_GAM),
    "memory_words": _option(int, "Show at most this many words of earlier memos with each page (1500).", min=0, **_GAM),
    "block": _option(int, "Memorise this many pages at once, against the memory before them (1).", min=1, **_GAM),
    "two_calls": _gam_flag("--two-calls", "Ask for memo and header in a call of its own each."),
}

RESEARCH: dict[str, Any] = {
    "rounds": _option(int, "At most this many rounds of research (3); 0: from the memory alone.", min=0, **_GAM),
    "pages_per_tool": _option(int, "At most this many pages of each tool in a round (5).", min=1, **_GAM),
    "tools": Annotated[
        Any,
        typer.Option(
            parser=lambda names: tuple(name.strip() for name in names.split(",")),
            help="The search tools, with commas between: keyword,vector,page (all that are there).",
            metavar="NAMES",
            show_default=False,
            **_GAM,
        ),
    ],
    "embeddings": _option(
        str, "The embedding model of vector search; none = no vector search.", metavar="PROVIDER:NAME", **_GAM
    ),
    "without_memory": _gam_flag("--without-memory", "Research without seeing the memory."),
    "separate_requests": _gam_flag("--separate-requests", "Ask what is missing in a call of its own, as the paper."),
    "evidence": _option(Evidence, "What the context holds beside the notes (integration: nothing).", **_GAM),
    "context_only": _gam_flag("--context-only", "Give the context that was found, and no answer."),
}

BUILDING: dict[str, Any] = {
    name: READING[name]
    for name in ("model", "reading_model", "max_calls", "max_words", "concurrency", "timeout", "rebuild")
}
"""What every builder of memories takes."""


_WALKER: dict[str, Any] = {"rich_help_panel": "MemWalker"}

GROWING: dict[str, Any] = {
    "segment_words": _option(int, "A segment has about this many words (750).", min=10, **_WALKER),
    "children": _option(int, "A tree node has at most this many children (8).", min=2, **_WALKER),
    "node_words": _option(int, "A tree node's text over this many words is compressed (300).", min=10, **_WALKER),
}

WALKING: dict[str, Any] = {
    "reasoning": Annotated[
        bool | None,
        typer.Option(
            "--reasoning/--no-reasoning", help="Reason before each decision (on).", show_default=False, **_WALKER
        ),
    ],
    "working_memory": _option(
        WorkingMemory, "Notes that a walk carries: of its path (the default), of all nodes visited, or none.", **_WALKER
    ),
    "max_hops": _option(int, "A walk ends after this many decisions (32).", min=1, **_WALKER),
    "walks": _option(int, "Walk this many times, each from the next-best part of the text (1).", min=1, **_WALKER),
}

ANY_METHOD: dict[str, Any] = {**READING, **LOOKING_UP, **GROWING, **WALKING, **MEMORIZING, **RESEARCH}
"""What a command takes that asks a question by any of the methods."""


def with_context(options: dict[str, Any]) -> Callable[[Command], Command]:
    """Give a command these options as its argument `context`.

    What was not given is the profile's, else the settings file's, else the context's default.
    """

    def made(**given: Any) -> Any:
        from readgraph.cli.settings import reader_context

        return reader_context(**given)

    return lambda command: _with_group(command, "context", options, made)


def with_screen(command: Command) -> Command:
    """Give a command the options of what it prints as its argument `screen`."""

    def made(**given: Any) -> Any:
        from readgraph.cli.screen import Screen

        return Screen.of(**given)

    return _with_group(command, "screen", SCREEN, made)


def _with_group(command: Command, argument: str, options: dict[str, Any], made: Callable[..., Any]) -> Command:
    @wraps(command)
    def with_group(**given: Any) -> None:
        group = {name: given.pop(name) for name in options}
        command(**{argument: made(**group)}, **given)

    own = inspect.signature(command).parameters.values()
    more = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=False if is_flag(annotation) else None
        )
        for name, annotation in options.items()
    ]
    parameters = [*(parameter for parameter in own if parameter.name != argument), *more]
    with_group.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_group.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_group


def is_flag(annotation: Any) -> bool:
    """Whether an option is on or off, and never left open."""
    return get_args(annotation)[0] is bool
