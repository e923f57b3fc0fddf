"""Chat and embedding models that settings are given as objects of LangChain, and what is made of these."""

import asyncio
import gc
import json
import weakref
from dataclasses import asdict, replace
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from pydantic import SecretStr

from readgraph import ReaderContext, aask, api, open_library
from readgraph.api import functions
from readgraph.graphs import read_agent
from readgraph.graphs.baselines import build_dense
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ModelServer
from tests.models.names.test_model_tables import ASKED

KEY = "sk-of-a-tenant"


def chat(server: ModelServer, **settings: Any) -> ChatOpenAI:
    return ChatOpenAI(**{"model": "double", "base_url": server.url, "api_key": KEY, "max_retries": 0, **settings})


async def run(model: Any, store: InMemoryStore, **settings: Any) -> dict[str, Any]:
    graph = read_agent.build().compile(store=store)
    return dict(await graph.ainvoke(ASKED, context=ReaderContext(model=model, **settings)))


FORMS: dict[str, Any] = {
    "alone": lambda model: model,
    "bind": lambda model: model.bind(stop=["#"]),
    "with_retry": lambda model: model.with_retry(stop_after_attempt=2),
    "with_fallbacks": lambda model: model.with_fallbacks([model]),
    "with_config": lambda model: model.with_config(tags=["mine"]),
    "all": lambda model: model.bind(stop=["#"]).with_retry().with_fallbacks([model]).with_config(tags=["mine"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_chat_model_and_what_is_made_of_it_serve_as_they_are(server: ModelServer, form: str) -> None:
    saver = InMemorySaver()
    graph = read_agent.build().compile(store=InMemoryStore(), checkpointer=saver)
    context = ReaderContext(model=FORMS[form](chat(server)))
    found = graph.invoke(ASKED, {"configurable": {"thread_id": "1"}}, context=context)
    assert (found["status"], server.calls) == ("answered", 3)
    assert all("response_format" in request.body for request in server.requests if request.schema)
    assert ("stop" in server.requests[0].body) is (form in ("bind", "all"))
    assert context.model.startswith("ChatOpenAI(double)") and found["steps"][-1]["model"] == context.model
    kept = f"{saver.storage}{saver.blobs}{saver.writes}{context!r}{json.dumps(asdict(context))}"
    assert KEY not in kept


@pytest.mark.parametrize("form", FORMS)
def test_messages_are_the_answer_alone_and_calls_have_their_prompts_names(server: ModelServer, form: str) -> None:
    """Steps and prompts share names, and LangGraph streams what a chain with its node's name gives."""

    class Names(BaseCallbackHandler):
        def __init__(self) -> None:
            self.said = list[str]()

        def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
            self.said.append(kwargs["name"])

    names, context = Names(), ReaderContext(model=FORMS[form](chat(server)))
    graph: Any = read_agent.build().compile(store=InMemoryStore())
    stream = graph.stream(ASKED, {"callbacks": [names]}, context=context, stream_mode="messages")
    assert "".join(message.text for message, _ in stream) == "It says so."
    assert names.said == ["gist", "look_up", "answer"]


@pytest.mark.parametrize("names", [["model"], ["model", "reading_model"]])
async def test_every_way_to_name_a_model_takes_it(server: ModelServer, names: list[str]) -> None:
    context: Any = {name: chat(server) for name in names}
    await read_agent.build().compile(store=InMemoryStore()).ainvoke(ASKED, context=context)
    assert server.calls == 3


async def test_a_fallback_answers_where_the_first_is_away(server: ModelServer) -> None:
    away = chat(server, base_url="http://127.0.0.1:9/v1", model="away")
    model: Any = away.with_fallbacks([chat(server)])
    assert (await run(model, InMemoryStore()))["status"] == "answered"
    assert ReaderContext(model=model).model == "ChatOpenAI(away) or ChatOpenAI(double)"


def test_one_object_serves_in_several_event_loops(server: ModelServer) -> None:
    model = chat(server)
    for _ in range(3):
        assert asyncio.run(run(model, InMemoryStore()))["status"] == "answered"


@pytest.mark.parametrize(
    ("changed", "paid_again"),
    [
        ({}, False),
        ({"api_key": "sk-of-another", "timeout": 7, "default_headers": {"X-Team": "b"}}, False),
        ({"temperature": 0.7}, True),
        ({"extra_body": {"top_k": 3}}, True),
        ({"model": "other"}, True),
    ],
)
async def test_replies_are_known_by_parameters(server: ModelServer, changed: dict[str, Any], paid_again: bool) -> None:
    store = InMemoryStore()
    await run(chat(server), store)
    paid = server.calls
    await run(chat(server, **changed), store)
    assert (server.calls > paid) is paid_again


async def test_two_objects_of_one_name_keep_their_keys_apart(server: ModelServer) -> None:
    one, other = chat(server), chat(server, api_key="sk-of-another")
    await asyncio.gather(run(one, InMemoryStore()), run(other, InMemoryStore()))
    sent = {request.headers["authorization"] for request in server.requests}
    assert sent == {f"Bearer {KEY}", "Bearer sk-of-another"}


async def test_what_an_object_sends_besides_is_sent_with_the_form_of_a_reply(server: ModelServer) -> None:
    await run(chat(server, extra_body={"top_k": 3}).bind(extra_body={"min_p": 0.1}), InMemoryStore())
    typed = [request.body for request in server.requests if request.schema]
    assert typed and all((body["top_k"], body["min_p"]) == (3, 0.1) for body in typed)


async def test_models_without_a_name_of_their_own_are_known_by_what_they_say() -> None:
    store = InMemoryStore()
    for said in ("The goat.", "The gander."):
        assert (await run(FakeListChatModel(responses=[said]), store, reply_form="plain"))["answer"] == said


async def test_an_object_is_let_go_with_the_settings_that_hold_it(server: ModelServer) -> None:
    model = chat(server)
    held = weakref.ref(model)
    await run(model, InMemoryStore())
    del model
    gc.collect()
    await run(chat(server), InMemoryStore())  # this closes what is no longer used
    assert held() is None


async def test_a_copy_of_the_name_asks_nobody(server: ModelServer) -> None:
    context = ReaderContext(model=chat(server))
    assert replace(context, max_pages=1).model is context.model
    with pytest.raises(BadInput, match="is not the name of a model"):
        await run(str(context.model), InMemoryStore())
    assert server.calls == 0


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (7, "'model' can't be used"),
        (object(), "'model' can't be of object"),
        (lambda prompt: prompt, "'model' can't be of function"),
        (ChatOpenAI, "'model' can't be of ModelMetaclass"),
        (FakeListChatModel(responses=[]) | str, "'model' can't be of RunnableSequence"),
        (FakeListChatModel(responses=[]).bind(tools=[]), "bound to 'tools', with which readgraph asks"),
        (DeterministicFakeEmbedding(size=3), "'model' can't be of DeterministicFakeEmbedding"),
    ],
)
def test_what_is_no_model_is_refused(given: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        ReaderContext(model=given)


async def test_functions_of_the_api_take_it(server: ModelServer, tmp_path: Any) -> None:
    given = {"text": ASKED["text"], "library": tmp_path, "method": "read-agent"}
    answer = await aask(ASKED["question"], **given, model=chat(server).with_retry())
    assert answer.model == "ChatOpenAI(double)" and server.calls == 3
    async with open_library(tmp_path) as library:
        ids = [each.id for each in await functions.list_documents(library)]
        found = await api.summarise(library, documents=ids, context=ReaderContext(model=chat(server)))
    assert found.model == "ChatOpenAI(double)" and server.calls > 3


def embed(server: ModelServer, **settings: Any) -> Embeddings:
    given: Any = {"base_url": server.url, "api_key": SecretStr(KEY), "check_embedding_ctx_length": False, **settings}
    return OpenAIEmbeddings(**given)


def test_embeddings_serve_as_they_are(server: ModelServer) -> None:
    names, store, graph = list[str](), InMemoryStore(), build_dense()
    for size in (8, 8, 4):
        context = ReaderContext(embeddings=embed(server, model="vectors", dimensions=size))
        found: Any = asyncio.run(graph.compile(store=store).ainvoke(ASKED, context=context))
        assert found["pages_read"] == [0]
        names.append(context.embeddings)
    assert names[0] == names[1] != names[2] and "vectors" in names[0]
    with pytest.raises(BadInput, match="'embeddings' can't be of ChatOpenAI"):
        ReaderContext(embeddings=chat(server))
