"""What is declared once is found wherever its kind is listed: tried in a copy of the package."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import readgraph

PACKAGE = Path(readgraph.__file__).parent

METHOD = '''"""The part that the question's first word names answers."""

from functools import partial

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.graphs.baselines import build_linear, read_segments
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.settings import Tree


class HeardState(TypedDict):
    question_text: str


class HeardUpdate(TypedDict, total=False):
    pages_read: list[int]
    step_summary: str


@node(settings=(Tree,))
async def listen_to_lamp(state: HeardState, runtime: Runtime[ReaderContext]) -> HeardUpdate:
    """Listen."""
    return {"pages_read": [0], "step_summary": f"listened for {runtime.context.listening_hours} h"}


build = partial(build_linear, read=read_segments, look_up=listen_to_lamp)
graph = build().compile(name="listening")
'''
KIND = '''"""Logs of the lamp: what stands after the dashes."""

from readgraph.sources.converting import Converted


def convert(data: bytes, name: str) -> Converted:
    """The log without its dashes."""
    return Converted(data.decode().replace("-- ", ""), ())
'''
SETTING = '    listening_hours: Annotated[int, Ge(0), Help("Hours to listen."), InRecipe()] = 3\n'
DECLARED = '    Method(name="listening", line="Listens to the lamp.", memory_of="bm25", graph="{}"),\n'
LINES = {  # a line that is put after another one
    "graphs/declared.py": ("methods = give(\n", DECLARED.format("readgraph.graphs.listening:graph")),
    "state/settings/methods.py": ('    """The shape of MemWalker\'s tree."""\n\n', SETTING),
    "sources/kinds.py": (
        "OURS = (\n",
        '    FileKind(name="lamps", endings={".lamp": "text/x-lamp"}, '
        'converter=f"{_FORMATS}.lamp_text:convert", id="l"),\n',
    ),
}
PROGRAM = """
import json
from pathlib import Path
from readgraph import ReaderContext
from readgraph.graphs.mem_walker import graph as walker, recipe
from readgraph.graphs.methods import METHODS
from readgraph.graphs.served import server_configuration
from readgraph.sources import load
from readgraph.sources.kinds import ending_for, readable_endings
text = load(Path("night.lamp")).text
graph = server_configuration()["graphs"]["listening"]
told = {"graph": graph, "form": walker.get_context_jsonschema()["properties"]["listening_hours"]}
told["recipes"] = [recipe(ReaderContext(listening_hours=hours)).parameters for hours in (3, 4)]
told |= {"text": text, "type": ending_for("text/x-lamp"), "ending": ".lamp" in readable_endings()}
told |= {"own": METHODS["listening"].line}
print(json.dumps(told, default=str))
"""
LOG = "\n\n".join(f"-- On day {day} the lamp burned for {day} hours, and the keeper slept." for day in range(80))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package, in which one of each is declared."""
    place = tmp_path_factory.mktemp("declared")
    copy = shutil.copytree(PACKAGE, place / "readgraph", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "graphs" / "listening.py").write_text(METHOD, encoding="utf-8")
    (copy / "sources" / "formats" / "lamp_text.py").write_text(KIND, encoding="utf-8")
    for name, (before, line) in LINES.items():
        text = (copy / name).read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{name} has changed: say in this test where a declaration stands now"
        (copy / name).write_text(text.replace(before, before + line), encoding="utf-8")
    (place / "night.lamp").write_text(LOG, encoding="utf-8")
    return place


def run(place: Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(place),
        "COLUMNS": "200",
        "READGRAPH_LIBRARY": str(place / "library"),
    }
    command = [sys.executable, *arguments]
    ran = subprocess.run(command, cwd=place, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def readgraph_json(place: Path, *arguments: str) -> Any:
    return json.loads(run(place, "-m", "readgraph", *arguments, "--json"))


@pytest.mark.slow
def test_a_method_its_step_a_setting_and_a_kind_of_file(place: Path) -> None:
    told = json.loads(run(place, "-c", PROGRAM))
    assert told["graph"]["path"].endswith("listening:graph") and told["own"] == "Listens to the lamp."
    assert told["form"]["default"] == 3 and told["form"]["description"] == "Hours to listen."
    assert [one.get("listening_hours") for one in told["recipes"]] == [3, 4]
    assert (told["type"], told["ending"]) == (".lamp", True) and told["text"].startswith("On day 0 the lamp")


@pytest.mark.slow
def test_the_command_lists_and_uses_them(place: Path) -> None:
    assert "listening" in [each["name"] for each in readgraph_json(place, "methods")]
    drawn = readgraph_json(place, "methods", "listening")
    assert "look_up" in [each["name"] for each in drawn["nodes"]]
    helped = run(place, "-m", "readgraph", "ask", "--help-all")
    assert "--listening-hours" in helped and "Hours to listen." in helped
    asked = ("ask", "Who slept?", "night.lamp", "--method", "listening", "--listening-hours", "7")
    answered = readgraph_json(place, *asked)
    assert "listened for 7 h" in [step["summary"] for step in answered["steps"]]
    assert "[1] night" in run(place, "-m", "readgraph", "ask", "Who slept?", ".", "--method", "listening")
