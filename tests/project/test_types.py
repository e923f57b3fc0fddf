"""Types as users meet them: code on pages passes a checker, and one refuses a step that can't stand where it is put."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.test_docs import PAGES, PYTHON, ROOT

pytestmark = pytest.mark.slow

SETTINGS = """[mypy]
plugins = pydantic.mypy
disable_error_code = import-untyped,import-not-found,no-redef,empty-body
allow_redefinition = true
check_untyped_defs = true
"""

SWAPS = """
from collections.abc import Mapping
from typing import Any
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.types import Command
from typing_extensions import TypedDict
from readgraph import ReaderContext
from readgraph.graphs import gam, mem_walker, read_agent, rlm
from readgraph.graphs.read_agent import build
from readgraph.nodes.answering.answer import answer
from readgraph.nodes.contracts import AnswerUpdate, AskedState, LookUpState, LookUpUpdate, ReaderRuntime
from readgraph.nodes.look_up import look_up_next, nearest_pages, retrieve
from readgraph.nodes.step import node
from readgraph.nodes.walk.position import enter_at_leaf
from readgraph.state.reading import ReadingState


class Looked(TypedDict):
    pages_read: list[int]
    continue_search: bool


class LookedTwice(Looked):
    twice: bool


class Asked(TypedDict):
    question_text: str


class Outlined(TypedDict):
    outline: str


def by_state(state: LookUpState) -> Looked: ...
def by_runtime(state: Asked, runtime: ReaderRuntime) -> LookedTwice: ...
async def by_config(state: AskedState, *, config: RunnableConfig) -> LookUpUpdate: ...
def by_whole_state(state: ReadingState) -> Looked: ...
async def by_dict(state: dict[str, Any]) -> dict[str, Any]: ...
def by_mapping(state: Mapping[str, Any]) -> dict[str, Any]: ...
@node
async def by_more(state: Outlined, runtime: ReaderRuntime) -> LookUpUpdate: ...
def writes_other(state: LookUpState) -> Outlined: ...
def reads_other(state: Outlined) -> Looked: ...
async def gives_a_list(state: LookUpState) -> list[int]: ...
def gives_a_command(state: LookUpState) -> Command[Any]: ...
"""

RIGHT = """
build(look_up=retrieve)
build(look_up=look_up_next)
build(look_up=nearest_pages)
build(look_up=by_state)
build(look_up=by_runtime)
build(look_up=by_config)
build(look_up=by_mapping)
build(look_up=by_whole_state)
build(look_up=by_dict)
build(look_up=by_more)
build(look_up=gam.graph)
build(look_up=RunnableLambda(by_state))
build(look_up=lambda state: {"pages_read": [0], "continue_search": False})
rlm.build(look_up=retrieve)
gam.build(memorize=read_agent.read)
mem_walker.build(enter=enter_at_leaf)
ReaderContext(model="openai:some", max_pages=3)
""".strip().splitlines()

WRONG = """
build(look_up=answer)
build(look_up=read_agent.read)
build(answer=retrieve)
build(cite=answer)
build(look_up=writes_other)
build(look_up=reads_other)
build(look_up=gives_a_list)
build(look_up=gives_a_command)
build(look_up="retrieve")
build(typo=retrieve)
gam.build(plan=retrieve)
gam.build(typo=retrieve)
""".strip().splitlines()


def run_checker(*command: object) -> str:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=ROOT).stdout


def check(folder: Path, *files: Path) -> str:
    (settings := folder / "mypy.ini").write_text(SETTINGS)
    return run_checker(sys.executable, "-m", "mypy", "--config-file", settings, *files)


def lines_with_errors(told: str, file: Path) -> set[int]:
    """By the file's name alone: what mypy has kept of an earlier run has that run's folder."""
    return {int(line) for line in re.findall(rf"{re.escape(file.name)}:(\d+)(?::\d+)?(?: -|:) error", told)}


def test_code_on_pages_passes_a_type_checker(tmp_path: Path) -> None:
    """All blocks of a page are one coroutine, at their own lines, since pages await as notebooks do."""
    (pages := tmp_path / "pages").mkdir()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = ["async def page() -> None:", *[""] * text.count("\n")]
        for block in PYTHON.finditer(text):
            for number, line in enumerate(block[1].splitlines(), text[: block.start(1)].count("\n")):
                lines[number] = f"    {line}" if line else ""
        if any(lines[1:]):
            name = str(page.relative_to(ROOT).with_suffix("")).replace("/", "_").replace("-", "_")
            (pages / f"{name}.py").write_text("\n".join([*lines, ""]))
    told = check(tmp_path, pages)
    assert "error:" not in told, "\n".join(line for line in told.splitlines() if "error:" in line)
    assert "Success" in told


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_checker_refuses_a_wrong_step_and_takes_a_right_one(checker: str, tmp_path: Path) -> None:
    (file := tmp_path / "swaps.py").write_text("\n".join([SWAPS.rstrip("\n"), "", *RIGHT, *WRONG, ""]))
    first = file.read_text().splitlines().index(RIGHT[0]) + 1
    if checker == "mypy":
        told = check(tmp_path, file)
    elif pyright := shutil.which("pyright", path=str(Path(sys.executable).parent)):
        told = run_checker(pyright, "--pythonpath", sys.executable, file)
    else:
        pytest.skip("needs pip install pyright")
    wrong = {number - first for number in lines_with_errors(told, file) if number >= first}
    assert wrong == {*range(len(RIGHT), len(RIGHT) + len(WRONG))}, told[:3000]
