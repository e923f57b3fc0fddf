"""What a person sees of the package from a Python prompt."""

import pydoc
from pathlib import Path

import readgraph
from readgraph import open_library_in_background
from readgraph.graphs import read_agent
from readgraph.state import errors


def test_the_package_shows_what_it_offers(tmp_path: Path) -> None:
    assert set(readgraph.__all__) <= set(dir(readgraph))
    shown = pydoc.plain(pydoc.render_doc(readgraph))
    assert all(f"{name}(" in shown for name in ("open_library", "ReaderContext", "PageStore"))
    with open_library_in_background(tmp_path / "library") as library:
        assert repr(library) == f"BackgroundLibrary(folder={tmp_path / 'library'!r})"
        assert repr(library.pages) == f"PageStore(LibraryStore({str(tmp_path / 'library')!r}))"
    assert repr(read_agent.read) == "StepNode(read)"


def test_every_error_can_be_imported_from_the_package() -> None:
    raised = {name for name, thing in vars(errors).items() if isinstance(thing, type)}
    assert raised <= set(readgraph.__all__)
    assert all(getattr(readgraph, name) is getattr(errors, name) for name in raised)
