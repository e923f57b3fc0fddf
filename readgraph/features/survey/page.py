"""A table, as the page in the browser makes it."""

from typing import Any

from readgraph.api.running import RunThread
from readgraph.doors.serve.making import Making, Page
from readgraph.features.survey.functions import NO_ROWS, table, unique_citations
from readgraph.graphs.methods import METHODS
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.records import Document


class TableMaking(Making):
    """A table, as the page in the browser makes it."""

    method = METHODS["survey"]
    task = "table"
    lacks = NO_ROWS
    kept = True

    def heading(self, title: str) -> str:
        """What stands above it."""
        return self.text

    def given(self) -> dict[str, Any]:
        """What the graph is given besides the document."""
        return {"question": self.text}

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that makes it."""
        made = await table(library, self.text, documents=[document], thread=thread, context=context, listen=listen)
        return {**made.output, "citations": unique_citations(made.output["table"]), "notices": made.notices}


PAGE = Page(makings=(TableMaking,))
