"""Reports of real readings, for tests."""

from typing import Any

from readgraph.doors.report.page import ReportData, report_of_answer
from readgraph.graphs.read_agent import build
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.records import Document

HOSTILE = """The keeper's page says <script>document.title = "taken"</script> in plain words.

</script><script>document.title = "taken"</script> <!-- a comment --> <style>* { display: none }</style>

An image: <img src="https://example.invalid/x.png" onerror="document.title = 'taken'"> &amp; &lt;b&gt;

Odd characters: \u2028\u2029 \0 \x7f \ufeff

The goat 🐐 stood on the gallery 🗼 of the lamp on the nineteenth of January, and nobody knew how it got there.
"""
"""Text that could be taken for markup; the quotes in it come after wide characters."""

SMALL_PAGES = {"min_page_words": 10, "max_page_words": 30}


async def read(library: Library, document: Document, question: str, **context: Any) -> dict[str, Any]:
    """A graph's output for a reading without a model."""
    graph = build().compile(checkpointer=library.checkpointer, store=library.store)
    found = await graph.ainvoke(
        {"document": document.id, "question": question},
        {"configurable": {"thread_id": "1"}},
        context=ReaderContext(**{"model": "", **SMALL_PAGES, **context}),
    )
    return dict(found)


async def report(
    library: Library, text: str, question: str, title: str = "a text", **more: Any
) -> tuple[ReportData, dict[str, Any]]:
    """The report of a question about a text, and the graph's output; `more` replaces parts of the output."""
    document = await library.pages.add_document(text, title=title)
    found = await read(library, document, question) | more
    return await report_of_answer(library.pages, Question(question=question), found, "gist"), found
