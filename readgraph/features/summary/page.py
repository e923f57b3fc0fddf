"""A summary, as the page in the browser makes it."""

from typing import Any

from readgraph.api.running import RunThread
from readgraph.doors.serve.making import Making, Page
from readgraph.features.summary.functions import as_input, summarise
from readgraph.graphs.methods import ROWS
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.records import Document


class SummaryMaking(Making):
    """A summary, as the page in the browser makes it."""

    method = ROWS["summary"]
    task = "summary"

    def heading(self, title: str) -> str:
        """What stands above it."""
        return f"Summary of {self.part or title}{f': {self.text}' if self.text else ''}"

    def given(self) -> dict[str, Any]:
        """What the graph is given besides the document."""
        return as_input(self.part or None, self.text or None)

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that makes it."""
        wanted: dict[str, Any] = {"part": self.part or None, "about": self.text or None}
        made = await summarise(library, documents=[document], **wanted, context=context, listen=listen)
        return {**made.output}


PAGE = Page(makings=(SummaryMaking,))
