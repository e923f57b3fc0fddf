"""The options of every reading: they become the command's context."""

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any

import typer


class Strategy(StrEnum):
    """How pages are looked up."""

    parallel = "parallel"
    sequential = "sequential"


def _option(kind: Any, text: str, **settings: Any) -> Any:
    return Annotated[kind | None, typer.Option(help=text, show_default=False, **settings)]


READING: dict[str, Any] = {
    "model": _option(
        str,
        "The model to read with, such as openai:gpt-4.1-mini. Without one, reading is extractive.",
        metavar="PROVIDER:NAME",
        envvar="READGRAPH_MODEL",
    ),
    "reading_model": _option(
        str, "Another model to build memories with, such as a cheaper one.", metavar="PROVIDER:NAME"
    ),
    "profile": _option(str, "Sizes of the paper's experiments: quality, qmsum, gutenberg or movie.", metavar="NAME"),
    "min_page_words": _option(int, "A page has at least this many words (280).", min=1),
    "max_page_words": _option(int, "A page has at most this many words (600).", min=2),
    "stretches": _option(int, "Page this many stretches of a long text at once (1).", min=1),
    "gist_words": _option(int, "Ask for gists of at most this many words.", min=10),
    "window_words": _option(int, "Words of the model's window (60000); pages are merged until gists fit.", min=1000),
    "max_calls": _option(int, "Budget: stop after this many model calls.", min=0),
    "max_words": _option(int, "Budget: stop after this many words sent and received.", min=0),
    "concurrency": _option(int, "Model calls in flight at once (16).", min=1),
    "timeout": _option(float, "Seconds that one model call may take (120).", min=0.1),
    "rebuild": Annotated[
        bool | None,
        typer.Option("--rebuild", help="Build the memory again where prompts have changed.", show_default=False),
    ],
}

LOOKING_UP: dict[str, Any] = {
    "strategy": _option(Strategy, "Look pages up all at once (parallel, the default), or one by one."),
    "max_pages": _option(int, "Read at most this many pages again (5).", min=0),
    "max_chain": _option(int, "mem-gpt: at most this many function calls (30).", min=1),
}

_CHATTING = ("model", "window_words", "min_page_words", "max_page_words", "max_calls", "max_words", "timeout")

CHATTING: dict[str, Any] = {
    **{name: READING[name] for name in _CHATTING},
    "max_chain": _option(int, "At most this many function calls before the agent waits again (30).", min=1),
}


def with_options(options: dict[str, Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these options; it gets them as its argument `context`.

    What was not given is the profile's, else the settings file's, else the context's default.
    """
    return lambda command: _with_context(command, options)


def _with_context(command: Callable[..., None], options: dict[str, Any]) -> Callable[..., None]:

    @wraps(command)
    def with_context(**given: Any) -> None:
        from readgraph.cli.settings import reader_context

        settings = {name: given.pop(name) for name in options}
        command(context=reader_context(**settings), **given)

    own = inspect.signature(command).parameters.values()
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=None)
        for name, annotation in options.items()
    ]
    parameters = [*(parameter for parameter in own if parameter.name != "context"), *more]
    with_context.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_context.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_context
