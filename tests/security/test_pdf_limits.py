"""PDFs are read and drawn in child processes with limits; whatever becomes of a child, nothing else is harmed."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from readgraph.sources import load
from readgraph.sources.converting import convert_in_thread, show_conversion
from readgraph.sources.pdf import in_child
from readgraph.sources.pdf.drawing import page_picture_here
from readgraph.sources.pdf.in_child import page_picture
from readgraph.sources.pdf.pdf_text import convert, convert_here
from readgraph.state.errors import BadInput
from tests.support.command import Command, assert_refused
from tests.support.hostile_pdf import endless_pdf
from tests.support.source_files import write_file, write_pdf_lines

Child = subprocess.Popen[bytes]


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Child]]:
    """The processes that a test starts; all have ended after it, and were waited for."""
    started = list[Child]()

    class Watched(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Watched)
    yield started
    assert started and all(child.returncode is not None for child in started)


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A small file whose second page never ends."""
    path = write_file(tmp_path / "endless.pdf", endless_pdf(plain_pages=1))
    assert path.stat().st_size < 10_000
    return path


def test_what_a_child_reads_is_what_this_process_would(tmp_path: Path, children: list[Child]) -> None:
    data = write_pdf_lines(tmp_path / "a.pdf", [["The lamp was lit."], ["The goat \ud7ff stood."]]).read_bytes()
    shown = list[tuple[str, int, int]]()
    with show_conversion(lambda *page: shown.append(page)):
        assert convert(data, "a.pdf") == convert_here(data, "a.pdf")
    assert shown == [("a.pdf", 1, 2), ("a.pdf", 2, 2)] * 2


@pytest.mark.slow
def test_what_a_child_draws_is_what_this_process_would(tmp_path: Path, children: list[Child]) -> None:
    path = write_pdf_lines(tmp_path / "a.pdf", [["The lamp was lit."]])
    assert page_picture(path, 1, 200) == page_picture_here(path, 1, 200)
    with pytest.raises(BadInput, match=r"^a\.pdf has no page 2: it has 1\.$"):
        page_picture(path, 2, 200)


def test_a_limit_that_is_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_pdf_lines(tmp_path / "a.pdf", [["The lamp was lit."]])
    for variable in (in_child.MEMORY_MB, in_child.PAGE_SECONDS, in_child.SECONDS):
        with monkeypatch.context() as set_:
            set_.setenv(variable, "much")
            with pytest.raises(BadInput, match=f"^{variable} can't be 'much': it must be a number of"):
                load(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't keep to a limit of memory")
def test_a_page_that_fills_the_memory(
    readgraph: Command, endless: Path, children: list[Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = write_pdf_lines(endless.with_name("kept.pdf"), [["The lamp was lit."]])
    assert readgraph("read", kept).code == 0
    monkeypatch.setenv("READGRAPH_MAX_PDF_MEMORY_MB", "150")
    told = "takes more than 150 MB of memory. If you trust it, set READGRAPH_MAX_PDF_MEMORY_MB to a larger number."
    assert_refused(readgraph("read", endless), told)
    assert "lamp" in readgraph("show", "kept").out
    with pytest.raises(BadInput, match=r"endless\.pdf can't be read .*150 MB of memory"):
        page_picture(endless, 2, 200)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "told"),
    [
        ("READGRAPH_MAX_PDF_PAGE_SECONDS", "takes more than 1 s for page "),
        ("READGRAPH_MAX_PDF_SECONDS", "takes more than 1 s, and may have been made to."),
    ],
)
def test_a_page_that_takes_for_ever(
    readgraph: Command, endless: Path, children: list[Child], monkeypatch: pytest.MonkeyPatch, variable: str, told: str
) -> None:
    monkeypatch.setenv("READGRAPH_MAX_PDF_MEMORY_MB", "100000")
    monkeypatch.setenv(variable, "1")
    refused = readgraph("read", endless)
    assert_refused(refused, told)
    assert refused.err.endswith(f"set {variable} to a larger number.\n")


def test_a_child_that_is_killed(endless: Path, children: list[Child]) -> None:
    def kill(*_: object) -> None:
        children[0].kill()

    with show_conversion(kill), pytest.raises(BadInput, match=r"^\S+endless\.pdf can't be read \(PDFium ended with "):
        load(endless)


def test_ctrl_c_ends_the_child(endless: Path, children: list[Child]) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with show_conversion(interrupt), pytest.raises(KeyboardInterrupt):
        load(endless)
    assert children[0].returncode


async def test_a_task_that_is_cancelled_ends_the_child(endless: Path, children: list[Child]) -> None:
    loop, begun = asyncio.get_running_loop(), asyncio.Event()

    def begin(*_: object) -> None:
        loop.call_soon_threadsafe(begun.set)

    with show_conversion(begin):
        task = asyncio.create_task(convert_in_thread(load, endless))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(children[0].wait, 30) == -signal.SIGKILL


READS = """
import sys
from pathlib import Path
from readgraph.sources import load
from readgraph.sources.converting import show_conversion
from readgraph.sources.pdf import in_child

class Told(in_child.subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.shown = print(self.pid, flush=True)

in_child.subprocess.Popen = Told
with show_conversion(lambda *page: print("page", flush=True)):
    load(Path(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_a_child_ends_with_its_parent(endless: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", READS, str(endless)], stdout=subprocess.PIPE, encoding="utf-8")
    assert parent.stdout
    child = int(parent.stdout.readline())
    watched = os.pidfd_open(child)
    try:
        assert parent.stdout.readline() == "page\n"
        parent.kill()
        parent.communicate()
        ended, _, _ = select.select([watched], [], [], 100)
        assert ended
    finally:
        os.close(watched)


@pytest.mark.slow
async def test_many_at_once_from_threads_and_from_a_loop(tmp_path: Path, children: list[Child]) -> None:
    paths = [write_pdf_lines(tmp_path / f"{n}.pdf", [[f"Lamp {n} was lit."], ["Then."] * n]) for n in range(6)]
    expected = [convert_here(path.read_bytes(), path.name).text for path in paths]
    with ThreadPoolExecutor(6) as threads:
        assert [source.text for source in threads.map(load, paths)] == expected
    sources = await asyncio.gather(*(asyncio.to_thread(load, path) for path in paths))
    assert [source.text for source in sources] == expected
    assert len(children) == 12


@pytest.mark.slow
def test_nothing_is_imported_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_pdf_lines(tmp_path / "a.pdf", [["The lamp was lit."]])
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    for name in ("json", "pypdfium2", "readgraph", "signal", "sitecustomize"):
        write_file(stranger / f"{name}.py", f"open({str(tmp_path / 'mark')!r}, 'w')")
    monkeypatch.chdir(stranger)
    assert load(path).text == "The lamp was lit." and not (tmp_path / "mark").exists()
