"""What a person sees of the package from a Python prompt."""

import pkgutil
import pydoc
import re
from importlib import import_module
from pathlib import Path

import pytest

import readgraph
import readgraph_evaluation
from readgraph import open_library_in_background
from readgraph.graphs import read_agent
from readgraph.state import errors

pytestmark = pytest.mark.quick

PATCHED = re.compile(r"""(?:setattr|setitem|delattr)\([^()]*?["'](?:[\w.]*\.)?(_[a-z]\w*)["']""")

NOT_OURS = {"_last_v6_timestamp"}
"""What LangGraph gives no other door to: the clock of its checkpoints' ids."""


def test_the_package_shows_what_it_offers(tmp_path: Path) -> None:
    assert set(readgraph.__all__) <= set(dir(readgraph))
    shown = pydoc.plain(pydoc.render_doc(readgraph))
    assert all(f"{name}(" in shown for name in ("open_library", "ReaderContext", "PageStore"))
    with open_library_in_background(tmp_path / "library") as library:
        assert repr(library) == f"BackgroundLibrary(folder={tmp_path / 'library'!r})"
        assert repr(library.pages) == f"PageStore(LibraryStore({str(tmp_path / 'library')!r}))"
    assert repr(read_agent.read) == "StepNode(read)"


def test_every_error_can_be_imported_from_the_package() -> None:
    raised = {name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, Exception)}
    assert raised <= set(readgraph.__all__)
    assert all(getattr(readgraph, name) is getattr(errors, name) for name in raised)


def test_tests_patch_public_names_only() -> None:
    root = Path(__file__).parents[2]
    files = [root / "conftest.py", *(root / "tests").rglob("*.py"), *(root / "evaluation" / "tests").rglob("*.py")]
    patched = {name for file in files for name in PATCHED.findall(file.read_text(encoding="utf-8"))}
    assert patched == NOT_OURS


def test_every_module_can_be_imported() -> None:
    houses = (readgraph, readgraph_evaluation)
    names = [each.name for house in houses for each in pkgutil.walk_packages(house.__path__, f"{house.__name__}.")]
    for name in names:
        if not name.endswith(".__main__"):  # which runs the command
            import_module(name)
