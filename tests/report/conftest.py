"""A report in a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from readgraph.doors.report.page import ReportData, render
from tests.support.browser import CHROMIUM, Browser

IN_BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt install chromium)"),
]
"""The marks of a module whose tests need a browser."""

Show = Callable[..., Browser]


@pytest.fixture
def show(tab: Browser, tmp_path: Path) -> Iterator[Show]:
    """Open the page of a report. Whatever a test does, the page asks for itself alone and meets no error."""

    def opened(data: ReportData, width: int = 1280, *, dark: bool = False) -> Browser:
        file = tmp_path / "report.html"
        file.write_bytes(render(data))
        tab.open(file.as_uri(), width=width, dark=dark)
        return tab

    yield opened
    assert [url.partition(":")[0] for url in tab.requested()] == ["file"] and tab.requested()[0].endswith(".html")
    assert tab.troubles() == []
