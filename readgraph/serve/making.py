"""What is made of documents besides answers, by the functions of the command: summaries, tables, checks, wikis."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, Literal

from readgraph.api import functions
from readgraph.api.running import RunThread, estimate_with_question
from readgraph.api.wikis import wiki
from readgraph.graphs.estimates.arithmetic import Estimate, EstimateCase
from readgraph.graphs.methods import METHODS, SUMMARY, VERIFY, WIKI, Method
from readgraph.graphs.summary import estimate_summary
from readgraph.graphs.verify import estimate_verify
from readgraph.graphs.wiki import estimate_wiki
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.reading import Citation, Question
from readgraph.state.records import Document

Task = Literal["answer", "summary", "table", "check", "wiki"]


@dataclass(frozen=True)
class Summarising:
    """A summary, of a part where one is named, about something where that is said."""

    about: str = ""
    part: str = ""
    method: Method = SUMMARY

    def heading(self, document: Document) -> Question:
        """What stands above it."""
        heading = f"Summary of {self.part or document.title or 'the text'}"
        return Question(question=f"{heading}: {self.about}" if self.about else heading)

    async def estimate(self, library: Library, document: Document, context: ReaderContext) -> Estimate:
        """What it will use, without a call."""
        return await estimate_summary(library.pages, document, context, self.about, part=self.part or None)

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that writes it; no thread keeps its steps."""
        wanted: dict[str, Any] = {"part": self.part or None, "about": self.about or None}
        made = await functions.summarise(library, [document], context=context, listen=listen, **wanted)
        return {**made.output}


@dataclass(frozen=True)
class Tabling:
    """A table of all that documents hold of one kind."""

    wanted: str
    method: Method = METHODS["survey"]

    def heading(self, document: Document) -> Question:
        """What stands above it."""
        return Question(question=self.wanted)

    async def estimate(self, library: Library, document: Document, context: ReaderContext) -> Estimate:
        """What it will use, without a call."""
        return await estimate_with_question(library.pages, self.method, document, context, self.wanted)

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that makes it, with all rows and their citations."""
        made = await functions.table(
            library, self.wanted, documents=[document], context=context, listen=listen, thread=thread
        )
        cited = [citation for row in made.output["table"]["rows"] for citation in row["citations"]]
        unique = {(each["start"], each["end"]): each for each in cited}
        return {**made.output, "citations": [*unique.values()], "notices": made.notices}


@dataclass(frozen=True)
class Verifying:
    """A check of a text against documents, sentence by sentence."""

    draft: str
    method: Method = VERIFY

    def heading(self, document: Document) -> Question:
        """What stands above it."""
        return Question(question=f"Check against {document.title or 'the text'}")

    async def estimate(self, library: Library, document: Document, context: ReaderContext) -> Estimate:
        """What it will use, without a call."""
        return estimate_verify(EstimateCase(library.pages, document, context), self.draft)

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that checks it; no thread keeps its steps."""
        made = await functions.verify(library, self.draft, documents=[document], context=context, listen=listen)
        return {**made.output}


@dataclass(frozen=True)
class WikiMaking:
    """A wiki of documents, as one text: the pages of what they tell of, each under its name."""

    method: Method = WIKI

    def heading(self, document: Document) -> Question:
        """What stands above it."""
        return Question(question=f"Wiki of {document.title or 'the text'}")

    async def estimate(self, library: Library, document: Document, context: ReaderContext) -> Estimate:
        """What it will use, without a call."""
        return await estimate_wiki(EstimateCase(library.pages, document, context))

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that makes it, with the pages as its answer; no thread keeps its steps."""
        made = await wiki(library, [document], context=context, listen=listen)
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


Making = Summarising | Tabling | Verifying | WikiMaking
