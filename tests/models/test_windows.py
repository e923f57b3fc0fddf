"""Windows: prompts that a server cut are noticed, counts of another kind are not, servers tell their window."""

import asyncio
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Literal

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel
from starlette.responses import RedirectResponse, Response

from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.metering import Meter, start_meter
from readgraph.models.prompt import Prompt, fenced
from readgraph.models.waiting import use_clock
from readgraph.models.window_of_server import MOST_BYTES
from readgraph.models.window_tokens import fewest_tokens, likely_tokens
from readgraph.models.windows import shows_cut
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.hurried import Unhurried
from tests.doubles.model_server import ChatRequest
from tests.doubles.window_server import WindowServer

pytestmark = pytest.mark.quick

PROSE = "The keeper of the lamp walked slowly down the stairs, and nobody asked him where the oil had gone. "


class Count(BaseModel):
    """A number of things."""

    count: int


def long_prompt(times: int = 400, text: str = PROSE) -> Prompt:
    """A prompt with this text, so many times; each has a line of its own."""
    lines = "\n".join(f"{number}. {text}" for number in range(times))
    return Prompt("test", 1, "You count.", f"{fenced('text', lines)}\n\nHow many lamps are there?")


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, **how: Any) -> Iterator[WindowServer]:
    server = WindowServer(lambda request: {"count": 7} if request.schema else "Seven.", **how)
    with server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
        yield server


@pytest.fixture
def runtime() -> Runtime[ReaderContext]:
    return Runtime(context=ReaderContext(model="openai:double"), store=InMemoryStore())


def metered(runtime: Runtime[ReaderContext]) -> Meter:
    meter = Meter(runtime.context)
    start_meter(meter)
    return meter


@contextmanager
def lines_said() -> Iterator[list[str]]:
    """The lines that a user is shown."""
    said = list[str]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    said += [str(each.message) for each in caught if each.category is UserWarning]


@pytest.mark.parametrize("window", [2048, 2050, 4096, 3000])
@pytest.mark.parametrize("typed", [True, False])
async def test_a_prompt_that_the_server_cut_is_asked_again_in_a_shorter_form(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext], window: int, typed: bool
) -> None:
    meter = metered(runtime)
    with serving(monkeypatch, window=window) as server, lines_said() as said:
        asked = ask_reply(runtime, long_prompt(), Count) if typed else ask_text(runtime, long_prompt())
        assert await asked in (Count(count=7), "Seven.")
        await ask_text(runtime, long_prompt(410))
    assert server.counted[0] > window >= max(server.counted[1:])
    assert (meter.used["refused"], meter.fallbacks["prompt_cut"]) == (1, 2) and meter.left_out > 1000
    assert [f"only {window:,} tokens" in line and "--window-words" in line for line in said] == [True]


async def test_a_window_that_is_no_round_number_shows_in_the_same_count_of_different_prompts(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    meter = metered(runtime)
    with serving(monkeypatch, window=3391) as server, lines_said() as said:
        await ask_text(runtime, long_prompt())
        await ask_text(runtime, long_prompt(450))
    assert server.counted[-1] < 3391 and len(said) == meter.fallbacks["prompt_cut"] == 1


async def test_one_count_of_several_prompts_that_are_a_little_too_long_shows_the_window(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    meter = metered(runtime)
    with serving(monkeypatch, window=2048) as server, lines_said() as said:
        for times in (91, 96, 102, 94):
            await ask_text(runtime, long_prompt(times))
    assert min(server.counted[:3]) > 2048 > server.counted[-1] and len(said) == 1
    assert meter.fallbacks["prompt_cut"] == 2, "the third prompt shows it"


async def test_prompts_that_happen_to_have_one_count_raise_no_alarm(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    meter, counts = metered(runtime), iter([2050, 2300, 2050, 2050, 2050])
    with serving(monkeypatch, count=lambda whole, read: next(counts)), lines_said() as said:
        for times in (85, 86, 87, 88, 89):
            await ask_text(runtime, long_prompt(times))
    assert not said and not meter.fallbacks


@pytest.mark.parametrize(
    "count",
    [
        *(lambda whole, read: 0, lambda whole, read: 1, lambda whole, read: None, lambda whole, read: 1000),
        *(lambda whole, read: 2048, lambda whole, read: whole // 4, lambda whole, read: whole * 5),
        lambda whole, read: whole % 997,
    ],
    ids=["zero", "one", "nothing", "thousand", "power", "quarter", "characters", "any"],
)
async def test_counts_that_are_not_those_of_a_tokenizer_change_nothing(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext], count: Any
) -> None:
    meter = metered(runtime)
    with serving(monkeypatch, count=count) as server, lines_said() as said:
        for times in (400, 410, 420):
            await ask_text(runtime, long_prompt(times))
    assert not said and not meter.fallbacks and meter.used["refused"] == 0
    assert server.calls <= 5, "two shorter prompts at most show that such counts can't be believed"


@pytest.mark.parametrize(
    ("counts", "cut"),
    [
        ([(2048, 8000), (1500, 1200)], True),
        ([(2048, 2300), (1600, 1230), (800, 615)], True),
        ([(2048, 2048 * 2), (2048, 2500), (800, 615)], True),
        ([(900, 1400), (500, 480)], False),  # digits that are counted low, beside instructions that are not
        ([(900, 1400), (500, 600), (240, 140)], False),
        ([(1000, 3000), (1000, 800), (1000, 400)], False),
        ([(900, 1400), (300, 480)], False),
    ],
)
def test_a_cut_shows_in_what_a_shorter_prompt_counts(counts: list[tuple[int, int]], cut: bool) -> None:
    assert shows_cut(counts) is cut


@pytest.mark.parametrize("letters", [3, 4])
@pytest.mark.parametrize("text", ["1 0 0 1 1 0 1 0 1 ", "灯塔的看守人从楼梯上慢慢地走下来"], ids=["digits", "chinese"])
async def test_a_count_that_is_a_share_of_the_letters_raises_no_alarm(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext], text: str, letters: int
) -> None:
    meter, served = metered(runtime), list[ChatRequest]()

    def count(whole: int, read: int) -> int:
        return len(served[-1].text) // letters

    with serving(monkeypatch, count=count) as server, lines_said() as said:
        server.respond = lambda request: served.append(request) or "Seven."  # type: ignore[func-returns-value]
        for times in range(300, 360, 6):
            await ask_text(runtime, long_prompt(times, text * 2))
    assert not said and not meter.fallbacks and server.calls <= 12


async def test_a_server_that_counts_only_what_its_cache_lacks_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    meter = metered(runtime)
    counts = iter([9000, 512, 40, 37, 300, 310])
    with serving(monkeypatch, count=lambda whole, read: next(counts)), lines_said() as said:
        for times in (400, 410, 420):
            await ask_text(runtime, long_prompt(times))
    assert not said and not meter.fallbacks


TEXTS = {
    "chinese": "小明在图书馆里找到了一本旧书，书里夹着一张发黄的照片。" * 20,
    "thai": "ทุกเช้าเขาจะเดินไปที่แม่น้ำเพื่อดูชาวประมงลากอวน " * 10,
    "code": "def count(self, lamp: Lamp) -> int:\n    return len(self.lamps[lamp.name])\n" * 8,
    "rules": f"{'-' * 80}\n{' ' * 60}|\n" * 8,
    "base64": "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24" * 10,
    "one letter": "a" * 900,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_other_scripts_and_texts_raise_no_alarm(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext], text: str
) -> None:
    meter = metered(runtime)
    with serving(monkeypatch) as server, lines_said() as said:
        await ask_text(runtime, long_prompt(20, text))
    assert server.calls == 1 and not said and not meter.fallbacks


@pytest.mark.parametrize("text", [PROSE, *TEXTS.values()], ids=["prose", *TEXTS])
def test_no_text_has_more_tokens_at_least_than_likely(text: str) -> None:
    assert fewest_tokens(text) <= likely_tokens(text)


TOLD = {
    "vLLM": (
        {"/v1/models": {"data": [{"id": "double", "owned_by": "vllm", "max_model_len": 4096}]}},
        "--max-model-len",
    ),
    "OpenRouter": (
        {
            "/v1/models": {
                "data": [
                    {"id": "other", "context_length": 1024},
                    {"id": "double", "context_length": 8192, "top_provider": {"context_length": 4096}},
                ]
            }
        },
        "window",
    ),
    "Ollama, loaded": (
        {
            "/v1/models": {"data": [{"id": "double:latest", "owned_by": "library"}]},
            "/api/ps": {"models": [{"name": "double:latest", "context_length": 4096}]},
            "/api/show": {"model_info": {"llama.context_length": 131072, "general.architecture": "llama"}},
        },
        "OLLAMA_CONTEXT_LENGTH",
    ),
    "Ollama, Modelfile": (
        {"/api/show": {"parameters": 'stop "<|end|>"\nnum_ctx                        4096'}},
        "num_ctx",
    ),
    "llama.cpp": ({"/props": {"default_generation_settings": {"n_ctx": 4096, "params": {}}, "total_slots": 2}}, "-c"),
    "LM Studio": (
        {"/api/v0/models": {"data": [{"id": "double", "max_context_length": 32768, "loaded_context_length": 4096}]}},
        "context length",
    ),
    "TGI": ({"/info": {"model_id": "x", "max_input_tokens": 4096, "max_total_tokens": 8192}}, "--max-input-tokens"),
    "LiteLLM": (
        {"/model/info": {"data": [{"model_name": "double", "model_info": {"max_input_tokens": 4096}}]}},
        "max_input_tokens",
    ),
    "Groq": ({"/v1/models": {"data": [{"id": "double", "context_window": 4096}]}}, "window"),
}


@pytest.mark.parametrize(("tells", "setting"), TOLD.values(), ids=TOLD)
async def test_a_window_that_the_server_tells_bounds_prompts(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext], tells: dict[str, Any], setting: str
) -> None:
    meter = metered(runtime)
    with serving(monkeypatch, tells=tells) as server, lines_said() as said:
        await ask_text(runtime, long_prompt())
        asked = len(server.asked)
        await ask_text(runtime, replace(long_prompt(), system="You count again."))
    assert server.calls == 2 and 2500 < min(server.counted) <= max(server.counted) < 4096
    assert asked == len(server.asked), "the server is asked once"
    assert meter.fallbacks["prompt_cut"] == 2 and meter.used["refused"] == 0
    assert len(said) == 1 and "4,096 tokens" in said[0] and setting in said[0]


RUBBISH = {
    "nothing": {},
    "no object": {"/v1/models": [1], "/props": "x", "/api/ps": 7},
    "not JSON": {"/v1/models": b"<html>", "/props": b"\xff\xfe{", "/info": b"[" * 100_000},
    "numbers that no window has": {
        "/props": {"n_ctx": 0},
        "/info": {"max_input_tokens": True, "context_length": "4096"},
    },
    "refused": {
        "/v1/models": lambda http: Response("no", 401),
        "/props": lambda http: Response('{"n_ctx": 4096}', 500),
    },
    "elsewhere": {"/props": lambda http: RedirectResponse("/elsewhere"), "/elsewhere": {"n_ctx": 4096}},
    "giant": {"/props": b'{"n_ctx": 4096, "x": "' + b"x" * MOST_BYTES + b'"}'},
    "another model": {"/v1/models": {"data": [{"id": "other", "max_model_len": 2048}, None, {"id": None}]}},
}


@pytest.mark.parametrize("tells", RUBBISH.values(), ids=RUBBISH)
async def test_a_server_that_answers_something_else_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext], tells: dict[str, Any]
) -> None:
    meter = metered(runtime)
    with serving(monkeypatch, tells=tells) as server, lines_said() as said:
        assert await ask_text(runtime, long_prompt()) == "Seven."
    assert server.calls == 1 and not said and not meter.fallbacks


async def test_a_server_that_does_not_answer_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    meter = metered(runtime)

    async def hang(*_: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("readgraph.models.window_of_server.SECONDS", 0.05)
    with serving(monkeypatch) as server:
        server._tell = hang  # type: ignore[assignment]
        assert await ask_text(runtime, long_prompt()) == "Seven."
    assert server.calls == 1 and not meter.fallbacks


async def test_short_prompts_and_silent_clouds_are_no_reason_to_ask(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    with serving(monkeypatch) as server:
        await ask_text(runtime, long_prompt(5))
        monkeypatch.setattr("readgraph.models.window_of_server.SILENT", ("127.0.0.1",))
        await ask_text(runtime, long_prompt())
    assert server.calls == 2 and not server.asked


async def test_a_smaller_window_of_the_user_wins(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    small = runtime.override(context=replace(runtime.context, window_words=1200))
    with serving(monkeypatch, tells=TOLD["vLLM"][0]) as server, lines_said() as said:
        await ask_text(small, long_prompt())
    assert server.counted[0] < 2000 and not said


@pytest.mark.parametrize("how", [{"window": 2048}, {"tells": TOLD["llama.cpp"][0]}], ids=["cut", "told"])
async def test_the_same_again_makes_no_call(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext], how: dict[str, Any]
) -> None:
    with serving(monkeypatch, **how) as server:
        await ask_text(runtime, long_prompt())
        calls = server.calls
        anew = runtime.override(context=replace(runtime.context, timeout=60.0))  # another client, as in a new process
        await ask_text(anew, long_prompt())
        assert server.calls == calls and calls == (2 if "window" in how else 1)


@pytest.mark.parametrize("wanted", [True, False])
async def test_a_larger_window_is_used_where_the_server_tells_it_or_again_is_set(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext], wanted: bool
) -> None:
    with serving(monkeypatch, window=2048) as server:
        metered(runtime)
        await ask_text(runtime, long_prompt())
        server.window = 40_000
        if not wanted:
            server.tells["/props"] = {"n_ctx": 40_000}
        monkeypatch.setattr("readgraph.models.windows.told_windows", {})
        again = runtime.override(context=replace(runtime.context, timeout=60.0, again=wanted))
        metered(again)
        await ask_text(again, long_prompt())
    assert server.counted[-1] == server.counted[0] > 2048


async def test_a_window_that_the_instructions_alone_fill_is_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    with (
        serving(monkeypatch, window=2048),
        lines_said(),
        pytest.raises(BadInput, match=r"2,048 tokens.*OLLAMA_CONTEXT_LENGTH"),
    ):
        await ask_text(runtime, replace(long_prompt(), user=PROSE * 400))


async def test_a_streamed_reply_is_judged_by_its_last_chunk(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    meter = metered(runtime)
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables.config import var_child_runnable_config
    from langchain_core.tracers._streaming import _StreamingCallbackHandler

    class Listener(BaseCallbackHandler, _StreamingCallbackHandler[Any]):
        def tap_output_aiter(self, run_id: Any, output: Any) -> Any:
            return output

        def tap_output_iter(self, run_id: Any, output: Any) -> Any:
            return output

    with serving(monkeypatch, window=2048) as server:
        token = var_child_runnable_config.set({"callbacks": [Listener()]})
        await ask_text(runtime, long_prompt())
        var_child_runnable_config.reset(token)
    assert server.requests[0].body.get("stream") and meter.fallbacks["prompt_cut"] == 1


async def test_a_prompt_of_a_batch_is_judged_too(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    meter = metered(runtime)
    batch = runtime.override(context=replace(runtime.context, batch=True))
    with serving(monkeypatch, window=2048) as server, lines_said() as said, use_clock(Unhurried()):
        said_of = await asyncio.gather(ask_text(batch, long_prompt()), ask_text(batch, long_prompt(420)))
    assert [*said_of] == ["Seven."] * 2
    assert server.calls == 0 < len(said) and meter.fallbacks["prompt_cut"] == 2
    assert max(server.counted[2:]) < 2048


async def test_only_what_is_sent_is_compared_with_its_count(
    monkeypatch: pytest.MonkeyPatch, runtime: Runtime[ReaderContext]
) -> None:
    class Decided(BaseModel):
        DECIDES: ClassVar = ("count",)
        count: Literal[7, 8]

    meter, replies = metered(runtime), iter(["many " * 90, "7"])
    plain = runtime.override(context=replace(runtime.context, reply_form="plain"))
    with serving(monkeypatch, count=lambda whole, read: 512) as server, lines_said() as said:
        server.respond = lambda request: next(replies)  # the second try in plain words repeats no refused reply
        assert await ask_reply(plain, long_prompt(22), Decided) == Decided(count=7)
    assert server.calls == 2 and not said and not meter.fallbacks
