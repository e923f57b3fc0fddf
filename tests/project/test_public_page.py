"""The public names are typed and described, stand on their page, and are all that pages and examples use."""

import ast
import builtins
import os
import re
import subprocess
import sys
from importlib import import_module
from inspect import getsource
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from readgraph.state import errors
from tests.support.printed import RENEW
from tests.support.public_names import (
    HOUSES,
    NAMED,
    ROOT,
    TABLE,
    defined,
    functions_of,
    homes,
    line_of,
    modules,
    names_used,
    public_in,
    table_of,
    untyped,
)

pytestmark = pytest.mark.quick

PAGE = ROOT / "docs" / "reference" / "public.md"
NAMES = {home: names for home in modules() if (names := public_in(home))}
PUBLIC = {f"{home}.{name}" for home, names in NAMES.items() for name in names} | {*NAMES}
ROOMS = {".".join(parts[:end]) for parts in (home.split(".") for home in NAMES) for end in range(1, len(parts))}

SHOWN = [
    *sorted((ROOT / "examples").rglob("*.py")),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
    *(ROOT / name for name in ("README.md", "readgraph/SKILL.md", "notebooks/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "evaluation").rglob("*.md")),
]
OF_THE_INSIDE = {"design.md", "first-contribution.md", "reference", "reference.md"}
"""Pages for contributors, and on the rooms one by one, have names in their prose that are not public, too."""

NO_MODULES = {"readgraph.json", "readgraph.methods"}
"""A file, and a group of entry points, whose names look like a module's."""

SECTION = re.compile(r"^(Args|Raises):\n((?:(?: .*)?\n)+)", re.MULTILINE)
ENTRY = re.compile(r"^    \*{0,2}(\w+):", re.MULTILINE)

HEAVY = {
    "readgraph": {"langgraph", "langchain_core", "langchain", "pydantic", "numpy", "httpx2"},
    "readgraph.graphs.read_agent": {"faiss", "langchain", "langchain_openai", "openai", "mcp", "lxml", "typer"},
    "readgraph.api": {"langgraph", "langchain_core", "pydantic", "numpy"},
}
"""What importing these must not wait for."""


def test_the_page_shows_what_is_public() -> None:
    def made(found: re.Match[str]) -> str:
        return f"<!-- public names of {found[1]} -->\n\n{table_of(homes(found[1]))}"

    text = PAGE.read_text(encoding="utf-8")
    renewed = TABLE.sub(made, text)
    if RENEW in os.environ and renewed != text:
        PAGE.write_text(renewed, encoding="utf-8")
    assert RENEW in os.environ or renewed == text, f"with {RENEW}=1 this test writes the tables anew"
    listed = [home for found in TABLE.finditer(text) for home in homes(found[1])]
    assert sorted(listed) == sorted(home for home in NAMES if home.partition(".")[0] == "readgraph")


def test_public_names_are_there_typed_and_described() -> None:
    found = {(home, name): defined(home, name) for home, names in NAMES.items() for name in names}
    assert all(len({*names}) == len(names) for names in NAMES.values())
    assert [place for place in found if not hasattr(import_module(place[0]), place[1])] == []
    assert [place for place, where in found.items() if where is None] == [], "a type checker sees them, too"
    assert [(*place, each) for place, where in found.items() if where for each in untyped(where.node)] == []
    compiled = {"graph"}  # the module says what it does
    assert [place for place in found if place[1] not in compiled and not line_of(*place).endswith(".")] == []
    assert all((house / "py.typed").exists() for house in HOUSES.values())


@pytest.mark.slow
def test_docstrings_name_parameters_and_errors_that_there_are() -> None:
    functions = [(home, each) for home, names in NAMES.items() for name in names for each in functions_of(home, name)]
    assert [stray for home, each in functions for stray in stray_names(each, import_module(home))] == []


def stray_names(function: ast.FunctionDef | ast.AsyncFunctionDef, module: ModuleType) -> list[str]:
    """What a docstring's `Args` and `Raises` name, and that is no parameter and no error of ours or of Python."""
    sections = dict(SECTION.findall(f"{ast.get_docstring(function)}\n"))
    taken = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    wrong = {*ENTRY.findall(sections.get("Args", ""))} - taken
    raised = {*ENTRY.findall(sections.get("Raises", ""))}
    wrong |= {name for name in raised if not any(hasattr(known, name) for known in (builtins, errors, module))}
    return [f"{function.name}: {name}" for name in sorted(wrong)]


def test_a_docstring_s_stray_names_are_seen() -> None:
    def described(a: int) -> None:
        """A function.

        Args:
            a: There is one.
            c: There is none.

        Raises:
            BadOutput: No such error.
        """

    (function,) = ast.parse(dedent(getsource(described))).body
    assert isinstance(function, ast.FunctionDef) and stray_names(function, errors) == [
        "described: BadOutput",
        "described: c",
    ]


def test_what_is_shown_uses_public_names_only() -> None:
    assert {f"{path.relative_to(ROOT)}: {name}" for path in SHOWN for name in names_used(path) - PUBLIC} == set()


def test_pages_name_public_modules_only() -> None:
    pages = [path for path in SHOWN if path.suffix == ".md" and not OF_THE_INSIDE & {*path.parts}]
    named = {(path, name) for path in pages for name in NAMED.findall(path.read_text(encoding="utf-8"))}
    known = PUBLIC | ROOMS | NO_MODULES
    assert {f"{path.relative_to(ROOT)}: {name}" for path, name in named if name not in known} == set()


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ("from readgraph.graphs import gam\ngam.build()", {"readgraph.graphs.gam", "readgraph.graphs.gam.build"}),
        ("import readgraph.api as t\nt.ask", {"readgraph.api", "readgraph.api.ask"}),
        ("import readgraph\nreadgraph._inside", {"readgraph", "readgraph._inside"}),
        ("from readgraph.state.records import load_valid", {"readgraph.state.records.load_valid"}),
        ("from langgraph.types import Command", set()),
    ],
)
def test_what_code_uses_is_seen(tmp_path: Path, code: str, used: set[str]) -> None:
    (tmp_path / "page.md").write_text(f"A page.\n\n```python\n{code}\n```\n", encoding="utf-8")
    assert names_used(tmp_path / "page.md") == used


@pytest.mark.slow
def test_importing_waits_for_nothing_needless() -> None:
    for module, heavy in HEAVY.items():
        code = f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"
        loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert heavy & {*loaded.split()} == set(), module


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    for package in ("readgraph", "readgraph.api", "readgraph.doors.middleware"):
        with pytest.raises(AttributeError, match=f"^module '{package}' has no attribute 'open_libary'$"):
            getattr(import_module(package), "open_libary")  # noqa: B009
        assert {*public_in(package)} <= {*dir(import_module(package))}
