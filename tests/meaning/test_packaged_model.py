"""The model that `readgraph[meaning]` installs: its vectors, and what is said where its files are damaged."""

import multiprocessing
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from readgraph.features.meaning import model as packaged
from readgraph.features.meaning.model import PackagedFile, PackagedMiniLM, is_installed
from readgraph.models.embeddings.models import Embedder
from readgraph.state.errors import BadInput

needs_extra = pytest.mark.skipif(not is_installed(), reason="needs pip install 'readgraph[meaning]'")


@pytest.fixture
def reload() -> Callable[[], None]:
    packaged.load.cache_clear()
    return packaged.load.cache_clear


@pytest.mark.skipif(is_installed(), reason="the extra is installed")
async def test_a_missing_extra_is_named() -> None:
    with pytest.raises(BadInput, match=r"pip install 'readgraph\[meaning\]'"):
        await Embedder("local").query("a lamp")


@needs_extra
async def test_it_reads_meaning_without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("Something looked for the network.")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    embedder = Embedder("local")
    texts = ["The dog chased its ball.", "Interest rates rose again.", "The lighthouse keeper lit the lamp."]
    vectors = await embedder.documents(texts)
    asked = await embedder.query("Which animal was playing?")
    assert vectors.shape == (3, 384)
    assert int(np.argmax(vectors @ asked)) == 0


@needs_extra
@pytest.mark.parametrize("text", ["", "x" * 100_000, "山羊 " * 900, "الماعز", "12 34 " * 500, "\0"])
def test_any_text_has_a_vector_of_its_own(text: str) -> None:
    alone, among = PackagedMiniLM().embed_query(text), PackagedMiniLM().embed_documents(["a lamp", text, "a goat"])
    assert alone == among[1]
    assert np.isfinite(alone).all() and any(alone)


@needs_extra
@pytest.mark.parametrize(("cores", "threads"), [(None, 1), (1, 1), (2, 1), (8, 4), (64, 4)])
def test_threads_are_limited(
    cores: int | None, threads: int, monkeypatch: pytest.MonkeyPatch, reload: Callable[[], None]
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert packaged.load().session.get_session_options().intra_op_num_threads == threads
    reload()


def _embed(said: "multiprocessing.Queue[int]") -> None:
    said.put(len(PackagedMiniLM().embed_query("a lamp")))


@needs_extra
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_child_process_loads_its_own(method: str) -> None:
    PackagedMiniLM()
    context: Any = multiprocessing.get_context(method)
    said = context.Queue()
    child = context.Process(target=_embed, args=(said,))
    child.start()
    assert said.get(timeout=60) == 384
    child.join()


@pytest.mark.parametrize("held", [b"", b"cut", b"another version"])
def test_another_file_is_refused(held: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cut_model").mkdir()
    (tmp_path / "cut_model" / "model.onnx").write_bytes(held)
    monkeypatch.syspath_prepend(tmp_path)
    file = PackagedFile("cut_model", "model.onnx", packaged.MODEL.sum)
    with pytest.raises(BadInput, match=r"is damaged, or another version: .* cut-model") as refused:
        file.read()
    assert "\n" not in str(refused.value)
    (tmp_path / "cut_model" / "model.onnx").unlink()
    with pytest.raises(BadInput, match="can't be read"):
        file.read()


@needs_extra
@pytest.mark.parametrize("raised", ["ImportError('libgomp.so.1: cannot open')", "OSError('for another processor')"])
def test_a_runner_that_is_broken_is_told_in_a_line(
    raised: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reload: Callable[[], None]
) -> None:
    (tmp_path / "onnxruntime.py").write_text(f"raise {raised}")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    with pytest.raises(BadInput, match=r"onnxruntime or tokenizers can't be used \((libgomp|for another)"):
        PackagedMiniLM()
    reload()
