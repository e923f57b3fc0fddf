"""Budgets are in tokens, sizes are counted in words: three words are about four tokens.

No tokenizer is used: each model has its own, and some are downloaded when they are first used.
"""

from readgraph.state.errors import BadInput
from readgraph.state.words import count_words, counted


def count_tokens(text: str) -> int:
    """About how many tokens a text has."""
    return tokens_in(count_words(text))


def tokens_in(words: int) -> int:
    """About how many tokens this many words have."""
    return -(-4 * words // 3)


def words_in(tokens: int) -> int:
    """How many words fit into this many tokens."""
    return 3 * tokens // 4


def check_budget(tokens: object) -> int:
    """The words that a budget of tokens holds; raises `BadInput` if it is no number, or holds no word."""
    if not isinstance(tokens, int) or isinstance(tokens, bool):
        raise BadInput(f"llm_token_budget must be a whole number of tokens, not {tokens!r}.")
    if words_in(tokens) < 1:
        raise BadInput(f"A budget of {counted(tokens, 'token')} holds no word: give at least 2.")
    return words_in(tokens)
