"""What a model may be asked in a minute."""

from dataclasses import dataclass

from readgraph.state.errors import BadInput

REPLY_TOKENS = 300
"""Tokens that a reply is taken to have, where nothing bounds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Requests and tokens a minute, in and out together; None: no limit. Raises `BadInput` for less than one.

    `reply_tokens`: tokens that a reply is taken to have before it has come.
    """

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    reply_tokens: int = REPLY_TOKENS

    def __post_init__(self) -> None:
        for name in ("requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise BadInput(f"{name} must be a whole number of at least 1, not {value!r:.40}.")

    def __bool__(self) -> bool:
        return self.requests_per_minute is not None or self.tokens_per_minute is not None
