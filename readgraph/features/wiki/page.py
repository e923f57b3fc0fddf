"""A wiki, as the page in the browser makes it."""

from bisect import bisect_right
from typing import Any

from readgraph.doors.serve.making import Making, Page
from readgraph.features.wiki.functions import Wiki, wiki
from readgraph.graphs.methods import PARTS
from readgraph.library.library import Library
from readgraph.state.reading import Citation
from readgraph.state.records import Document


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
                number = bisect_right(read, start) - 1
                cited.append(Citation(page=number, quote=quote, start=start, end=end, place=place, mark_at=len(text)))
            text += " "
        text = f"{text.rstrip()}\n\n"
    return {**made.output, "answer": text.rstrip(), "citations": cited}


WIKI = Making(
    task="wiki",
    method=PARTS["wiki"],
    function=wiki,
    heading=lambda wanted, title: f"Wiki of {title}",
    show=_as_one_text,
    in_one_order=True,
)
PAGE = Page(makings=(WIKI,))
