"""What refusals of model servers say, as these word it, and what a call then does."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.client import model_client
from readgraph.models.failures.refusals import read_refusal
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ModelUnavailable, NoUsableReply
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.doubles.reader import reader
from tests.models.test_asking import PROMPT, Count, assert_seven, houses, make_runtime, metered, with_context
from tests.models.transport.test_transport import set_streaming
from tests.support.some_methods import mostly_slow

pytestmark = pytest.mark.usefixtures("says_seven")

SENT = ("model", "messages", "temperature", "stop", "max_tokens", "response_format", "stream", "stream_options")
TOO_LONG = [
    (400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", 8192),
    (400, "The maximum context length is 4,096 tokens. You asked for 5,012 (4,500 for input, 512 for output).", 4096),
    (400, {"message": "the request exceeds the available context size", "n_ctx": 4096, "n_prompt_tokens": 9012}, 4096),
    (413, "Request too large on tokens per minute (TPM): Limit 6000, Requested 9263, reduce your message size", 6000),
    (429, "Request too large on tokens per min (TPM): Limit 30,000, Requested 41,000.", 30000),
    (400, "prompt is too long: 208310 tokens > 199999 maximum", 199999),
    (400, "Requested tokens (5000) exceed context window of 4096", 4096),
    (422, {"error": "Input validation error: `inputs` must have less than 4095 tokens. Given: 5030"}, 4095),
    *[(400, {"code": "1261", "message": "Prompt 超长"}, 0), (413, "<html>413 Request Entity Too Large</html>", 0)],
    *[(500, "input exceeds the context length", 0), (500, "context shift is disabled", 0)],
    (500, "input is too large to process. increase the physical batch size", 0),
    (400, {"code": "1210", "message": "Request 160000 input tokens exceeds the maximum context length 128000"}, 128000),
    (400, "<400> InternalError: Range of input length should be [1, 30720]", 0),
    (400, "invalid params, context window exceeds limit (2013)", 0),
    (400, "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000", 200000),
    (
        400,
        "'max_tokens' is too large: 512. This model's maximum context length is 8192 tokens and your request has 8000 "
        "input tokens (512 > 8192 - 8000).",
        8192,
    ),
    (400, "the input token count is 60000 but model only supports up to 32768", 32768),
    (400, "Prompt is 11543 tokens but the model context window is 4096 tokens.", 4096),
    (400, "La requête dépasse la longueur maximale du contexte", 0),
    *[(400, "Die Eingabe ist zu lang für das Modell", 0), (400, "入力トークン数が最大コンテキスト長を超えています", 0)],
    *[(400, said, 0) for said in ("context_length_exceeded", "Your prompt is too long.", "ContextWindowExceededError")],
]
SPENT = [
    (402, "Insufficient Balance"),
    (400, {"message": "Budget has been exceeded! Current cost: 0.5, Max budget: 0.1", "type": "budget_exceeded"}),
    (400, "Your credit balance is too low. Please go to Plans & Billing to purchase credits."),
    (403, "Key limit exceeded (total limit)."),
    (429, {"message": "You exceeded your current quota, check your plan", "code": "insufficient_quota"}),
    (429, "Rate limit on tokens per day (TPD): Limit 100000, Used 99900, Requested 1200. Try again in 15m50s."),
    (429, {"message": "Account balance is insufficient", "code": 30001}),
    (429, "You are using a Trial key, which is limited to 1000 API calls / month."),
    (429, "you have used up your daily free allocation of 10,000 neurons"),
    (400, "ExceededBudget: User=x over budget. Spend=1.2, Budget=1.0"),
    *[(400, "Ihr Guthaben ist aufgebraucht."), (429, "Rate limit exceeded: free-models-per-day")],
    (400, {"code": "Arrearage", "message": "make sure your account is in good standing"}),
]
WITHHELD = [
    (400, {"code": "content_filter", "message": "triggering the content management policy"}),
    (400, {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}),
    *[(400, "Content Exists Risk"), (400, "input new_sensitive (1026)")],
    (403, "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"),
    (446, "Prompt blocked by guardrail"),
    (500, {"code": "content_filter", "message": "The response was filtered"}),
    (400, "Die Anfrage wurde vom Inhaltsfilter blockiert."),
    (403, 'Your chosen model requires moderation and your input was flagged for "violence"'),
    (400, {"code": "invalid_prompt", "message": "flagged as potentially violating our usage policy"}),
    (400, {"code": "1301", "message": "系统检测到输入可能包含不安全或敏感内容"}),
]
FORMS = [
    (404, "No endpoints found that support tool use."),
    (404, "No endpoints found that can handle the requested parameters."),
    *[(500, "failed to parse grammar"), (400, "xgrammar compilation error")],
    (400, "The specified schema produces a constraint that has too many states for serving."),
    *[(501, {"message": "json_schema is not implemented"}), (400, {"error": "gemma:2b does not support tools"})],
    (400, {"message": "Unsupported parameter", "param": "response_format"}),
    (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs"}]}),
]
FIELDS = [
    (400, {"message": "Unsupported value", "param": "temperature"}, "temperature"),
    (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_tokens"], "msg": "Extra"}]}, "max_tokens"),
    (400, "Unrecognized request argument supplied: stream_options", "stream_options"),
    (400, "`temperature` is deprecated for this model.", "temperature"),
    (400, "property 'stop' is unsupported", "stop"),
    (400, "Argument not supported on this model: stop", "stop"),
    (400, "extraneous key [stop] is not permitted", "stop"),
    (400, "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens", "max_tokens"),
    (400, "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.", "max_tokens"),
    (400, "invalid temperature: only 1 is allowed for this model", "temperature"),
]
OTHERS = [
    (400, "foo/bar is not a valid model ID", "unknown model"),
    (404, {"code": "model_not_found", "message": "The model does not exist"}, "unknown model"),
    (404, "The model 'tiny-vision' was not found, try pulling it first", "unknown model"),
    (400, "Invalid content type. image_url is only supported by certain models.", "picture"),
    (500, "image input is not supported - hint: you may need to provide the mmproj", "picture"),
    (400, "API key not valid. Please pass a valid API key.", "key"),
    (403, "<!DOCTYPE html><html>Just a moment</html>", "web page"),
    (429, "Rate limit on tokens per min (TPM): Limit 10000, Used 9000, Requested 2100. Try again in 6s.", "busy"),
    (429, "You exceeded your current quota. Please retry in 35.1s.", ""),
    (429, "You have exceeded the rate limit of your free tier. Please wait 20 seconds.", "busy"),
    (429, "Limit exceeded: usage limit of 5 requests per 10 seconds", ""),
    (400, "Number of request tokens has exceeded your per-minute rate limit", "busy"),
    *[(503, "billing service unavailable", ""), (503, "moderation service is temporarily unavailable", "")],
    (500, "context deadline exceeded (while awaiting headers)", ""),
    *[(500, "context canceled; max retries exceeded", ""), (504, "context deadline exceeded", "")],
    (500, "CUDA out of memory while tokens exceed the cache", ""),
    *[(500, "tools server crashed", ""), (500, "unable to reach the tools backend", "")],
    *[(408, "request timeout exceeded", ""), (409, "the request exceeded its wait for a lock", "")],
    (429, "Concurrent request limit exceeded for your free tier", ""),
    *[(403, "Request blocked by firewall policy", ""), (502, "<html>Bad gateway</html>", "")],
    *[(500, "CUDA error: out of memory", ""), (400, "please stop sending this", ""), (429, "", "")],
]
CASES = [
    *((status, body, "too long") for status, body, _ in TOO_LONG),
    *((*case, "spent") for case in SPENT),
    *((*case, "withheld") for case in WITHHELD),
    *((*case, "form") for case in FORMS),
    *((status, body, "field") for status, body, _ in FIELDS),
    *OTHERS,
]


@pytest.mark.parametrize(("status", "body", "kind"), CASES, ids=lambda case: str(case)[:60])
def test_a_refusal_is_read_by_what_it_says(status: int, body: Any, kind: str) -> None:
    assert read_refusal(status, body, SENT).kind == kind


def test_numbers_and_fields_are_read() -> None:
    assert [read_refusal(status, body).most_tokens for status, body, _ in TOO_LONG] == [most for *_, most in TOO_LONG]
    assert [read_refusal(status, body, SENT).field for status, body, _ in FIELDS] == [field for *_, field in FIELDS]


def test_what_an_error_repeats_of_a_prompt_says_nothing() -> None:
    text = "The credit balance was too low.\nHe broke the safety policy, and exceeded the maximum context length."
    sent = {"model": "m", "messages": [{"role": "user", "content": f"Read this. {text} It is over."}], "seed": 1}
    fault = {"type": "string_type", "loc": ["body", "messages", 0, "content"], "msg": "Input should be a string"}
    for said in (f"Bad value: '{text}'", f"Bad value: {text!r}", {"detail": [{**fault, "input": text}]}):
        assert read_refusal(400, said, sent).kind == "" != read_refusal(400, str(said), SENT).kind


def test_a_long_refusal_is_read_in_no_time() -> None:
    began = time.process_time()
    for text in ("context " * 100_000, "token exceed" * 100_000, "{" * 1_000_000, "9" * 1_000_000, "model " * 200_000):
        read_refusal(400, {"message": text}, SENT)
    assert time.process_time() - began < 1


@pytest.fixture
def runtime() -> ReaderRuntime:
    return make_runtime(retry_seconds=600)


def refusal(status: int, body: Any) -> Fault:
    error = body if isinstance(body, dict) else {"message": body}
    whole = error if {"error", "detail"} & {*error} else {"error": error}
    return Fault("refused", status=status, body=body if str(body).startswith(("<h", "<!")) else json.dumps(whole))


@pytest.mark.parametrize(
    ("cases", "line"),
    [
        (SPENT, "check your credit"),
        ([case[:2] for case in TOO_LONG], "A prompt is too long for 'openai:double'.*smaller --window-words"),
    ],
    ids=["spent", "too long"],
)
async def test_what_can_never_pass_is_said_at_once(
    server: ModelServer, runtime: ReaderRuntime, cases: list[tuple[int, Any]], line: str
) -> None:
    for status, body in cases:
        server.reset()
        server.fault_for = lambda request, call, status=status, body=body: refusal(status, body)
        with pytest.raises(ModelUnavailable, match=line):
            await ask_reply(runtime, PROMPT, Count)
        assert server.calls == 1, body


@pytest.mark.parametrize("status", [200, 402])
async def test_an_error_counts_as_what_it_says_also_in_a_response_of_the_status_200(
    server: ModelServer, runtime: ReaderRuntime, status: int
) -> None:
    error = {"error": {"code": 402, "message": "Insufficient credits"}}
    server.fault_for = lambda request, call: Fault("refused", status=status, body=json.dumps(error))
    with pytest.raises(ModelUnavailable, match=r"\(402\).*check your credit"):
        await ask_text(runtime, PROMPT)
    assert server.calls == 1


IN_OTHER_WORDS = [
    {"object": "error", "message": "Insufficient Balance", "code": 40303},
    {"detail": "Insufficient Balance"},
    {"errors": [{"message": "Insufficient Balance"}]},
    {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}, "choices": None},
    {"code": 30001, "message": "Sorry, your account balance is insufficient", "data": None},
]


@pytest.mark.parametrize("body", IN_OTHER_WORDS, ids=str)
@pytest.mark.parametrize("way", ["whole", "asked to stream", "streamed"])
async def test_an_error_in_the_place_of_a_reply_is_read_in_any_field(
    server: ModelServer, runtime: ReaderRuntime, body: dict[str, Any], way: str
) -> None:
    await set_streaming(runtime, way != "whole")
    text, kind = json.dumps(body), "application/json"
    if way == "streamed":
        text, kind = f"data: {text}\n\ndata: [DONE]\n\n", "text/event-stream"
    server.fault_for = lambda request, call: Fault("refused", body=text, media_type=kind)
    with pytest.raises(ModelUnavailable, match="check your credit"):
        await ask_text(runtime, PROMPT)
    assert server.calls == 1


@pytest.mark.parametrize("case", WITHHELD, ids=str)
async def test_filtered_prompts_are_withheld(
    server: ModelServer, runtime: ReaderRuntime, case: tuple[int, Any]
) -> None:
    server.faults.append(refusal(*case))
    meter = metered(runtime)
    await assert_seven(runtime)
    assert meter.used["refused"] == 1
    server.fault_for = lambda request, call: refusal(*case)
    with pytest.raises(NoUsableReply, match="withheld by its server"):
        await ask_text(with_context(runtime, sample=1), PROMPT)
    assert server.calls == 4


@pytest.mark.parametrize("case", FORMS, ids=str)
async def test_a_form_that_is_not_supported_is_left_for_a_simpler_one_at_once(
    server: ModelServer, runtime: ReaderRuntime, case: tuple[int, Any]
) -> None:
    def refuse(request: ChatRequest, call: int) -> Fault | None:
        return refusal(*case) if request.schema or request.tools else None

    server.fault_for = refuse
    assert [(await ask_reply(runtime, house, Count)).count for house in houses(3)] == [7, 7, 7]
    assert server.calls == 5, "what works is remembered"


@pytest.mark.filterwarnings("ignore:The model server")
@pytest.mark.parametrize("field", ["temperature", "stop", "max_completion_tokens", "stream_options", "stream"])
async def test_a_refused_field_is_left_out_or_named_otherwise(
    server: ModelServer, runtime: ReaderRuntime, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    chat: Any = (await model_client(runtime.context)).chat
    chat.temperature, chat.max_tokens, chat.stop, chat.streaming = 0.2, 50, ["END"], field.startswith("stream")

    def refuse(request: ChatRequest, call: int) -> Fault | None:
        said = {"message": f"Unsupported parameter: '{field}'", "param": field}
        return refusal(400, said) if request.body.get(field) else None

    server.fault_for = refuse
    with pytest.warns(UserWarning, match=f"takes no '{field}'"):
        await assert_seven(runtime)
    await assert_seven(runtime, sample=1)
    assert server.calls == 3 and not server.requests[-1].body.get(field)
    assert ("max_tokens" in server.requests[-1].body) == (field == "max_completion_tokens")


async def test_a_field_that_is_refused_by_both_names_is_left_out(
    server: ModelServer, runtime: ReaderRuntime, recwarn: pytest.WarningsRecorder
) -> None:
    chat: Any = (await model_client(runtime.context)).chat
    chat.max_tokens = 50
    server.refuses = frozenset({"max_tokens", "max_completion_tokens"})
    await assert_seven(runtime)
    assert (server.calls, len(recwarn)) == (3, 2)


async def test_a_server_that_refuses_what_was_not_sent_is_left(server: ModelServer, runtime: ReaderRuntime) -> None:
    server.fault_for = lambda request, call: refusal(400, {"message": "Unsupported value", "param": "model"})
    with pytest.raises(ModelUnavailable, match="refused a request"):
        await ask_text(runtime, PROMPT)
    assert server.calls == 1


WORDED = "maximum context length is {most} tokens, you requested {words}", "prompt is too long", "Input is too long."


def refuse_over(most: int, said: str) -> Callable[[ChatRequest, int], Fault | None]:
    """Refuse prompts of more words than `most`, in these words."""

    def fault_for(request: ChatRequest, call: int) -> Fault | None:
        words = len(request.text.split())
        return refusal(400, said.format(most=most, words=words)) if words > most else None

    return fault_for


@pytest.mark.filterwarnings("ignore:The model server")
@pytest.mark.parametrize("said", mostly_slow(WORDED, WORDED[:1]))
@pytest.mark.parametrize("method", ["read-agent", "mem-walker", "gam", "full-text"])
async def test_a_prompt_that_is_too_long_is_shortened_where_that_is_possible(
    server: ModelServer, library: Library, story: str, method: str, said: str
) -> None:
    server.respond = reader
    server.fault_for = refuse_over(900, said)
    graph = METHODS[method].build().compile(store=library.store)
    asks: Any = {"text": story[:9000], "question": "Who took the log book?"}
    context = ReaderContext(model="openai:double", segment_words=1200)
    found = await graph.ainvoke(asks, context=context)
    assert found["answer"]
    refused = sum(len(request.text.split()) > 900 for request in server.requests)
    assert 0 < refused <= 20 and (found["fallbacks"].get("prompt_cut", 0) > 0 or method == "mem-walker")
