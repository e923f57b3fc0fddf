"""The vectors of a reply stay with their texts, and what can't be told apart or compared is refused and not kept."""

import base64
import json
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from starlette.responses import Response

from readgraph.models.embeddings.models import Embedder
from readgraph.models.embeddings.vector_replies import NotEmbedded
from tests.doubles.model_faults import embeddings, vector
from tests.doubles.model_server import ModelServer
from tests.models.embedding_models.test_embedding import NAME, Kept

TEXTS = ["a lamp", "a goat", "a ship"]
Change = Callable[[list[dict[str, Any]]], Any]


def change_reply(change: Change) -> Callable[[dict[str, Any]], Response]:
    """Responses whose `data` was changed, or replaced by what `change` returns: the whole body."""

    def respond(body: dict[str, Any]) -> Response:
        whole = json.loads(bytes(embeddings(body).body))
        changed = change(whole["data"])
        return Response(json.dumps(whole if changed is None else changed), media_type="application/json")

    return respond


def number(*numbers: Any) -> Change:
    """Give the rows these numbers, in order."""
    return lambda data: [row.update(index=number) for row, number in zip(data, numbers, strict=True)] and None


def put_first(vector: Any) -> Change:
    """Give the first row this vector."""
    return lambda data: data[0].update(embedding=vector)


def drop_index(*rows: int) -> Change:
    """Take the number out of some rows."""
    return lambda data: [data[row].pop("index") for row in rows] and None


def bare(data: list[dict[str, Any]]) -> list[Any]:
    return [row["embedding"] for row in data]


def change_each(change: Callable[[list[float]], Any]) -> Change:
    """Change the vector of each row."""
    return lambda data: [row.update(embedding=change(row["embedding"])) for row in data] and None


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.reverse(),
        lambda data: data.append(data.pop(0)),
        drop_index(0, 1, 2),
        drop_index(0),  # Gemini's server writes no zeros
        lambda data: (data.reverse(), data[2].pop("index"))[0],
        change_each(lambda numbers: base64.b64encode(array("f", numbers).tobytes()).decode()),
        change_each(lambda numbers: [numbers]),
        lambda data: {"embeddings": bare(data)},
        lambda data: {"embeddings": {"float": bare(data)}},
        bare,
    ],
)
async def test_each_text_has_its_own_vector(server: ModelServer, change: Change) -> None:
    server.embed = change_reply(change)
    vectors = await Embedder(NAME).documents(TEXTS)
    assert vectors == pytest.approx(np.array([vector(text) for text in TEXTS]))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        *[(drop_index(1), "an index is missing"), (drop_index(0, 1), "an index is missing")],
        *[(number(0, 1, 1), "doubled"), (number(0, 0, 0), "doubled"), (number(1, 2, 3), "out of range")],
        *[(number(-1, 0, 1), "out of range"), (number("0", "1", "2"), "an index")],
        (lambda data: data.pop() and None, "2 for 3 texts"),
        (lambda data: data.append({**data[0], "index": 3}), "4 for 3 texts"),
        *[(lambda data: data.clear(), "0 for 3 texts"), (lambda data: {"data": None}, "no list")],
        (lambda data: {"object": "list"}, "no list"),
        (lambda data: [number for each in bare(data) for number in each], "for 3 texts"),
        *[(put_first([1.0, 2.0]), "differ in length"), (put_first(["0.1"] * 64), "no lists of numbers")],
        *[(put_first("no base64"), "neither numbers nor base64"), (put_first([None] * 64), "no lists of numbers")],
        *[(put_first(None), "no lists of numbers"), (put_first([]), "no lists of numbers")],
        (put_first([[1.0] * 64, [2.0] * 64]), "no lists of numbers"),
        *[(put_first([0.0] * 64), "zero or not finite"), (put_first([float("nan")] * 64), "zero or not finite")],
        *[(put_first([float("inf")] * 64), "zero or not finite"), (put_first([10**400] * 64), "not finite")],
        (put_first([True] * 64), "no lists of numbers"),
    ],
)
async def test_what_can_not_be_told_apart_is_refused(server: ModelServer, change: Change, why: str) -> None:
    server.embed, kept = change_reply(change), Kept()
    with pytest.raises(NotEmbedded, match=f"no usable vectors 4 times .*{why}") as problem:
        await Embedder(NAME, kept).documents(TEXTS)
    assert "\n" not in str(problem.value)
    assert (kept.vectors, server.embedding_calls) == ({}, 4)


async def test_a_reply_that_was_damaged_once_is_asked_for_again(server: ModelServer) -> None:
    def respond(body: dict[str, Any]) -> Response:
        return change_reply(drop_index(1))(body) if server.embedding_calls == 1 else embeddings(body)

    server.embed = respond
    assert len(await Embedder(NAME).documents(TEXTS)) == 3
    assert server.embedding_calls == 2
