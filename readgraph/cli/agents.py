"""`agents`: list them, move them between libraries as files, forget them."""

from pathlib import Path
from typing import Annotated

import typer

from readgraph.cli.options import Json, LibraryFolder, Sure

agents = typer.Typer(help="List agents, move them as files, forget them.", invoke_without_command=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The agent's name.", show_default=False)]


@agents.callback()
def list_agents(run: typer.Context, library: LibraryFolder = None, as_json: Json = False) -> None:
    """List the agents that live in the library."""
    if run.invoked_subcommand is None:
        show_agents(library, as_json)


@agents.command("list")
def show_agents(library: LibraryFolder = None, as_json: Json = False) -> None:
    """List the agents that live in the library."""
    from readgraph.cli.agent_files import show_agents as show

    show(library, as_json=as_json)


@agents.command("export")
def export_agent(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A JSON file that is not there yet.")],
    library: LibraryFolder = None,
) -> None:
    """Write an agent to one JSON file: working context, recall and archival storage, settings."""
    from readgraph.cli.agent_files import export_agent as export

    export(name, file, library)


@agents.command("import")
def import_agent(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that 'agents export' wrote.")],
    name: Annotated[str, typer.Option("--as", metavar="NAME", help="Give the agent another name.")] = "",
    library: LibraryFolder = None,
) -> None:
    """Take an agent's file in."""
    from readgraph.cli.agent_files import import_agent as take_in

    take_in(file, name, library)


@agents.command("forget")
def forget_agent(
    name: Name,
    yes: Sure = False,
    library: LibraryFolder = None,
) -> None:
    """Delete an agent with all that it remembers; documents that it was given stay in the library."""
    from readgraph.cli.agent_files import forget_agent as forget

    forget(name, library, sure=yes)
