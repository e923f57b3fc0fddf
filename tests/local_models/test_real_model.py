"""Every method with a real small model, end to end: see CONTRIBUTING.md for what it needs."""

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.local_model import BUDGET, FORMS, HEADER, WORDS, Reading, Running, beginning, line, read, running, total
from readgraph.features.local_models.files import INSTALL, INSTALL_MODEL, PACKAGE, RUN_BY
from readgraph.graphs.methods import METHODS
from readgraph.models.calling import call_model
from readgraph.models.client import model_client
from readgraph.models.prompt import Prompt
from readgraph.models.reply import ModelReply
from readgraph.nodes.answering.in_view import AnswerAlone
from readgraph.state.context import ReaderContext
from readgraph.state.settings import ReplyForm
from tests.support.command import process

pytestmark = [
    pytest.mark.local_model,
    pytest.mark.skipif(not (find_spec(RUN_BY) and find_spec(PACKAGE)), reason=f"needs {INSTALL}, {INSTALL_MODEL}"),
]

USABLE = {"json_schema": 0.95, "plain": 0.8}
"""The share of the typed replies that must be usable. With JSON in text, this model rarely gives all fields."""

BEYOND = ("survey", "rlm")
"""Methods whose replies are too much for so small a model: a plan that must name its own columns again, a program."""

IN_TEXT = ("mem-walker",)
"""Also with JSON in text, where nearly each request ends in its fall-back after three tries: ReadAgent's are long."""

IN_PLAIN_WORDS = ("read-agent", "mem-walker", "gam", "mem-gpt")

READINGS = [
    *((method, "json_schema") for method in METHODS),
    *((method, "text") for method in IN_TEXT),
    *((method, "plain") for method in IN_PLAIN_WORDS),
]


@pytest.fixture(scope="module")
def model() -> Iterator[Running]:
    """The packaged model, running during the tests."""
    with running("local") as model:
        yield model


@pytest.fixture(scope="module")
def readings() -> list[Reading]:
    """All readings so far."""
    return []


@pytest.mark.parametrize(("method", "form"), READINGS)
def test_a_method_reads_within_its_budget(
    method: str, form: ReplyForm, model: Running, readings: list[Reading], capsys: pytest.CaptureFixture[str]
) -> None:
    reading = asyncio.run(read(METHODS[method], form, beginning(WORDS), model))
    readings.append(reading)
    with capsys.disabled():
        print(f"\n{HEADER}\n{line(reading)}" if len(readings) == 1 else f"\n{line(reading)}", end="")
    assert reading.status in ("answered", "nearest", "no_answer")
    assert reading.calls <= BUDGET
    assert reading.calls == reading.replies.total()


@pytest.mark.parametrize("form", FORMS)
def test_replies_can_be_used(form: ReplyForm, readings: list[Reading], capsys: pytest.CaptureFixture[str]) -> None:
    whole = total(form, [reading for reading in readings if reading.method not in BEYOND])
    with capsys.disabled():
        print(f"\n{line(whole)}", end="")
    if not whole.replies["typed"]:
        pytest.skip(f"nothing was read by {form}")
    assert whole.usable("typed") >= USABLE.get(form, 0), whole.reasons


def test_a_typed_reply_holds_no_pictures(model: Running) -> None:
    settings = ReaderContext(**model.settings)
    messages = [("user", "Repeat this word by word: 🌸🌺🌻🌷 🎉🎉🎉")]

    async def reply() -> ModelReply:
        return await call_model(await model_client(settings), messages, AnswerAlone, Prompt("", 1, "", ""))

    assert ord(max(asyncio.run(reply()).text)) < ord("🌷")


def test_the_command_runs_the_model_by_itself(tmp_path: Path) -> None:
    text = tmp_path / "beginning.txt"
    text.write_text(beginning(150), encoding="utf-8")
    started = process("ask", "What did Marian buy?", text, "--model", "local", "--max-calls", "8")
    out, err = started.communicate(timeout=300)
    assert (started.returncode, "call" in out) == (0, True), err
    assert "135M parameters" in " ".join(err.split())
