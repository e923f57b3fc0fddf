"""Methods that are not ours: at a place that the user types, or of another package, with channels of their own."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from examples import collapsed_tree
from readgraph import ReaderContext
from readgraph.features.agents import mem_gpt
from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.graphs.baselines import build_bm25, build_recurrent
from readgraph.graphs.hybrids import escalate, reflective_walk, walk_and_research
from readgraph.graphs.methods import method_named
from readgraph.library.opening import Library
from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question, ReadingState
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for
from tests.support.command import Command, assert_refused

PLACE = "examples.collapsed_tree:build"
TEXT = "The keeper climbed to the lamp at nine. The goat stood on the gallery, and the lamp was out.\n\n" * 40


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(TEXT)
    return tmp_path / "text.txt"


async def test_the_example_answers_from_pages_and_summaries(server: ModelServer, library: Library, story: str) -> None:
    document = await library.pages.add_document(story)
    graph: Any = collapsed_tree.build().compile(store=library.store)
    context = ReaderContext(model="openai:double", max_pages=6, children=3)
    asked = Question(document=document.id, question="What did the keeper say of the lamp and the log?")
    found = await graph.ainvoke(asked, context=context)
    (shown,) = [request for request in server.requests if asked_for(request) == "FreeAnswer"]
    assert (found["status"], found["answer"]) == ("answered", "It says so.")
    memory = await library.pages.memory(document.id, found["memory"])
    tags = re.findall(r"<page-?\d* (\d+)(?:-\d+)?(?: in full)?>", shown.text)
    assert {*found["pages_read"]} <= {*map(int, tags)} <= {*range(memory.pages)} and len(tags) == 6, shown.text
    assert "summaries rank first" in found["steps"][3]["summary"]
    values = await graph.ainvoke(asked, context=context, output_keys=["tree_nodes", "pages_read"])
    assert len(values["tree_nodes"]) + len(values["pages_read"]) == 6 and values["tree_nodes"]


def test_the_command_takes_a_method_by_its_place(readgraph: Command, text: Path) -> None:
    found = readgraph("ask", "Who stood on the gallery?", text, "--method", PLACE, "--json").json
    assert (found["method"], found["status"]) == (PLACE, "nearest")
    again = readgraph("ask", "--continue", "And who climbed?", "--method", PLACE, "--json").json
    assert again["memory"] == found["memory"]
    assert_refused(readgraph("ask", "--continue", "And?"), f"add --method {PLACE}.")
    assert "collapsed-tree" in readgraph("show", text, "--method", PLACE).text
    assert not readgraph("read", text, "--method", PLACE, "--estimate", "--json").json["calls"]["high"]
    assert_refused(readgraph("ask", "Who?", text, "--method", PLACE, "--max-hops", 3), "--max-hops has no effect")
    compared = readgraph("compare", "Who stood?", text, "--methods", f"bm25,{PLACE}", "--json").json
    assert [each["status"] for each in compared["methods"]] == ["nearest", "nearest"]
    assert '"tree_nodes"' in json.dumps(readgraph("methods", PLACE, "--json").json)


OWN_GRAPH = """from readgraph.graphs.read_agent import build
"""


@pytest.mark.parametrize(("module", "code"), [("heron", OWN_GRAPH)])
def test_a_method_of_ones_own_is_estimated_without_a_line_for_it(
    readgraph: Command, text: Path, monkeypatch: pytest.MonkeyPatch, module: str, code: str
) -> None:
    (text.parent / f"{module}.py").write_text(code)
    monkeypatch.syspath_prepend(text.parent)
    asked = ("ask", "Who climbed?", text, "--model", "openai:double", "--estimate", "--json", "--method")
    own, ours = (readgraph(*asked, name).json for name in (f"{module}:build", "read-agent"))
    assert own["calls"] == ours["calls"]


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("no_such_module:build", "can't be imported from no_such_module:build: ModuleNotFoundError"),
        ("examples.collapsed_tree:bild", "can't be imported from examples.collapsed_tree:bild: AttributeError"),
        ("examples.collapsed_tree:recipe", "its function takes no arguments."),
        ("os:getcwd", "is no graph: os:getcwd must give a StateGraph"),
        ("readgraph.graphs.correcting:graph", "gives no 'absence'"),
        ("examples/collapsed_tree.py:build", "write examples.collapsed_tree:build."),
        ("examples/collapsed_tree.py", "write examples.collapsed_tree:build."),
        ("examples/collapsed_tree.py:", "write examples.collapsed_tree:build."),
        ("../elsewhere/mine.py:make", f"write mine:make in the folder {Path.cwd().parent / 'elsewhere'}."),
    ],
)
def test_what_is_no_method_is_refused_in_one_line(readgraph: Command, text: Path, place: str, told: str) -> None:
    assert_refused(readgraph("ask", "Who?", text, "--method", place), told)


FAILS = """
from readgraph.graphs import read_agent

def weigh(pages):
    raise LookupError("Keine Waage.")

def look_up(state):
    return weigh([1])

def build():
    return read_agent.build(look_up=look_up)

def make():
    return missing

def count():
    return len(3)

def fill():
    def look_up(state):
        raise OSError(28, "Kein Platz.")
    return read_agent.build(look_up=look_up)
"""


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("build", "LookupError: Keine Waage."),
        ("make", "NameError: "),
        ("count", "TypeError: "),
        ("fill", "OSError: [Errno 28] Kein Platz."),
    ],
)
def test_an_error_in_own_code_shows_the_frames_of_that_code(
    readgraph: Command, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, told: str
) -> None:
    (tmp_path / f"failing_{place}.py").write_text(FAILS)
    monkeypatch.syspath_prepend(tmp_path)
    ran = readgraph("ask", "Who stood?", text, "--method", f"failing_{place}:{place}")
    frames = re.findall(r'File "(.+)", line', ran.err)
    assert (ran.code, {*frames}) == (1, {str(tmp_path / f"failing_{place}.py")}) and told in ran.err
    assert ran.err.startswith("readgraph: A node or method that is not readgraph's failed.")


def test_an_error_in_our_own_code_shows_all_frames(readgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.cli.run.methods.every_method", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        readgraph("methods")


def test_a_name_from_elsewhere_imports_nothing() -> None:
    with pytest.raises(BadInput, match="There is no method 'antigravity:fly'"):
        method_named("antigravity:fly")


class Counting(ReadingState):
    """One channel more."""

    looked: int


class Counted(LookUpUpdate):
    """What a look-up writes, and the channel."""

    looked: int


async def counting(state: LookUpState, runtime: Any) -> Counted:
    """Look at nothing, and count."""
    return {"pages_read": [], "continue_search": False, "step_summary": "", "looked": 1}


def test_a_channel_that_the_state_lacks_is_refused() -> None:
    assert read_agent.build(look_up=counting, state=Counting).channels["looked"]
    with pytest.raises(BadInput, match="writes 'looked', which the graph's state does not have"):
        read_agent.build(look_up=counting)
    with pytest.raises(BadInput, match="derive it from that") as raised:
        mem_walker.build(state=Counting)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "build",
    [
        read_agent.build,
        mem_walker.build,
        gam.build,
        gam.build_memorize,
        gam.build_research,
        mem_gpt.build,
        mem_gpt.build_chat,
        *(pytest.param(build, marks=pytest.mark.slow) for build in (escalate.build, reflective_walk.build)),
        walk_and_research.build,
        build_bm25,
        build_recurrent,
    ],
)
def test_every_graph_takes_further_channels(build: Any) -> None:
    base = build().state_schema
    more = type("More", (base,), {"__annotations__": {"mine": list[int]}, "__module__": __name__})
    assert build(state=more).channels.keys() == {*build().channels, "mine"}
