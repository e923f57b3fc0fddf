"""Which options stand beside which."""

import typer

from readgraph.state.errors import BadInput


def typed(run: typer.Context) -> list[str]:
    """The options that were typed on the command line, such as "--json"; not those from environment variables."""
    options = [each for each in run.command.params if each.param_type_name == "option"]
    sources = {each.opts[0]: run.get_parameter_source(each.name or "") for each in options}
    return [option for option, source in sources.items() if source and source.name == "COMMANDLINE"]


def check_alone(run: typer.Context, effect: str, option: str, *compatible: str) -> None:
    """Raise `BadInput` where other options were typed than this one and its compatible ones."""
    if others := [each for each in typed(run) if each not in (option, *compatible)]:
        raise BadInput(f"{option} {effect}: leave {', '.join(others)} out.")
