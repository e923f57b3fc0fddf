"""Each feature, and each door, can be taken away: all else works as before."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.project.test_rooms import HOUSE, PLUGGED_IN
from tests.support.examples import STORY

NEEDED_BY = {"doors/report": {"doors/serve"}, "features/verify": {"features/changes"}}
"""What can't be there without a door or a feature: it imports it at once."""

IMPORT_ALL = """
import importlib, json, pkgutil, readgraph

faults = {}
for each in pkgutil.walk_packages(readgraph.__path__, "readgraph."):
    if not each.name.endswith("__main__"):
        try:
            importlib.import_module(each.name)
        except Exception as problem:
            faults[each.name] = repr(problem)
print(json.dumps(faults))
"""
COMMAND = ("-m", "readgraph")
HELP = (*COMMAND, "--help")
LISTED = (*COMMAND, "methods", "--json")


def start(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Python with these arguments, where it imports the package in this folder."""
    given = {**os.environ, "PYTHONPATH": str(folder), "READGRAPH_LIBRARY": str(folder / "library"), "COLUMNS": "100"}
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=given, capture_output=True, encoding="utf-8")


def run(folder: Path, *arguments: str) -> str:
    """What Python prints with these arguments, where it imports the package in this folder."""
    ran = start(folder, *arguments)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def commands_in(text: str) -> set[str]:
    return {*re.findall(r"^│ ([a-z][a-z-]*) {2,}", text, re.MULTILINE)}


def plugged_in_by(room: str, hook: str) -> list[Any]:
    """What a folder gives for a hook."""
    name = f"readgraph.{room.replace('/', '.')}.plugin"
    give = getattr(import_module(name), hook, list) if find_spec(name) else list
    return [*give()]


def faults_in(folder: Path) -> dict[str, str]:
    """What can't be imported of the package in this folder."""
    faults: dict[str, str] = json.loads(run(folder, "-c", IMPORT_ALL))
    return faults


def ask(folder: Path) -> str | None:
    told: dict[str, str | None] = json.loads(
        run(folder, *COMMAND, "ask", "Who took the log book?", str(STORY), "--json")
    )
    return told["answer"]


class Whole(NamedTuple):
    """The commands and methods of the whole package, and its answer to a question."""

    commands: set[str]
    methods: list[str]
    answer: str | None


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    shutil.copytree(HOUSE, (folder := tmp_path_factory.mktemp("whole")) / "readgraph")
    methods = [each["name"] for each in json.loads(run(folder, *LISTED))]
    return Whole(commands_in(run(folder, *HELP)), methods, ask(folder))


@pytest.mark.slow
@pytest.mark.parametrize("room", sorted(PLUGGED_IN))
def test_without_one_all_others_work(room: str, whole: Whole, tmp_path: Path) -> None:
    shutil.copytree(HOUSE, tmp_path / "readgraph")
    away = {room} | NEEDED_BY.get(room, set())
    for each in away:
        shutil.rmtree(tmp_path / "readgraph" / each)
    faults = faults_in(tmp_path)
    if "doors/serve" in away:  # pages are imported by it alone
        faults = {name: fault for name, fault in faults.items() if not name.endswith(".page")}
    assert not faults
    gone = {command.shown for each in away for command in plugged_in_by(each, "commands") if not command.within}
    assert gone <= whole.commands
    assert commands_in(run(tmp_path, *HELP)) == whole.commands - gone
    missing = {method.name for each in away for method in plugged_in_by(each, "methods")}
    listed = [each["name"] for each in json.loads(run(tmp_path, *LISTED))]
    assert listed == [name for name in whole.methods if name not in missing]
    assert ask(tmp_path) == whole.answer


ASK = ("ask", "Who took the log book?", str(STORY))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "given", "line"),
    [
        ("features/local_models", (*ASK, "--model", "local"), "'local' is not the name of a model"),
        ("features/local_models", (*ASK, "--model", "local:small.gguf"), "'local' is not a known provider"),
        ("features/meaning", (*ASK, "--method", "gam", "--embeddings", "local"), "'local' is not the name of an emb"),
        ("features/batches", (*ASK, "--batch"), "No such option: --batch"),
        ("features/postgres", (*ASK, "--library", "postgresql://ada:hush@db/papers"), "that is installed keeps one"),
        ("doors/report", ("serve", "--no-open", "--port", "0"), "needs readgraph.doors.report, which is not there"),
        ("doors/serve", ("studio", "--local", "--port", "9"), "needs readgraph.doors.serve, which is not there"),
    ],
)
def test_what_is_not_there_is_named_in_one_line(room: str, given: tuple[str, ...], line: str, tmp_path: Path) -> None:
    shutil.copytree(HOUSE, tmp_path / "readgraph")
    shutil.rmtree(tmp_path / "readgraph" / room)
    ran = start(tmp_path, *COMMAND, *given)
    assert ran.returncode == 2 and line in ran.stderr
    assert ran.stderr.count("\n") == 1, ran.stderr


@pytest.mark.slow
def test_the_library_is_searched_by_words_without_the_model_of_meaning(tmp_path: Path) -> None:
    shutil.copytree(HOUSE, tmp_path / "readgraph")
    shutil.rmtree(tmp_path / "readgraph/features/meaning")
    run(tmp_path, *COMMAND, "read", str(STORY))
    assert STORY.stem in run(tmp_path, *COMMAND, "search", "log book")
    assert "no search by meaning" in run(tmp_path, *COMMAND, "doctor")


@pytest.mark.slow
def test_without_all_of_them_the_core_works(whole: Whole, tmp_path: Path) -> None:
    shutil.copytree(HOUSE, tmp_path / "readgraph")
    for each in PLUGGED_IN:
        shutil.rmtree(tmp_path / "readgraph" / each)
    assert not faults_in(tmp_path)
    listed = [each["name"] for each in json.loads(run(tmp_path, *LISTED))]
    assert listed[:3] == ["read-agent", "mem-walker", "gam"]
    assert commands_in(run(tmp_path, *HELP)) < whole.commands
    assert ask(tmp_path) == whole.answer
