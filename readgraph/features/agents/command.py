"""The commands for agents: list, export, import, repair and forget them, and talk with one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option, Typer

from readgraph.cli.help import HelpfulGroup
from readgraph.cli.options import documents as given
from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.output import Json, find_typed_options
from readgraph.cli.options.settings import with_context
from readgraph.cli.shell import agent_names, completer_of
from readgraph.features.agents.settings import Chaining, MemoryParts
from readgraph.state import settings as group
from readgraph.state.declaring import Groups
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from readgraph.state.context import ReaderContext

SETTINGS: Groups = (
    *(group.Model, group.Embeddings, group.Window, group.PageSizes, group.Budget),
    *(group.Calls, group.Language, Chaining, MemoryParts),
)
"""The settings of a chat."""

agents = Typer(cls=HelpfulGroup, invoke_without_command=True)
AgentName = Annotated[str, Argument(metavar="NAME", help="The agent's name.", autocompletion=completer_of(agent_names))]


@agents.callback()
def list_agents(run: Context, library: LibraryFolder = None, as_json: Json = False) -> None:
    """List the agents in the library."""
    if run.invoked_subcommand is None:
        show_agents(library=library, as_json=as_json)
    elif early := find_typed_options(run):
        corrected = f"readgraph agents {run.invoked_subcommand} {' '.join(early)}"
        raise BadInput(f"{', '.join(early)} must come after the command: {corrected} …")


@agents.command("list")
def show_agents(library: LibraryFolder = None, as_json: Json = False) -> None:
    """List the agents in the library."""
    from readgraph.features.agents.managing import show_agents

    show_agents(library=library, as_json=as_json)


@agents.command("export")
def export_agent(
    name: AgentName,
    file: Path = Argument(metavar="FILE", help="A JSON file that does not exist yet."),
    library: LibraryFolder = None,
) -> None:
    """Write an agent to one JSON file: working context, recall and archival storage, settings."""
    from readgraph.features.agents.managing import export_agent

    export_agent(name=name, file=file, library=library)


@agents.command("import")
def import_agent(
    file: Path = Argument(metavar="FILE", help="A file that 'agents export' wrote."),
    name: str = Option("", "--as", metavar="NAME", help="A new name for the agent."),
    library: LibraryFolder = None,
) -> None:
    """Add the agent of a file to the library."""
    from readgraph.features.agents.managing import import_agent

    import_agent(file=file, name=name, library=library)


@agents.command("repair")
def repair_agent(name: AgentName, library: LibraryFolder = None) -> None:
    """Undo a turn that can't be finished, without asking a model, and free its disk space."""
    from readgraph.features.agents.managing import repair_agent

    repair_agent(name=name, library=library)


@agents.command("forget")
def forget_agent(name: AgentName, yes: given.Sure = False, library: LibraryFolder = None) -> None:
    """Delete an agent and everything it remembers. The documents it was given stay in the library."""
    from readgraph.features.agents.managing import forget_agent

    forget_agent(name=name, yes=yes, library=library)


@with_context(SETTINGS)
def chat(
    context: "ReaderContext",
    agent: str = Option(
        "default",
        metavar="NAME",
        help="Agent name; a new name creates an agent.",
        autocompletion=completer_of(agent_names),
    ),
    every: tuple[str, str] | None = Option(
        None,
        metavar="TIME PROMPT",
        help="Send the agent a prompt at this interval, for example: --every 10m 'What is open?'",
    ),
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Talk with an agent."""
    from readgraph.features.agents.chat import talk

    talk(context=context, agent=agent, every=every, library=library, as_json=as_json)
