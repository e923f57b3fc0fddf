"""The command `studio`."""

from typing import TYPE_CHECKING

from typer import BadParameter, Option

from readgraph.cli.options.documents import LibraryFolder, MethodName
from readgraph.cli.options.settings import PROFILE, with_context
from readgraph.state.settings import Model

if TYPE_CHECKING:
    from readgraph.state.context import ReaderContext


@with_context((Model,), PROFILE)
def studio(
    context: "ReaderContext",
    method: MethodName = None,
    local: bool = Option(False, "--local", help="Use readgraph's own page: it needs no account and no network."),
    port: int = Option(2024, min=1, max=65_535, help="The port on this machine."),
    open_page: bool = Option(False, "--open", help="Open the page in your browser."),
    library: LibraryFolder = None,
) -> None:
    """Watch and steer runs of the graphs: step by step, with the state before and after each.

    Each graph starts with your settings; you can change them there. The server runs on this machine. The page of
    LangGraph Studio comes from LangChain's server, which is not contacted until you open it; that of `--local` comes
    from this machine. A graph of your own is shown there with `--method`.

    Example: readgraph studio --local --method my_agent:build
    """
    from readgraph.doors.studio.run import serve_local, serve_studio

    if local:
        serve_local(library, port, context, method, opens=open_page)
    elif method:
        raise BadParameter("LangGraph Studio shows all graphs: use --local to show this one.", param_hint="--method")
    else:
        serve_studio(library, port, context, open_page=open_page)
