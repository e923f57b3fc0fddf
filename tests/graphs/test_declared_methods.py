"""A method is what its file declares: a further file among the graphs is found wherever methods are listed."""

import json
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from readgraph.graphs.methods import METHODS, find_methods
from tests.support.command import STORY, Ran, finished, process

OPENING = '''
"""The first segment answers."""

from functools import partial

from readgraph.graphs.baselines import build_linear, read_segments
from readgraph.graphs.estimates.arithmetic import Estimate, Range
from readgraph.graphs.method import Method
from readgraph.nodes.look_up import first_page

METHOD = Method(
    name="opening",
    line="The first segment answers, (and no other).",
    note="beginning",
    memory_of="bm25",
)

build = partial(build_linear, read=read_segments, look_up=first_page)
graph = build().compile(name="opening")


async def estimate_opening(case):
    return Estimate(calls=Range(0, 7, 9))
'''
LINE = "The first segment answers, (and no other)."

RUN = """
import sys
import readgraph.graphs
readgraph.graphs.__path__.append({folder!r})
sys.argv = ["readgraph", *sys.argv[3:]]
from readgraph.cli.main import run
run()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "graphs" / "added").mkdir(parents=True)
    (tmp_path / "graphs" / "added" / "opening.py").write_text(OPENING.lstrip(), encoding="utf-8")
    return tmp_path / "graphs"


def run(folder: Path, *arguments: object, python: tuple[str, ...] = ()) -> Ran:
    return finished(process(*arguments, options=(*python, "-c", RUN.format(folder=str(folder)))))


@pytest.mark.slow
def test_it_is_listed_and_drawn(folder: Path) -> None:
    listed = run(folder, "methods", "--json").json
    assert [each["name"] for each in listed] == [*METHODS, "opening"]
    assert listed[-1]["graph"] == "readgraph.graphs.added.opening:graph" and listed[-1]["line"] == LINE
    drawn = run(folder, "methods", "opening", "--json").json
    assert [node["name"] for node in drawn["nodes"]] == ["open", "read", "look_up", "answer", "cite"]


@pytest.mark.slow
def test_it_is_completed_without_its_import(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_READGRAPH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_CWORD", "4")
    for option in ("--method", "--methods"):
        command = "ask" if option == "--method" else "compare"
        monkeypatch.setenv("COMP_WORDS", "\n".join(["readgraph", command, "who", option, "openi"]))
        ran = run(folder, python=("-X", "importtime"))
        assert ran.out.split() == ["opening"]
        assert "readgraph.graphs.methods" in ran.err
        assert not re.search(r"\| +(langgraph|langchain_core|numpy|readgraph\.graphs\.\w+\.\w+)$", ran.err, re.M)


@pytest.mark.slow
def test_it_is_estimated_reads_and_answers_from_the_memory_it_shares(folder: Path) -> None:
    estimate = run(folder, "ask", "Who?", STORY, "--method", "opening", "--estimate", "--json").json
    assert estimate["calls"] == {"low": 0, "expected": 7, "high": 9}
    bm25 = run(folder, "ask", "Who took the log book?", STORY, "--method", "bm25", "--json").json
    found = run(folder, "ask", "Who took the log book?", STORY, "--method", "opening", "--json").json
    assert (found["method"], found["pages_read"]) == ("opening", [0]) and found["memory"] == bm25["memory"]


@pytest.mark.slow
def test_it_is_a_row_of_an_evaluation(folder: Path, tmp_path: Path) -> None:
    asked: Any = [{"question": "Who?", "answer": "The goat."}]
    text = "The keeper climbed to the lamp. The goat stood on the gallery.\n\n" * 40
    (tmp_path / "own.jsonl").write_text(json.dumps({"doc_id": "a", "text": text, "questions": asked}))
    done = run(folder, "evaluate", tmp_path / "own.jsonl", "--methods", "all", "--out", tmp_path / "out", "--json").json
    rows = {row["method"] for row in done["methods"]}
    assert rows == {"opening", *(name for name, method in METHODS.items() if not method.needs_embeddings)}


@pytest.mark.slow
def test_it_is_served(folder: Path) -> None:
    program = f"""
import json
import readgraph.graphs
readgraph.graphs.__path__.append({str(folder)!r})
from readgraph.graphs.served import server_configuration, settings_of_served
print(json.dumps([server_configuration()["graphs"]["opening"], sorted(settings_of_served("opening"))]))
"""
    served, settings = finished(process(options=("-c", program))).json
    assert served["path"] == "readgraph.graphs.added.opening:graph" and served["description"].endswith(LINE)
    assert "retrieval_words" in settings


def test_a_declaration_is_what_the_file_holds_when_it_is_imported() -> None:
    for method in find_methods():
        file = import_module(f"readgraph.graphs.{method.module}")
        declared = getattr(file, "METHODS", ()) or (file.METHOD,)
        assert replace(method, module="") in declared
        assert callable(getattr(file, method.builder)) and hasattr(file, method.compiled)
        assert method.estimator() or method.kind == "part"
        assert not method.memory_of or method.memory_of in METHODS


def test_a_declaration_that_is_no_literal_says_where(folder: Path) -> None:
    (folder / "added" / "opening.py").write_text('NAME = "x"\nMETHOD = Method(name=NAME)\n', encoding="utf-8")
    ran = run(folder, "methods")
    assert ran.code and "opening.py" in ran.err
