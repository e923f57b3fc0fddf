"""Windows: prompts that a server cut are noticed, counts of another kind are not, servers tell their window."""

import asyncio
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, ClassVar, Literal

import pytest
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.client import model_client
from readgraph.models.prompt import Prompt, fenced
from readgraph.models.waiting import use_clock
from readgraph.models.windows.told import MOST_BYTES
from readgraph.models.windows.window import fewest_tokens, likely_tokens, shows_cut
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.errors import BadInput
from tests.doubles.hurried import Unhurried
from tests.doubles.model_server import ChatRequest
from tests.doubles.window_server import WindowServer
from tests.models.test_asking import Count, metered, with_context
from tests.support.some_methods import mostly_slow

pytestmark = pytest.mark.quick

PROSE = "The keeper of the lamp walked slowly down the stairs, and nobody asked him where the oil had gone. "
Serve = Callable[..., WindowServer]
Said = list[warnings.WarningMessage]


def long_prompt(times: int = 400, text: str = PROSE) -> Prompt:
    """A prompt with this text, so many times; each has a line of its own."""
    lines = "\n".join(f"{number}. {text}" for number in range(times))
    return Prompt("test", 1, "You count.", f"{fenced('text', lines)}\n\nHow many lamps are there?")


async def ask(runtime: ReaderRuntime, *times: int, text: str = PROSE) -> None:
    """Ask with prompts that hold the text so many times, one after the other."""
    for each in times or (400,):
        assert await ask_text(runtime, long_prompt(each, text)) == "Seven."


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts a server with a window; what others told that had its port before is not known of it."""
    monkeypatch.setattr("readgraph.models.windows.window.told_windows", {})
    with ExitStack() as stack:

        def start(**how: Any) -> WindowServer:
            server = WindowServer(lambda request: {"count": 7} if request.schema else "Seven.", **how)
            stack.enter_context(server)
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
            return server

        yield start


@pytest.fixture
def said() -> Iterator[Said]:
    """The lines that a user is shown."""
    with warnings.catch_warnings(record=True, action="ignore") as caught:
        warnings.simplefilter("always", UserWarning)
        yield caught


@pytest.mark.parametrize("window", mostly_slow([2048, 2050, 4096, 3000], [2048, 3000]))
@pytest.mark.parametrize("typed", [True, False])
async def test_a_cut_prompt_is_asked_again_in_a_shorter_form(
    serve: Serve, runtime: ReaderRuntime, said: Said, window: int, typed: bool
) -> None:
    meter, server = metered(runtime), serve(window=window)
    asked = ask_reply(runtime, long_prompt(), Count) if typed else ask_text(runtime, long_prompt())
    assert await asked in (Count(count=7), "Seven.")
    await ask(runtime, 410)
    assert server.counted[0] > window >= max(server.counted[1:])
    assert (meter.used["refused"], meter.fallbacks["prompt_cut"]) == (1, 2) and meter.remarks.left_out > 1000
    (line,) = (str(each.message) for each in said)
    assert f"only {window:,} tokens" in line and "--window-words" in line


async def test_a_window_that_is_no_round_number_shows_in_the_same_count_of_different_prompts(
    serve: Serve, runtime: ReaderRuntime, said: Said
) -> None:
    meter, server = metered(runtime), serve(window=3391)
    await ask(runtime, 400, 450)
    assert server.counted[-1] < 3391 and len(said) == meter.fallbacks["prompt_cut"] == 1


async def test_one_count_of_several_prompts_that_are_a_little_too_long_shows_the_window(
    serve: Serve, runtime: ReaderRuntime, said: Said
) -> None:
    meter, server = metered(runtime), serve(window=2048)
    await ask(runtime, 91, 96, 102, 94)
    assert min(server.counted[:3]) > 2048 > server.counted[-1] and len(said) == 1
    assert meter.fallbacks["prompt_cut"] == 2, "the third prompt shows it"


LONG, LIKE = (400, 410, 420), (85, 86, 87, 88, 89)


@pytest.mark.parametrize(
    ("count", "times"),
    [
        *[([count] * 5, LONG) for count in (0, 1, None, 1000, 2048)],
        (lambda whole: whole // 4, LONG),
        (lambda whole: whole * 5, LONG),
        (lambda whole: whole % 997, LONG),
        ([9000, 512, 40, 37, 300, 310], LONG),  # only what its cache lacks
        ([2050, 2300, 2050, 2050, 2050], LIKE),  # prompts that happen to have one count
    ],
    ids=[*"zero one nothing thousand power quarter characters any uncached alike".split()],
)
async def test_counts_that_are_not_those_of_a_tokenizer_change_nothing(
    serve: Serve, runtime: ReaderRuntime, said: Said, count: Any, times: tuple[int, ...]
) -> None:
    meter, listed = metered(runtime), iter(count if isinstance(count, list) else ())
    server = serve(count=lambda whole, read: count(whole) if callable(count) else next(listed))
    await ask(runtime, *times)
    assert not said and not meter.fallbacks and meter.used["refused"] == 0
    assert server.calls <= max(len(times), 5), "two shorter prompts at most show that such counts can't be believed"


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
    serve: Serve, runtime: ReaderRuntime, said: Said, text: str, letters: int
) -> None:
    meter, served = metered(runtime), list[ChatRequest]()
    server = serve(count=lambda whole, read: len(served[-1].text) // letters)
    server.respond = lambda request: served.append(request) or "Seven."  # type: ignore[func-returns-value]
    await ask(runtime, *range(300, 360, 6), text=text * 2)
    assert not said and not meter.fallbacks and server.calls <= 12


TEXTS = {
    "chinese": "小明在图书馆里找到了一本旧书，书里夹着一张发黄的照片。" * 20,
    "thai": "ทุกเช้าเขาจะเดินไปที่แม่น้ำเพื่อดูชาวประมงลากอวน " * 10,
    "code": "def count(self, lamp: Lamp) -> int:\n    return len(self.lamps[lamp.name])\n" * 8,
    "rules": f"{'-' * 80}\n{' ' * 60}|\n" * 8,
    "base64": "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24" * 10,
    "one letter": "a" * 900,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_other_scripts_raise_no_alarm(serve: Serve, runtime: ReaderRuntime, said: Said, text: str) -> None:
    meter, server = metered(runtime), serve()
    await ask(runtime, 20, text=text)
    assert server.calls == 1 and not said and not meter.fallbacks


@pytest.mark.parametrize("text", [PROSE, *TEXTS.values()], ids=["prose", *TEXTS])
def test_no_text_has_more_tokens_at_least_than_likely(text: str) -> None:
    assert fewest_tokens(text) <= likely_tokens(text)


def models(*listed: Any) -> dict[str, Any]:
    return {"/v1/models": {"data": [*listed]}}


OPENROUTER = {"id": "double", "context_length": 8192, "top_provider": {"context_length": 4096}}
OLLAMA = {
    "/api/ps": {"models": [{"name": "double:latest", "context_length": 4096}]},
    "/api/show": {"model_info": {"llama.context_length": 131072, "general.architecture": "llama"}},
}
LM_STUDIO = {"id": "double", "max_context_length": 32768, "loaded_context_length": 4096}
LITELLM = {"model_name": "double", "model_info": {"max_input_tokens": 4096}}
TOLD = {
    "vLLM": (models({"id": "double", "owned_by": "vllm", "max_model_len": 4096}), "--max-model-len"),
    "OpenRouter": (models({"id": "other", "context_length": 1024}, OPENROUTER), "window"),
    "Ollama, loaded": (models({"id": "double:latest", "owned_by": "library"}) | OLLAMA, "OLLAMA_CONTEXT_LENGTH"),
    "Ollama, Modelfile": ({"/api/show": {"parameters": f'stop "<|end|>"\nnum_ctx{" " * 24}4096'}}, "num_ctx"),
    "llama.cpp": ({"/props": {"default_generation_settings": {"n_ctx": 4096, "params": {}}, "total_slots": 2}}, "-c"),
    "LM Studio": ({"/api/v0/models": {"data": [LM_STUDIO]}}, "context length"),
    "TGI": ({"/info": {"model_id": "x", "max_input_tokens": 4096, "max_total_tokens": 8192}}, "--max-input-tokens"),
    "LiteLLM": ({"/model/info": {"data": [LITELLM]}}, "max_input_tokens"),
    "Groq": (models({"id": "double", "context_window": 4096}), "window"),
}


@pytest.mark.parametrize(("tells", "setting"), TOLD.values(), ids=TOLD)
async def test_a_window_that_the_server_tells_bounds_prompts(
    serve: Serve, runtime: ReaderRuntime, said: Said, tells: dict[str, Any], setting: str
) -> None:
    meter, server = metered(runtime), serve(tells=tells)
    await ask(runtime)
    asked = len(server.asked)
    await ask_text(runtime, replace(long_prompt(), system="You count again."))
    assert server.calls == 2 and 2500 < min(server.counted) <= max(server.counted) < 4096
    assert asked == len(server.asked), "the server is asked once"
    assert meter.fallbacks["prompt_cut"] == 2 and meter.used["refused"] == 0
    (line,) = (str(each.message) for each in said)
    assert "4,096 tokens" in line and setting in line


RUBBISH = {
    "nothing": {},
    "no object": {"/v1/models": [1], "/props": "x", "/api/ps": 7},
    "not JSON": {"/v1/models": b"<html>", "/props": b"\xff\xfe{", "/info": b"[" * 100_000},
    "no window's number": {"/props": {"n_ctx": 0}, "/info": {"max_input_tokens": True, "context_length": "4096"}},
    "refused 401": {"/v1/models": lambda http: Response('{"n_ctx": 4096}', 401)},
    "refused 500": {"/props": lambda http: Response('{"n_ctx": 4096}', 500)},
    "elsewhere": {"/props": lambda http: RedirectResponse("/elsewhere"), "/elsewhere": {"n_ctx": 4096}},
    "giant": {"/props": b'{"n_ctx": 4096, "x": "' + b"x" * MOST_BYTES + b'"}'},
    "another model": models({"id": "other", "max_model_len": 2048}, None, {"id": None}),
}


@pytest.mark.parametrize("tells", RUBBISH.values(), ids=RUBBISH)
async def test_a_server_that_answers_something_else_changes_nothing(
    serve: Serve, runtime: ReaderRuntime, said: Said, tells: dict[str, Any]
) -> None:
    meter, server = metered(runtime), serve(tells=tells)
    await ask(runtime)
    assert server.calls == 1 and not said and not meter.fallbacks


async def test_silence_is_not_waited_for(serve: Serve, runtime: ReaderRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(*_: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("readgraph.models.windows.told.SECONDS", 0.05)
    meter, server = metered(runtime), serve()
    server._tell = hang  # type: ignore[assignment]
    await ask(runtime)
    assert server.calls == 1 and not meter.fallbacks


async def test_short_prompts_and_silent_clouds_are_no_reason_to_ask(
    serve: Serve, runtime: ReaderRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    await ask(runtime, 5)
    monkeypatch.setattr("readgraph.models.windows.told.SILENT", ("127.0.0.1",))
    await ask(runtime)
    assert server.calls == 2 and not server.asked


async def test_a_smaller_window_of_the_user_wins(serve: Serve, runtime: ReaderRuntime, said: Said) -> None:
    server = serve(tells=TOLD["vLLM"][0])
    await ask(with_context(runtime, window_words=1200))
    assert server.counted[0] < 2000 and not said


@pytest.mark.filterwarnings("ignore:The model server")
@pytest.mark.parametrize(("how", "calls"), [({"window": 2048}, 2), ({"tells": TOLD["llama.cpp"][0]}, 1)])
async def test_the_same_again_is_no_call(serve: Serve, runtime: ReaderRuntime, how: dict[str, Any], calls: int) -> None:
    server = serve(**how)
    for seconds in (120.0, 60.0):  # another client, as in a new process
        await ask(with_context(runtime, timeout=seconds))
        assert server.calls == calls


async def test_questions_that_go_out_at_once_leave_no_connection_open(serve: Serve, runtime: ReaderRuntime) -> None:
    left = dict[str, str]()

    def tell_nothing(http: Request) -> None:
        left[http.url.path] = http.headers["connection"]

    serve(tells=dict.fromkeys(["/v1/models", "/api/ps", "/api/show", "/props"], tell_nothing))
    metered(runtime)
    await ask(runtime)
    assert left == {"/v1/models": "keep-alive", "/api/ps": "close", "/api/show": "close", "/props": "close"}


@pytest.mark.filterwarnings("ignore:The model server")
@pytest.mark.parametrize("wanted", [True, False])
async def test_a_larger_window_is_used_where_the_server_tells_it_or_again_is_set(
    serve: Serve, runtime: ReaderRuntime, monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    server = serve(window=2048)
    metered(runtime)
    await ask(runtime)
    server.window = 40_000
    if not wanted:
        server.tells["/props"] = {"n_ctx": 40_000}
    monkeypatch.setattr("readgraph.models.windows.window.told_windows", {})
    metered(again := with_context(runtime, timeout=60.0, again=wanted))
    await ask(again)
    assert server.counted[-1] == server.counted[0] > 2048


async def test_a_window_that_the_instructions_alone_fill_is_an_error_that_says_what_to_do(
    serve: Serve, runtime: ReaderRuntime, said: Said
) -> None:
    serve(window=2048)
    with pytest.raises(BadInput, match=r"2,048 tokens.*OLLAMA_CONTEXT_LENGTH"):
        await ask_text(runtime, replace(long_prompt(), user=PROSE * 400))


@pytest.mark.filterwarnings("ignore:The model server")
async def test_a_streamed_reply_is_judged_by_its_last_chunk(serve: Serve, runtime: ReaderRuntime) -> None:
    meter, server = metered(runtime), serve(window=2048)
    (await model_client(runtime.context)).chat.streaming = True  # type: ignore[attr-defined]
    await ask(runtime)
    assert server.requests[0].body.get("stream") and meter.fallbacks["prompt_cut"] == 1


async def test_a_prompt_of_a_batch_is_judged_too(serve: Serve, runtime: ReaderRuntime, said: Said) -> None:
    meter, server = metered(runtime), serve(window=2048)
    batch = with_context(runtime, batch=True)
    with use_clock(Unhurried()):
        await asyncio.gather(ask(batch, 400), ask(batch, 420))
    assert server.calls == 0 < len(said) and meter.fallbacks["prompt_cut"] == 2
    assert max(server.counted[2:]) < 2048


async def test_only_what_is_sent_is_compared_with_its_count(serve: Serve, runtime: ReaderRuntime, said: Said) -> None:
    class Decided(BaseModel):
        DECIDES: ClassVar = ("count",)
        count: Literal[7, 8]

    meter, replies, server = metered(runtime), iter(["many " * 90, "7"]), serve(count=lambda whole, read: 512)
    server.respond = lambda request: next(replies)  # the second try in plain words repeats no refused reply
    assert await ask_reply(with_context(runtime, reply_form="plain"), long_prompt(22), Decided) == Decided(count=7)
    assert server.calls == 2 and not said and not meter.fallbacks
