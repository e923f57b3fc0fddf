"""The one place that talks to the model: tries, refusals, the reply cache, budgets, limits, errors."""

import asyncio
from dataclasses import replace

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, Field

from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.metering import FallBack, Meter, ModelExchange, ask_each_prompt_once, exchanges_to, start_meter
from readgraph.models.prompt import Prompt, fenced
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, BudgetSpent, ModelUnavailable, NoUsableReply
from tests.doubles.model_server import ChatRequest, Fault, ModelServer

pytestmark = pytest.mark.quick

PROMPT = Prompt("test", 1, "You count.", "How many lamps are there?")


class Count(BaseModel):
    """A number of things."""

    count: int = Field(description="How many.")


def seven(request: ChatRequest) -> str | dict[str, object]:
    asked = request.schema or request.tools or "Its fields:" in request.text
    return {"count": 7} if asked else "There are seven."


@pytest.fixture
def server(server: ModelServer) -> ModelServer:
    """The double, whose answer is seven."""
    server.respond = seven
    return server


@pytest.fixture
def runtime() -> Runtime[ReaderContext]:
    return Runtime(context=ReaderContext(model="openai:double"), store=InMemoryStore())


def with_context(runtime: Runtime[ReaderContext], **changes: object) -> Runtime[ReaderContext]:
    return runtime.override(context=replace(runtime.context, **changes))  # type: ignore[arg-type]


def metered(runtime: Runtime[ReaderContext]) -> Meter:
    meter = Meter(runtime.context)
    start_meter(meter)
    return meter


@pytest.mark.parametrize("form", ["auto", "json_schema", "function", "text"])
async def test_every_reply_form_gives_the_typed_reply(
    server: ModelServer, runtime: Runtime[ReaderContext], form: str
) -> None:
    assert await ask_reply(with_context(runtime, reply_form=form), PROMPT, Count) == Count(count=7)


@pytest.mark.parametrize("supports", [{"tools"}, set[str]()])
async def test_the_reply_form_steps_down_to_what_the_server_takes(
    server: ModelServer, runtime: Runtime[ReaderContext], supports: set[str]
) -> None:
    server.supports = frozenset(supports)
    assert (await ask_reply(runtime, PROMPT, Count)).count == 7
    refused = server.calls - len(server.answered)
    await ask_reply(with_context(runtime, sample=1), PROMPT, Count)
    assert server.calls - len(server.answered) == refused, "a form that was refused is not tried again"


@pytest.mark.parametrize(
    "fault", [Fault.empty(), Fault.not_json(), Fault.wrong_schema(), Fault.truncated(5)], ids=lambda fault: fault.name
)
async def test_a_bad_reply_is_asked_again_with_the_reason(
    server: ModelServer, runtime: Runtime[ReaderContext], fault: Fault
) -> None:
    server.faults.append(fault)
    meter = metered(runtime)
    assert (await ask_reply(runtime, PROMPT, Count)).count == 7
    assert server.calls == meter.used["calls"] == 2
    assert "can't be used" in server.requests[1].last


async def test_a_complaint_goes_back_to_the_model(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    server.respond = lambda request: {"count": 8 if "only eight will do" in request.last else 7}

    def complaint(reply: Count) -> str | None:
        return None if reply.count == 8 else "only eight will do"

    assert (await ask_reply(runtime, PROMPT, Count, complaint)).count == 8


async def test_after_three_refusals_the_reasons_are_reported_and_nothing_is_paid_for_again(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    with pytest.raises(NoUsableReply) as refused:
        await ask_reply(runtime, PROMPT, Count, lambda reply: f"not {reply.count}")
    assert refused.value.reasons == ["not 7"] * 3
    assert server.calls == 3
    meter = metered(runtime)
    with pytest.raises(NoUsableReply):
        await ask_reply(runtime, PROMPT, Count, lambda reply: f"not {reply.count}")
    assert (server.calls, meter.used["refused"], meter.used["cached_calls"]) == (3, 3, 3)


@pytest.mark.parametrize("change", [{"again": True}, {"rebuild": True}, {"sample": 1}, {"model": "openai:other"}])
async def test_the_model_is_asked_again_for_what_was_refused_if_that_is_wanted(
    server: ModelServer, runtime: Runtime[ReaderContext], change: dict[str, object]
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


async def test_asking_again_pays_for_nothing_that_was_usable(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    server.faults.append(Fault.empty())
    await ask_reply(runtime, PROMPT, Count)
    with exchanges_to((exchanges := list[ModelExchange]()).append):
        await ask_reply(with_context(runtime, again=True), PROMPT, Count)
    assert server.calls == len(exchanges) == 2


@pytest.mark.parametrize("replies", [[Fault.wrong_schema()] * 3, [Fault.wrong_schema()] * 2, []])
async def test_what_was_asked_again_is_not_asked_once_more_in_the_same_run(
    server: ModelServer, runtime: Runtime[ReaderContext], replies: list[Fault]
) -> None:
    server.fault_for = lambda request, call: Fault.wrong_schema()
    with pytest.raises(NoUsableReply):
        await ask_reply(runtime, PROMPT, Count)
    before, again = server.calls, with_context(runtime, again=True)
    server.fault_for, made = None, min(len(replies) + 1, 3)
    server.faults.extend(replies)
    with ask_each_prompt_once():
        for _ in range(2):  # at the same moment, and one after the other
            metered(again)
            tasks = [ask_reply(again, PROMPT, Count) for _ in range(5)]
            found = await asyncio.gather(*tasks, return_exceptions=True)
            assert server.calls - before == made and len({type(each) for each in found}) == 1
    assert isinstance(found[0], NoUsableReply if len(replies) == 3 else Count)


async def test_a_prompt_that_is_cut_counts_once_also_where_it_is_asked_again(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
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


async def test_a_kill_between_refusals_pays_for_the_rest_only(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    server.fault_for = lambda request, call: Fault.empty() if call < 3 else Fault.hang()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ask_reply(runtime, PROMPT, Count), 0.3)
    server.fault_for = lambda request, call: Fault.empty()
    with pytest.raises(NoUsableReply):
        await ask_reply(with_context(runtime, again=True), PROMPT, Count)
    assert server.calls == 4, "two before the kill, one that was in flight, and its repetition"


async def test_a_note_that_was_cut_off_is_asked_again(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    server.faults.append(Fault.truncated(8))
    assert await ask_text(runtime, PROMPT) == "There are seven."


async def test_errors_that_stay_are_one_line_without_the_key(
    server: ModelServer, runtime: Runtime[ReaderContext], monkeypatch: pytest.MonkeyPatch
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


@pytest.mark.parametrize("model", ["gpt", "nonsense:model", "openai:"])
async def test_a_model_that_cannot_be_named_is_bad_input(runtime: Runtime[ReaderContext], model: str) -> None:
    with pytest.raises(BadInput, match="PROVIDER:NAME"):
        await ask_text(with_context(runtime, model=model), PROMPT)


async def test_a_recorded_reply_is_never_paid_again(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    await ask_reply(runtime, PROMPT, Count)
    meter = metered(runtime)
    await ask_reply(with_context(runtime, timeout=77.0, concurrency=3, max_calls=0), PROMPT, Count)
    assert server.calls == 1
    assert (meter.used["calls"], meter.used["cached_calls"], meter.used["input_words"]) == (0, 1, 0)


@pytest.mark.parametrize("change", [{"sample": 1}, {"model": "openai:other"}, {"reply_form": "function"}])
async def test_what_changes_the_text_asks_anew(
    server: ModelServer, runtime: Runtime[ReaderContext], change: dict[str, object]
) -> None:
    await ask_reply(runtime, PROMPT, Count)
    await ask_reply(with_context(runtime, **change), PROMPT, Count)
    assert server.calls == 2


async def test_refused_replies_on_the_way_to_a_good_one_are_kept(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    server.faults.append(Fault.empty())
    await ask_reply(runtime, PROMPT, Count)
    await ask_reply(runtime, PROMPT, Count)
    assert server.calls == 2


async def test_the_budget_of_calls_stops_before_the_call(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    runtime = with_context(runtime, max_calls=2)
    meter = metered(runtime)
    prompts = [replace(PROMPT, user=f"How many lamps in house {number}?") for number in range(5)]
    outcomes = await asyncio.gather(*(ask_text(runtime, prompt) for prompt in prompts), return_exceptions=True)
    assert server.calls == 2
    assert sum(isinstance(outcome, BudgetSpent) for outcome in outcomes) == 3
    assert meter.budget_spent


async def test_the_budget_of_words_counts_what_is_sent_and_received(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    runtime = with_context(runtime, max_words=2 * PROMPT.words + 3)
    metered(runtime)
    await ask_text(runtime, PROMPT)
    await ask_text(with_context(runtime, sample=1), PROMPT)
    with pytest.raises(BudgetSpent):
        await ask_text(with_context(runtime, sample=2), PROMPT)


async def test_the_budget_of_seconds_lets_no_call_begin_after_them(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    runtime = with_context(runtime, max_seconds=60)
    meter = metered(runtime)
    await ask_text(runtime, PROMPT)
    meter.before = {**meter.before, "seconds": 61.0}
    with pytest.raises(BudgetSpent, match="60 seconds"):
        await ask_text(with_context(runtime, sample=1), PROMPT)
    assert server.calls == 1 and meter.budget_spent


async def test_no_more_calls_are_in_flight_than_allowed(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    server.latency = 0.02
    runtime = with_context(runtime, concurrency=4)
    prompts = [replace(PROMPT, user=f"How many lamps in house {number}?") for number in range(20)]
    await asyncio.gather(*(ask_text(runtime, prompt) for prompt in prompts))
    assert server.most_in_flight == 4


def test_a_second_event_loop_gets_a_client_of_its_own(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    assert asyncio.run(ask_text(runtime, PROMPT)) == "There are seven."
    assert asyncio.run(ask_text(with_context(runtime, sample=1), PROMPT)) == "There are seven."
    assert server.calls == 2


async def test_the_same_question_at_the_same_time_is_asked_once(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    server.latency = 0.05
    meter = metered(runtime)
    assert {*await asyncio.gather(*(ask_text(runtime, PROMPT) for _ in range(5)))} == {"There are seven."}
    assert (server.calls, meter.used["calls"], meter.used["cached_calls"]) == (1, 1, 4)
