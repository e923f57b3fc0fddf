"""What is refused: files outside the folders that the user named, and arguments that a tool doesn't take."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic_core import ErrorDetails

from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput, ReadgraphError

KINDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list of texts",
    "boolean": "true or false",
}


def tool_error_line(problem: ReadgraphError) -> str:
    """The error's one line, in words of tools."""
    return problem.message_text("tool")


def check_arguments(tool: str, properties: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, without those that are null; raises `BadInput` for one that the tool doesn't take."""
    if unknown := [name for name in given if name not in properties]:
        near = get_close_matches(unknown[0], properties, 1)
        meant = f": do you mean '{near[0]}'? It" if near else ". It"
        takes = _join_names([*properties]) or "none"
        raise BadInput(f"{tool} takes no argument '{_on_one_line(unknown[0])}'{meant} takes {takes}.")
    return {name: value for name, value in given.items() if value is not None}


def wrong_value(tool: str, properties: Mapping[str, Any], fault: ErrorDetails) -> str:
    """What is wrong with an argument that pydantic refused."""
    name = str(fault["loc"][0])
    if fault["type"] == "missing":
        return f"{tool} needs '{name}': {properties[name]['description']}"
    return f"'{name}' of {tool} must be {_kind(properties[name])}."


def no_such_tool(name: str, tools: Sequence[str]) -> str:
    """What is said where a client calls a tool that is not there."""
    near = get_close_matches(name, tools, 1)
    meant = f"Do you mean {near[0]}? " if near else ""
    return f"There is no tool '{_on_one_line(name)}'. {meant}The tools are {_join_names(tools)}."


def _kind(schema: Mapping[str, Any]) -> str:
    """What an argument with this JSON schema must be, such as "a whole number from 1 to 100"."""
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    least, most = schema.get("minimum"), schema.get("maximum")
    bounds = f" of at least {least:g}" if least is not None else ""
    bounds = f" from {least:g} to {most:g}" if least is not None and most is not None else bounds
    if schema.get("items", {}).get("type") == "object":
        return "a list of objects with texts"
    return KINDS[schema["type"]] + bounds


def _on_one_line(name: str) -> str:
    """The beginning of a name that a client made up."""
    return f"{' '.join(name.split()):.60}"


def _join_names(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def resolve_allowed_folders(named: Sequence[Path]) -> tuple[Path, ...]:
    """The folders whose files may be read, with links followed; without any named, the working folder.

    A working folder that holds the whole disk counts only where it is named: desktop programs start servers there.
    Raises `BadInput` for what is no folder.
    """
    if not named:
        here = Path.cwd()
        return () if here == Path(here.anchor) else (here,)
    if missing := next((folder for folder in named if not folder.is_dir()), None):
        raise BadInput(f"There is no folder {printable_path(missing)}: name one whose files may be read.")
    return tuple(folder.resolve() for folder in named)


def find_allowed_file(name: str, folders: Sequence[Path]) -> Path:
    """The file of this name, with links followed; a relative name is looked for in each folder.

    Raises `BadInput`, also for what stands elsewhere, so that nobody learns what there is.
    """
    for folder in folders:
        try:
            file = (folder / name).resolve(strict=True)
        except (OSError, ValueError):  # ValueError: a null character in the name
            continue
        if any(file.is_relative_to(allowed) for allowed in folders):
            return file
    where = ", ".join(map(printable_path, folders)) or "none"
    raise BadInput(
        f"There is no file {printable_path(Path(name))} in the folders that may be read ({where}): "
        "the user names folders by --allow when the server is started."
    )
