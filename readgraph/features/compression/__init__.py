"""Compression engines: a long text becomes one that fits a budget of tokens, by any of the reading methods."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readgraph.features.compression.engine import CompressionEngine
    from readgraph.features.compression.engines import (
        DocumentCompressor,
        EpisodeEngine,
        ExtractiveEngine,
        GamMemosEngine,
        MemWalkerTreeEngine,
        ReadAgentGistEngine,
        engine_ids,
        engine_named,
        load_engine,
        stand_in_for_compact_memory,
    )
    from readgraph.features.compression.kept import Recalled
    from readgraph.features.compression.read_agent_parts import SentenceWindowChunker
    from readgraph.features.compression.trace import Compressed, CompressionTrace
else:
    from readgraph.state.lazy_names import lazy_names

    # Imported when first used: what plugs in must not wait for LangGraph.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "engine": ["CompressionEngine"],
            "engines": [
                "DocumentCompressor",
                "EpisodeEngine",
                "ExtractiveEngine",
                "GamMemosEngine",
                "MemWalkerTreeEngine",
                "ReadAgentGistEngine",
                "engine_ids",
                "engine_named",
                "load_engine",
                "stand_in_for_compact_memory",
            ],
            "kept": ["Recalled"],
            "read_agent_parts": ["SentenceWindowChunker"],
            "trace": ["Compressed", "CompressionTrace"],
        },
    )

__all__ = [
    "Compressed",
    "CompressionEngine",
    "CompressionTrace",
    "DocumentCompressor",
    "EpisodeEngine",
    "ExtractiveEngine",
    "GamMemosEngine",
    "MemWalkerTreeEngine",
    "ReadAgentGistEngine",
    "Recalled",
    "SentenceWindowChunker",
    "engine_ids",
    "engine_named",
    "load_engine",
    "stand_in_for_compact_memory",
]
