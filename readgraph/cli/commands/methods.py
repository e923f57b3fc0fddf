"""The commands for methods, models and prompts: list, compare and check them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option, Typer

from readgraph.cli.help import HelpfulGroup
from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.output import Json, with_run
from readgraph.cli.options.reading import CompareOptions
from readgraph.cli.options.settings import PROFILE, with_context
from readgraph.cli.shell import completer_of
from readgraph.cli.shell import methods as method_names
from readgraph.cli.shell import models as models_known
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS, Calls, Embeddings, Model, ReadingModel

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@with_run(CompareOptions, GROUPS, PROFILE)
def compare(options: CompareOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Ask several methods and compare them.

    Example: readgraph compare "Who took the log book?" book.epub --methods read-agent,bm25 --max-calls 200
    """
    from readgraph.cli.run.ask import compare_methods

    compare_methods(options, context, screen)


def list_methods(
    run: Context,
    name: str = Argument(
        "", metavar="NAME", help="The method whose nodes to show.", autocompletion=completer_of(method_names)
    ),
    mermaid: bool = Option(False, "--mermaid", help="Print its graph as a Mermaid drawing."),
    shared: bool = Option(False, "--shared", help="Show which nodes the methods share."),
    as_json: Json = False,
) -> None:
    """List the methods, or show one."""
    from readgraph.cli.run.methods import list_by_options

    list_by_options(run, name, mermaid=mermaid, shared=shared, as_json=as_json)


@with_context((Model, ReadingModel, Embeddings, Calls), looks=True)
def doctor(context: "ReaderContext | BadInput", library: LibraryFolder = None, as_json: Json = False) -> None:
    """Examine the installation, the settings and the library.

    The exit code is 1 where something is wrong; each line says what to do.
    """
    from readgraph.cli.run.methods import examine

    examine(context=context, library=library, as_json=as_json)


class ModelsGroup(HelpfulGroup):
    """The commands for models; a name alone is a model to check."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        words = [word for word in args if not word.startswith("-")]
        return super().parse_args(ctx, ["check", *args] if words and words[0] not in self.commands else args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """The commands, and the models."""
        (model, *_) = self.commands["check"].params
        return [*super().shell_complete(ctx, incomplete), *model.shell_complete(ctx, incomplete)]


models = Typer(cls=ModelsGroup, invoke_without_command=True)
ModelName = Annotated[str, Argument(metavar="PROVIDER:NAME", autocompletion=completer_of(models_known))]


@models.callback()
def show_model(run: Context, as_json: Json = False) -> None:
    """Show which model is used where no option names one, and where it and its key come from."""
    if run.invoked_subcommand is None:
        from readgraph.cli.run.models import show_model

        show_model(as_json=as_json)
    elif as_json:
        raise BadInput(f"--json must come after the command: readgraph models {run.invoked_subcommand} … --json")


@models.command("use")
def use_model(
    model: ModelName = "",
    key_env: str = Option(
        "", metavar="VARIABLE", help="The environment variable that holds its key; the key itself is kept nowhere."
    ),
    base_url: str = Option("", metavar="ADDRESS", help="The address of its server, such as http://desk:11434/v1."),
    none: bool = Option(False, "--none", help="Use no model from now on."),
    as_json: Json = False,
) -> None:
    """Keep a model in the settings file, for every command that is given none."""
    from readgraph.cli.run.models import use_model

    use_model(model, key_env=key_env, base_url=base_url, none=none, as_json=as_json)


@models.command("check")
def check_model(
    model: ModelName,
    timeout: float = Option(30.0, min=0.1, help="Seconds before the call times out."),
    as_json: Json = False,
) -> None:
    """Check a model with one short call, and show which form of typed reply it supports."""
    from readgraph.cli.run.models import check_model

    check_model(model=model, timeout=timeout, as_json=as_json)


prompts = Typer(cls=HelpfulGroup)


@prompts.command("export")
def export_prompts(
    folder: Path = Argument(metavar="FOLDER", help="A new or empty folder, or one without files of prompts."),
) -> None:
    """Write a file for each prompt. Keep those that you change and delete the others; then give --prompts FOLDER."""
    from readgraph.cli.run.methods import export_prompts

    export_prompts(folder=folder)
