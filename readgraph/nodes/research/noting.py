"""Begin research with what a walk has found: its findings become the notes of a round, as they are."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.answering.quotes import find_quotes
from readgraph.nodes.answering.weighing import all_quotes, finding_text
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.memory_view import listed
from readgraph.nodes.research.integrating import LONGEST_NOTES
from readgraph.nodes.searching import fused_hits
from readgraph.nodes.step import step
from readgraph.state.channels.research import Plan, Round, SearchHit, no_plan, pages_of_round
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Citation, Finding
from readgraph.state.search.fusing import by_place
from readgraph.state.words import count_words, first_words


class NoteState(AskedState):
    """What noting reads."""

    findings: list[Finding]
    rounds: list[Round]


class NoteUpdate(TypedDict):
    """What noting writes: a round of research, as far as reflection judges it."""

    plan: Plan
    hits: list[SearchHit]
    notes: str
    sources: list[int]
    snippets: list[Citation]
    step_summary: str


@step
async def note_findings(state: NoteState, runtime: Runtime[ReaderContext]) -> NoteUpdate:
    """The findings of all pages, with their quotes, are the notes; leaves read since the last round are its hits.

    Nothing is asked. A quote that is not in the document is in the notes and no snippet.
    """
    findings, leaves = state["findings"], pages_of_round(state["pages_read"], state["rounds"])
    quotes = all_quotes(findings)
    found = await find_quotes(page_store(runtime), state["document"], state["memory"], quotes) if quotes else []
    snippets = {(snippet["start"], snippet["end"]): snippet for snippet in found if snippet}
    notes = first_words("\n\n".join(map(finding_text, findings)), LONGEST_NOTES)
    sources = [finding["page"] for finding in findings]
    return {
        "plan": no_plan(),
        "hits": fused_hits({"walk": by_place(leaves)}),
        "notes": notes,
        "sources": sources,
        "snippets": [*snippets.values()],
        "step_summary": f"walked to {listed(leaves)}; notes of {count_words(notes)} words from {listed(sources)}",
    }
