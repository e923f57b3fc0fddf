"""How replies end: only what ended as whole replies do is used, whatever its server calls that, whole or streamed."""

import gzip
import json
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.client import model_client
from readgraph.models.reply import fold_ending
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from tests.doubles.model_server import Fault, ModelServer
from tests.models.test_asking import PROMPT, Count, metered, seven, with_context
from tests.models.transport.test_transport import piece

WHOLE = (
    "stop",
    "STOP",
    "stop_sequence",
    "end_turn",
    "eos",
    "eos_token",
    "eosFound",
    "COMPLETE",
    "tool_calls",
    "stopstop",
)
BROKEN = (
    "error",
    "abort",
    "cancelled",
    "timeout",
    "network_error",
    "insufficient_system_resource",
    "MALFORMED_X",
    "load",
)
BLOCKED = ("content_filter", "SAFETY", "refusal", "sensitive", "guardrail_intervened")


@pytest.fixture
def server(server: ModelServer) -> ModelServer:
    """The double, whose answer is seven."""
    server.respond = seven
    return server


@pytest.fixture
def runtime() -> Runtime[ReaderContext]:
    return Runtime(context=ReaderContext(model="openai:double"), store=InMemoryStore())


def ended(**choice: Any) -> Fault:
    """A reply of which the first half came, in a choice with these fields."""

    def change(whole: dict[str, Any]) -> None:
        said = whole["choices"][0]["message"]
        holder = said["tool_calls"][0]["function"] if said.get("tool_calls") else said
        name = "arguments" if said.get("tool_calls") else "content"
        holder[name] = holder[name][: len(holder[name]) // 2]
        whole["choices"][0] |= choice

    return Fault.changed(change)


NOT_WHOLE = {
    **{f"ended by {name}": ended(finish_reason=name) for name in (*BROKEN, *BLOCKED)},
    "a native error": ended(finish_reason="stop", native_finish_reason="MALFORMED_FUNCTION_CALL"),
    "a native limit": ended(finish_reason="stop", native_finish_reason="MAX_TOKENS"),
    "an error beside": ended(finish_reason="stop", error={"code": 502, "message": "upstream"}),
    "a limit that it stopped at": ended(finish_reason="stop", stop_reason="max_tokens"),
    "a limit alone": ended(finish_reason=None, stop_reason="max_tokens"),
    "length": ended(finish_reason="length"),
}


@pytest.mark.parametrize("form", ["note", "json_schema", "function", "text"])
async def test_what_did_not_end_well_is_asked_for_again_and_never_repaired(
    server: ModelServer, runtime: Runtime[ReaderContext], form: Any
) -> None:
    unsaid = {"ended by nothing": ended(finish_reason=None), "ended by an empty word": ended(finish_reason="")}
    for number, (name, fault) in enumerate({**NOT_WHOLE, **({} if form == "note" else unsaid)}.items()):
        server.reset()
        server.faults.append(fault)
        meter = metered(runtime)
        changed = with_context(runtime, sample=number, reply_form="auto" if form == "note" else form)
        if form == "note":
            assert await ask_text(changed, PROMPT) == "There are seven.", name
        else:
            assert (await ask_reply(changed, PROMPT, Count)).count == 7, name
        assert (server.calls, meter.used["refused"]) == (2, 1), name


async def test_where_every_reply_is_broken_off_there_is_none(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    server.fault_for = lambda request, call: ended(finish_reason="error")
    for asked in (ask_text(runtime, PROMPT), ask_reply(runtime, PROMPT, Count)):
        with pytest.raises(NoUsableReply, match="broken off by its server"):
            await asked
    assert server.calls == 6


@pytest.mark.parametrize("name", WHOLE)
async def test_a_whole_reply_may_end_by_any_good_name(
    server: ModelServer, runtime: Runtime[ReaderContext], name: str
) -> None:
    server.faults += [Fault.changed(lambda whole: whole["choices"][0].update(finish_reason=name))] * 2
    assert await ask_text(runtime, PROMPT) == "There are seven."
    assert (await ask_reply(runtime, PROMPT, Count)).count == 7 and server.calls == 2


async def test_a_note_without_an_ending_counts_only_where_its_server_never_names_one(
    server: ModelServer, runtime: Runtime[ReaderContext]
) -> None:
    server.faults += [ended(finish_reason=None), Fault.passing(), ended(finish_reason=None)]
    assert await ask_text(runtime, PROMPT) == "There ar"
    assert await ask_text(with_context(runtime, sample=1), PROMPT) == "There are seven."
    assert await ask_text(with_context(runtime, sample=2), PROMPT) == "There are seven."
    assert server.calls == 4


def events(*pieces: Any, end: str = "", kind: str = "text/event-stream") -> Fault:
    body = "".join(f"data: {json.dumps(each)}\n\n" for each in pieces) + end
    return Fault("streamed", body=body, media_type=kind)


def reasoned(said: dict[str, Any], reason: str) -> dict[str, Any]:
    return {**said, "choices": [{**choice, "finish_reason": reason} for choice in said["choices"]]}


SAID = [piece({"role": "assistant", "content": "There are "}), piece({"content": "seven."})]
LAST = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
LIMIT = {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}
NATIVE = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "native_finish_reason": "MAX_TOKENS"}]}
DONE = "data: [DONE]\n\n"
STREAMS = {
    "neither a reason nor its end": (events(*SAID), 2),
    "a reason of an error": (
        events(*SAID, {"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}, end=DONE),
        2,
    ),
    "a limit, and a reason": (events(*SAID, LIMIT, LAST, end=DONE), 2),
    "a reason, and a limit": (events(*SAID, LAST, LIMIT, end=DONE), 2),
    "a native limit": (events(*SAID, NATIVE, end=DONE), 2),
    "an error in plain words": (events(*SAID, {"detail": "it failed"}, end=""), 2),
    "a line of an error": (events(*SAID, end='error: {"code": 500}\n\n'), 2),
    "an event of an error": (events(*SAID, end="event: error\ndata: it failed\n\n"), 2),
    "an end amid a line": (events(*SAID, end='data: {"choices": [{"del'), 2),
    "an empty reason in each piece": (events(*(reasoned(each, "") for each in SAID), LAST, end=DONE), 1),
    "its reason in each piece": (events(*(reasoned(each, "stop") for each in SAID), end=DONE), 1),
    "a reason and no piece": (events(*SAID, {"choices": [{"delta": None, "finish_reason": "stop"}]}), 1),
    "a reason alone": (events(*SAID, LAST), 1),
    "its end alone": (events(*SAID, end=DONE), 1),
    "both": (events(*SAID, LAST, end=DONE), 1),
    "an error amid": (events(SAID[0], {"error": {"message": "overloaded", "code": 503}}), 2),
    "comments between": (
        Fault("streamed", body=f": wait\n\n{events(*SAID, LAST, end=DONE).body!s}", media_type="text/event-stream"),
        1,
    ),
}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("streaming", [True, False], ids=["asked for", "not asked for"])
async def test_a_stream_counts_if_it_came_to_its_end(
    server: ModelServer, runtime: Runtime[ReaderContext], name: str, streaming: bool
) -> None:
    (await model_client(runtime.context)).chat.streaming = streaming  # type: ignore[attr-defined]
    fault, calls = STREAMS[name]
    server.faults.append(fault)
    assert await ask_text(runtime, PROMPT) == "There are seven."
    assert server.calls == calls


COMPLETION = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Eight."}, "finish_reason": "stop"}]}
ODD = {
    "one event": events(COMPLETION),
    "one event and its end": events(COMPLETION, end=DONE),
    "JSON and an end": Fault("odd", body=json.dumps(COMPLETION) + "\n\n[DONE]"),
    "another type": Fault("odd", body=json.dumps(COMPLETION), media_type="text/plain"),
    "a mark of byte order": Fault("odd", body="\ufeff" + json.dumps(COMPLETION)),
    "blank lines first": Fault("odd", body="\n\n  " + json.dumps(COMPLETION)),
    "packed unasked": Fault("odd", body=gzip.compress(json.dumps(COMPLETION).encode())),
    "content as an object": Fault(
        "odd", body=json.dumps(COMPLETION).replace('"Eight."', '{"type": "text", "text": "Eight."}')
    ),
    "content as parts": Fault(
        "odd", body=json.dumps(COMPLETION).replace('"Eight."', '[{"type": "text", "text": "Eight."}]')
    ),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("streaming", [True, False])
async def test_a_whole_reply_in_an_odd_form_is_understood(
    server: ModelServer, runtime: Runtime[ReaderContext], name: str, streaming: bool
) -> None:
    (await model_client(runtime.context)).chat.streaming = streaming and name != "another type"  # type: ignore[attr-defined]
    server.faults.append(ODD[name])
    assert await ask_text(runtime, PROMPT) == "Eight." and server.calls == 1


def test_endings_are_folded() -> None:
    assert {fold_ending(name) for name in ("STOP_SEQUENCE", "stopSequence", "stop-sequence")} == {"stopsequence"}
    assert fold_ending("FINISH_REASON_STOP") == "stop" and fold_ending("") == ""


@pytest.mark.parametrize("part", ["message", "delta"])
async def test_a_function_call_in_the_older_field_is_read(
    server: ModelServer, runtime: Runtime[ReaderContext], part: str
) -> None:
    changed = with_context(runtime, reply_form="function")
    (await model_client(changed.context)).chat.streaming = part == "delta"  # type: ignore[attr-defined]
    call = {"name": "Count", "arguments": '{"count": 8}'}
    message = {"role": "assistant", "content": None, "function_call": call}
    said = {"choices": [{"index": 0, part: message, "finish_reason": "function_call"}]}
    server.faults.append(events(said, end=DONE) if part == "delta" else Fault("odd", body=json.dumps(said)))
    assert (await ask_reply(changed, PROMPT, Count)).count == 8 and server.calls == 1
