"""The command's options, as Click knows them."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from readgraph.cli.main import app
from readgraph.state.declaring import declarations_of
from readgraph.state.settings import GROUPS

COMMAND: Any = get_command(app)
"""The command; making it takes a third of a second, and so it is made once."""

OPTIONS = {each.name for each in declarations_of(GROUPS) if each.help.option}
"""The settings that are options, by their names."""


def each_option() -> Iterator[tuple[str, Any]]:
    """Every option but that of the log as "command --option", with what Click knows of it."""

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        for option in command.params:
            if option.param_type_name == "option" and option.name != "log_json":
                yield " ".join([*(path or ["readgraph"]), option.opts[0]]), option
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, (*path, name))

    yield from walk(COMMAND, ())


def settings_taken(command: str) -> dict[str, Any]:
    """The settings that a command takes, by their names."""
    return {
        option.name: option
        for name, option in each_option()
        if name.rsplit(" ", 1)[0] == command and option.name in OPTIONS
    }


def command_of(line: str) -> str:
    """The command that a line begins with, such as "library check"."""
    command = COMMAND
    words = list[str]()
    for word in line.split():
        if not (command := getattr(command, "commands", {}).get(word)):
            break
        words.append(word)
    return " ".join(words) or "readgraph"
