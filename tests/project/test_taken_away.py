"""Each feature, and each door, can be taken away: all else works as before."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.project.test_rooms import HOUSE, PLUGGED_IN
from tests.support.examples import STORY

NEEDED_BY = {"doors/report": {"doors/serve"}, "features/verify": {"features/changes"}}
"""What can't be there without a door or a feature: it imports it at once."""

TRIES = """
import contextlib, importlib, io, json, os, pkgutil, sys, readgraph

def import_all(package):
    faults = {}
    for each in pkgutil.walk_packages(package.__path__, "readgraph."):
        if not each.name.endswith("__main__"):
            try:
                importlib.import_module(each.name)
            except Exception as problem:
                faults[each.name] = repr(problem)
    return faults

def run(arguments):
    sys.argv = ["readgraph", *arguments]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        importlib.import_module("readgraph.cli.main").run()
    return out.getvalue()

import_all(readgraph)
for name in [name for name in sys.modules if name.partition(".")[0] == "readgraph"]:
    del sys.modules[name]
for folder in map(str.strip, sys.stdin):
    if not os.fork():
        os.environ["READGRAPH_LIBRARY"] = f"{folder}/library"
        os.environ["READGRAPH_SETTINGS"] = f"{folder}/settings.toml"
        os.chdir(folder)
        faults = import_all(importlib.import_module("readgraph"))
        print(json.dumps([faults, *map(run, json.loads(sys.argv[1]))]), flush=True)
        os._exit(0)
    if os.wait()[1]:
        print("null", flush=True)
"""
"""For each folder of its input: imports every module there, and runs commands.

Each is a fork of a process that has the packages of others: to import these takes seconds.
"""

COMMAND = ("-m", "readgraph")
HELP, LISTED = ["--help"], ["methods", "--json"]
ASK = ["ask", "Who took the log book?", str(STORY)]


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


class Tried(NamedTuple):
    """What can't be imported of a package, its commands and methods, and its answer to a question."""

    faults: dict[str, str]
    commands: set[str]
    methods: list[str]
    answer: str | None


class Trying:
    """Tries copies of the package, one after the other."""

    def __init__(self) -> None:
        commands = json.dumps([HELP, LISTED, [*ASK, "--json"]])
        # Made once for the module, it begins before a test hides keys, models and settings of who runs the tests.
        own = {name: value for name, value in os.environ.items() if not name.startswith(("READGRAPH_", "OPENAI_"))}
        given = {**own, "COLUMNS": "100"}
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        self.process = subprocess.Popen([sys.executable, "-c", TRIES, commands], cwd=HOUSE.parent, env=given, **pipes)

    def try_all(self, folder: Path) -> Tried:
        """What works of the package in this folder."""
        assert self.process.stdin and self.process.stdout
        print(folder, file=self.process.stdin, flush=True)
        faults, helped, listed, answered = json.loads(self.process.stdout.readline())
        methods = [each["name"] for each in json.loads(listed)]
        return Tried(faults, commands_in(helped), methods, json.loads(answered)["answer"])


@pytest.fixture(scope="module")
def trying() -> Iterator[Trying]:
    made = Trying()
    yield made
    made.process.communicate()


@pytest.fixture(scope="module")
def whole(trying: Trying, tmp_path_factory: pytest.TempPathFactory) -> Tried:
    shutil.copytree(HOUSE, (folder := tmp_path_factory.mktemp("whole")) / "readgraph")
    return trying.try_all(folder)


@pytest.mark.slow
@pytest.mark.parametrize("room", sorted(PLUGGED_IN))
def test_without_one_all_others_work(room: str, trying: Trying, whole: Tried, tmp_path: Path) -> None:
    shutil.copytree(HOUSE, tmp_path / "readgraph")
    away = {room} | NEEDED_BY.get(room, set())
    for each in away:
        shutil.rmtree(tmp_path / "readgraph" / each)
    tried = trying.try_all(tmp_path)
    faults = tried.faults
    if "doors/serve" in away:  # pages are imported by it alone
        faults = {name: fault for name, fault in faults.items() if not name.endswith(".page")}
    assert not faults
    gone = {command.shown for each in away for command in plugged_in_by(each, "commands") if not command.within}
    assert gone <= whole.commands
    assert tried.commands == whole.commands - gone
    missing = {method.name for each in away for method in plugged_in_by(each, "methods")}
    assert tried.methods == [name for name in whole.methods if name not in missing]
    assert tried.answer == whole.answer


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
def test_without_all_of_them_the_core_works(trying: Trying, whole: Tried, tmp_path: Path) -> None:
    shutil.copytree(HOUSE, tmp_path / "readgraph")
    for each in PLUGGED_IN:
        shutil.rmtree(tmp_path / "readgraph" / each)
    tried = trying.try_all(tmp_path)
    assert not tried.faults
    assert tried.methods[:3] == ["read-agent", "mem-walker", "gam"]
    assert tried.commands < whole.commands
    assert tried.answer == whole.answer
