"""Completion in bash, which cuts words at ":", "=" and "@", and quotes nothing that a completion gives.

(The GNU manual on COMP_WORDBREAKS; typer's script hands over the words as they were cut, each on a line.)
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO

import typer

_BREAKS = re.compile("[:=@]+")
_SPECIAL = re.compile(r"[^\w@%+=:,./~-]")
_SPECIAL_IN_QUOTES = re.compile(r"[\"$`\\]")
_OPTION = re.compile(r"--?[\w-]+=")


@contextmanager
def bash_values_mended(name: str) -> Iterator[None]:
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
        for value in values.getvalue().splitlines():
            typer.echo(_quoted(value.removeprefix(cut), mark))


def _quoted(value: str, mark: str) -> str:
    """A value as it stands in a command line, within the quotation mark that was opened before it, if one was."""
    if mark == "'":
        return value.replace("'", "'\\''")
    return (_SPECIAL_IN_QUOTES if mark == '"' else _SPECIAL).sub(r"\\\g<0>", value)


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
