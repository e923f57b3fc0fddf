"""The names under which compact-memory's programs import what our engine stands for."""

import sys
from importlib.util import find_spec
from types import ModuleType

from readgraph.compression.engine import CompressionEngine
from readgraph.compression.engines import ReadAgentGistEngine
from readgraph.compression.read_agent_parts import SentenceWindowChunker
from readgraph.compression.trace import Compressed, CompressionTrace
from readgraph.state.errors import BadInput

PACKAGE = "compact_memory"

NAMES: dict[str, dict[str, object]] = {
    "": {},
    "chunker": {"SentenceWindowChunker": SentenceWindowChunker},
    "engines": {},
    "engines.base": {
        "BaseCompressionEngine": CompressionEngine,
        "CompressedMemory": Compressed,
        "CompressionTrace": CompressionTrace,
    },
    "engines.ReadAgent": {"ReadAgentGistEngine": ReadAgentGistEngine},
    "engines.ReadAgent.engine": {"ReadAgentGistEngine": ReadAgentGistEngine},
}
"""The modules within the package, with their names."""


def stand_in_for_compact_memory() -> None:
    """Let `from compact_memory.engines.ReadAgent.engine import ReadAgentGistEngine` give readgraph's engine.

    For programs that were written for compact-memory: call it once before they import it. Only the names of its
    ReadAgent engine are there.

    Raises:
        BadInput: If compact-memory itself is installed.
    """
    if PACKAGE in sys.modules and getattr(sys.modules[PACKAGE], "__readgraph__", False):
        return
    if PACKAGE in sys.modules or find_spec(PACKAGE):
        raise BadInput("compact-memory is installed: import its names from it, and ours from readgraph.compression.")
    for inner, names in NAMES.items():
        module = ModuleType(f"{PACKAGE}.{inner}".rstrip("."), "readgraph in the place of compact-memory.")
        module.__dict__.update(names, __readgraph__=True, __path__=[])
        sys.modules[module.__name__] = module
        parent, _, name = module.__name__.rpartition(".")
        if parent:
            setattr(sys.modules[parent], name, module)
