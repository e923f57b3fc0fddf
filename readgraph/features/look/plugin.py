"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.plugins import give_from, hookimpl

if TYPE_CHECKING:
    from readgraph.nodes.beside import Beside


settings = give_from("readgraph.features.look.settings:Looking")


@hookimpl
def beside() -> "list[Beside]":
    from readgraph.features.look.settings import Looking
    from readgraph.nodes.beside import Beside

    return [Beside(settings=Looking, show="readgraph.features.look.step:show_pictures")]
