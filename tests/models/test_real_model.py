"""Every method with a real small model, end to end: `pip install -e '.[dev,local-model]' && pytest -m local_model`."""

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.local_model import BUDGET, FORMS, HEADER, WORDS, Running, Watched, beginning, line, read, running, total
from readgraph.graphs.methods import METHODS
from readgraph.models.calling import ModelReply, call_model
from readgraph.models.clients import model_client
from readgraph.nodes.prompts.answer import AnswerAlone
from readgraph.state.context import ReaderContext
from readgraph.state.settings import ReplyForm
from tests.support.command import process

pytestmark = [
    pytest.mark.local_model,
    pytest.mark.skipif(find_spec("llama_cpp") is None, reason="needs pip install 'readgraph[local-model]'"),
]

USABLE = {"json_schema": 0.95, "plain": 0.8}
"""The share of the typed replies that must be usable. By JSON in text, this model seldom gives all fields."""

IN_TEXT = ("read-agent", "mem-walker")
"""Methods that read by JSON in text as well: there nearly every ask ends in its fall-back, after three tries."""

IN_PLAIN_WORDS = ("read-agent", "mem-walker", "gam", "mem-gpt")

READINGS = [
    *((method, "json_schema") for method in METHODS),
    *((method, "text") for method in IN_TEXT),
    *((method, "plain") for method in IN_PLAIN_WORDS),
]


@pytest.fixture(scope="module")
def model() -> Iterator[Running]:
    """The packaged model, which runs meanwhile."""
    with running("local") as started:
        yield started


@pytest.fixture(scope="module")
def watched() -> list[Watched]:
    """What came of each reading so far."""
    return []


@pytest.mark.parametrize(("method", "form"), READINGS)
def test_a_method_reads_within_its_budget(
    method: str,
    form: ReplyForm,
    model: Running,
    watched: list[Watched],
    capsys: pytest.CaptureFixture[str],
) -> None:
    one = asyncio.run(read(METHODS[method], form, beginning(WORDS), model))
    watched.append(one)
    with capsys.disabled():
        print(f"\n{HEADER}\n{line(one)}" if len(watched) == 1 else f"\n{line(one)}", end="")
    assert one.status in ("answered", "no_answer")
    assert one.calls <= BUDGET
    assert one.calls == one.asked.total()


@pytest.mark.parametrize("form", FORMS)
def test_replies_can_be_used(form: ReplyForm, watched: list[Watched], capsys: pytest.CaptureFixture[str]) -> None:
    whole = total(form, watched)
    with capsys.disabled():
        print(f"\n{line(whole)}", end="")
    if not whole.asked["typed"]:
        pytest.skip(f"nothing was read by {form}")
    assert whole.usable("typed") >= USABLE.get(form, 0), whole.reasons


def test_a_typed_reply_holds_no_pictures(model: Running) -> None:
    settings = ReaderContext(**model.settings)
    asked = [("user", "Repeat this word by word: 🌸🌺🌻🌷 🎉🎉🎉")]

    async def said() -> ModelReply:
        return await call_model(await model_client(settings), asked, AnswerAlone)

    assert ord(max(asyncio.run(said()).text)) < ord("🌷")


def test_the_command_runs_the_model_by_itself(tmp_path: Path) -> None:
    text = tmp_path / "beginning.txt"
    text.write_text(beginning(150), encoding="utf-8")
    started = process("ask", "What did Marian buy?", text, "--model", "local", "--max-calls", "8")
    out, err = started.communicate(timeout=300)
    assert (started.returncode, "call" in out) == (0, True), err
    assert "135M parameters" in " ".join(err.split())
