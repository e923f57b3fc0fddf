"""What a server takes of texts at once is found, remembered, and told truly where it takes nothing."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from langchain_openai import OpenAIEmbeddings
from starlette.responses import Response

from readgraph.models.embeddings.models import Embedder
from readgraph.models.embeddings.vector_replies import NotEmbedded
from readgraph.models.names import register_embeddings
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.words import count_words
from tests.doubles.hurried import Hurried
from tests.doubles.model_faults import CutResponse, embeddings, error_response, json_response, vector
from tests.doubles.model_server import ModelServer
from tests.models.embedding_models.test_embedding import NAME, Kept

TEXTS = [f"text {number}" for number in range(64)]
Answer = Callable[[dict[str, Any]], Response]


def refuse(most: int, status: int, message: str, most_words: int = 10_000) -> Answer:
    """A server that takes so many texts at once, each of so many words."""

    def respond(body: dict[str, Any]) -> Response:
        texts = body["input"]
        if len(texts) > most or any(count_words(text) > most_words for text in texts):
            return error_response(status, message)
        return embeddings(body)

    return respond


@pytest.mark.parametrize(
    ("most", "status", "message"),
    [
        (10, 400, "batch size is invalid, it should not be larger than 10.: input.contents"),
        (32, 413, "batch size 64 > maximum allowed batch size 32"),
        (16, 400, "Too many inputs. The max number of inputs is 16."),
        *[(1, 422, "Input validation error"), (48, 424, "backend error")],
        (25, 200, "batch size is invalid, it should not be larger than 25"),
        (20, 500, "Internal error: too many texts"),
        (32, 429, "Request too large for the model on tokens per min (TPM): Limit 40, Requested 64"),
    ],
)
async def test_a_limit_of_texts_is_found_and_remembered(
    server: ModelServer, hurried: Hurried, most: int, status: int, message: str
) -> None:
    server.embed, embedder = refuse(most, status, message), Embedder(NAME, batch=64)
    vectors = await embedder.documents(TEXTS)
    assert vectors == pytest.approx(np.array([vector(text) for text in TEXTS]))
    assert (len(max(server.embedded, key=len)), hurried.pauses) == (64, [])
    server.embedded.clear()
    await embedder.documents([f"more {number}" for number in range(64)])
    sizes = [len(texts) for texts in server.embedded]
    assert max(sizes) <= most < 2 * max(sizes), "nothing is refused once more"


async def test_an_error_that_says_nothing_of_the_number_is_tried_with_fewer(server: ModelServer) -> None:
    server.embed = refuse(10, 500, "Internal Server Error")
    assert len(await Embedder(NAME).documents(TEXTS)) == 64


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (413, "`inputs` must have less than 512 tokens. Given: 534"),
        (500, "input (600 tokens) is too large to process. increase the physical batch size"),
        (400, "This model's maximum context length is 512 tokens. Please reduce the length of the input."),
        (400, "the input length exceeds the context length"),
    ],
)
async def test_a_long_text_is_the_mean_of_its_halves(server: ModelServer, status: int, message: str) -> None:
    server.embed, embedder = refuse(64, status, message, most_words=30), Embedder(NAME)
    long = [" ".join(f"w{text}x{number}" for number in range(100)) for text in range(3)]
    vectors = await embedder.documents([*TEXTS[:20], *long])
    assert vectors[:20] == pytest.approx(np.array([vector(text) for text in TEXTS[:20]]))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert vectors[20] @ np.array(vector(long[0])) > 0.9
    server.embedded.clear()
    await embedder.documents([f"{text} once more" for text in (*TEXTS, *long)])
    sizes = [len(texts) for texts in server.embedded]
    assert max(sizes) == 64, "long texts say nothing of their number"
    assert all(count_words(text) <= 30 for texts in server.embedded for text in texts), "nor is one sent again"


@pytest.mark.parametrize(("status", "message"), [(400, "can't be encoded"), (500, "unsupported value: NaN")])
async def test_words_that_a_server_never_embeds_are_left_out(server: ModelServer, status: int, message: str) -> None:
    def respond(body: dict[str, Any]) -> Response:
        return error_response(status, message) if "w2x50 " in "".join(body["input"]) else embeddings(body)

    server.embed, kept = respond, Kept()
    embedder = Embedder(NAME, kept)
    long = [" ".join(f"w{text}x{number}" for number in range(100)) for text in range(4)]
    vectors = await embedder.documents(long)
    assert vectors[[0, 1, 3]] == pytest.approx(np.array([vector(long[number]) for number in (0, 1, 3)]))
    assert vectors[2] @ np.array(vector(long[2])) > 0.8
    calls = server.embedding_calls
    await embedder.documents([f"{text} once more" for text in long[:2]])
    assert (len(kept.vectors), server.embedding_calls) == (6, calls + 1), "its length was not why"


async def test_a_query_that_is_too_long_is_halved(server: ModelServer) -> None:
    server.embed = refuse(1, 413, "too long", most_words=30)
    assert np.linalg.norm(await Embedder(NAME).query("goat " * 100)) == pytest.approx(1)


async def test_blank_texts_are_not_sent(server: ModelServer) -> None:
    vectors = await Embedder(NAME).documents(["a lamp", "", " \n"])
    assert (vectors.shape, server.embedded) == ((3, 64), [["a lamp"]])
    assert not vectors[1:].any()
    assert not (await Embedder(NAME).query(" ", 64)).any()
    assert server.embedding_calls == 1


def foreign(body: str, kind: str = "application/json") -> Answer:
    return lambda _: Response(body, media_type=kind)


def error(status: int, message: str = "secret") -> Answer:
    return lambda _: error_response(status, message)


@pytest.mark.parametrize(
    ("answer", "line", "tries"),
    [
        *[(error(500), "failed 4 times \\(500\\)", 4), (error(503), "failed 4 times \\(503\\)", 4)],
        *[(error(400), "refused once what it was sent \\(400\\)", 1), (error(401), "refused the key", 1)],
        (error(404), "does not know", 1),
        (foreign("<html>secret</html>", kind="text/html"), "no usable vectors 4 times", 4),
        (foreign(""), "4 times", 4),
        (foreign('{"error": {"message": "secret", "code": 502}}'), "4 times \\(502\\)", 4),
        (foreign('{"error": "secret"}'), "sent no vectors 4 times \\(an error\\)", 4),
        (error(402), "a credit, a budget or a daily limit is used up", 1),
        (error(400, "Budget has been exceeded: secret"), "check your credit", 1),
        (error(429, "insufficient_quota: secret"), "check your credit", 1),
        (error(400, "Invalid API key: secret"), "refused the key", 1),
        *[(error(400, "Model secret not found"), "does not know", 1), (error(501), "gives no embeddings", 1)],
        (error(400, "This secret model does not support embeddings"), "name another model", 1),
        (foreign('{"base_resp": {"status_code": 1002}}'), "no usable vectors 4 times", 4),
        (lambda body: CutResponse(embeddings(body).body), "broke its answer off 4 times", 4),
    ],
)
async def test_a_failure_names_its_tries_and_cause(server: ModelServer, answer: Answer, line: str, tries: int) -> None:
    server.embed, kept = answer, Kept()
    with pytest.raises(ModelUnavailable, match=line) as problem:
        await Embedder(NAME, kept).documents(["a lamp"])
    assert "secret" not in str(problem.value) and "\n" not in str(problem.value)
    assert (server.embedding_calls, kept.vectors) == (tries, {})


async def test_a_failure_of_a_large_request_names_all_tries(server: ModelServer) -> None:
    server.embed = error(400, "this model gives no embeddings")
    with pytest.raises(NotEmbedded, match="refused 7 times what it was sent"):
        await Embedder(NAME).documents(TEXTS)
    assert server.embedding_calls == 7


@pytest.mark.parametrize("asked", ["30", None])
async def test_a_limit_of_tokens_a_minute_is_kept(server: ModelServer, hurried: Hurried, asked: str | None) -> None:
    def respond(body: dict[str, Any]) -> Response:
        if server.embedding_calls <= 6:
            return error_response(429, "Rate limit reached: tokens per min, too many requests", retry_after=asked)
        return embeddings(body)

    server.embed = respond
    assert len(await Embedder(NAME).documents(["a lamp"])) == 1
    assert len(hurried.pauses) >= 6 and (asked is None or min(hurried.pauses) > 29)


async def test_a_limit_is_waited_for_no_longer_than_the_setting_says(server: ModelServer) -> None:
    server.embed = lambda _: error_response(429, "later", retry_after=30)
    with pytest.raises(NotEmbedded, match="takes no more calls for now \\(refused 3 times\\)"):
        await Embedder(NAME, retry_seconds=70).documents(["a lamp"])


async def test_a_server_that_hangs_is_left(server: ModelServer) -> None:
    class Hanging(Response):
        """Sends its headers, and waits until nobody listens."""

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await receive()

    server.embed = lambda _: Hanging()
    with pytest.raises(NotEmbedded, match=r"did not answer in time \(0\.05 s, 4 times\)"):
        await Embedder(NAME, timeout=0.05).documents(["a lamp"])


async def test_vectors_of_another_model_are_not_mixed_in(server: ModelServer) -> None:
    kept = Kept()
    embedder = Embedder(NAME, kept)
    await embedder.documents(["a lamp", "a goat"])
    server.embed = lambda body: embeddings({**body, "dimensions": 32})
    before = dict(kept.vectors)
    with pytest.raises(BadInput, match="32 numbers, but 64"):
        await embedder.query("a lamp", 64)
    assert kept.vectors == before
    vectors = await embedder.documents(["a lamp", "a ship"])
    assert vectors.shape == (2, 32), "there is no index to compare with: what was kept is asked for anew"
    assert (await embedder.documents(["a lamp", "a goat"], 32)).shape == (2, 32)
    kept.vectors |= before
    again = await embedder.documents(["a lamp", "a ship"])
    assert again.shape == (2, 32), "of two lengths that are kept, none counts"


async def test_servers_that_take_turns_with_two_models_are_refused(server: ModelServer) -> None:
    server.embed = lambda body: embeddings({**body, "dimensions": 32 * (1 + server.embedding_calls % 2)})
    kept = Kept()
    with pytest.raises(NotEmbedded, match="differ in length"):
        await Embedder(NAME, kept, batch=2, concurrency=1).documents(TEXTS)
    assert len({len(each) for each in kept.vectors.values()}) == 1


async def test_the_langchain_object_of_a_caller_keeps_its_settings(server: ModelServer) -> None:
    seen = list[dict[str, Any]]()

    def respond(body: dict[str, Any]) -> Response:
        seen.append(body)
        whole = json.loads(bytes(embeddings(body).body))
        return json_response({**whole, "data": whole["data"][::-1]})

    server.embed = respond
    register_embeddings("own", lambda: OpenAIEmbeddings(model="its", dimensions=16, chunk_size=5))
    vectors = await Embedder("own").documents(TEXTS[:10])
    assert vectors == pytest.approx(np.array([vector(text, 16) for text in TEXTS[:10]]))
    assert [(body["model"], body["dimensions"], len(body["input"])) for body in seen] == [("its", 16, 5)] * 2
