"""Providers beside OpenAI: what their packages raise is named in one line, and waited for where that helps."""

from typing import Any

import httpx
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.outputs import ChatResult
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from readgraph.models.asking import ask_text
from readgraph.models.embedder import Embedder
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ModelUnavailable
from tests.doubles.hurried import Hurried
from tests.models.test_asking import PROMPT
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


class RefusedByName(Exception):
    """An error that is no kin of any HTTP client's."""

    status_code = 404


def answered(status: int) -> httpx.HTTPStatusError:
    return httpx.HTTPStatusError("a secret", request=REQUEST, response=httpx.Response(status))


@pytest.mark.parametrize(
    ("problem", "again", "line"),
    [
        (answered(401), False, "refused the key"),
        (RefusedByName("a secret"), False, "does not know the model 'mistralai:small'"),
        (answered(429), True, "takes no more calls for now"),
        (answered(503), True, r"failed \d+ times in a row \(503\)"),
        (httpx.ReadTimeout("a secret"), True, "did not answer in time"),
        (httpx.ConnectError("a secret"), True, "check the network and the address of mistralai's server"),
        (ConnectionRefusedError("a secret"), True, "check the network and the address of mistralai's server"),
        (LookupError("a secret"), True, r"doesn't speak its provider's protocol \(LookupError\)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
async def test_errors_of_other_clients_are_known(
    monkeypatch: pytest.MonkeyPatch, hurried: Hurried, problem: Exception, again: bool, line: str
) -> None:
    chat = Raising(problem=problem)
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda *_, **__: chat)
    runtime = Runtime(context=ReaderContext(model="mistralai:small", retry_seconds=5), store=InMemoryStore())
    with pytest.raises(ModelUnavailable, match=line) as told:
        await ask_text(runtime, PROMPT)
    assert "a secret" not in str(told.value)
    assert (chat.calls > 1) == again


async def test_a_provider_without_its_key_is_one_line(readgraph: Command) -> None:
    with pytest.raises(ModelUnavailable, match="azure_openai can't be set up: set its key"):
        await Embedder("azure_openai:small").query("a lamp")


def test_a_model_without_its_key_is_one_line(readgraph: Command) -> None:
    assert_refused(readgraph("models", "azure_openai:small"), "azure_openai can't be set up: set its key")
