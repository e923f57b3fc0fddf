"""The commands for methods, models and prompts: list, compare and check them; and LangGraph Studio."""

from pathlib import Path
from typing import TYPE_CHECKING

from typer import Argument, Context, Option, Typer

from readgraph.cli.commands import run_lazily
from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.output import Json, with_run
from readgraph.cli.options.reading import CompareOptions
from readgraph.cli.options.settings import PROFILE, with_context
from readgraph.cli.shell import HelpfulGroup, completer_of
from readgraph.cli.shell import methods as method_names
from readgraph.cli.shell import models as models_known
from readgraph.state.settings import GROUPS, Calls, Embeddings, Model, ReadingModel

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext
    from readgraph.state.errors import BadInput


@with_run(CompareOptions, GROUPS, PROFILE)
@run_lazily("readgraph.cli.run.ask:compare_methods")
def compare(options: CompareOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Ask several methods the same question, each under the same budget, and show their answers side by side.

    Example: readgraph compare "Who took the log book?" book.epub --methods read-agent,bm25 --max-calls 200
    """


@run_lazily("readgraph.cli.run.methods:list_by_options")
def list_methods(
    run: Context,
    name: str = Argument(
        "", metavar="NAME", help="The method whose nodes to show.", autocompletion=completer_of(method_names)
    ),
    mermaid: bool = Option(False, "--mermaid", help="Print its graph as a Mermaid drawing."),
    shared: bool = Option(False, "--shared", help="Show which nodes the methods share."),
    as_json: Json = False,
) -> None:
    """List the methods, or show one of them: its nodes with what they read and write, or its drawing."""


@with_context((Model,), PROFILE)
@run_lazily("readgraph.cli.run.serving:serve_studio")
def studio(
    context: "ReaderContext",
    port: int = Option(2024, min=1, max=65_535, help="The port on this machine."),
    open_page: bool = Option(False, "--open", help="Open the Studio page in your browser."),
    library: LibraryFolder = None,
) -> None:
    """Serve the graphs of all methods with the library, to watch and steer them in LangGraph Studio.

    Each graph's assistant starts with your settings; you can change them there. The server runs on this machine. The
    Studio page comes from LangChain's server, which is not contacted until you open the page.
    """


@with_context((Model, ReadingModel, Embeddings, Calls), looks=True)
@run_lazily("readgraph.cli.run.methods:examine")
def doctor(context: "ReaderContext | BadInput", library: LibraryFolder = None, as_json: Json = False) -> None:
    """Look whether all is well: versions, SQLite, settings, library, disk, model (one short call), embeddings, extras.

    The exit code is 1 where something is wrong; each line says what to do.
    """


@run_lazily("readgraph.cli.run.methods:check_model")
def models(
    model: str = Argument(
        "",
        metavar="PROVIDER:NAME",
        envvar="READGRAPH_MODEL",
        help="The model to check.",
        autocompletion=completer_of(models_known),
    ),
    timeout: float = Option(30.0, min=0.1, help="Seconds before the call times out."),
    as_json: Json = False,
) -> None:
    """Check a model with one short call, and show which form of typed reply it supports."""


prompts = Typer(cls=HelpfulGroup, help="Write the prompts' words to files, to change them (see --prompts).")


@prompts.command("export")
@run_lazily("readgraph.cli.run.methods:export_prompts")
def export_prompts(
    folder: Path = Argument(metavar="FOLDER", help="A new or empty folder, or one without files of prompts."),
) -> None:
    """Write a file for each prompt. Keep those that you change and delete the others; then give --prompts FOLDER."""
