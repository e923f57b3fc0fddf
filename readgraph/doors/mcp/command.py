"""The command that serves: mcp."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from typer import Context, Option

from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.output import find_typed_options
from readgraph.cli.options.settings import PROFILE, with_context
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.state.context import ReaderContext

HttpOption = partial(Option, rich_help_panel="HTTP")


@with_context(GROUPS, PROFILE)
def mcp(
    run: Context,
    context: "ReaderContext",
    allow: list[Path] | None = Option(
        None,
        metavar="FOLDER",
        help="Let agents read files of this folder; repeat for others. Default: the current folder.",
    ),
    http: bool = Option(False, "--http", help="Serve over HTTP instead of standard input and output."),
    host: str = HttpOption("127.0.0.1", help="The address to listen on."),
    port: int = HttpOption(8421, min=0, max=65_535, help="The port; 0: a free one."),
    allow_host: list[str] | None = HttpOption(
        None, metavar="NAME", help="A host name by which clients reach this machine; repeat for others."
    ),
    library: LibraryFolder = None,
) -> None:
    """Serve the library over MCP.

    An agent's program starts this command itself: name it in the program's list of MCP servers. With --http it serves
    programs that connect by an address.

    Example: readgraph mcp --allow ~/papers --model openai:gpt-5.4-mini
    """
    from readgraph.doors.mcp.run import serve_agents

    of_http = [option for option in find_typed_options(run) if option in ("--host", "--port", "--allow-host")]
    address = (host, port) if http else None
    serve_agents(library, allow or [], context, address=address, names=allow_host or [], given=of_http)
