"""A memory that holds a trail of facts, and a scripted researcher that follows it."""

import re
from collections.abc import Sequence
from typing import Any

from langgraph.store.base import BaseStore

from readgraph.graphs.gam import build_research, recipe
from readgraph.library.opening import Library
from readgraph.library.page_store import PageStore
from readgraph.state.context import ReaderContext
from readgraph.state.records import Memory, Note, Page
from readgraph.state.words import count_words
from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, between

TRAIL = {3: ("alder", "birch"), 11: ("birch", "cedar"), 17: ("cedar", "dogwood"), 26: ("dogwood", "elm")}
"""For some pages: the places from and to which the note on the page leads."""

CONTEXT = ReaderContext(model="openai:double", rounds=5, pages_per_tool=3)
QUESTION = "Where does the trail that begins at alder end?"
PAGES = 30

_FACT = re.compile(r"At \w+ a note said: go on to \w+\.")


def trail_pages(pages: int = PAGES) -> list[str]:
    """Page texts: weather, and on four of them a note of the trail."""
    made = []
    for number in range(pages):
        weather = f"Day {number}: wind force {number % 7} over field {number * 37}, and rain at {number} o'clock. " * 4
        fact = "At {} a note said: go on to {}.".format(*TRAIL[number]) if number in TRAIL else ""
        made.append(f"{weather}{fact} Nothing else was seen on day {number}.\n\n")
    return made


async def remembered_pages(
    store: BaseStore,
    texts: Sequence[str],
    context: ReaderContext,
    *,
    memo: str = "Weather of day {}.",
    header: str = "",
) -> Memory:
    """A complete GAM memory of these pages; in memo and header, {} stands for the page's number."""
    pages = PageStore(store)
    document = await pages.add_document("".join(texts), title="trail")
    memory, start = await pages.open_memory(document.id, recipe(context)), 0
    for number, text in enumerate(texts):
        memory = await pages.add_page(memory, Page(number, start, start + len(text), count_words(text), "rule"))
        said = memo.format(number)
        await pages.put_note(memory.id, Note(number, said, count_words(said), header=header.format(number)))
        start += len(text)
    return memory


async def research(library: Library, memory: Memory, context: ReaderContext = CONTEXT, **asked: Any) -> dict[str, Any]:
    """The output for the tests' question, or for another one."""
    given: Any = {"document": memory.document, "question": QUESTION, **asked}
    return dict(await build_research().compile(store=library.store).ainvoke(given, context=context))


def shown_pages(request: ChatRequest) -> dict[int, str]:
    """The pages of an integration's prompt."""
    parts = re.split(r"^<page (\d+)>$", between(request, "(?:pages|text)"), flags=re.MULTILINE)
    return {int(number): body.strip() for number, body in zip(parts[1::2], parts[2::2], strict=True)}


def researcher(request: ChatRequest) -> str | dict[str, object]:
    """Follow the trail: search for the missing place, note what it says, until the trail ends."""
    wanted, notes = asked_for(request), _FACT.findall(between(request, "notes"))
    end = notes[-1].rstrip(".").split()[-1] if notes else None
    if wanted == "SearchPlan":
        place = end or "alder"
        plan = {"needs": [f"the note at {place}"], "keyword": [place], "vector": [f"The note at {place}"], "page": []}
        return {"reasoning": "it is the next place", **plan}
    if wanted == "Integrated":
        new = {number: _FACT.findall(body) for number, body in shown_pages(request).items()}
        facts = [*notes, *(fact for found in new.values() for fact in found if fact not in notes)]
        quotes = [{"page": number, "quote": fact} for number, found in new.items() for fact in found]
        sources = [number for number, found in new.items() if found]
        return {"reasoning": "it leads on", "content": "\n".join(facts), "sources": sources, "quotes": quotes}
    if wanted in ("Verdict", "Enough", "Missing"):
        missing = [] if end == "elm" else [f"What did the note at {end} say?"]
        return {"reasoning": "elm is the end", "enough": end == "elm", "missing": missing}
    if wanted == "ChoiceAlone":
        return {"choice": "B"}
    quotes = [
        {"page": number, "quote": f} for number, body in shown_pages(request).items() for f in _FACT.findall(body)
    ]
    if wanted == "ChosenAnswer":
        return {"choice": "B", "quotes": quotes}
    return {"answer": end and f"At {end}.", "quotes": quotes}
