"""Vectors in a server's reply, each with its text: OpenAI's form, which orders them by `index`, and bare lists."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from readgraph.library.search.vector_index import MOST_NUMBERS, Matrix
from readgraph.state.errors import ModelUnavailable

DIFFER = "they differ in length"


class NotEmbedded(ModelUnavailable):
    """A server gives no vectors, now or for these texts; what is searched is searched by words."""


class UnusableVectors(ValueError):
    """Why a reply holds no vectors that can be used, without the server's own text."""


def read_vectors(reply: Any, count: int) -> Matrix:
    """The vectors of length 1 of a reply to `count` texts, in their order, shape (count, dimension).

    The reply is a list of vectors, or an object with `data` (OpenAI), `embeddings` (Ollama, Cohere) or `embedding`.

    Raises:
        UnusableVectors: For a reply that does not hold exactly one usable vector for each text.
    """
    rows = _order(_rows_of(reply), count)
    vectors = [_numbers(row) for row in rows]
    if len({len(vector) for vector in vectors}) > 1:
        raise UnusableVectors(DIFFER)
    try:
        matrix = np.array(vectors, np.float64)
    except OverflowError:
        raise UnusableVectors("some are not finite") from None
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise UnusableVectors("some are zero or not finite")
    unit: Matrix = (matrix / lengths).astype(np.float32)
    return unit


def _rows_of(reply: Any) -> Sequence[Any]:
    """The rows of a reply, each of them a vector, or an object that holds one."""
    rows = reply
    if isinstance(reply, dict):
        rows = next((reply[name] for name in ("data", "embeddings", "embedding") if reply.get(name) is not None), None)
        if isinstance(rows, dict):  # Cohere names the kind of the numbers
            rows = rows.get("float")
    if isinstance(rows, np.ndarray):
        rows = rows.tolist()
    if not isinstance(rows, list | tuple):
        raise UnusableVectors("the reply has no list of them")
    return [rows] if rows and _is_number(rows[0]) else rows


def _order(rows: Sequence[Any], count: int) -> list[Any]:
    """The rows in the order of their texts: by their `index`, or as they are where none has one."""
    if len(rows) != count:
        raise UnusableVectors(f"there are {len(rows):,} for {count:,} texts")
    numbers = [row.get("index") if isinstance(row, dict) else None for row in rows]
    if all(number is None for number in numbers):
        return list(rows)
    if numbers.count(None) == 1 and 0 not in numbers:  # servers that write no zeros, such as Gemini's
        numbers[numbers.index(None)] = 0
    placed = {number: row for number, row in zip(numbers, rows, strict=True) if type(number) is int}
    if placed.keys() != {*range(count)}:
        raise UnusableVectors("an index is missing, doubled or out of range")
    return [placed[number] for number in range(count)]


def _numbers(row: Any) -> Sequence[float]:
    """The numbers of one vector, which may be in base64, or one deeper in a list."""
    vector = row
    if isinstance(row, dict):
        vector = row.get("embedding", row.get("values"))
    if isinstance(vector, dict):
        vector = vector.get("float", vector.get("values"))
    if isinstance(vector, str):
        try:
            vector = np.frombuffer(base64.b64decode(vector, validate=True), "<f4").tolist()
        except ValueError:
            raise UnusableVectors("some are neither numbers nor base64") from None
    if isinstance(vector, np.ndarray):
        vector = vector.tolist()
    if isinstance(vector, list | tuple) and len(vector) == 1 and isinstance(vector[0], list | tuple):
        vector = vector[0]  # so llama.cpp's own form has it
    if not isinstance(vector, list | tuple) or not vector or not all(map(_is_number, vector)):
        raise UnusableVectors("some are no lists of numbers")
    if len(vector) > MOST_NUMBERS:
        raise UnusableVectors(f"some have {len(vector):,} numbers")
    return vector


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
