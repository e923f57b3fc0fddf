"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.nodes.beside import Beside
    from readgraph.state.declaring import Settings


@hookimpl
def settings() -> "list[type[Settings]]":
    from readgraph.features.look.settings import Looking

    return [Looking]


@hookimpl
def beside() -> "list[Beside]":
    from readgraph.features.look.settings import Looking
    from readgraph.nodes.beside import Beside

    return [Beside(settings=Looking, show="readgraph.features.look.step:show_pictures")]
