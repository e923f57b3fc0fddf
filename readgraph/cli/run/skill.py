"""`skill`: what coding agents are told of the command."""

from importlib.resources import files
from pathlib import Path

import typer

from readgraph.cli.run.in_library import begins_with, check_output, write_output
from readgraph.state.errors import BadInput


def put_skill(to: Path | None) -> None:
    """Print the skill, or write it to the folder of its name in a folder of skills."""
    text = files("readgraph").joinpath("SKILL.md").read_bytes()
    if to is None:
        typer.echo(text.decode(), nl=False)
        return
    if to.exists() and not to.is_dir():
        raise BadInput(f"{to} is a file: name the folder of your agent's skills.")
    folder = to if to.name == "readgraph" else to / "readgraph"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadInput(f"{folder} can't be made: {problem.strerror}.") from None
    beginning = text[: text.index(b"description:")]
    check_output(folder / "SKILL.md", "skill", lambda there: begins_with(there, beginning), "is another skill")
    write_output(folder / "SKILL.md", text, "skill")
    typer.echo(f"Put the skill into {folder}.")
