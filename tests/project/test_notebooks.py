"""The notebooks run without a model, and show what comes out."""

import os
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

from tests.support.printed import RENEW, said

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
MOST_BYTES = 200_000


@pytest.fixture(autouse=True)
def folders_of_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Jupyter writes of its own goes into the test's folder."""
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call, no-any-return]


def run(notebook: NotebookNode) -> None:
    """Run all cells, in the Python that runs the tests, whatever kernels are installed on this machine."""
    kernel = AsyncKernelManager(kernel_name="python3")
    kernel.kernel_spec_manager = KernelSpecManager(kernel_dirs=[])
    client = NotebookClient(notebook, km=kernel, timeout=300, record_timing=False, coalesce_streams=True)
    client.resources = {"metadata": {"path": str(FOLDER)}}
    client.execute()


def shown(cell: NotebookNode) -> list[tuple[str, str]]:
    """A cell's outputs without what varies; of a picture only that it is there."""
    outputs: list[tuple[str, str]] = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            outputs.append((output.name, output.text))
        else:
            data = {kind: "" if kind.startswith("image/") else text for kind, text in output.data.items()}
            outputs += sorted(data.items())
    return [(kind, said(text)) for kind, text in outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.slow
def test_outputs_are_those_that_come_out(path: Path) -> None:
    kept, ran = read(path), read(path)
    run(ran)
    assert not [text for cell in ran.cells for kind, text in shown(cell) if kind == "stderr"]
    if RENEW not in os.environ:
        assert [shown(cell) for cell in kept.cells] == [shown(cell) for cell in ran.cells]
    elif [shown(cell) for cell in kept.cells] != [shown(cell) for cell in ran.cells]:
        ran.metadata = METADATA
        for output in (output for cell in ran.cells for output in cell.get("outputs", []) if "text" in output):
            output.text = said(output.text)
        nbformat.write(ran, path)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_they_are_small_and_name_no_machine(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert path.stat().st_size < MOST_BYTES
    assert notebook.metadata == METADATA
    assert all(cell.metadata == {} for cell in notebook.cells)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]
