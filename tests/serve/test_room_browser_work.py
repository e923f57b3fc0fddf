"""What the page of the room does with texts besides asking: it deletes, searches, sums up, and makes tables."""

from pathlib import Path

from tests.report.conftest import IN_BROWSER
from tests.serve.browsing import OpenPage
from tests.support.examples import STORY

pytestmark = IN_BROWSER

SHORT = "\n\n".join(Path(STORY).read_text(encoding="utf-8").split("\n\n")[:8])


def test_a_text_is_deleted_once_its_reader_agrees(page: OpenPage) -> None:
    document = page.add(SHORT, "lamp")
    page.room.ran(documents=[document], question="Who took the log book?", method="bm25")
    tab = page.open(f"/document/{document}")
    tab.click("[aria-label='Delete lamp']")
    tab.until("document.querySelector('dialog[open]')")
    assert tab.texts("dialog p") == ["Delete “lamp” with its notes and 1 question? This can't be undone."]
    assert tab.focused().startswith("button") and tab.run("document.activeElement.textContent") == "Keep"
    tab.press("Escape")
    tab.until("!document.querySelector('dialog')")
    assert tab.run("document.activeElement.getAttribute('aria-label')") == "Delete lamp"
    assert page.room.get("/api/documents")["total"] == 1
    tab.click("[aria-label='Delete lamp']")
    tab.until("document.querySelector('dialog[open]')")
    tab.click("dialog .main")
    tab.until(
        "location.hash === '#/library' && document.querySelector('#view .heading')?.textContent.includes('Nothing')"
    )
    assert page.room.get("/api/documents")["total"] == 0
