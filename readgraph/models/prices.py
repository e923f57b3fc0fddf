"""What a reading costs: tokens times the user's price, or else the price in the bundled table (genai-prices)."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from readgraph.models.metering import ModelExchange
from readgraph.models.names import find_model_entry
from readgraph.models.windows.window import TOKENS_PER_WORD
from readgraph.state.errors import BadInput
from readgraph.state.reading import Step, Tokens, Usage

PROVIDERS = {
    **{name: name for name in ("anthropic", "cohere", "deepseek", "fireworks", "groq", "openai", "together")},
    **{"azure_openai": "azure", "bedrock": "aws", "google_genai": "google", "google_vertexai": "google"},
    **{"mistralai": "mistral", "xai": "x-ai"},
}  # LangChain's names of providers, and the price table's names for them

PRICED = 1_000  # tokens for which the table is asked: some models cost more where a prompt is longer


@dataclass(frozen=True)
class Price:
    """Dollars per million input tokens and per million output tokens."""

    input: float
    output: float
    cache_read: float | None = None  # of input tokens that a provider's cache held; None: as the others
    cache_write: float | None = None  # of those that it took in

    def times(self, share: float) -> "Price":
        """This share of the price."""
        read, written = (None if each is None else each * share for each in (self.cache_read, self.cache_write))
        return Price(self.input * share, self.output * share, read, written)

    def of(self, usage: Usage) -> float:
        """Dollars for what was used."""
        cached = usage.get("cache_read_tokens", 0), usage.get("cache_write_tokens", 0)  # older ones count no cache
        return self.of_tokens(Tokens(usage["input_tokens"], usage["output_tokens"], *cached))

    def of_tokens(self, tokens: Tokens) -> float:
        """Dollars for these tokens."""
        read = self.input if self.cache_read is None else self.cache_read
        written = self.input if self.cache_write is None else self.cache_write
        in_full = tokens.sent - tokens.cache_read - tokens.cache_written
        sent = in_full * self.input + tokens.cache_read * read + tokens.cache_written * written
        return (sent + tokens.received * self.output) / 1e6

    def of_words(self, sent: float, received: float, held: float = 0) -> float:
        """Dollars for about as many tokens as these words have; `held`: words sent that a provider's cache holds."""
        sent_tokens, received_tokens, held_tokens = (round(words * TOKENS_PER_WORD) for words in (sent, received, held))
        return round(self.of_tokens(Tokens(sent_tokens, received_tokens, held_tokens)), 4)


def parse_price(text: str) -> Price:
    """The price in a text "IN/OUT"; raises `BadInput` if it is not a price."""
    try:
        price = Price(*(float(part) for part in text.split("/")))
    except (TypeError, ValueError):
        raise BadInput(f"'{text}' is not a price: write dollars per million tokens IN/OUT, such as 0.4/1.6.") from None
    if not (0 <= price.input < float("inf") and 0 <= price.output < float("inf")):
        raise BadInput(f"'{text}' is not a price: both numbers must be 0 or more.")
    return price


def find_price(model: str) -> Price | None:
    """The price of a model, also of one behind a user's own name; None if unknown, or on a server of the user's own."""
    if named := find_model_entry(model):
        if named.price or not named.table or named.table.base_url:
            return parse_price(named.price) if named.price else None
        model = named.table.full_name
    from genai_prices import Usage as Counted
    from genai_prices import calc_price

    provider, _, name = model.partition(":")
    own_server = provider == "openai" and urlsplit(os.environ.get("OPENAI_BASE_URL", "")).hostname
    if provider not in PROVIDERS or (own_server and own_server != "api.openai.com"):
        return None
    kinds = [{}, {"cache_read_tokens": PRICED}, {"cache_write_tokens": PRICED}]
    used = [Counted(input_tokens=PRICED, **kind) for kind in kinds]
    used.insert(1, Counted(output_tokens=PRICED))
    try:
        prices = [calc_price(usage, name, provider_id=PROVIDERS[provider]).total_price for usage in used]
    except LookupError:
        return None
    return Price(*(float(price) * 1_000_000 / PRICED for price in prices))


def price_to_pay(given: Price | None, model: str, share: float) -> Price | None:
    """The price that was given, or else the model's, of which calls cost a `share` (`price_share`)."""
    price = given or find_price(model)
    return price.times(share) if price and share != 1 else price


def cost(steps: Iterable[Step], price: Price | None, share: float = 1.0) -> float | None:
    """Dollars for a reading's steps; None where a price is unknown or the server reported no tokens."""
    total = 0.0
    for step in steps:
        used = step["usage"]
        if not used["calls"]:
            continue
        each = price_to_pay(price, step["model"], share)
        if each is None or not used["input_tokens"]:
            return None
        total += each.of(used)
    return round(total, 6)


def exchange_cost(exchange: ModelExchange, price: Price | None, share: float = 1.0) -> float | None:
    """Dollars for a prompt and its reply; None where the price is unknown or the server reported no tokens."""
    each = price_to_pay(price, exchange["model"], share)
    return each.of_tokens(exchange["tokens"]) if each and exchange["tokens"].sent else None


def in_dollars(amount: float) -> str:
    """An amount of dollars as text: "$1.20", "$0.0312"."""
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"
