"""The engines by their ids: readgraph's own, and those that other packages offer.

A package offers one as an entry point of the group `readgraph.compression`, whose name is the engine's id:

    [project.entry-points."readgraph.compression"]
    my_engine = "my_package.engine:MyEngine"
"""

from importlib import import_module
from os import PathLike
from typing import Any

from readgraph.compression.engine import CompressionEngine
from readgraph.compression.kept import saved_engine
from readgraph.state.by_name.offered_objects import object_at, offered, offered_names
from readgraph.state.errors import BadInput

GROUP = "readgraph.compression"

OWN = {
    "readagent_gist": "readgraph.compression.read_agent_gist:ReadAgentGistEngine",
    "memwalker_tree": "readgraph.compression.tree_and_memos:MemWalkerTreeEngine",
    "gam_memos": "readgraph.compression.tree_and_memos:GamMemosEngine",
    "extractive": "readgraph.compression.read_agent_gist:ExtractiveEngine",
}
"""Our own engines; another package can't replace one of them."""


def engine_ids() -> list[str]:
    """The ids of all engines, ours first; nothing is imported."""
    return [*OWN, *offered_names(GROUP, OWN)]


def engine_named(identity: str) -> type[CompressionEngine]:
    """The engine with this id; raises `BadInput` if there is none, or if another package's can't be used."""
    if identity in OWN:
        module, _, name = OWN[identity].partition(":")
        own: type[CompressionEngine] = getattr(import_module(module), name)
        return own
    if point := offered(GROUP, identity):
        what = f"The compression engine '{identity}'"
        engine = object_at(point.value, what)
        if not (isinstance(engine, type) and issubclass(engine, CompressionEngine)):
            raise BadInput(f"{what} ({point.value}) is no CompressionEngine.")
        return engine
    raise BadInput(f"There is no compression engine '{identity}': choose one of {', '.join(engine_ids())}.")


def load_engine(folder: str | PathLike[str], **config: Any) -> CompressionEngine:
    """The engine that was saved in a folder, whichever it is (see `CompressionEngine.load`)."""
    return engine_named(saved_engine(folder)).load(folder, **config)
