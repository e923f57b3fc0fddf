"""Compression engines: a long text becomes one that fits a budget of tokens, by any of the reading methods."""

from readgraph.compression.document_compressor import DocumentCompressor
from readgraph.compression.engine import CompressionEngine
from readgraph.compression.kept import Recalled
from readgraph.compression.read_agent_gist import EpisodeEngine, ExtractiveEngine, ReadAgentGistEngine
from readgraph.compression.registry import engine_ids, engine_named, load_engine
from readgraph.compression.trace import Compressed, CompressionTrace
from readgraph.compression.tree_and_memos import GamMemosEngine, MemWalkerTreeEngine

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
    "engine_ids",
    "engine_named",
    "load_engine",
]
