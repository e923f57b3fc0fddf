"""The values that a shell completes.

Bash cuts words at ":", "=" and "@", and quotes nothing that a completion gives (the GNU manual on COMP_WORDBREAKS;
typer's script hands over the words as they were cut, each on a line).
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from glob import escape, iglob
from io import StringIO
from pathlib import Path
from typing import Any

import typer

PROFILES = ("quality", "qmsum", "gutenberg", "movie", "screenplay", "report", "nested-keys")
TYPED = "readgraph.typed"  # the key, in the context of a completion, of what was typed so far

Item = tuple[str, str]  # A value, and what it is

Values = Callable[[typer.Context], Iterable[Item]]


def completer_of(values: Values, *, several: bool = False) -> Callable[[typer.Context, str], list[Item]]:
    """A completion of whole values, in either case; of `several` with commas between, of the last one."""

    def complete(context: typer.Context, incomplete: str) -> list[Item]:
        context.meta[TYPED] = incomplete
        before, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
        return [(f"{before}{comma}{value}", what) for value, what in _match_beginning(values(context), last)]

    return complete


def complete_sources(context: typer.Context, incomplete: str) -> list[Item]:
    """Documents of the library, with the files that begin so; no value leaves the files to the shell."""
    context.meta[TYPED] = incomplete
    found = list(_match_beginning(documents(context), incomplete))
    files = iglob(f"{escape(str(Path(incomplete).expanduser()) if incomplete else '')}*") if found else ()
    return [*found, *((f"{file}/" if Path(file).is_dir() else file, "") for file in sorted(files))]


def values_of(names: Iterable[str]) -> Values:
    """Values that speak for themselves."""
    return lambda _: ((name, "") for name in names)


def methods(_: typer.Context) -> Iterable[Item]:
    """The methods."""
    from readgraph.graphs.methods import every_method

    return ((method.name, method.line) for method in every_method())


def languages(_: typer.Context) -> Iterable[Item]:
    """The languages by their codes, with their names."""
    from readgraph.state.language_names import NAMES

    return NAMES.items()


def models(context: typer.Context) -> Iterator[Item]:
    """The models that the library's memories were made with, and those that run on this machine."""
    from readgraph.state.providers import providers

    known = {record.get("recipe", {}).get("model") for record in _records("memories", context)}
    yield from ((model, "used before") for model in sorted(filter(None, known)))
    yield from ((provider, "runs on this machine") for provider in providers())


def agent_names(context: typer.Context) -> Iterator[Item]:
    """The agents that can be talked with."""
    return ((str(record.get("name")), "") for record in _records("agents", context) if not record.get("reading"))


def collections(context: typer.Context) -> Iterator[Item]:
    """The collections by their names."""
    return ((str(record.get("collection")), "") for record in _records("collections", context))


def documents(context: typer.Context) -> Iterator[Item]:
    """Documents by their titles, with _ between words (so they need no quotes), and by their ids."""
    held = [(str(record.get("title")), str(record.get("id"))) for record in _records("documents", context)]
    for title, identity in held:
        yield re.sub(r"\W+", "_", title).strip("_"), identity
    yield from ((identity, title) for title, identity in held)


def identities(context: typer.Context) -> Iterator[Item]:
    """Documents by their ids."""
    return ((str(record.get("id")), str(record.get("title"))) for record in _records("documents", context))


def _records(kind: str, context: typer.Context) -> Iterator[dict[str, Any]]:
    from readgraph.library.address import list_records

    folder = context.params.get("library")
    return list_records(kind, Path(folder) if folder else None, typed=context.meta.get(TYPED, ""))


def _match_beginning(items: Iterable[Item], incomplete: str) -> Iterator[Item]:
    """The values that begin with this, each once; what was typed stays as it was typed, since shells compare it."""
    seen = set[str]()
    for value, what in items:
        if value and value not in seen and value.casefold().startswith(incomplete.casefold()):
            seen.add(value)
            yield incomplete + value[len(incomplete) :], what


_BREAKS = re.compile("[:=@]+")
_SPECIAL = re.compile(r"[^\w@%+=:,./~-]")
_SPECIAL_IN_QUOTES = re.compile(r"[\"$`\\]")
_OPTION = re.compile(r"--?[\w-]+=")


@contextmanager
def mend_bash_values(name: str) -> Iterator[None]:
    """While bash asks for completions: give the command whole words, and bash what follows its last cut."""
    if os.environ.get(f"_{name.upper()}_COMPLETE") != "complete_bash":
        yield
        return
    words, at, cut = _whole_words(os.environ.get("COMP_WORDS", "").split("\n"), int(os.environ.get("COMP_CWORD", 0)))
    os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join(words), str(at)
    mark = words[at][:1] if at < len(words) else ""
    values = StringIO()
    try:
        with redirect_stdout(values):
            yield
    finally:
        special = _SPECIAL_IN_QUOTES if mark == '"' else _SPECIAL
        for value in values.getvalue().splitlines():
            left = value.removeprefix(cut)
            typer.echo(left.replace("'", "'\\''") if mark == "'" else special.sub(r"\\\g<0>", left))


def _whole_words(cut_words: list[str], current: int) -> tuple[list[str], int, str]:
    """The words as they were typed, which of them is completed, and what of it stands before bash's last cut."""
    words, at, cut, joins = list[str](), current, "", False
    for number, part in enumerate(cut_words):
        is_break = bool(_BREAKS.fullmatch(part))
        if words and (is_break or joins):
            words[-1] += part
        else:
            words.append(part)
        joins = is_break
        if number == current:
            at = len(words) - 1
            cut = words[-1] if is_break else words[-1].removesuffix(part)
    return words, at, _OPTION.sub("", cut, count=1)
