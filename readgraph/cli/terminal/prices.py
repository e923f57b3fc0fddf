"""What a reading costs: tokens times the price that the user gives, else that of the bundled table (genai-prices)."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from readgraph.models.exchanges import ModelExchange
from readgraph.state.errors import BadInput
from readgraph.state.reading import Step, Usage

PROVIDERS = {
    "anthropic": "anthropic",
    "azure_openai": "azure",
    "bedrock": "aws",
    "cohere": "cohere",
    "deepseek": "deepseek",
    "fireworks": "fireworks",
    "google_genai": "google",
    "google_vertexai": "google",
    "groq": "groq",
    "mistralai": "mistral",
    "openai": "openai",
    "together": "together",
    "xai": "x-ai",
}
"""What the price table calls the providers of LangChain."""

TOKENS_A_WORD = 4 / 3


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens in, and for a million out."""

    input: float
    output: float

    def of(self, usage: Usage) -> float:
        """Dollars for what was used."""
        return self.of_tokens(usage["input_tokens"], usage["output_tokens"])

    def of_tokens(self, sent: float, received: float) -> float:
        """Dollars for these tokens."""
        return (sent * self.input + received * self.output) / 1e6


def parse_price(given: str) -> Price:
    """The price in "IN/OUT"; raises `BadInput` where it is none."""
    try:
        price = Price(*(float(part) for part in given.split("/")))
    except (TypeError, ValueError):
        raise BadInput(f"'{given}' is no price: write dollars for a million tokens IN/OUT, such as 0.4/1.6.") from None
    if not (0 <= price.input < float("inf") and 0 <= price.output < float("inf")):
        raise BadInput(f"'{given}' is no price: both numbers must be 0 or more.")
    return price


def known_price(model: str) -> Price | None:
    """The table's price of a model; none for an unknown one, or one on a server of the user's own."""
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    provider, _, name = model.partition(":")
    own_server = provider == "openai" and urlsplit(os.environ.get("OPENAI_BASE_URL", "")).hostname
    if provider not in PROVIDERS or (own_server and own_server != "api.openai.com"):
        return None
    try:
        million = [Tokens(input_tokens=1_000_000), Tokens(output_tokens=1_000_000)]
        prices = [float(calc_price(used, name, provider_id=PROVIDERS[provider]).total_price) for used in million]
    except LookupError:
        return None
    return Price(*prices)


def cost(steps: Iterable[Step], price: Price | None) -> float | None:
    """Dollars of a reading's steps; none where a price is not known, or the server told no tokens."""
    total = 0.0
    for step in steps:
        used = step["usage"]
        if not used["calls"]:
            continue
        each = price or known_price(step["model"])
        if each is None or not used["input_tokens"]:
            return None
        total += each.of(used)
    return round(total, 6)


def exchange_cost(exchange: ModelExchange, price: Price | None) -> float | None:
    """Dollars of a prompt and its reply; none where its price is not known, or the server told no tokens."""
    each = price or known_price(exchange["model"])
    return each.of_tokens(*exchange["tokens"]) if each and exchange["tokens"][0] else None


def in_dollars(amount: float) -> str:
    """An amount as a person reads it."""
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"
