"""The check of a draft, as the page in the browser makes it."""

from typing import Any

from readgraph.api.running import RunThread
from readgraph.doors.serve.making import Making, Page
from readgraph.features.verify.functions import verify
from readgraph.graphs.methods import PARTS
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.records import Document


class CheckMaking(Making):
    """The check of a draft, as the page in the browser makes it."""

    method = PARTS["verify"]
    task = "check"
    verbatim = True
    lacks = "There is nothing to check: give the text as the question."

    def heading(self, title: str) -> str:
        """What stands above it."""
        return f"Check against {title}"

    def given(self) -> dict[str, Any]:
        """What the graph is given besides the document."""
        return {"draft": self.text}

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that makes it."""
        made = await verify(library, self.text, documents=[document], context=context, listen=listen)
        return {**made.output}


PAGE = Page(makings=(CheckMaking,))
