"""What a model's context, in tokens, allows a reading, in words."""

from typing import Any

from readgraph.models.local.model_file import ModelFile, is_local, model_file

MOST_CONTEXT = 8192
"""Tokens of context that are used at most: a longer one takes memory, and time that grows with its square."""

SMALLEST_WINDOW = 1000


def context_tokens(file: ModelFile) -> int:
    """Tokens that a prompt may have with its reply."""
    return min(file.context, MOST_CONTEXT)


def reply_tokens(file: ModelFile) -> int:
    """Tokens that a reply may have: small models go on for ever where nobody stops them."""
    return context_tokens(file) // 8


def local_settings(*models: str) -> dict[str, Any]:
    """The settings with which prompts fit the context of those of these models that run on this machine."""
    contexts = [context_tokens(model_file(model)) for model in models if is_local(model)]
    return fitting(min(contexts)) if contexts else {}


def fitting(context: int) -> dict[str, Any]:
    """The settings with which prompts fit a context of this many tokens.

    Four tokens are about three words; half as many words as tokens leave room for the reply, for its form and for
    texts of other kinds. A small model does better with little to read and without a chain of thought. A call may
    take ten minutes, since a larger model of one's own may be slow.
    """
    window = max(context // 2, SMALLEST_WINDOW)
    return {
        "window_words": window,
        "min_page_words": min(280, window // 8),
        "max_page_words": min(600, window // 4),
        "gist_words": min(100, window // 16),
        "segment_words": min(750, window // 6),
        "children": 4,
        "node_words": min(300, window // 12),
        "reasoning": False,
        "session_page_words": min(1536, window // 4),
        "memory_words": min(1500, window // 4),
        "timeout": 600.0,
    }
