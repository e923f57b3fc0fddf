"""How replies end: only what ended as whole replies do is used, whatever its server calls that, whole or streamed."""

import gzip
import json
from typing import Any

import pytest

from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.reply import fold_ending
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.errors import NoUsableReply
from tests.doubles.model_server import Fault, ModelServer
from tests.models.test_asking import PROMPT, Count, assert_seven, metered, with_context
from tests.models.transport.test_transport import events, piece, set_streaming

pytestmark = pytest.mark.usefixtures("says_seven")

WHOLE = "stop STOP stop_sequence end_turn eos eos_token eosFound COMPLETE tool_calls stopstop".split()
BROKEN = "error abort cancelled timeout network_error insufficient_system_resource MALFORMED_X load".split()
BLOCKED = "content_filter SAFETY refusal sensitive guardrail_intervened".split()


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
async def test_what_did_not_end_well_is_asked_again(server: ModelServer, runtime: ReaderRuntime, form: Any) -> None:
    unsaid = {"ended by nothing": ended(finish_reason=None), "ended by an empty word": ended(finish_reason="")}
    for number, (name, fault) in enumerate({**NOT_WHOLE, **({} if form == "note" else unsaid)}.items()):
        server.reset()
        server.faults.append(fault)
        meter = metered(runtime)
        await assert_seven(runtime, form, name, sample=number)
        assert (server.calls, meter.used["refused"]) == (2, 1), name


async def test_where_every_reply_is_broken_off_there_is_none(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.fault_for = lambda request, call: ended(finish_reason="error")
    for asked in (ask_text(runtime, PROMPT), ask_reply(runtime, PROMPT, Count)):
        with pytest.raises(NoUsableReply, match="broken off by its server"):
            await asked
    assert server.calls == 6


@pytest.mark.parametrize("name", WHOLE)
async def test_a_whole_reply_may_end_by_any_good_name(server: ModelServer, runtime: ReaderRuntime, name: str) -> None:
    server.faults += [Fault.changed(lambda whole: whole["choices"][0].update(finish_reason=name))] * 2
    await assert_seven(runtime)
    await assert_seven(runtime, "auto")
    assert server.calls == 2


async def test_a_note_without_ending_counts_where_none_is_named(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.faults += [ended(finish_reason=None), Fault.passing(), ended(finish_reason=None)]
    assert await ask_text(runtime, PROMPT) == "There ar"
    await assert_seven(runtime, sample=1)
    await assert_seven(runtime, sample=2)
    assert server.calls == 4


def last(reason: str, **more: Any) -> dict[str, Any]:
    """A stream's piece that says why it ends."""
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason, **more}]}


def reasoned(reason: str) -> list[dict[str, Any]]:
    """What is said, with the reason in each piece."""
    return [{"choices": [{**each["choices"][0], "finish_reason": reason}]} for each in SAID]


SAID = [piece({"role": "assistant", "content": "There are "}), piece({"content": "seven."})]
STOP, LIMIT = last("stop"), last("length")
NOT_ENDED = {
    "neither a reason nor its end": events(*SAID, end=""),
    "a reason of an error": events(*SAID, last("error")),
    "a limit, and a reason": events(*SAID, LIMIT, STOP),
    "a reason, and a limit": events(*SAID, STOP, LIMIT),
    "a native limit": events(*SAID, last("stop", native_finish_reason="MAX_TOKENS")),
    "an error in plain words": events(*SAID, {"detail": "it failed"}, end=""),
    "a line of an error": events(*SAID, end='error: {"code": 500}\n\n'),
    "an event of an error": events(*SAID, end="event: error\ndata: it failed\n\n"),
    "an end amid a line": events(*SAID, end='data: {"choices": [{"del'),
    "an error amid": events(SAID[0], {"error": {"message": "overloaded", "code": 503}}, end=""),
}
ENDED = {
    "an empty reason in each piece": events(*reasoned(""), STOP),
    "its reason in each piece": events(*reasoned("stop")),
    "a reason and no piece": events(*SAID, {"choices": [{"delta": None, "finish_reason": "stop"}]}, end=""),
    "a reason alone": events(*SAID, STOP, end=""),
    "its end alone": events(*SAID),
    "both": events(*SAID, STOP),
    "comments between": Fault("odd", body=f": wait\n\n{events(*SAID, STOP).body!s}", media_type="text/event-stream"),
}


@pytest.mark.parametrize("name", [*NOT_ENDED, *ENDED])
@pytest.mark.parametrize("streaming", [True, False], ids=["asked for", "not asked for"])
async def test_ended_streams_count(server: ModelServer, runtime: ReaderRuntime, name: str, streaming: bool) -> None:
    await set_streaming(runtime, streaming)
    server.faults.append((NOT_ENDED | ENDED)[name])
    await assert_seven(runtime)
    assert server.calls == (1 if name in ENDED else 2)


COMPLETION = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Eight."}, "finish_reason": "stop"}]}
WRITTEN = json.dumps(COMPLETION)
PART = '{"type": "text", "text": "Eight."}'
ODD = {
    "one event": events(COMPLETION, end=""),
    "one event and its end": events(COMPLETION),
    "JSON and an end": Fault("odd", body=f"{WRITTEN}\n\n[DONE]"),
    "another type": Fault("odd", body=WRITTEN, media_type="text/plain"),
    "a mark of byte order": Fault("odd", body=f"\ufeff{WRITTEN}"),
    "blank lines first": Fault("odd", body=f"\n\n  {WRITTEN}"),
    "packed unasked": Fault("odd", body=gzip.compress(WRITTEN.encode())),
    "content as an object": Fault("odd", body=WRITTEN.replace('"Eight."', PART)),
    "content as parts": Fault("odd", body=WRITTEN.replace('"Eight."', f"[{PART}]")),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("streaming", [True, False])
async def test_an_odd_form_is_read(server: ModelServer, runtime: ReaderRuntime, name: str, streaming: bool) -> None:
    await set_streaming(runtime, streaming and name != "another type")
    server.faults.append(ODD[name])
    assert await ask_text(runtime, PROMPT) == "Eight." and server.calls == 1


def test_endings_are_folded() -> None:
    assert {fold_ending(name) for name in ("STOP_SEQUENCE", "stopSequence", "stop-sequence")} == {"stopsequence"}
    assert fold_ending("FINISH_REASON_STOP") == "stop" and fold_ending("") == ""


@pytest.mark.parametrize("part", ["message", "delta"])
async def test_a_call_in_the_older_field_is_read(server: ModelServer, runtime: ReaderRuntime, part: str) -> None:
    await set_streaming(changed := with_context(runtime, reply_form="function"), part == "delta")
    message = {"role": "assistant", "content": None, "function_call": {"name": "Count", "arguments": '{"count": 8}'}}
    said = {"choices": [{"index": 0, part: message, "finish_reason": "function_call"}]}
    server.faults.append(events(said) if part == "delta" else Fault("odd", body=json.dumps(said)))
    assert (await ask_reply(changed, PROMPT, Count)).count == 8 and server.calls == 1
