"""The scripts for other systems run, and what they write is measured."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.doubles.model_server import ChatRequest, ModelServer
from tests.support.command import Command
from tests.support.examples import EXAMPLES

FOLDER = EXAMPLES / "others"
NEEDED = {"mem0_memory": "mem0", "light_rag": "lightrag"}
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "answering")

pytestmark = pytest.mark.other_systems


def replied(request: ChatRequest) -> str:
    """A reader's answer, a memory for mem0, or an entity for LightRAG."""
    if "reply: The text does not say" in request.text:
        return "Marian"
    if "json" in request.text.lower():
        return json.dumps({"memory": [{"id": "0", "text": "Marian bought the tide station"}]})
    return "entity<|#|>Marian<|#|>person<|#|>Marian bought the tide station\n<|COMPLETE|>"


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_system_s_answers_are_measured(
    script: str, tmp_path: Path, server: ModelServer, readgraph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (needed := NEEDED.get(script)) and not find_spec(needed):
        pytest.skip(f"needs pip install -r {FOLDER.name}/requirements.txt")
    server.respond = replied
    questions, out = EXAMPLES / "questions.jsonl", tmp_path / f"{script}.jsonl"
    command: list[str | Path] = [
        sys.executable,
        FOLDER / f"{script}.py",
        questions,
        "--model",
        "double",
        "--limit",
        "12",
        "--out",
        out,
    ]
    quiet = {"EMBEDDING_DIMENSIONS": "64", "HOME": str(tmp_path)}
    ran = subprocess.run(command, env=os.environ | quiet, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr[-2000:]
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 12 and any(line["retrieved"] for line in lines) and all(line["tokens"] for line in lines)
    found = readgraph(
        "evaluate", questions, "--limit", "12", "--answers", out, "--out", tmp_path / "out", "--json"
    ).json
    assert found["methods"][0]["method"] == script and found["methods"][0]["outcomes"] == 12
