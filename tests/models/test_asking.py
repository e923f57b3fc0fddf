"""The one place that talks to the model: tries, refusals, the reply cache, budgets, limits, errors."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, Field

from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.metering import FallBack, Meter, ModelExchange, ask_each_prompt_once, exchanges_to, start_meter
from readgraph.models.prompt import Prompt, fenced
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, BudgetSpent, ModelUnavailable, NoUsableReply
from tests.doubles.model_server import ChatRequest, Fault, ModelServer

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("says_seven")]

PROMPT = Prompt("test", 1, "You count.", "How many lamps are there?")


class Count(BaseModel):
    """A number of things."""

    count: int = Field(description="How many.")


def seven(request: ChatRequest) -> str | dict[str, object]:
    if "Reply with nothing but this" in request.text:
        return "7"
    return {"count": 7} if request.schema or request.tools or "Its fields:" in request.text else "There are seven."


def houses(number: int) -> list[Prompt]:
    """As many different prompts."""
    return [replace(PROMPT, user=f"How many lamps in house {house}?") for house in range(number)]


def make_runtime(**settings: Any) -> ReaderRuntime:
    return Runtime(context=ReaderContext(**{"model": "openai:double", **settings}), store=InMemoryStore())


def with_context(runtime: ReaderRuntime, **changes: Any) -> ReaderRuntime:
    return runtime.override(context=replace(runtime.context, **changes))


def metered(runtime: ReaderRuntime) -> Meter:
    meter = Meter(runtime.context)
    start_meter(meter)
    return meter


async def assert_seven(runtime: ReaderRuntime, form: Any = "note", case: object = "", **changes: Any) -> None:
    """The double's answer comes: a note, or a typed reply in this form."""
    if form == "note":
        assert await ask_text(with_context(runtime, **changes), PROMPT) == "There are seven.", case
    else:
        asked = with_context(runtime, reply_form=form, **changes)
        assert await ask_reply(asked, PROMPT, Count) == Count(count=7), case


@pytest.mark.parametrize("form", ["auto", "json_schema", "function", "text"])
async def test_every_reply_form_gives_the_typed_reply(runtime: ReaderRuntime, form: str) -> None:
    await assert_seven(runtime, form)


@pytest.mark.parametrize("supports", [{"tools"}, set[str]()])
async def test_the_form_is_one_that_is_taken(server: ModelServer, runtime: ReaderRuntime, supports: set[str]) -> None:
    server.supports = frozenset(supports)
    await assert_seven(runtime, "auto")
    refused = server.calls - len(server.answered)
    await assert_seven(runtime, "auto", sample=1)
    assert server.calls - len(server.answered) == refused, "a form that was refused is not tried again"


@pytest.mark.parametrize(
    "fault", [Fault.empty(), Fault.not_json(), Fault.wrong_schema(), Fault.truncated(5)], ids=lambda each: each.name
)
async def test_a_bad_reply_is_asked_again_and_kept(server: ModelServer, runtime: ReaderRuntime, fault: Fault) -> None:
    server.faults.append(fault)
    meter = metered(runtime)
    await assert_seven(runtime, "auto")
    assert server.calls == meter.used["calls"] == 2
    assert "can't be used" in server.requests[1].last
    await assert_seven(runtime, "auto")
    assert server.calls == 2


async def test_a_complaint_goes_back_to_the_model(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.respond = lambda request: {"count": 8 if "only eight will do" in request.last else 7}

    def complaint(reply: Count) -> str | None:
        return None if reply.count == 8 else "only eight will do"

    assert (await ask_reply(runtime, PROMPT, Count, complaint)).count == 8


async def test_three_refusals_are_reported_and_not_paid_for_again(server: ModelServer, runtime: ReaderRuntime) -> None:
    for paid in (3, 0):
        meter = metered(runtime)
        with pytest.raises(NoUsableReply) as refused:
            await ask_reply(runtime, PROMPT, Count, lambda reply: f"not {reply.count}")
        assert refused.value.reasons == ["not 7"] * 3
        assert (server.calls, meter.used["refused"], meter.used["cached_calls"]) == (3, 3, 3 - paid)


@pytest.mark.parametrize("change", [{"again": True}, {"rebuild": True}, {"sample": 1}, {"model": "openai:other"}])
async def test_the_model_is_asked_again_for_what_was_refused_if_that_is_wanted(
    server: ModelServer, runtime: ReaderRuntime, change: dict[str, object]
) -> None:
    server.fault_for = lambda request, call: Fault.wrong_schema()
    changed = with_context(runtime, **change)
    for asked, calls in [(runtime, 3), (changed, 6)]:
        with pytest.raises(NoUsableReply):
            await ask_reply(asked, PROMPT, Count)
        assert server.calls == calls
    server.fault_for = None
    with exchanges_to((exchanges := list[ModelExchange]()).append):
        await ask_reply(with_context(changed, again=True), PROMPT, Count)
        await ask_reply(changed, PROMPT, Count)
    assert server.calls == 7 and [exchange["refused"] for exchange in exchanges] == [None, None]


async def test_asking_again_pays_for_nothing_that_was_usable(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.faults.append(Fault.empty())
    await ask_reply(runtime, PROMPT, Count)
    with exchanges_to((exchanges := list[ModelExchange]()).append):
        await ask_reply(with_context(runtime, again=True), PROMPT, Count)
    assert server.calls == len(exchanges) == 2


@pytest.mark.parametrize("bad", [3, 2, 0])
async def test_what_was_asked_again_is_not_asked_thrice(server: ModelServer, runtime: ReaderRuntime, bad: int) -> None:
    server.fault_for = lambda request, call: Fault.wrong_schema()
    with pytest.raises(NoUsableReply):
        await ask_reply(runtime, PROMPT, Count)
    before, again = server.calls, with_context(runtime, again=True)
    server.fault_for, made = None, min(bad + 1, 3)
    server.faults.extend([Fault.wrong_schema()] * bad)
    with ask_each_prompt_once():
        for _ in range(2):  # at the same moment, and one after the other
            metered(again)
            found = await asyncio.gather(*[ask_reply(again, PROMPT, Count) for _ in range(5)], return_exceptions=True)
            assert server.calls - before == made and len({type(each) for each in found}) == 1
    assert isinstance(found[0], NoUsableReply if bad == 3 else Count)


async def test_a_cut_prompt_that_is_asked_again_counts_once(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.fault_for = lambda request, call: Fault.wrong_schema()
    long = replace(PROMPT, user=f"{fenced('text', 'How many lamps? ' * 1000)}\nCount.")
    runtime = with_context(runtime, window_words=1000)
    with pytest.raises(NoUsableReply):
        await ask_reply(runtime, long, Count)
    server.fault_for, told = None, list[FallBack]()
    meter = metered(again := with_context(runtime, again=True))
    with exchanges_to(lambda exchange: None, told.append):
        await ask_reply(again, long, Count)
    assert dict(meter.fallbacks) == {"prompt_cut": 1} and [each["kind"] for each in told] == ["prompt_cut"]


async def test_a_kill_between_refusals_pays_for_the_rest_only(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.fault_for = lambda request, call: Fault.empty() if call < 3 else Fault.hang()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ask_reply(runtime, PROMPT, Count), 0.3)
    server.fault_for = lambda request, call: Fault.empty()
    with pytest.raises(NoUsableReply):
        await ask_reply(with_context(runtime, again=True), PROMPT, Count)
    assert server.calls == 4, "two before the kill, one that was in flight, and its repetition"


async def test_a_note_that_was_cut_off_is_asked_again(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.faults.append(Fault.truncated(8))
    await assert_seven(runtime)


async def test_errors_that_stay_are_one_line_without_the_key(
    server: ModelServer, runtime: ReaderRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.fault_for = lambda request, call: Fault.unauthorized()
    with pytest.raises(ModelUnavailable, match="refused the key") as refused:
        await ask_text(runtime, PROMPT)
    assert "sk-not-a-real-key" not in str(refused.value)
    server.fault_for = lambda request, call: Fault.server_error(502)
    with pytest.raises(ModelUnavailable, match=r"failed \d+ times in a row \(502\)"):
        await ask_text(runtime, PROMPT)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    with pytest.raises(ModelUnavailable, match="No model server answers"):
        await ask_text(runtime, PROMPT)
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelUnavailable, match="no key"):
        await ask_text(runtime, PROMPT)


@pytest.mark.parametrize("model", ["", "gpt", "nonsense:model", "openai:"])
async def test_a_model_that_cannot_be_named_is_bad_input(model: str) -> None:
    with pytest.raises(BadInput, match="PROVIDER:NAME" if model else "No model is named"):
        await ask_text(make_runtime(model=model), PROMPT)


@pytest.mark.parametrize(
    ("change", "anew"),
    [
        ({"timeout": 77.0, "concurrency": 3, "max_calls": 0}, False),
        ({"sample": 1}, True),
        ({"model": "openai:other"}, True),
        ({"reply_form": "function"}, True),
    ],
)
async def test_a_recorded_reply_is_paid_again_only_where_the_text_is_another(
    server: ModelServer, runtime: ReaderRuntime, change: dict[str, object], anew: bool
) -> None:
    await ask_reply(runtime, PROMPT, Count)
    meter = metered(runtime)
    await ask_reply(with_context(runtime, **change), PROMPT, Count)
    assert (server.calls, meter.used["calls"], meter.used["cached_calls"]) == (1 + anew, anew, not anew)
    assert bool(meter.used["input_words"]) is anew


async def test_the_budget_of_calls_stops_before_the_call(server: ModelServer, runtime: ReaderRuntime) -> None:
    runtime = with_context(runtime, max_calls=2)
    meter = metered(runtime)
    outcomes = await asyncio.gather(*(ask_text(runtime, house) for house in houses(5)), return_exceptions=True)
    assert server.calls == 2
    assert sum(isinstance(outcome, BudgetSpent) for outcome in outcomes) == 3
    assert meter.budget.spent


async def test_the_budget_of_words_counts_what_is_sent_and_received(runtime: ReaderRuntime) -> None:
    metered(runtime := with_context(runtime, max_words=2 * PROMPT.words))
    await ask_text(runtime, PROMPT)
    with pytest.raises(BudgetSpent):  # the words of the first reply leave no room for it
        await ask_text(with_context(runtime, sample=1), PROMPT)


async def test_the_budget_of_seconds_lets_no_call_begin_after_them(server: ModelServer, runtime: ReaderRuntime) -> None:
    meter = metered(runtime := with_context(runtime, max_seconds=60))
    await ask_text(runtime, PROMPT)
    meter.before = {**meter.before, "seconds": 61.0}
    with pytest.raises(BudgetSpent, match="60 seconds"):
        await ask_text(with_context(runtime, sample=1), PROMPT)
    assert server.calls == 1 and meter.budget.spent


async def test_no_more_calls_are_in_flight_than_allowed(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.latency = 0.02
    runtime = with_context(runtime, concurrency=4)
    await asyncio.gather(*(ask_text(runtime, house) for house in houses(20)))
    assert server.most_in_flight == 4


def test_a_second_event_loop_gets_a_client_of_its_own(server: ModelServer, runtime: ReaderRuntime) -> None:
    for sample in range(2):
        asyncio.run(assert_seven(runtime, sample=sample))
    assert server.calls == 2


async def test_the_same_question_at_the_same_time_is_asked_once(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.latency = 0.05
    meter = metered(runtime)
    await asyncio.gather(*(assert_seven(runtime) for _ in range(5)))
    assert (server.calls, meter.used["calls"], meter.used["cached_calls"]) == (1, 1, 4)
