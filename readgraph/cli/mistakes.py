"""The commonest mistakes at a command line: what was meant is done where it is plain, else said as an exact command."""

import os
import re
import select
import shlex
import stat
import sys
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from readgraph.state.errors import BadInput

SHOW = "'readgraph show' lists what the library holds"
FORGET = "'readgraph forget DOCUMENT' deletes a document from the library"
READ = "'readgraph read FILE' adds a file to the library"
SETTINGS = "settings are options, or stand in a file that 'readgraph doctor' names"
SERVE = "'readgraph serve' opens the library in your browser"
OTHERWISE = {
    **dict.fromkeys(("list", "ls", "documents", "status"), SHOW),
    **dict.fromkeys(("delete", "remove", "rm", "del"), FORGET),
    **dict.fromkeys(("add", "import", "upload", "index", "ingest", "load"), READ),
    **dict.fromkeys(("config", "configure", "settings", "set", "init", "setup"), SETTINGS),
    **dict.fromkeys(("web", "ui", "gui", "start", "run"), SERVE),
    **dict.fromkeys(("find", "grep"), "'readgraph search WORDS' searches the library"),
    **dict.fromkeys(("query", "question", "answer"), "'readgraph ask \"…\" FILE' answers a question"),
}
"""Words that other programs have for a command, with what does it here."""

ELSEWHERE = dict.fromkeys(("evaluate", "reproduce", "board", "trajectories"), "readgraph-evaluation")
"""Commands that another package of ours brings, with what to install."""

MEANT = {"summarize": ["summarise"], "summary": ["summarise"], "version": ["--version"], "help": ["--help"]}
WANTED = {
    "question": 'Say what you want to know: {command} "Who …?" FILE',
    "paths": "Name a file, or - for what is piped in",
    "budget": "Say how many tokens the text may have: {command} FILE --budget 800",
}
"""What to say where an argument or option is missing, by its name."""

NUMBERS = {"valid integer": "a whole number", "valid number": "a number"}
"""What an option takes, by a cue in what pydantic says of another value."""

NEAR = 0.7  # how alike the name of a file must be to be suggested; 1 is the same


def command_meant(words: Sequence[str], commands: Collection[str]) -> list[str]:
    """The command line that words were meant as whose first is no command; the same words where that is not plain.

    Raises `BadInput` with the command to write where other programs call it so.
    """
    first, *rest = words
    if meant := MEANT.get(first):
        return [*rest[:1], "--help"] if first == "help" and rest else [*meant, *rest]
    if told := OTHERWISE.get(first):
        raise BadInput(f"There is no command '{first}': {told}.")
    if package := ELSEWHERE.get(first):
        raise BadInput(f"'readgraph {first}' needs one more package: pip install {package}.")
    if get_close_matches(first, commands):
        return [*words]
    plain = [word for word in rest if not word.startswith("-")]
    others = [word for word in plain if not is_file_name(word)]
    is_question = " " in first or (others and len(others) < len(plain))
    return ["ask", *words] if is_question or is_file_name(first) else [*words]


def question_and_files(
    command: str, question: str, names: Sequence[str], are_documents: Callable[[Sequence[str]], bool] | None = None
) -> tuple[str, list[str]]:
    """A question and the names of its files in their order, where they were typed turned round, or without quotes.

    What was made of them is said on standard error.

    Args:
        command: The command, such as "ask".
        question: What stands where the question should be.
        names: What stands where the files should be.
        are_documents: Whether the library has documents of all these names; without it, words are not joined.

    Raises:
        BadInput: If there are only files.
    """
    words = [question, *names]
    is_file = [*map(is_file_name, words)]
    if all(is_file):
        file = quote_argument(words[0])
        more = f" To sum it up: readgraph summarise {file}." if command == "ask" else ""
        raise BadInput(f'{words[0]} is a file. To ask about it: readgraph {command} "Who …?" {file}.{more}')
    begin = is_file.index(False)
    end = _end_of_question(words, is_file, begin, are_documents)
    if begin == 0 and end == 1:
        return question, [*names]
    asked, files = " ".join(words[begin:end]), [*words[:begin], *words[end:]]
    say_taken_as(command, asked, *files)
    return asked, files


def say_taken_as(*words: str) -> None:
    """Say how a command line was taken whose words stood in another order."""
    from readgraph.cli.terminal.safe_text import tell

    tell(f"readgraph: Taken as: {' '.join(map(quote_argument, ['readgraph', *words]))}")


def _end_of_question(
    words: Sequence[str], is_file: Sequence[bool], begin: int, are_documents: Callable[[Sequence[str]], bool] | None
) -> int:
    """Where the words of the question end that begins here: after the first, unless quotes were forgotten."""
    files = (at for at in range(begin, len(words)) if is_file[at])
    end = next(files, len(words))
    end = next((at + 1 for at in range(begin, end) if asks(words[at])), end)
    is_plain = bool(begin) or asks(words[end - 1])  # that these words are no names of documents
    if " " in words[begin] or not are_documents or end - begin < (2 if is_plain else 3):
        return begin + 1
    return end if is_plain or not are_documents(words[1:end]) else begin + 1


def asks(words: str) -> bool:
    """Whether words are a question."""
    return words.endswith(("?", "？", "؟"))


def quote_argument(word: str) -> str:
    """A word as one types it in a shell, in double quotes where it needs some and they are enough."""
    return f'"{word}"' if " " in word and not re.search(r'[$`"\\!]', word) else shlex.quote(word)


def is_file_name(word: str) -> bool:
    """Whether a word names a file, a folder, an address, or standard input."""
    return word == "-" or word.lower().startswith(("https://", "http://")) or (bool(word) and os.path.lexists(word))


def input_is_file() -> bool:
    """Whether a file was handed to standard input, as by `< FILE`, of which nothing was read yet.

    In a loop over the lines of a file (`while read`) some was read, and the rest belongs to the loop.
    """
    try:
        number = sys.stdin.fileno()
        return stat.S_ISREG(os.fstat(number).st_mode) and os.lseek(number, 0, os.SEEK_CUR) == 0
    except (AttributeError, OSError, ValueError):  # closed, or no file of the system
        return False


def report_unread_pipe() -> None:
    """Say that what is piped in was not read, if something is; a pipe may as well belong to the loop around us."""
    try:
        number = sys.stdin.fileno()
        waits = stat.S_ISFIFO(os.fstat(number).st_mode) and bool(select.select([number], [], [], 0)[0])
    except (AttributeError, OSError, ValueError):  # closed, or no file of the system
        return
    if waits:
        from readgraph.cli.terminal.safe_text import tell

        tell("readgraph: What is piped in was not read: write - after the question to ask about it.")


def find_near_files(path: Path) -> list[str]:
    """The files beside a path that are spelt nearly as it is."""
    try:
        names = [each.name for each in (path.parent.iterdir() if path.name else ())]
    except OSError:
        return []
    folded = {name.casefold(): name for name in names if not name.startswith(".")}
    stems = {Path(name).stem.casefold(): name for name in names if not name.startswith(".")}
    near = [*map(folded.get, get_close_matches(path.name.casefold(), folded, 3, NEAR))]
    near += map(stems.get, get_close_matches(path.stem.casefold(), stems, 3, NEAR))
    return [str(path.parent / name) for name in dict.fromkeys(filter(None, near))]


def usage_line(problem: Any) -> str:
    """What is wrong with the arguments and options of a command, and what to write instead."""
    line, parameter = str(problem.format_message()), getattr(problem, "param", None)
    command = context.command_path if (context := getattr(problem, "ctx", None)) else "readgraph"
    if line.startswith("Missing ") and parameter and parameter.name in WANTED:
        return WANTED[parameter.name].format(command=command)
    if "Input should be" in line and parameter:
        option = parameter.opts[0]
        wants = next((said for cue, said in NUMBERS.items() if cue in line), "")
        least = re.search(r"(greater|less) than or equal to (\S+)", line)
        if least:
            wants = f"a number from {least[2]} up" if least[1] == "greater" else f"a number up to {least[2]}"
        return f"{option} wants {wants}." if wants else line
    if line.startswith("No such option") and context and context.parent is None:
        return f'{problem.option_name} stands after the command: readgraph ask "Who …?" FILE {problem.option_name}'
    return line
