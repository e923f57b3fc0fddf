"""Compression engines: a long text becomes one that fits a budget of tokens, by any of the reading methods."""

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
