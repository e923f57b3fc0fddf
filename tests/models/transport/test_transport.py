"""A server that fails, throttles, drips or sends nonsense: the call is made again for a time, or told in one line."""

import asyncio
import json
import math
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from readgraph.cli.terminal.safe_text import escape_json, visible
from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.client import model_client
from readgraph.models.failures import retry_after_seconds
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent, ModelUnavailable, NoUsableReply
from tests.doubles.hurried import Hurried
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.models.test_asking import PROMPT, Count, metered, seven, with_context
from tests.support.command import SECRET

FORMS = ("json_schema", "function", "text", "plain")


@pytest.fixture
def server(server: ModelServer) -> ModelServer:
    """The double, whose answer is seven."""
    server.respond = lambda request: "7" if "Reply with nothing but this" in request.text else seven(request)
    return server


@pytest.fixture
def runtime() -> Runtime[ReaderContext]:
    return Runtime(context=ReaderContext(model="openai:double"), store=InMemoryStore())


def message(**changed: Any) -> Fault:
    return Fault.changed(lambda whole: whole["choices"][0]["message"].update(changed))


def called(**changed: Any) -> Fault:
    """A function call, where one was made, that is changed."""

    def change(whole: dict[str, Any]) -> None:
        for call in whole["choices"][0]["message"].get("tool_calls") or []:
            call["function"].update(changed)

    return Fault.changed(change)


def arguments_as_object(whole: dict[str, Any]) -> None:
    for call in whole["choices"][0]["message"].get("tool_calls") or []:
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])


def half_a_character(whole: dict[str, Any]) -> None:
    said = whole["choices"][0]["message"]
    if said.get("tool_calls"):
        said["tool_calls"][0]["function"]["arguments"] = '{"count": 7, "why": "\\ud800"}'
    else:
        said["content"] += "\ud83d"


def withheld(whole: dict[str, Any]) -> None:
    whole["choices"][0] |= {"message": {"role": "assistant", "content": "The"}, "finish_reason": "content_filter"}


DAMAGED = {
    "a web page": Fault.foreign("<html>Maintenance</html>"),
    "an error": Fault.foreign('{"error": {"message": "overloaded"}}'),
    "an empty body": Fault.foreign(""),
    "no UTF-8": Fault.foreign(b'{"choices": [{"message": {"role": "assistant", "content": "\xff\xfe"}}]}'),
}
"""Responses that are no replies: nothing is paid for them."""

FLAWED = {
    "no choices": Fault.changed(lambda whole: whole.update(choices=[])),
    "null choices": Fault.changed(lambda whole: whole.update(choices=None)),
    "a null message": Fault.changed(lambda whole: whole["choices"][0].update(message=None)),
    "a list": message(content=[7], tool_calls=None),
    "an empty part": message(content=[{}], tool_calls=None),
    "a number": message(content=7, tool_calls=None),
    "an object": message(content={"count": 8}, tool_calls=None),
    "half a character": Fault.changed(half_a_character),
    "withheld": Fault.changed(withheld),
}
"""Replies for which a server counted tokens, and that it has withheld or damaged."""
USABLE = {
    "strings as usage": Fault.changed(lambda whole: whole.update(usage={"prompt_tokens": "5"})),
    "negative usage": Fault.changed(lambda whole: whole.update(usage=dict.fromkeys(whole["usage"], -5))),
    "huge usage": Fault.changed(lambda whole: whole.update(usage=dict.fromkeys(whole["usage"], 10**30))),
    "a list as usage": Fault.changed(lambda whole: whole.update(usage=[5])),
    "null usage": Fault.changed(lambda whole: whole.update(usage=None)),
    "a nameless function": called(name=None),
    "an object as arguments": Fault.changed(arguments_as_object),
}


@pytest.mark.parametrize("form", ["note", *FORMS])
async def test_a_damaged_reply_is_asked_for_again(
    server: ModelServer, runtime: Runtime[ReaderContext], form: Any
) -> None:
    meter = metered(runtime)
    uncounted = Fault.changed(lambda whole: whole.update(choices=None, usage=None))
    for number, (name, fault) in enumerate({**DAMAGED, "choices without tokens": uncounted}.items()):
        server.reset()
        server.faults += [fault] * 5
        if form == "note":
            assert await ask_text(with_context(runtime, sample=number), PROMPT) == "There are seven.", name
        else:
            assert (await ask_reply(with_context(runtime, sample=number, reply_form=form), PROMPT, Count)).count == 7, (
                name
            )
        assert server.calls == 6, name
    assert (meter.used["calls"], meter.used["refused"]) == (len(DAMAGED) + 1, 0)


@pytest.mark.parametrize("form", ["note", *FORMS])
async def test_a_reply_that_its_server_spoilt_is_paid_for_and_asked_for_again(
    server: ModelServer, runtime: Runtime[ReaderContext], form: Any
) -> None:
    for number, (name, fault) in enumerate(FLAWED.items()):
        server.reset()
        server.faults.append(fault)
        meter = metered(runtime)
        changed = with_context(runtime, sample=number, reply_form="auto" if form == "note" else form)
        for again in range(2):
            if form == "note":
                assert await ask_text(changed, PROMPT) == "There are seven.", name
            else:
                assert (await ask_reply(changed, PROMPT, Count)).count == 7, name
            assert server.calls == meter.used["calls"] == 2, name
            assert (meter.used["refused"], meter.used["cached_calls"]) == (1 + again, 2 * again), name
        first, second = server.requests
        assert first.key == second.key, "the model is not told of what its server did"
        assert meter.used["input_tokens"] == 2 * len(first.text.split()), name


@pytest.mark.parametrize(("name", "most"), [("withheld", 2), ("null choices", 3), ("half a character", 2)])
async def test_no_bound_is_passed_where_a_server_spoils_every_reply(
    server: ModelServer, runtime: Runtime[ReaderContext], name: str, most: int
) -> None:
    server.fault_for = lambda request, call: FLAWED[name]
    meter = metered(runtime)
    for _ in range(2):
        if name == "half a character":
            assert await ask_text(runtime, PROMPT) == "There are seven.\ufffd"
            continue
        with pytest.raises(NoUsableReply, match="withheld by its server" if name == "withheld" else "damaged"):
            await ask_text(runtime, PROMPT)
    assert server.calls == meter.used["calls"] == meter.used["cached_calls"] == most
    bounded = with_context(runtime, sample=1, max_calls=1)
    metered(bounded)
    with pytest.raises(BudgetSpent):
        await ask_text(bounded, PROMPT)
    assert server.calls == most + 1


@pytest.mark.parametrize("form", FORMS)
async def test_what_is_odd_beside_the_reply_spoils_nothing(
    server: ModelServer, runtime: Runtime[ReaderContext], form: Any
) -> None:
    for number, (name, fault) in enumerate(USABLE.items()):
        server.reset()
        server.faults.append(fault)
        meter = metered(runtime)
        assert (await ask_reply(with_context(runtime, sample=number, reply_form=form), PROMPT, Count)).count == 7, name
        assert server.calls == 1 and (meter.used["input_tokens"] == 0) == ("usage" in name), name


@pytest.mark.parametrize("arguments", ["[1, 2]", "5", "null", None, [7], 5])
async def test_arguments_that_are_no_object_are_asked_for_again_and_then_refused(
    server: ModelServer, runtime: Runtime[ReaderContext], arguments: Any
) -> None:
    runtime = with_context(runtime, reply_form="function")
    server.faults += [called(arguments=arguments)] * 2
    meter = metered(runtime)
    assert (await ask_reply(runtime, PROMPT, Count)).count == 7
    assert (server.calls, meter.used["calls"], meter.used["refused"]) == (3, 3, 2)
    assert ["can't be used" in request.last for request in server.requests] == [False, False, True]


async def test_half_a_character_is_never_kept(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    server.fault_for = lambda request, call: FLAWED["half a character"]
    assert await ask_text(runtime, PROMPT) == "There are seven.\ufffd"
    assert visible("a\ud83d") == "a\ufffd" and escape_json(json.dumps("a\ud83d", ensure_ascii=False)) == '"a\\ud83d"'


@pytest.mark.parametrize(
    "fault",
    [Fault.rate_limited(0), Fault.rate_limited(None), Fault.server_error(500), Fault.server_error(503), Fault.cut()],
    ids=lambda fault: f"{fault.name} {fault.status}",
)
async def test_a_passing_failure_of_the_server_is_tried_again(
    server: ModelServer, runtime: Runtime[ReaderContext], fault: Fault
) -> None:
    server.faults.extend([fault] * 8)
    meter = metered(runtime)
    assert await ask_text(runtime, PROMPT) == "There are seven."
    assert server.calls == 9
    assert meter.used["calls"] == 1


@pytest.mark.parametrize(("seconds", "least", "most"), [(0, 1, 1), (10, 3, 5), (300, 15, 30)])
async def test_a_call_is_made_again_for_a_time(
    server: ModelServer, runtime: Runtime[ReaderContext], hurried: Hurried, seconds: float, least: int, most: int
) -> None:
    server.fault_for = lambda request, call: Fault.server_error()
    with pytest.raises(ModelUnavailable, match=r"failed .*\(500\)"):
        await ask_text(with_context(runtime, retry_seconds=seconds), PROMPT)
    assert least <= server.calls <= most
    assert sum(hurried.pauses) <= seconds


async def test_what_never_was_a_server_is_reported_soon(
    server: ModelServer, runtime: Runtime[ReaderContext], hurried: Hurried
) -> None:
    server.fault_for = lambda request, call: Fault.foreign("<html>Welcome!</html>")
    with pytest.raises(ModelUnavailable, match="doesn't speak its provider's protocol"):
        await ask_text(runtime, PROMPT)
    assert server.calls == 12 and sum(hurried.pauses) <= 12
    server.fault_for = None
    await ask_text(runtime, PROMPT)
    server.fault_for = lambda request, call: Fault.foreign("<html>Maintenance</html>")
    with pytest.raises(ModelUnavailable, match="sent no usable reply"):
        await ask_text(with_context(runtime, sample=1), PROMPT)
    assert sum(hurried.pauses) > 200, "one that has answered is waited for"


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        *[("1", 1), ("0", 0), ("2.5", 2.5), ("-5", 0), ("3600", 60), ("inf", 60), ("1e400", 60), ("nan", 0)],
        *[("soon", 0), ("", 0), (format_datetime(datetime(2001, 1, 1, tzinfo=UTC), usegmt=True), 0)],
        *[("Fri, 31 Dec 9999 23:59:59 GMT", 60), ("Fri, 31 Dec 9999 23:59:59 -0000", 60), ("Fri, 99 Dec 9999", 0)],
    ],
)
async def test_the_pause_that_a_server_asks_for_is_bounded(
    server: ModelServer, runtime: Runtime[ReaderContext], hurried: Hurried, asked: str, seconds: float
) -> None:
    assert retry_after_seconds({"retry-after": asked}) == seconds
    server.faults.append(Fault.rate_limited(asked))
    assert await ask_text(runtime, PROMPT) == "There are seven."
    assert max(seconds, 0.5) <= hurried.pauses[0] <= max(seconds, 1.0)


def test_a_date_is_a_pause_until_then() -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert math.isclose(retry_after_seconds({"retry-after": at}), 29, abs_tol=2)


async def test_a_server_that_throttles_is_asked_by_no_call_meanwhile(
    server: ModelServer, runtime: Runtime[ReaderContext], hurried: Hurried
) -> None:
    begun: list[float] = []

    def throttled(request: ChatRequest, call: int) -> Fault | None:
        begun.append(hurried.now())
        return Fault.rate_limited(30) if call == 1 else None

    server.fault_for = throttled
    prompts = [replace(PROMPT, user=f"How many lamps in house {number}?") for number in range(6)]
    await asyncio.gather(*(ask_text(with_context(runtime, concurrency=2), prompt) for prompt in prompts))
    assert sorted(begun)[2] - begun[0] >= 29, "only the call beside the first was in flight already"


@pytest.mark.parametrize("fault", [Fault.hang(), Fault.dripping(0.05)], ids=lambda fault: fault.name)
@pytest.mark.slow
async def test_a_call_that_takes_too_long_is_made_again(
    server: ModelServer, runtime: Runtime[ReaderContext], fault: Fault
) -> None:
    server.faults.append(fault)
    assert await ask_text(with_context(runtime, timeout=0.4), PROMPT) == "There are seven."
    assert server.calls == 2


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_response_that_would_fill_the_memory_is_broken_off(
    server: ModelServer, runtime: Runtime[ReaderContext], streaming: bool
) -> None:
    runtime = with_context(runtime, max_reply_mb=1)
    (await model_client(runtime.context)).chat.streaming = streaming  # type: ignore[attr-defined]
    said = piece({"role": "assistant", "content": "Eight."})
    said["choices"][0] |= {"message": {"role": "assistant", "content": "Eight."}, "finish_reason": "stop"}
    filled = " " * 1_000_000
    text = f"data: {json.dumps(said)}\n\n{filled}\n\ndata: [DONE]\n\n" if streaming else json.dumps(said) + filled
    server.faults.append(Fault.foreign(text))
    assert await ask_text(runtime, PROMPT) == "There are seven." and server.calls == 2
    server.faults += [Fault.foreign(text)] * 3
    with pytest.raises(ModelUnavailable, match=r"more than 1 MB 3 times in a row.*raise the limit with --max-reply-mb"):
        await ask_text(with_context(runtime, sample=1), PROMPT)


async def test_a_dripping_stream_takes_too_long(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    client = await model_client(with_context(runtime, timeout=0.4, retry_seconds=0).context)
    client.chat.streaming = True  # type: ignore[attr-defined]
    server.faults.append(Fault.dripping(0.05))
    with pytest.raises(ModelUnavailable, match="did not answer in time"):
        await ask_text(with_context(runtime, timeout=0.4, retry_seconds=0), PROMPT)


def piece(delta: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}], **more}


STREAMED = {
    "half a character": [piece({"role": "assistant", "content": "There"}), piece({"content": "\ud83d"})],
    "null delta": [piece(None)],
    "null choices": [{"choices": None}],
    "a number": [piece({"role": "assistant", "content": 7})],
    "an error": [{"error": {"message": "overloaded"}}],
    "nothing": list[dict[str, Any]](),
}


async def test_a_damaged_stream_is_asked_for_again(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    (await model_client(runtime.context)).chat.streaming = True  # type: ignore[attr-defined]
    for number, (name, pieces) in enumerate(STREAMED.items()):
        server.reset()
        events = "".join(f"data: {json.dumps(each)}\n\n" for each in pieces) + "data: [DONE]\n\n"
        server.faults.append(Fault.foreign(events))
        assert await ask_text(with_context(runtime, sample=number), PROMPT) == "There are seven.", name
        assert server.calls == 2, name


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
async def test_a_streams_odd_usage_spoils_nothing(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    (await model_client(runtime.context)).chat.streaming = True  # type: ignore[attr-defined]
    odd = piece({"role": "assistant", "content": "Seven."}, usage={"prompt_tokens": "5", "completion_tokens": -3})
    server.faults.append(Fault.foreign(f"data: {json.dumps(odd)}\n\ndata: [DONE]\n\n"))
    meter = metered(runtime)
    assert await ask_text(runtime, PROMPT) == "Seven." and meter.used["input_tokens"] == 0


def called_in_pieces(*arguments: Any, name: str = "Count") -> str:
    """A streamed function call, by the pieces of its arguments; none: the piece lacks them. Another call follows."""
    opening = {"index": 0, "id": "call_1", "type": "function", "function": {"name": name}}
    calls = [opening, *({"index": 0, "function": {"arguments": each}} for each in arguments)]
    other = {"index": 1, "id": "call_2", "function": {"name": name, "arguments": '{"count": 9}'}}
    pieces = [piece({"role": "assistant", "content": None, "tool_calls": [call]}) for call in [*calls, other]]
    return "".join(f"data: {json.dumps(each)}\n\n" for each in pieces) + "data: [DONE]\n\n"


async def test_a_streamed_call_is_taken_together(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    runtime = with_context(runtime, reply_form="function")
    (await model_client(runtime.context)).chat.streaming = True  # type: ignore[attr-defined]
    assert (await ask_reply(runtime, PROMPT, Count)).count == 7  # as the double streams it
    server.faults.append(Fault.foreign(called_in_pieces(None, '{"count"', ": 5}")))
    assert (await ask_reply(with_context(runtime, sample=1), PROMPT, Count)).count == 5
    nonsense = ["{" * 30] * 900  # LangChain's own parsing, from the beginning at each piece, took minutes
    server.faults.append(Fault.foreign(called_in_pieces(*nonsense)))
    began = time.process_time()
    assert (await ask_reply(with_context(runtime, sample=2), PROMPT, Count)).count == 7
    assert server.calls == 4 and time.process_time() - began < 3


def refuse_house_3(request: ChatRequest, call: int) -> Fault | None:
    return Fault("bad prompt", status=400) if "house 3" in request.text else None


def refuse_the_schema_of_house_3(request: ChatRequest, call: int) -> Fault | None:
    return refuse_house_3(request, call) if request.schema else None


@pytest.mark.parametrize("refuse", [refuse_house_3, refuse_the_schema_of_house_3], ids=["prompt", "schema"])
async def test_one_refused_request_degrades_no_other(
    server: ModelServer, runtime: Runtime[ReaderContext], refuse: Callable[[ChatRequest, int], Fault | None]
) -> None:
    houses = [replace(PROMPT, user=f"How many lamps in house {number}?") for number in range(6)]
    await ask_reply(runtime, houses[0], Count)
    server.fault_for = refuse
    outcomes = await asyncio.gather(*(ask_reply(runtime, house, Count) for house in houses), return_exceptions=True)
    good = [outcome for outcome in outcomes if isinstance(outcome, Count)]
    assert len(good) == (5 if refuse is refuse_house_3 else 6)
    assert all(request.schema for request in server.requests if "house 3" not in request.text)


@pytest.mark.parametrize("words", ["context_length_exceeded", "Your prompt is too long.", "ContextWindowExceededError"])
async def test_a_server_may_say_in_words_that_a_prompt_is_too_long(
    server: ModelServer, runtime: Runtime[ReaderContext], words: str
) -> None:
    server.fault_for = lambda request, number: Fault(words, status=400)
    with pytest.raises(ModelUnavailable, match="A prompt is too long for 'openai:double'"):
        await ask_reply(runtime, PROMPT, Count)
    assert server.calls == 1


async def test_a_prompt_that_is_refused_first_leaves_the_form(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    server.fault_for = refuse_house_3
    with pytest.raises(ModelUnavailable, match=r"refused a request to 'openai:double' as invalid \(400\)"):
        await ask_reply(runtime, replace(PROMPT, user="How many lamps in house 3?"), Count)
    await ask_reply(runtime, PROMPT, Count)
    assert server.requests[-1].schema


SPEAKING = {
    "401": Fault(f"Incorrect API key provided: {SECRET}", status=401),
    "400": Fault(f"Incorrect API key provided: {SECRET}", status=400),
    "500": Fault(f"Incorrect API key provided: {SECRET}", status=500),
    "a web page": Fault.foreign(f"<html>{SECRET}</html>"),
    "an error": Fault.foreign(f'{{"error": {{"message": "{SECRET}"}}}}'),
    "a number": Fault.foreign(
        f'{{"choices": [{{"message": {{"role": "assistant", "content": {{"a": "{SECRET}"}}}}}}]}}'
    ),
}


@pytest.mark.parametrize("name", SPEAKING)
@pytest.mark.parametrize("streaming", [False, True])
async def test_the_servers_words_are_in_no_traceback(
    server: ModelServer, runtime: Runtime[ReaderContext], name: str, streaming: bool
) -> None:
    (await model_client(runtime.context)).chat.streaming = streaming  # type: ignore[attr-defined]
    server.fault_for = lambda request, call: SPEAKING[name]
    with pytest.raises(ModelUnavailable) as raised:
        await ask_text(runtime, PROMPT)
    told = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
    assert SECRET not in "".join(traceback.format_exception(raised.value)) + str(raised.value)
    assert SECRET not in "".join(told.format())
    assert raised.value.__cause__ is None and raised.value.__context__ is None


async def test_credit_that_is_used_up_is_not_waited_for(server: ModelServer, runtime: Runtime[ReaderContext]) -> None:
    spent = '{"error": {"message": "no credit", "type": "insufficient_quota", "code": "insufficient_quota"}}'
    server.fault_for = lambda request, call: Fault("no credit", status=429, body=spent)
    with pytest.raises(ModelUnavailable, match="check your credit"):
        await ask_text(runtime, PROMPT)
    assert server.calls == 1
