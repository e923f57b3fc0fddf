"""A method that another package plugs in is found wherever ours are; a package that fails stands in nobody's way."""

import os
import re
from importlib import import_module
from pathlib import Path

import pytest

from readgraph.graphs.loading import builder_at
from readgraph.graphs.methods import METHODS, find_methods
from tests.support.command import STORY, Command, Ran, assert_refused, finished, process
from tests.support.development_server import REPOSITORY
from tests.support.packages import install

GRAPH = '''
"""The first segment answers."""

from functools import partial

from opening_settings import Opening
from readgraph.graphs.baselines import build_linear, read_segments
from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.step import node


@node(settings=(Opening,))
async def look_up(state: LookUpState, runtime) -> LookUpUpdate:
    pages = [*range(Opening.of(runtime.context).opening_parts)]
    return {"pages_read": pages, "continue_search": False, "step_summary": f"{len(pages)} parts"}


build = partial(build_linear, read=read_segments, look_up=look_up)
graph = build().compile(name="opening")
'''
SETTINGS = """
from typing import Annotated

from annotated_types import Ge, Le

from readgraph.state.declaring import Help, Settings


class Opening(Settings, panel="Opening"):
    opening_parts: Annotated[int, Ge(1), Le(2), Help("Look so many parts up.")] = 1


class Taken(Settings, panel="Opening"):
    max_calls: Annotated[int, Help("One of ours has this name.")] = 1
"""
PLUGIN = """
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl


@hookimpl
def methods():
    line, graph = "The first segment answers, (and no other).", "opening_graph:graph"
    return [
        Method(name="opening", line=line, graph=graph, note="beginning", memory_of="bm25"),
        Method(name="gam", graph=graph),
        Method(name="away", graph="no_such_module:graph"),
        Method(name="ending", graph="ending:graph"),
    ]


@hookimpl
def settings():
    from opening_settings import Opening, Taken

    return [Opening, Taken]
"""
LINE = "The first segment answers, (and no other)."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ending = "print('Guten Tag.')\nraise SystemExit(7)"
    install(
        tmp_path / "installed",
        "opening",
        opening_plugin=PLUGIN,
        opening_settings=SETTINGS,
        opening_graph=GRAPH,
        ending=ending,
    )
    install(tmp_path / "installed", "faulty", faulty_plugin="raise SystemExit(3)")
    install(tmp_path / "installed", "late", late_plugin=PLUGIN.replace("line, graph = ", "return 1 / 0\n    line = "))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "installed"), str(REPOSITORY)]))
    return tmp_path


def run(*arguments: object, options: tuple[str, ...] = ()) -> Ran:
    return finished(process(*arguments, options=options))


@pytest.mark.slow
def test_it_is_listed_and_drawn(folder: Path) -> None:
    listed = {each["name"]: each for each in run("methods", "--json").json}
    assert [*listed] == [*METHODS, "opening", "away", "ending"]
    assert listed["opening"]["graph"] == "opening_graph:graph" and listed["opening"]["line"] == LINE
    assert {name for name, each in listed.items() if "can't be imported" in each["problem"]} == {"away", "ending"}
    drawn = run("methods", "opening", "--json").json
    assert [node["name"] for node in drawn["nodes"]] == ["open", "read", "look_up", "answer", "cite"]
    assert "✗ Not used: one of ours has this name." in run("methods").out


@pytest.mark.slow
def test_it_is_completed_without_its_import(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_READGRAPH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_CWORD", "4")
    for option in ("--method", "--methods"):
        command = "ask" if option == "--method" else "compare"
        monkeypatch.setenv("COMP_WORDS", "\n".join(["readgraph", command, "who", option, "openi"]))
        ran = run(options=("-X", "importtime"))
        assert ran.out.split() == ["opening"]
        assert "readgraph.graphs.methods" in ran.err
        assert not re.search(
            r"\| +(langgraph|langchain_core|numpy|opening_graph|readgraph\.\w+\.\w+\.graph)$", ran.err, re.M
        )


@pytest.mark.slow
def test_it_reads_and_answers_from_the_memory_it_shares(folder: Path) -> None:
    bm25 = run("ask", "Who took the log book?", STORY, "--method", "bm25", "--json").json
    found = run("ask", "Who took the log book?", STORY, "--method", "opening", "--json").json
    assert (found["method"], found["pages_read"]) == ("opening", [0]) and found["memory"] == bm25["memory"]
    assert_refused(run("ask", "Who?", STORY, "--method", "away"), "can't be imported")
    assert run("ask", "Who?", STORY, "--method", "ending").code == 2


@pytest.mark.slow
def test_it_has_settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("ask", "Who took the log book?", STORY, "--json", "--method")
    assert run(*asked, "opening", "--opening-parts", 2).json["pages_read"] == [0, 1]
    assert_refused(run(*asked, "opening", "--opening-parts", 3), "--opening-parts")
    assert_refused(run(*asked, "bm25", "--opening-parts", 2), "--opening-parts has no effect with bm25")
    monkeypatch.setenv("READGRAPH_SETTINGS", str(folder / "settings.toml"))
    (folder / "settings.toml").write_text("opening_parts = 2")
    assert run(*asked, "opening").json["pages_read"] == [0, 1]
    assert re.search(r"opening\b.*'max_calls' already", run("doctor").out)


@pytest.mark.slow
def test_packages_that_fail_are_named_by_doctor(folder: Path) -> None:
    told = run("doctor").out
    assert re.search(r"faulty\b.*SystemExit: 3", told) and re.search(r"late\b.*ZeroDivisionError", told)


def test_what_is_declared_stands_there(readgraph: Command) -> None:
    for method in find_methods():
        module, _, name = method.graph.partition(":")
        assert hasattr(import_module(module), name) and callable(builder_at(method.graph))
        assert not method.memory_of or method.memory_of in METHODS
    assert_refused(readgraph("ask", "Who?", STORY, "--method", "unknown"), "last-words, gist-research")
