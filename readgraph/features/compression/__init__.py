"""Compression engines: a long text becomes one that fits a budget of tokens, by any of the reading methods."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readgraph.features.compression.engine import CompressionEngine
    from readgraph.features.compression.engines import (
        DocumentCompressor,
        ExtractiveEngine,
        ReadAgentGistEngine,
        engine_named,
        stand_in_for_compact_memory,
    )
else:
    from readgraph.state.lazy_names import lazy_names

    # Imported when first used: what plugs in must not wait for LangGraph.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "engine": ["CompressionEngine"],
            "engines": [
                "DocumentCompressor",
                "ExtractiveEngine",
                "ReadAgentGistEngine",
                "engine_named",
                "stand_in_for_compact_memory",
            ],
        },
    )

__all__ = [
    "CompressionEngine",
    "DocumentCompressor",
    "ExtractiveEngine",
    "ReadAgentGistEngine",
    "engine_named",
    "stand_in_for_compact_memory",
]
