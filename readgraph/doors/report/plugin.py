"""What plugs in: see `readgraph.plugins`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from readgraph.cli.declaring import ReportForm
from readgraph.doors.report import MARK
from readgraph.plugins import give

if TYPE_CHECKING:
    from readgraph.library.page_store import PageStore
    from readgraph.state.reading import Question
    from readgraph.state.records import Document, Memory


async def _answer_page(
    pages: "PageStore", question: "Question", found: Mapping[str, Any], note: str, links: Mapping[str, str]
) -> bytes:
    from readgraph.doors.report.page import render, report_of_answer

    return render(await report_of_answer(pages, question, found, note, links))


async def _document_page(
    pages: "PageStore", document: "Document", memory: "Memory", note: str, links: Mapping[str, str]
) -> bytes:
    from readgraph.doors.report.page import render, report_of_document

    return render(await report_of_document(pages, document, memory, note, links))


reports = give(ReportForm(ending=".html", mark=MARK, of_answer=_answer_page, of_document=_document_page))
