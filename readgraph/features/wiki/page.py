"""A wiki, as the page in the browser makes it."""

from bisect import bisect_right
from typing import Any

from readgraph.api.running import RunThread
from readgraph.doors.serve.making import Making, Page
from readgraph.features.wiki.functions import Wiki, wiki
from readgraph.graphs.methods import PARTS
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.reading import Citation
from readgraph.state.records import Document


class WikiMaking(Making):
    """A wiki, as the page in the browser makes it."""

    method = PARTS["wiki"]
    task = "wiki"
    in_one_order = True

    def heading(self, title: str) -> str:
        """What stands above it."""
        return f"Wiki of {title}"

    def given(self) -> dict[str, Any]:
        """What the graph is given besides the document."""
        return {}

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that makes it."""
        made = await wiki(library, documents=[document], context=context, listen=listen)
        return await _as_one_text(library, document, made)


PAGE = Page(makings=(WikiMaking,))


async def _as_one_text(library: Library, document: Document, made: Wiki) -> dict[str, Any]:
    """The output of a wiki with its pages as the answer, each under its name."""
    starts = {part["id"]: part["start"] for part in made.documents}
    memory = await library.pages.memory(document.id, made.output["memory"])
    read = [page.start for page in await library.pages.pages(memory.id, range(memory.pages))]
    text, cited = "", list[Citation]()
    for page in made.pages:
        text += f"{page['name']}\n\n"
        for sentence in page["sentences"]:
            text += sentence["text"]
            for source in sentence["sources"]:
                begin, place = starts.get(source["document"], 0), source["place"] or source["title"]
                start, end, quote = begin + source["start"], begin + source["end"], source["quote"]
                page_number = bisect_right(read, start) - 1
                cited.append(
                    Citation(page=page_number, quote=quote, start=start, end=end, place=place, mark_at=len(text))
                )
            text += " "
        text = f"{text.rstrip()}\n\n"
    return {**made.output, "answer": text.rstrip(), "citations": cited}
