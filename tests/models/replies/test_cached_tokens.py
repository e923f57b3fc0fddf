"""What a provider's cache held of a prompt is counted, in each provider's form, and priced."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata

from readgraph.models.prices import Price, cost, find_price, price_to_pay
from readgraph.models.reply import reply_of
from readgraph.state.reading import NOTHING_USED, Tokens, Usage, add_usage
from tests.doubles.model_faults import Fault
from tests.doubles.model_server import ModelServer
from tests.support.command import ASK, DOUBLE, Command

OPENAI = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 800}}
DEEPSEEK = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_cache_hit_tokens": 800}


def report(server: ModelServer, usage: dict[str, Any]) -> None:
    """Let each reply come with these counts."""
    server.fault_for = lambda request, call: Fault.changed(lambda whole: whole.update(usage=usage))


@pytest.mark.parametrize("usage", [OPENAI, DEEPSEEK])
def test_servers_of_openais_protocol(server: ModelServer, readgraph: Command, usage: dict[str, Any]) -> None:
    report(server, usage)
    found = readgraph(*ASK, *DOUBLE, "--price", "1/2", "--json").json
    used: Usage = found["usage"]
    assert used["input_tokens"] == 1000 * used["calls"] > 0
    assert (used["cache_read_tokens"], used["cache_write_tokens"]) == (800 * used["calls"], 0)
    shown = readgraph("ask", "Who was late?", *ASK[2:], *DOUBLE).text
    assert "(80 % of them from the provider's cache)" in shown


@pytest.mark.parametrize(
    "cached", [-1, "800", 1001, *(pytest.param(count, marks=pytest.mark.slow) for count in (10**30, None, [800]))]
)
def test_a_count_that_can_not_be_is_none(server: ModelServer, readgraph: Command, cached: Any) -> None:
    report(server, {**OPENAI, "prompt_tokens_details": {"cached_tokens": cached}})
    used = readgraph(*ASK, *DOUBLE, "--json").json["usage"]
    assert used["cache_read_tokens"] == 0 and used["input_tokens"] == 1000 * used["calls"]


@pytest.mark.parametrize(
    ("details", "read", "written"),
    [
        ({"cache_read": 700, "cache_creation": 200}, 700, 200),  # Anthropic's, and OpenAI's
        ({"cache_read": 700, "ephemeral_5m_input_tokens": 150, "ephemeral_1h_input_tokens": 50}, 700, 200),
        ({"cache_read": 700}, 700, 0),  # Gemini's
        ({"flex_cache_read": 700, "flex": 300}, 700, 0),  # OpenAI's slower service
        ({"cache_read": 1200, "cache_creation": 5}, 1000, 0),  # a server that counts the cached ones apart
        ({}, 0, 0),
    ],
)  # fmt: skip
def test_what_langchains_clients_report(details: Any, read: int, written: int) -> None:
    used = UsageMetadata(input_tokens=1000, output_tokens=5, total_tokens=1005, input_token_details=details)
    assert reply_of(AIMessage("Yes.", usage_metadata=used)).tokens == Tokens(1000, 5, read, written)


def test_cached_tokens_cost_what_the_table_says() -> None:
    price = find_price("anthropic:claude-sonnet-4-5")
    assert price == Price(3.0, 15.0, 0.3, 3.75)
    assert price.of_tokens(Tokens(1_000_000, 0, 600_000, 100_000)) == pytest.approx(0.9 + 0.18 + 0.375)
    assert price_to_pay(price, "", 0.5) == Price(1.5, 7.5, 0.15, 1.875)
    assert Price(3.0, 15.0).of_tokens(Tokens(1_000_000, 0, 600_000)) == 3.0


def test_usage_of_older_readings_has_no_cache() -> None:
    older: Any = {name: value for name, value in NOTHING_USED.items() if not name.startswith("cache_")}
    assert add_usage(older, {**NOTHING_USED, "cache_read_tokens": 5})["cache_read_tokens"] == 5
    older |= {"calls": 1, "input_tokens": 1_000_000}
    step: Any = {"usage": older, "model": "openai:own"}
    assert cost([step], Price(2.0, 8.0)) == 2.0
