"""A compressed text as the functions of this room return it."""

from readgraph.compression.trace import CompressionStatus
from readgraph.tools.results import Used

__all__ = ["CompressedText"]


class CompressedText(Used):
    """A text within a budget of tokens."""

    text: str
    engine: str
    tokens: int
    original_tokens: int
    status: CompressionStatus
