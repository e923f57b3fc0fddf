"""Settings, in words, that fit a model's context, in tokens."""

from typing import Any

from readgraph.models.local.model_file import ModelFile, is_local, model_file

MOST_CONTEXT = 8192
"""The most tokens of context that are used: more take more memory, and time that grows with their square."""

SMALLEST_WINDOW = 1000


def context_tokens(file: ModelFile) -> int:
    """Tokens that a prompt and its reply may have together."""
    return min(file.context, MOST_CONTEXT)


def reply_tokens(file: ModelFile) -> int:
    """Tokens that a reply may have: small models would go on for ever."""
    return context_tokens(file) // 8


def local_settings(*models: str) -> dict[str, Any]:
    """The settings with which prompts fit the contexts of those models that run on this machine."""
    contexts = [context_tokens(model_file(model)) for model in models if is_local(model)]
    return fitting(min(contexts)) if contexts else {}


def fitting(context: int) -> dict[str, Any]:
    """The settings with which prompts fit a context of this many tokens.

    Four tokens are about three words; with half as many words as tokens there is room for the reply, for its form and
    for texts with longer words. A small model does better with little to read and without a chain of thought. A call
    may take ten minutes, since a larger model of your own may be slow.
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
