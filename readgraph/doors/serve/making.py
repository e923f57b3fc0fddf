"""What is made of documents besides answers, by the functions of the command: summaries, tables, checks, wikis."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from readgraph.api import functions
from readgraph.api.results import Wiki
from readgraph.api.running import RunThread
from readgraph.features.wiki.wikis import wiki
from readgraph.graphs.method import Method
from readgraph.graphs.methods import METHODS, PARTS, ROWS
from readgraph.graphs.rehearsal import Estimate, rehearse_method
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.reading import Citation, Question
from readgraph.state.records import Document

Task = Literal["answer", "summary", "table", "check", "wiki"]
METHOD_OF: Mapping[Task, Method] = {
    "summary": ROWS["summary"],
    "table": METHODS["survey"],
    "check": PARTS["verify"],
    "wiki": PARTS["wiki"],
}


@dataclass(frozen=True)
class Making:
    """What is made. `text`: what a summary is about ("": all), what a table is to hold, or what is checked."""

    task: Task
    text: str = ""
    part: str = ""  # that a summary is of

    @property
    def method(self) -> Method:
        """The method whose graph makes it."""
        return METHOD_OF[self.task]

    def heading(self, document: Document) -> Question:
        """What stands above it."""
        title = document.title or "the text"
        about = f": {self.text}" if self.text else ""
        headings: Mapping[Task, str] = {
            "summary": f"Summary of {self.part or title}{about}",
            "table": self.text,
            "check": f"Check against {title}",
            "wiki": f"Wiki of {title}",
        }
        return Question(question=headings[self.task])

    async def estimate(self, library: Library, document: Document, context: ReaderContext) -> Estimate:
        """What it will use, without a call."""
        given: dict[str, Any] = {"draft": self.text} if self.task == "check" else {"question": self.text}
        given = {**given, "part": self.part} if self.part else given
        return await rehearse_method(self.method, library.pages, document, context, given if self.text else {})

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that makes it; `thread` keeps the steps of a table alone."""
        given: dict[str, Any] = {"context": context, "listen": listen}
        if self.task == "summary":
            wanted: dict[str, Any] = {"part": self.part or None, "about": self.text or None}
            return {**(await functions.summarise(library, documents=[document], **wanted, **given)).output}
        if self.task == "check":
            return {**(await functions.verify(library, self.text, documents=[document], **given)).output}
        if self.task == "wiki":
            return await _as_one_text(library, document, await wiki(library, documents=[document], **given))
        made = await functions.table(library, self.text, documents=[document], thread=thread, **given)
        cited = [citation for row in made.output["table"]["rows"] for citation in row["citations"]]
        unique = {(each["start"], each["end"]): each for each in cited}
        return {**made.output, "citations": [*unique.values()], "notices": made.notices}


async def _as_one_text(library: Library, document: Document, made: Wiki) -> dict[str, Any]:
    """The output of a wiki with its pages as the answer, each under its name."""
    starts = {each["id"]: each["start"] for each in made.documents}
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
