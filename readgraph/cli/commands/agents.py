"""`agents`: list them, move them between libraries as files, repair them, forget them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option, Typer

from readgraph.cli.options.documents import LibraryFolder, Sure
from readgraph.cli.options.output import Json, find_typed_options
from readgraph.cli.options.settings import CHATTING, run_lazily, with_context
from readgraph.cli.shell import HelpfulGroup, agent_names, completer_of
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from readgraph.state.context import ReaderContext

agents = Typer(
    cls=HelpfulGroup, help="List agents; export, import, repair or delete them.", invoke_without_command=True
)
Name = Annotated[str, Argument(metavar="NAME", help="The agent's name.", autocompletion=completer_of(agent_names))]


@agents.callback()
def list_agents(run: Context, library: LibraryFolder = None, as_json: Json = False) -> None:
    """List the agents in the library."""
    if run.invoked_subcommand is None:
        show_agents(library=library, as_json=as_json)
    elif early := find_typed_options(run):
        corrected = f"readgraph agents {run.invoked_subcommand} {' '.join(early)}"
        raise BadInput(f"{', '.join(early)} must come after the command: {corrected} …")


@agents.command("list")
@run_lazily("agents.show_agents")
def show_agents(library: LibraryFolder = None, as_json: Json = False) -> None:
    """List the agents in the library."""


@agents.command("export")
@run_lazily("agents.export_agent")
def export_agent(
    name: Name,
    file: Annotated[Path, Argument(metavar="FILE", help="A JSON file that does not exist yet.")],
    library: LibraryFolder = None,
) -> None:
    """Write an agent to one JSON file: working context, recall and archival storage, settings."""


@agents.command("import")
@run_lazily("agents.import_agent")
def import_agent(
    file: Annotated[Path, Argument(metavar="FILE", help="A file that 'agents export' wrote.")],
    name: Annotated[str, Option("--as", metavar="NAME", help="A new name for the agent.")] = "",
    library: LibraryFolder = None,
) -> None:
    """Add the agent of a file to the library."""


@agents.command("repair")
@run_lazily("agents.repair_agent")
def repair_agent(name: Name, library: LibraryFolder = None) -> None:
    """Undo a turn that can't be finished, without asking a model, and free its disk space."""


@agents.command("forget")
@run_lazily("agents.forget_agent")
def forget_agent(name: Name, yes: Sure = False, library: LibraryFolder = None) -> None:
    """Delete an agent and everything it remembers. The documents it was given stay in the library."""


agent_commands = Typer()


@agent_commands.command()
@with_context(CHATTING)
def chat(
    context: "ReaderContext",
    agent: Annotated[
        str,
        Option(
            metavar="NAME", help="Agent name; a new name creates an agent.", autocompletion=completer_of(agent_names)
        ),
    ] = ("default"),
    every: Annotated[
        tuple[str, str] | None,
        Option(
            metavar="TIME PROMPT",
            help="Send the agent a prompt at this interval, for example: --every 10m 'What is open?'",
        ),
    ] = None,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Talk with an agent that remembers the whole conversation and continues where you left off."""
    from readgraph.cli.run.chat import talk

    talk(agent, every, context, library, as_json=as_json)
