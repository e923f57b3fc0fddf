"""Calls in batches: the same requests and replies as without, at half the price, and nothing is paid twice."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from readgraph.features.batches import calls as batched_calls
from readgraph.features.batches.calls import TRIES, BatchedCalls
from readgraph.features.batches.under_way import progress_line
from readgraph.library.page_store import PageStore
from readgraph.library.sent_batches import BATCHES
from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.client import model_client
from readgraph.models.openai.transport import make_http_client
from readgraph.models.prompt import Prompt
from readgraph.models.waiting import use_clock
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.errors import BadInput, BudgetSpent, ModelUnavailable, NoUsableReply
from tests.doubles.hurried import Hurried, Unhurried
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.models.test_asking import PROMPT, Count, assert_seven, houses, make_runtime, metered, with_context

pytestmark = pytest.mark.usefixtures("says_seven")
PROMPTS = houses(12)


@pytest.fixture
def hurried() -> Iterator[Hurried]:
    with use_clock(clock := Unhurried()):
        yield clock


@pytest.fixture
def runtime() -> ReaderRuntime:
    return make_runtime(batch=True, concurrency=1)


async def ask_all(runtime: ReaderRuntime, prompts: list[Prompt] = PROMPTS) -> None:
    """Ask all at once; each is answered."""
    said = await asyncio.gather(*(ask_text(runtime, prompt) for prompt in prompts))
    assert said == ["There are seven."] * len(prompts)


def sizes(server: ModelServer) -> list[int]:
    """The number of requests of each batch."""
    return [len(batch.lines) for batch in server.batching.batches.values()]


async def recorded(runtime: ReaderRuntime) -> dict[str, Any]:
    assert runtime.store
    return {key: reply async for key, reply in PageStore(runtime.store).replies()}


async def in_flight(runtime: ReaderRuntime) -> int:
    assert runtime.store
    return len([file async for file, _ in PageStore(runtime.store).batch_records().each(BATCHES)])


def sent(server: ModelServer) -> Counter[str]:
    """How often each prompt was sent."""
    return Counter(ChatRequest(line["body"]).key for line in server.batching.lines)


@pytest.mark.parametrize("form", ["note", "json_schema", "function", "text", "plain"])
async def test_a_batch_sends_what_a_call_does(server: ModelServer, runtime: ReaderRuntime, form: Any) -> None:
    async def asked(runtime: ReaderRuntime) -> Any:
        if form == "note":
            return await ask_text(runtime, PROMPT)
        return await ask_reply(with_context(runtime, reply_form=form), PROMPT, Count)

    ordinary = with_context(runtime, batch=False).override(store=InMemoryStore())
    meters = [metered(ordinary)]
    said = await asked(ordinary)
    meters.append(metered(runtime))
    assert await asked(runtime) == said
    (request,), (line,) = server.requests, server.batching.lines
    assert line["body"] == request.body
    assert await recorded(runtime) == await recorded(ordinary) != {}
    assert meters[0].used == meters[1].used
    assert await asked(with_context(runtime, batch=False)) == said, "the reply serves both"
    assert await asked(ordinary.override(context=runtime.context)) == said
    assert (server.calls, len(server.batching.batches)) == (1, 1)
    assert not await in_flight(runtime) and not progress_line()


async def test_a_request_is_one_line_for_every_reader_of_lines(server: ModelServer, runtime: ReaderRuntime) -> None:
    odd = Prompt("test", 1, "You count.", "How many \u2028 lamps \u2029 are \x85 there \x0b on \x1c floor 9?")
    await ask_all(runtime, [odd, PROMPT])
    (file,) = server.batching.files.values()
    assert len(file.decode().splitlines()) == 2, "Python's own rule, which some servers go by"
    assert odd.messages[-1][1] in server.batching.lines[0]["body"]["messages"][-1]["content"]


async def test_what_waits_is_one_batch_whatever_the_concurrency(server: ModelServer, runtime: ReaderRuntime) -> None:
    meter, told = metered(runtime), list[Any]()
    meter.stream, server.batching.looks = told.append, 3
    await ask_all(runtime)
    assert len(server.batching.batches) == 1 and server.calls == 0
    assert meter.used["calls"] == len(PROMPTS)
    progress = [event["batch"] for event in told if "batch" in event]
    assert progress[0] == {"node": "", "requests": 12, "done": 0, "ended": False}
    assert progress[-1] == {"node": "", "requests": 12, "done": 12, "ended": True} and len(progress) == 4


async def test_calls_share_a_client(
    server: ModelServer, runtime: ReaderRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[float]()

    def counted(timeout: float, *most_bytes: int) -> Any:
        made.append(timeout)
        return make_http_client(timeout, *most_bytes)

    monkeypatch.setattr("readgraph.features.batches.endpoint.make_http_client", counted)
    await ask_all(runtime)
    assert len(made) == 1, "each would read all certificates from disk"


async def test_a_batch_is_no_larger_than_the_endpoint_takes(
    server: ModelServer, runtime: ReaderRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batched_calls, "MOST_REQUESTS", 5)
    with_bytes = with_context(runtime, timeout=77.0)
    await ask_all(with_context(runtime, concurrency=64))
    assert sorted(sizes(server)) == [2, 5, 5]
    server.reset()
    monkeypatch.setattr(batched_calls, "MOST_REQUESTS", 50)
    monkeypatch.setattr(batched_calls, "MOST_BYTES", 1000)
    await ask_all(with_context(with_bytes, sample=1))
    assert len(server.batching.batches) > 2 and max(sent(server).values()) == 1
    assert all(len(content) <= 1000 for content in server.batching.files.values())


async def test_lines_that_fail_are_sent_again_and_no_other(server: ModelServer, runtime: ReaderRuntime) -> None:
    seen = Counter[str]()

    def a_third(request: ChatRequest, call: int) -> Fault | None:
        seen[request.key] += 1
        floor = int("".join(filter(str.isdigit, request.last)))
        return Fault.server_error(503) if floor % 3 == 0 and seen[request.key] == 1 else None

    server.fault_for = a_third
    meter = metered(runtime)
    await ask_all(runtime)
    assert sizes(server) == [12, 4]
    assert meter.used["calls"] == len(PROMPTS)


@pytest.mark.parametrize(("status", "left"), [("expired", 6), ("cancelled", 6), ("failed", 12)])
async def test_the_rest_is_sent_again(server: ModelServer, runtime: ReaderRuntime, status: str, left: int) -> None:
    server.batching.ends = [status]
    await ask_all(runtime)
    assert sizes(server) == [12, left]
    assert len(await recorded(runtime)) == 12


@pytest.mark.parametrize(
    ("status", "cause"),
    [("expired", "batch expired"), ("cancelled", "was cancelled"), ("failed", "failed (token limit exceeded)")],
)
@pytest.mark.slow
async def test_a_lasting_cause_is_named(server: ModelServer, runtime: ReaderRuntime, status: str, cause: str) -> None:
    server.batching.ends = [status] * 9
    with pytest.raises(ModelUnavailable) as told:
        await ask_text(runtime, PROMPT)
    assert cause in str(told.value) and f"{TRIES} times" in str(told.value)
    assert "sk-" not in str(told.value) and len(server.batching.batches) == TRIES
    assert not await in_flight(runtime) and not progress_line()


@pytest.mark.parametrize("status", ["validating", "finalizing", "queued", "IN_PROGRESS"])
async def test_a_batch_goes_on_until_its_end_is_told(server: ModelServer, runtime: ReaderRuntime, status: str) -> None:
    server.batching.working, server.batching.looks = status, 5
    await ask_all(runtime)
    assert len(server.batching.batches) == 1


async def test_the_cause_is_told_while_it_is_tried_again(server: ModelServer, runtime: ReaderRuntime) -> None:
    told = list[Any]()
    metered(runtime).stream = told.append
    server.batching.ends = ["expired"]
    await ask_text(runtime, PROMPT)
    assert [event["waiting"]["reason"] for event in told if "waiting" in event] == ["batch expired"]


@pytest.mark.parametrize(
    ("fault", "line", "batches"),
    [(Fault.server_error(503), r"4 times in a row \(503\)", TRIES), (Fault.unauthorized(), "refused the key", 1)],
)
async def test_lines_that_always_fail_name_their_status(
    server: ModelServer, runtime: ReaderRuntime, fault: Fault, line: str, batches: int
) -> None:
    server.fault_for = lambda request, call: fault
    with pytest.raises(ModelUnavailable, match=line):
        await ask_text(runtime, PROMPT)
    assert len(server.batching.batches) == batches


async def test_a_reply_form_that_is_refused_steps_down(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.supports = frozenset()
    await assert_seven(runtime, "auto")
    assert len(server.batching.batches) == 3


async def test_refused_replies_are_asked_for_again_with_the_reason(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.faults.append(Fault.not_json())
    await assert_seven(runtime, "auto")
    assert "That can't be used" in ChatRequest(server.batching.lines[1]["body"]).last
    server.fault_for = lambda request, call: Fault.not_json()
    with pytest.raises(NoUsableReply):
        await ask_reply(with_context(runtime, sample=1), PROMPT, Count)


def stopped_in_flight(server: ModelServer, runtime: ReaderRuntime) -> None:
    """Ask all, and end with the event loop when the server has the batch, as a process that is killed does."""
    server.batching.held = True

    async def begin() -> None:
        asking = asyncio.create_task(ask_all(runtime))
        while not (await in_flight(runtime) and server.batching.batches):
            await asyncio.sleep(0)
        asking.cancel()

    asyncio.run(begin())
    server.batching.held = False


def test_after_a_kill_the_same_calls_take_the_batch_that_goes_on(server: ModelServer, runtime: ReaderRuntime) -> None:
    stopped_in_flight(server, runtime)
    assert progress_line()
    more = [*PROMPTS[:3], PROMPT]

    async def resumed() -> None:
        meter = metered(runtime)
        await ask_all(runtime, more)
        assert meter.used["calls"] == 4
        assert len(await recorded(runtime)) == 13, "also the replies that nobody waits for are recorded"
        await ask_all(runtime)
        assert meter.used["cached_calls"] >= 9

    asyncio.run(resumed())
    assert sizes(server) == [12, 1]
    assert max(sent(server).values()) == 1 and not progress_line()


def test_a_cancelled_batch_brings_what_it_has_done(server: ModelServer, runtime: ReaderRuntime) -> None:
    stopped_in_flight(server, runtime)
    server.batching.held = True

    async def cancelled() -> int:
        assert runtime.store
        store, client = PageStore(runtime.store), await model_client(runtime.context)
        (record,) = await store.batch_records().all()
        assert isinstance(client.sender, BatchedCalls)
        return await client.sender.cancel(store, record)

    assert asyncio.run(cancelled()) == len(asyncio.run(recorded(runtime))) == 6
    assert asyncio.run(in_flight(runtime)) == 0 and not progress_line()
    server.batching.held = False
    asyncio.run(ask_all(runtime))
    assert sizes(server) == [12, 6]


async def test_what_another_command_sent_is_not_sent_again(server: ModelServer, runtime: ReaderRuntime) -> None:
    other = with_context(runtime, timeout=77.0)  # has a client of its own
    await ask_text(other, PROMPT)
    server.batching.held = True
    first = asyncio.create_task(ask_all(runtime))
    while len(server.batching.batches) < 2:
        await asyncio.sleep(0)
    second = asyncio.create_task(ask_all(other))
    while server.batching.batches["batch-1"].looks < 30:  # by then the second would have sent its own
        await asyncio.sleep(0)
    server.batching.held = False
    await asyncio.gather(first, second)
    assert max(sent(server).values()) == 1


def test_what_is_forgotten_while_a_batch_goes_on_is_not_recorded(server: ModelServer, runtime: ReaderRuntime) -> None:
    stopped_in_flight(server, runtime)

    async def forgotten() -> int:
        assert runtime.store
        await PageStore(runtime.store).forget_paid("")
        await ask_text(runtime, PROMPT)
        return len(await recorded(runtime))

    assert asyncio.run(forgotten()) == 1


async def test_a_batch_whose_beginning_got_no_answer_is_found(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.batching.loses = 1
    await ask_all(runtime)
    assert len(server.batching.batches) == 1
    server.reset()
    server.batching.loses, server.batching.lists, told = 1, False, list[Any]()
    metered(runtime).stream = told.append
    await ask_all(with_context(runtime, sample=1))
    assert len(server.batching.batches) == 2, "the server does not say whether it has it"
    assert "has not confirmed the batch" in str([event["waiting"]["reason"] for event in told if "waiting" in event])


async def test_spoilt_replies_are_asked_for_again(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.faults += [Fault.changed(lambda whole: whole["choices"][0].update(finish_reason="content_filter"))]
    meter = metered(runtime)
    for _ in range(2):
        await assert_seven(runtime)
    assert len(server.batching.batches) == len(await recorded(runtime)) == meter.used["calls"] == 2


async def test_the_budget_counts_calls_as_before(server: ModelServer, runtime: ReaderRuntime) -> None:
    runtime = with_context(runtime, max_calls=5)
    meter = metered(runtime)
    results = await asyncio.gather(*(ask_text(runtime, prompt) for prompt in PROMPTS), return_exceptions=True)
    assert sum(isinstance(result, BudgetSpent) for result in results) == 7
    assert (len(server.batching.lines), meter.used["calls"]) == (5, 5)


async def test_a_call_that_nobody_waits_for_is_not_sent(server: ModelServer, runtime: ReaderRuntime) -> None:
    gone = asyncio.create_task(ask_text(runtime, PROMPT))
    staying = asyncio.create_task(ask_text(runtime, PROMPTS[0]))
    await asyncio.sleep(0.01)  # until they wait for others
    gone.cancel()
    await staying
    assert len(server.batching.lines) == 1


async def test_a_server_without_the_endpoint_is_named(server: ModelServer, runtime: ReaderRuntime) -> None:
    for status, told in ((404, "no batch endpoint: leave --batch out"), (400, "refused a batch"), (401, "the key")):
        server.batching.refuses = status
        with pytest.raises(ModelUnavailable, match=told):
            await ask_all(runtime)
    server.batching.refuses = 503
    with pytest.raises(ModelUnavailable, match="503"):
        await ask_all(with_context(runtime, retry_seconds=9))
    assert server.batching.batches == {}


@pytest.mark.parametrize("name", ["anthropic:claude", "local", "unknown"])
async def test_other_providers_are_refused_first(server: ModelServer, runtime: ReaderRuntime, name: str) -> None:
    for models in ({"model": name}, {"reading_model": name}):
        with pytest.raises(BadInput, match="can't be asked in batches"):
            await ask_text(with_context(runtime, **models), PROMPT)
    assert server.batching.files == {}
