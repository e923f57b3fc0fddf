"""A server that fails, throttles, drips or sends nonsense: the call is made again for a time, or told in one line."""

import asyncio
import json
import math
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from readgraph.cli.terminal.safe_text import escape_json, visible
from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.client import model_client
from readgraph.models.failures.failure import retry_after_seconds
from readgraph.models.waiting import use_clock
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent, ModelUnavailable, NoUsableReply
from tests.doubles.hurried import Hurried, Unhurried
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.models.test_asking import PROMPT, Count, assert_seven, houses, metered, with_context
from tests.support.command import SECRET
from tests.support.some_methods import mostly_slow

pytestmark = pytest.mark.usefixtures("says_seven")
FORMS = ("json_schema", "function", "text", "plain")


def message(**changed: Any) -> Fault:
    return Fault.changed(lambda whole: whole["choices"][0]["message"].update(changed))


def calls_in(whole: dict[str, Any]) -> list[dict[str, Any]]:
    return [call["function"] for call in whole["choices"][0]["message"].get("tool_calls") or []]


def called(**changed: Any) -> Fault:
    """A function call, where one was made, that is changed."""

    def change(whole: dict[str, Any]) -> None:
        for call in calls_in(whole):
            call.update(changed)

    return Fault.changed(change)


def arguments_as_object(whole: dict[str, Any]) -> None:
    for call in calls_in(whole):
        call["arguments"] = json.loads(call["arguments"])


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
async def test_a_damaged_reply_is_asked_for_again(server: ModelServer, runtime: ReaderRuntime, form: Any) -> None:
    meter = metered(runtime)
    uncounted = Fault.changed(lambda whole: whole.update(choices=None, usage=None))
    for number, (name, fault) in enumerate({**DAMAGED, "choices without tokens": uncounted}.items()):
        server.reset()
        server.faults += [fault] * 5
        await assert_seven(runtime, form, name, sample=number)
        assert server.calls == 6, name
    assert (meter.used["calls"], meter.used["refused"]) == (len(DAMAGED) + 1, 0)


@pytest.mark.parametrize("form", ["note", *FORMS])
async def test_a_reply_that_a_server_spoilt_is_paid(server: ModelServer, runtime: ReaderRuntime, form: Any) -> None:
    for number, (name, fault) in enumerate(FLAWED.items()):
        server.reset()
        server.faults.append(fault)
        meter = metered(runtime)
        for again in range(2):
            await assert_seven(runtime, form, name, sample=number)
            assert server.calls == meter.used["calls"] == 2, name
            assert (meter.used["refused"], meter.used["cached_calls"]) == (1 + again, 2 * again), name
        first, second = server.requests
        assert first.key == second.key, "the model is not told of what its server did"
        assert meter.used["input_tokens"] == 2 * len(first.text.split()), name


@pytest.mark.parametrize(
    ("name", "most", "line"),
    [("withheld", 2, "withheld by its server"), ("null choices", 3, "damaged"), ("half a character", 2, "")],
)
async def test_no_bound_is_passed_where_a_server_spoils_every_reply(
    server: ModelServer, runtime: ReaderRuntime, name: str, most: int, line: str
) -> None:
    server.fault_for = lambda request, call: FLAWED[name]
    meter = metered(runtime)
    for _ in range(2):
        if line:
            with pytest.raises(NoUsableReply, match=line):
                await ask_text(runtime, PROMPT)
        else:
            assert await ask_text(runtime, PROMPT) == "There are seven.\ufffd", "half a character is never kept"
    assert server.calls == meter.used["calls"] == meter.used["cached_calls"] == most
    metered(bounded := with_context(runtime, sample=1, max_calls=1))
    with pytest.raises(BudgetSpent):
        await ask_text(bounded, PROMPT)
    assert server.calls == most + 1


@pytest.mark.parametrize("form", FORMS)
async def test_oddities_beside_the_reply_spoil_nothing(server: ModelServer, runtime: ReaderRuntime, form: Any) -> None:
    for number, (name, fault) in enumerate(USABLE.items()):
        server.reset()
        server.faults.append(fault)
        meter = metered(runtime)
        await assert_seven(runtime, form, name, sample=number)
        assert server.calls == 1 and (meter.used["input_tokens"] == 0) == ("usage" in name), name


@pytest.mark.parametrize("arguments", ["[1, 2]", "5", "null", None, [7], 5])
async def test_arguments_that_are_no_object_are_asked_for_again_and_then_refused(
    server: ModelServer, runtime: ReaderRuntime, arguments: Any
) -> None:
    server.faults += [called(arguments=arguments)] * 2
    meter = metered(runtime)
    await assert_seven(runtime, "function")
    assert (server.calls, meter.used["calls"], meter.used["refused"]) == (3, 3, 2)
    assert ["can't be used" in request.last for request in server.requests] == [False, False, True]


def test_half_a_character_is_shown_as_a_sign_and_escaped_in_json() -> None:
    assert visible("a\ud83d") == "a\ufffd" and escape_json(json.dumps("a\ud83d", ensure_ascii=False)) == '"a\\ud83d"'


@pytest.mark.parametrize(
    "fault",
    [Fault.rate_limited(0), Fault.rate_limited(None), Fault.server_error(500), Fault.server_error(503), Fault.cut()],
    ids=lambda fault: f"{fault.name} {fault.status}",
)
async def test_a_passing_failure_is_tried_again(server: ModelServer, runtime: ReaderRuntime, fault: Fault) -> None:
    server.faults.extend([fault] * 8)
    meter = metered(runtime)
    await assert_seven(runtime)
    assert (server.calls, meter.used["calls"]) == (9, 1)


@pytest.mark.parametrize(("seconds", "least", "most"), [(0, 1, 1), (10, 3, 5), (300, 15, 30)])
async def test_a_call_is_made_again_for_a_time(
    server: ModelServer, runtime: ReaderRuntime, hurried: Hurried, seconds: float, least: int, most: int
) -> None:
    server.fault_for = lambda request, call: Fault.server_error()
    with pytest.raises(ModelUnavailable, match=r"failed .*\(500\)"):
        await ask_text(with_context(runtime, retry_seconds=seconds), PROMPT)
    assert least <= server.calls <= most
    assert sum(hurried.pauses) <= seconds


async def test_what_is_no_server_is_told_soon(server: ModelServer, runtime: ReaderRuntime, hurried: Hurried) -> None:
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
    server: ModelServer, runtime: ReaderRuntime, hurried: Hurried, asked: str, seconds: float
) -> None:
    assert retry_after_seconds({"retry-after": asked}) == seconds
    server.faults.append(Fault.rate_limited(asked))
    await assert_seven(runtime)
    assert max(seconds, 0.5) <= hurried.pauses[0] <= max(seconds, 1.0)


def test_a_date_is_a_pause_until_then() -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert math.isclose(retry_after_seconds({"retry-after": at}), 29, abs_tol=2)


async def test_while_it_throttles_no_call_is_made(server: ModelServer, runtime: ReaderRuntime) -> None:
    begun: list[float] = []

    def throttled(request: ChatRequest, call: int) -> Fault | None:
        begun.append(clock.now())
        return Fault.rate_limited(30) if call == 1 else None

    server.fault_for = throttled
    runtime = with_context(runtime, concurrency=2)
    with use_clock(clock := Unhurried()):
        await asyncio.gather(*(ask_text(runtime, house) for house in houses(6)))
    assert sorted(begun)[2] - begun[0] >= 29, "only the call beside the first was in flight already"


@pytest.mark.parametrize("fault", [Fault.hang(), Fault.dripping(0.05)], ids=lambda fault: fault.name)
@pytest.mark.slow
async def test_a_slow_call_is_made_again(server: ModelServer, runtime: ReaderRuntime, fault: Fault) -> None:
    server.faults.append(fault)
    await assert_seven(runtime, timeout=0.4)
    assert server.calls == 2


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_giant_response_is_broken_off(server: ModelServer, runtime: ReaderRuntime, streaming: bool) -> None:
    await set_streaming(runtime := with_context(runtime, max_reply_mb=1), streaming)
    said = piece({"role": "assistant", "content": "Eight."})
    said["choices"][0] |= {"message": {"role": "assistant", "content": "Eight."}, "finish_reason": "stop"}
    filled = " " * 1_000_000
    text = f"data: {json.dumps(said)}\n\n{filled}\n\ndata: [DONE]\n\n" if streaming else json.dumps(said) + filled
    server.faults.append(Fault.foreign(text))
    await assert_seven(runtime)
    assert server.calls == 2
    server.faults += [Fault.foreign(text)] * 3
    with pytest.raises(ModelUnavailable, match=r"more than 1 MB 3 times in a row.*raise the limit with --max-reply-mb"):
        await ask_text(with_context(runtime, sample=1), PROMPT)


async def test_a_dripping_stream_takes_too_long(server: ModelServer, runtime: ReaderRuntime) -> None:
    await set_streaming(runtime := with_context(runtime, timeout=0.4, retry_seconds=0))
    server.faults.append(Fault.dripping(0.05))
    with pytest.raises(ModelUnavailable, match="did not answer in time"):
        await ask_text(runtime, PROMPT)


async def set_streaming(runtime: ReaderRuntime, streaming: bool = True) -> None:
    """Let the run's client ask for streams, or not."""
    (await model_client(runtime.context)).chat.streaming = streaming  # type: ignore[attr-defined]


def piece(delta: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}], **more}


STREAM = "text/event-stream"


def events(*pieces: Any, end: str = "data: [DONE]\n\n", kind: str = STREAM) -> Fault:
    """A stream of these pieces, in a response of this kind."""
    body = "".join(f"data: {json.dumps(each)}\n\n" for each in pieces) + end
    return Fault("streamed", body=body, media_type=kind)


STREAMED = {
    "half a character": [piece({"role": "assistant", "content": "There"}), piece({"content": "\ud83d"})],
    "null delta": [piece(None)],
    "null choices": [{"choices": None}],
    "a number": [piece({"role": "assistant", "content": 7})],
    "an error": [{"error": {"message": "overloaded"}}],
    "nothing": list[dict[str, Any]](),
}


@pytest.mark.parametrize("kind", [STREAM, "application/json"])
async def test_a_damaged_stream_is_asked_for_again(server: ModelServer, runtime: ReaderRuntime, kind: str) -> None:
    await set_streaming(runtime)
    for number, (name, pieces) in enumerate(STREAMED.items()):
        server.reset()
        server.faults.append(events(*pieces, kind=kind))
        await assert_seven(runtime, "note", name, sample=number)
        assert server.calls == 2, name


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
async def test_a_streams_odd_usage_spoils_nothing(server: ModelServer, runtime: ReaderRuntime) -> None:
    await set_streaming(runtime)
    odd = piece({"role": "assistant", "content": "Seven."}, usage={"prompt_tokens": "5", "completion_tokens": -3})
    server.faults.append(events(odd))
    meter = metered(runtime)
    assert await ask_text(runtime, PROMPT) == "Seven." and meter.used["input_tokens"] == 0


def called_in_pieces(kind: str, *arguments: Any) -> Fault:
    """A streamed function call, by the pieces of its arguments; none: the piece lacks them. Another call follows."""
    opening = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "Count"}}
    calls = [opening, *({"index": 0, "function": {"arguments": each}} for each in arguments)]
    calls.append({"index": 1, "id": "call_2", "function": {"name": "Count", "arguments": '{"count": 9}'}})
    return events(*(piece({"role": "assistant", "content": None, "tool_calls": [call]}) for call in calls), kind=kind)


@pytest.mark.parametrize("kind", [STREAM, "application/json"])
async def test_a_streamed_call_is_taken_together(server: ModelServer, runtime: ReaderRuntime, kind: str) -> None:
    await set_streaming(runtime := with_context(runtime, reply_form="function"))
    assert (await ask_reply(runtime, PROMPT, Count)).count == 7  # as the double streams it
    server.faults.append(called_in_pieces(kind, None, '{"count"', ": 5}"))
    assert (await ask_reply(with_context(runtime, sample=1), PROMPT, Count)).count == 5
    nonsense = ["{" * 30] * 900  # LangChain's own parsing, from the beginning at each piece, took minutes
    server.faults.append(called_in_pieces(kind, *nonsense))
    began = time.process_time()
    assert (await ask_reply(with_context(runtime, sample=2), PROMPT, Count)).count == 7
    assert server.calls == 4 and time.process_time() - began < 3


def refuse_house_3(request: ChatRequest, call: int) -> Fault | None:
    return Fault("bad prompt", status=400) if "house 3" in request.text else None


def refuse_the_schema_of_house_3(request: ChatRequest, call: int) -> Fault | None:
    return refuse_house_3(request, call) if request.schema else None


@pytest.mark.parametrize(("refuse", "replies"), [(refuse_house_3, 5), (refuse_the_schema_of_house_3, 6)])
async def test_one_refused_request_degrades_no_other(
    server: ModelServer, runtime: ReaderRuntime, refuse: Callable[[ChatRequest, int], Fault | None], replies: int
) -> None:
    await ask_reply(runtime, houses(1)[0], Count)
    server.fault_for = refuse
    outcomes = await asyncio.gather(*(ask_reply(runtime, each, Count) for each in houses(6)), return_exceptions=True)
    assert sum(isinstance(outcome, Count) for outcome in outcomes) == replies
    assert all(request.schema for request in server.requests if "house 3" not in request.text)


async def test_a_prompt_that_is_refused_first_leaves_the_form(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.fault_for = refuse_house_3
    with pytest.raises(ModelUnavailable, match=r"refused a request to 'openai:double' as invalid \(400\)"):
        await ask_reply(runtime, houses(4)[3], Count)
    await ask_reply(runtime, PROMPT, Count)
    assert server.requests[-1].schema


SPEAKING = {
    **{str(status): Fault(f"Incorrect API key provided: {SECRET}", status=status) for status in (401, 400, 500)},
    "a web page": Fault.foreign(f"<html>{SECRET}</html>"),
    "an error": Fault.foreign(f'{{"error": {{"message": "{SECRET}"}}}}'),
    "an object": Fault.foreign(json.dumps({"choices": [{"message": {"role": "assistant", "content": {"a": SECRET}}}]})),
}


@pytest.mark.parametrize("name", mostly_slow(SPEAKING, ["401", "a web page", "an object"]))
@pytest.mark.parametrize("streaming", [False, True])
async def test_tracebacks_are_silent(server: ModelServer, runtime: ReaderRuntime, name: str, streaming: bool) -> None:
    await set_streaming(runtime, streaming)
    server.fault_for = lambda request, call: SPEAKING[name]
    with pytest.raises(ModelUnavailable) as raised:
        await ask_text(runtime, PROMPT)
    told = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
    assert SECRET not in "".join(traceback.format_exception(raised.value)) + str(raised.value)
    assert SECRET not in "".join(told.format())
    assert raised.value.__cause__ is None and raised.value.__context__ is None


async def test_later_requests_differ_from_the_first_in_body_and_cookies_only(server: ModelServer) -> None:
    client = await model_client(ReaderContext(model="openai:double"))
    cookies, words = client.chat.http_async_client.cookies, ("first", "second, é", "third", "fourth")  # type: ignore[attr-defined]
    for text in words:
        await client.chat.ainvoke(text)
        cookies.set("place", "2") if text == words[1] else cookies.clear()
    assert tuple(request.last for request in server.requests) == words
    assert [request.headers.get("cookie") for request in server.requests] == [None, None, "place=2", None]
    first, *others = (
        {name: value for name, value in request.headers.items() if name not in ("content-length", "cookie")}
        for request in server.requests
    )
    assert all(other == first for other in others)
