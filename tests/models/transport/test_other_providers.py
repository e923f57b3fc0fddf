"""Providers beside OpenAI: what their packages raise is named in one line, and waited for where that helps."""

import os
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.store.memory import InMemoryStore

from readgraph.graphs import read_agent
from readgraph.models.asking import ask_text
from readgraph.models.client import model_client
from readgraph.models.embeddings.models import Embedder
from readgraph.models.reply import TRIES
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ModelUnavailable, NoUsableReply
from tests.doubles.hurried import Hurried
from tests.doubles.model_server import ModelServer
from tests.models.test_asking import PROMPT, make_runtime
from tests.support.command import Command, assert_refused

REQUEST = httpx.Request("POST", "http://localhost/")


class Raising(BaseChatModel):
    """The chat model of a provider's package, whose client always raises."""

    problem: Exception
    calls: int = 0

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        self.calls += 1
        raise self.problem

    @property
    def _llm_type(self) -> str:
        return "raising"


class Ending(Raising):
    """One whose replies end as the provider says."""

    metadata: dict[str, Any]
    problem: Exception = Exception()

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        self.calls += 1
        message = AIMessage("There are sev", response_metadata=self.metadata)
        return ChatResult(generations=[ChatGeneration(message=message)])


Use = Callable[[BaseChatModel], None]


class RefusedByName(Exception):
    """An error that is no kin of any HTTP client's."""

    status_code = 404


class ClientError(Exception):
    """As botocore raises it: the response is a dictionary, in a stream without a status."""

    def __init__(self, code: str, **metadata: Any) -> None:
        self.response = {"Error": {"Code": code, "Message": "a secret"}, "ResponseMetadata": metadata}


class GoogleError(Exception):
    """As Google's packages raise it: its code is the status."""

    def __init__(self, code: int) -> None:
        self.code, self.response = code, httpx.Response(code, headers={"retry-after": "7"})


def told_again(cause: Exception) -> Exception:
    """An error of a provider's package, raised from that of its client."""
    problem = ValueError("a secret")
    problem.__cause__ = cause
    return problem


def answered(status: int) -> httpx.HTTPStatusError:
    return httpx.HTTPStatusError("a secret", request=REQUEST, response=httpx.Response(status))


@pytest.mark.parametrize(
    ("problem", "again", "line"),
    [
        (answered(401), False, "refused the key"),
        (RefusedByName("a secret"), False, "does not know the model 'mistralai:small'"),
        (answered(429), True, "takes no more calls for now"),
        (ClientError("ThrottlingException", HTTPStatusCode=429), True, "takes no more calls for now"),
        (ClientError("throttlingException"), True, "takes no more calls for now"),
        (ClientError("AccessDeniedException", HTTPStatusCode=403), False, "may not use the model"),
        (GoogleError(429), True, "takes no more calls for now"),
        (told_again(GoogleError(429)), True, "takes no more calls for now"),
        (told_again(GoogleError(401)), False, "refused the key"),
        (answered(503), True, r"failed \d+ times in a row \(503\)"),
        (httpx.ReadTimeout("a secret"), True, "did not answer in time"),
        (httpx.ConnectError("a secret"), True, "check the network and the address of mistralai's server"),
        (ConnectionRefusedError("a secret"), True, "check the network and the address of mistralai's server"),
        (LookupError("a secret"), True, r"doesn't speak its provider's protocol \(LookupError\)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
async def test_client_errors_are_known(use: Use, hurried: Hurried, problem: Exception, again: bool, line: str) -> None:
    use(chat := Raising(problem=problem))
    with pytest.raises(ModelUnavailable, match=line) as told:
        await ask_text(make_runtime(model="mistralai:small", retry_seconds=10), PROMPT)
    assert "a secret" not in str(told.value)
    assert (chat.calls > 1) == again


async def test_a_provider_without_its_key_is_one_line(readgraph: Command) -> None:
    with pytest.raises(ModelUnavailable, match="azure_openai can't be set up: set its key"):
        await Embedder("azure_openai:small").query("a lamp")


def test_a_model_without_its_key_is_one_line(readgraph: Command) -> None:
    assert_refused(readgraph("models", "azure_openai:small"), "azure_openai can't be set up: set its key")


async def test_the_pause_that_a_provider_asks_for_is_kept(use: Use, hurried: Hurried) -> None:
    throttled = ClientError("ThrottlingException", HTTPStatusCode=429, HTTPHeaders={"retry-after": "7"})
    for problem in (throttled, told_again(GoogleError(429))):
        use(Raising(problem=problem))
        with pytest.raises(ModelUnavailable):
            await ask_text(make_runtime(model=f"any:{type(problem).__name__}", retry_seconds=8), PROMPT)
        assert hurried.pauses.pop() == 7


@pytest.mark.parametrize(
    "said",
    [
        {"finish_reason": "length"},
        {"finish_reason": "MAX_TOKENS"},
        {"finish_reason": "model_length"},
        {"stop_reason": "max_tokens"},
        {"stop_reason": "model_context_window_exceeded"},
        {"stopReason": "max_tokens"},
        {"done_reason": "length", "done": True},
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    ],
    ids=str,
)
async def test_a_reply_that_is_cut_off_is_asked_for_again(use: Use, said: Any) -> None:
    use(chat := Ending(metadata=said))
    with pytest.raises(NoUsableReply, match="cut off before its end"):
        await ask_text(make_runtime(model="provider:model"), PROMPT)
    assert chat.calls == TRIES


@pytest.mark.parametrize("said", [{"stop_reason": "end_turn"}, {"finish_reason": "STOP"}, {"done_reason": "stop"}, {}])
async def test_a_reply_that_ended_is_taken(use: Use, said: Any) -> None:
    use(Ending(metadata=said))
    assert await ask_text(make_runtime(model="provider:model"), PROMPT) == "There are sev"


class Told(Exception):
    """What the caller's own code raises."""


class Telling(AsyncCallbackHandler):
    """A callback that raises, at the beginning of a call or at its end."""

    raise_error = True

    def __init__(self, problem: Exception, *, at_end: bool) -> None:
        self.problem, self.at_end = problem, at_end

    async def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
        if not self.at_end:
            raise self.problem

    async def on_llm_end(self, *args: Any, **kwargs: Any) -> None:
        if self.at_end:
            raise self.problem


@pytest.mark.parametrize("kind", [Told, TimeoutError])
@pytest.mark.parametrize("at_end", [False, True])
async def test_what_a_callback_raises_is_the_callers(server: ModelServer, kind: type[Exception], at_end: bool) -> None:
    problem = kind("mine")
    graph: Any = read_agent.build().compile(store=InMemoryStore())
    given = {"text": "The goat stood on the gallery of the lamp.", "question": "What of the goat?"}
    settings: Any = {"config": {"callbacks": [Telling(problem, at_end=at_end)]}, "context": make_runtime().context}
    with pytest.raises(kind) as told:
        await graph.ainvoke(given, **settings)
    with pytest.raises(kind) as told_again:
        graph.invoke(given, **settings)
    assert told.value is told_again.value is problem
    assert server.calls <= 2, "it is not retried"


async def test_a_changed_key_is_used_at_once(monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> None:
    used = list[str | None]()

    def made(*_: Any, **__: Any) -> BaseChatModel:
        used.append(os.environ.get("ANTHROPIC_API_KEY"))
        return Ending(metadata={})

    def embeddings(*_: Any) -> Any:
        used.append(os.environ.get("OPENAI_API_KEY"))
        return DeterministicFakeEmbedding(size=3)

    monkeypatch.setattr("langchain.chat_models.init_chat_model", made)
    monkeypatch.setattr("readgraph.models.embeddings.models.embedding_model", embeddings)
    embedder = Embedder("openai:double")
    for key in ("old", "old", "new"):
        monkeypatch.setenv("ANTHROPIC_API_KEY", f"{key} of the chat")
        monkeypatch.setenv("OPENAI_API_KEY", key)
        await model_client(ReaderContext(model="anthropic:model"))
        await embedder.query("a lamp")
    assert used == ["old of the chat", "old", "new of the chat", "new"]
