"""The commands of the core, as the hook `commands` gives them."""

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl


@hookimpl
def commands() -> list[Command]:
    """The commands of the core, with their panels in the help."""
    from readgraph.cli.commands import library, methods, reading, studio

    return [
        Command(run=reading.ask, panel="Start", order=1),
        Command(run=reading.read, panel="Start", order=2),
        Command(run=library.show, panel="Start", order=4),
        Command(run=library.search, panel="More with texts", order=1),
        Command(run=methods.compare, panel="More with texts", order=7),
        Command(run=reading.remember, panel="More with texts", order=8),
        Command(run=library.collection, name="collection", panel="More with texts", order=9),
        Command(run=library.correct, panel="More with texts", order=10),
        Command(run=library.forget, panel="More with texts", order=11),
        Command(run=methods.doctor, panel="Looking after", order=1),
        Command(run=library.library, name="library", panel="Looking after", order=2),
        Command(run=methods.models, panel="Looking after", order=3),
        Command(run=methods.list_methods, name="methods", panel="Looking after", order=4),
        Command(run=methods.prompts, name="prompts", panel="Looking after", order=6),
        Command(run=library.replies, name="replies", panel="Looking after", order=7),
        Command(run=studio.skill, panel="For programs", order=2),
        Command(run=studio.studio, panel="For programs", order=3),
    ]
