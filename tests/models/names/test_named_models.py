"""Names that stand for chat and embedding models of the caller's own."""

import asyncio
import json
from dataclasses import asdict
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_openai import ChatOpenAI
from langgraph.store.memory import InMemoryStore

from readgraph import ReaderContext, register_embeddings, register_model
from readgraph.graphs import read_agent
from readgraph.graphs.baselines import build_dense
from readgraph.state.errors import BadInput, ModelUnavailable, ReadgraphError
from tests.doubles.hurried import Hurried
from tests.doubles.model_server import Fault, ModelServer
from tests.models.names.test_model_tables import ASKED, TEXT


class Heard(BaseCallbackHandler):
    """Counts the calls of the model that it was given to."""

    calls = 0

    def on_chat_model_start(self, *given: Any, **more: Any) -> None:
        self.calls += 1


@pytest.fixture
def store() -> InMemoryStore:
    return InMemoryStore()


async def ask(store: InMemoryStore, **settings: Any) -> dict[str, Any]:
    graph = read_agent.build().compile(store=store)
    return dict(await graph.ainvoke(ASKED, context=ReaderContext(**settings)))


def chat(server: ModelServer, **settings: Any) -> ChatOpenAI:
    return ChatOpenAI(**{"model": "double", "base_url": server.url, **settings})


def test_a_factory_is_called_once_in_each_loop(server: ModelServer) -> None:
    loops = list[asyncio.AbstractEventLoop]()
    heard = Heard()

    def factory() -> BaseChatModel:
        loops.append(asyncio.get_running_loop())
        return chat(server, callbacks=[heard], default_headers={"X-Team": "reading"})

    async def both() -> None:
        name = register_model("mine", factory)
        await asyncio.gather(ask(InMemoryStore(), model=name), ask(InMemoryStore(), model=name, timeout=60))

    for _ in range(2):
        asyncio.run(both())
    assert len({*loops}) == len(loops) == 2
    assert heard.calls == server.calls > 4
    assert json.loads(json.dumps(asdict(ReaderContext(model="mine"))))["model"] == "mine"


async def test_a_factory_may_be_a_coroutine_and_raise_its_own(server: ModelServer, store: InMemoryStore) -> None:
    async def factory() -> BaseChatModel:
        return chat(server)

    async def without_token() -> BaseChatModel:
        raise PermissionError("no token")

    assert (await ask(store, model=register_model("waited-for", factory)))["status"] == "answered"
    with pytest.raises(PermissionError, match="no token"):
        await ask(store, model=register_model("waited-for", without_token))
    with pytest.raises(BadInput, match="The factory of 'waited-for' made int, not a BaseChatModel"):
        await ask(store, model=register_model("waited-for", lambda: 7))  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("changed", "paid_again"),
    [
        *[({"temperature": 0.7}, True), ({"max_tokens": 300}, True), ({"reasoning_effort": "low"}, True)],
        *[({"model": "double-2"}, True), ({"model_kwargs": {"user": "ann"}}, True)],
        *[({"default_headers": {"X-Team": "other"}}, False), ({"api_key": "sk-of-another-tenant"}, False)],
        *[({"timeout": 7, "max_retries": 5}, False), ({"callbacks": [Heard()]}, False)],
    ],
)
@pytest.mark.slow
async def test_recorded_replies_are_known_by_what_changes_the_text(
    server: ModelServer, store: InMemoryStore, changed: dict[str, Any], paid_again: bool
) -> None:
    await ask(store, model=register_model("mine", lambda: chat(server)))
    paid = server.calls
    await ask(store, model=register_model("renamed", lambda: chat(server, **changed)))
    assert (server.calls > paid) is paid_again


async def test_objects_without_a_model_of_their_own_are_known_by_their_names(store: InMemoryStore) -> None:
    for name, said in (("first", "The goat."), ("second", "The gander.")):
        register_model(name, lambda said=said: FakeListChatModel(responses=[said]))  # type: ignore[misc]
    answers = [(await ask(store, model=name, reply_form="plain"))["answer"] for name in ("first", "second")]
    assert answers == ["The goat.", "The gander."]


async def test_a_window_bounds_what_is_sent(server: ModelServer, store: InMemoryStore) -> None:
    long: Any = {"text": f"{TEXT}\n\n" * 900, "question": "Who stood on the gallery?"}
    register_model("small", lambda: chat(server), window_words=1500)
    graph = read_agent.build().compile(store=store)
    await graph.ainvoke(long, context=ReaderContext(model="small", max_pages=90))
    assert 500 < max(len(request.text.split()) for request in server.requests) <= 1500


async def test_embeddings_by_a_name(store: InMemoryStore) -> None:
    register_embeddings("own-vectors", lambda: DeterministicFakeEmbedding(size=8))
    graph: Any = build_dense().compile(store=store)
    found = await graph.ainvoke(ASKED, context=ReaderContext(embeddings="own-vectors"))
    assert found["pages_read"] == [0]
    with pytest.raises(BadInput, match="'unknown' is not the name of an embedding model"):
        await graph.ainvoke({**ASKED, "text": "Another."}, context=ReaderContext(embeddings="unknown"))


@pytest.mark.parametrize("name", ["", "local", "openai:mine", "a name", "a/b", None])
def test_a_name_that_would_mean_something_else_is_refused(name: Any) -> None:
    with pytest.raises(BadInput, match="can't be a model's name"):
        register_model(name, lambda: FakeListChatModel(responses=[]))


def test_what_is_no_factory_is_refused() -> None:
    with pytest.raises(BadInput, match="needs a factory"):
        register_model("mine", FakeListChatModel(responses=[]))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="tokens_per_minute must be a whole number"):
        register_model("mine", lambda: FakeListChatModel(responses=[]), tokens_per_minute=0)


async def test_the_error_of_a_named_model_says_its_name_and_no_key(store: InMemoryStore, server: ModelServer) -> None:
    server.fault_for = lambda request, call: Fault("no", status=401)
    register_model("away", lambda: chat(server, api_key="sk-secret"))
    with pytest.raises(ModelUnavailable) as raised:
        await ask(store, model="away", retry_seconds=0)
    assert isinstance(raised.value, ReadgraphError) and "sk-" not in str(raised.value)


class Plain(BaseChatModel):
    """A chat model as a user may write one: it has `_generate`, and nothing else."""

    problem: Any = None
    calls: int = 0
    fails_at: int = 1

    @property
    def _llm_type(self) -> str:
        return "plain"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.calls += 1
        if self.problem and self.calls == self.fails_at:
            raise self.problem
        typed = "Its fields:" in str(messages[-1].content)
        text = (
            '{"answer": "Die Ziege.", "quotes": [], "reason": "", "pages": [0]}' if typed else "Die Ziege stand dort."
        )
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


async def test_a_model_without_functions_is_asked_in_text(store: InMemoryStore, hurried: Hurried) -> None:
    model = Plain()
    found = await ask(store, model=register_model("plain", lambda: model), retry_seconds=300)
    assert (found["status"], found["answer"]) == ("answered", "Die Ziege.")
    assert not hurried.pauses


@pytest.mark.parametrize("fails_at", [1, 2])
@pytest.mark.parametrize("problem", [KeyError("temperature"), NotImplementedError("nothing"), ValueError("a b")])
async def test_a_fault_of_a_users_own_model_is_raised_at_once_with_its_traceback(
    store: InMemoryStore, hurried: Hurried, problem: Exception, fails_at: int
) -> None:
    model = Plain(problem=problem, fails_at=fails_at)
    told = f"The model 'mine' raised {type(problem).__name__}: correct it"
    with pytest.raises(ModelUnavailable, match=told) as raised:
        await ask(store, model=register_model("mine", lambda: model))
    assert raised.value.__cause__ is problem and problem.__traceback__ and not hurried.pauses
    assert model.calls == fails_at


class RateLimitError(Exception):
    """As some providers' packages call it."""


@pytest.mark.parametrize("problem", [TimeoutError(), ConnectionResetError("gone"), RateLimitError("slower")])
async def test_a_network_error_of_an_own_model_is_tried_again(
    store: InMemoryStore, hurried: Hurried, problem: Exception
) -> None:
    model = Plain(problem=problem)
    assert (await ask(store, model=register_model("mine", lambda: model)))["status"] == "answered"
    assert len(hurried.pauses) == 1
