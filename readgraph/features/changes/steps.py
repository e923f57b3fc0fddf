"""The steps of a comparison: two texts are opened and compared by rules, and what these leave open by the model."""

from bisect import bisect_right
from collections import Counter
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from readgraph.features.changes.comparing import Span, compare_texts
from readgraph.features.changes.state import Change, ChangedPart, row_of
from readgraph.features.verify.decide import ClaimVerdict, ask_of_claims
from readgraph.library.collections import add_collection
from readgraph.library.page_store import page_store
from readgraph.models.asking import can_ask, say_budget_spent
from readgraph.models.metering import count_fallback
from readgraph.nodes.answering.citations import find_quote, make_citation
from readgraph.nodes.answering.verdicts import SentenceToCheck, in_batches
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import PAGES_ALONE, ReaderRuntime, StepUpdate
from readgraph.nodes.opening import OpenState, OpenUpdate, check_length, open_document
from readgraph.nodes.step import node
from readgraph.state.apart import apart
from readgraph.state.errors import BadInput
from readgraph.state.loops import all_finished
from readgraph.state.reading import Citation, Status
from readgraph.state.tables import Table
from readgraph.state.words import format_count

SAME, IDENTICAL = "Nothing differs but how it is written.", "The two documents are identical."
COLUMNS = ["change", "what differs", "earlier", "place", "later", "place there"]


class ChangesOpenState(OpenState):
    """What opening reads: as for a question, and the earlier text, or the id of its document."""

    earlier: NotRequired[str]


class CompareState(TypedDict):
    document: str
    memory: Annotated[str, PAGES_ALONE]


class JudgeState(TypedDict):
    document: str
    changes: list[Change]


class CompareUpdate(StepUpdate):
    """What the steps of a comparison write: its differences."""

    changes: list[Change]


class TableUpdate(CompareUpdate):
    answer: str
    status: Status
    by_rule: bool
    citations: list[Citation]
    table: Table


@node(starts_question=True)
async def open_both(state: ChangesOpenState, runtime: ReaderRuntime) -> OpenUpdate:
    """Open two documents as one. Raises `BadInput` for another number of them, and as for a question."""
    opened, store, earlier = await open_document(state, runtime), page_store(runtime), state.get("earlier")
    document = await store.document(opened["document"])
    if earlier and not document.parts:
        check_length(earlier)
        first = await store.find_document(earlier) or await store.add_document(earlier, title="earlier")
        document = await add_collection(store, [first, document])
    if len(document.parts) != 2 and not earlier:
        raise BadInput("Two documents are compared: give the earlier one, too.")
    return {**opened, "document": document.id}


@node
@apart
async def compare(state: CompareState, runtime: ReaderRuntime) -> CompareUpdate:
    """Join the statements of both texts to pairs, and say of each pair what rules can tell."""
    store, changes = page_store(runtime), list[Change]()
    document, memory = await store.document_and_memory(state["document"], state["memory"])
    text = await store.text(document)
    starts = [page.start for page in await store.pages(memory.id, range(memory.pages))]
    (first, end), (begin, last) = [(part.start, part.end) for part in document.parts] or [(0, len(text))] * 2

    def cite(span: Span | None, offset: int) -> list[Citation]:
        start, stop = (offset + at for at in span or (0, 0))
        return [make_citation(bisect_right(starts, start) - 1, 0, text, (start, stop))] if span else []

    for kind, moved, differs, one, other in compare_texts(text[first:end], text[begin:last]):
        quotes = {"earlier": cite(one, first), "later": cite(other, begin)}
        changes.append(Change(kind=kind, moved=moved, by="rules", differs=differs, **quotes))  # type: ignore[typeddict-item]
    return {"changes": changes, "step_summary": f"found {format_count(len(changes), 'difference')}"}


@node
async def judge_reworded(state: JudgeState, runtime: ReaderRuntime) -> CompareUpdate:
    """Ask the model, both ways, whether what was reworded says the same: of each sentence beside the other's text."""
    changes = state["changes"]
    left = [number for number, change in enumerate(changes) if change["kind"] == "not judged"]
    if not left or not can_ask(runtime):
        say_budget_spent(runtime)
        return {"changes": changes, "step_summary": "asked no model"}
    sides = [side for number in left for side in (changes[number]["earlier"], changes[number]["later"])]
    texts = {at: citation["quote"] for at, (citation,) in enumerate(sides)}
    checks = {at: SentenceToCheck(" ".join(texts[at ^ 1].split()), [at]) for at in texts}
    batches = in_batches(checks, texts, content_room(runtime.context, ""))
    replies = await all_finished(ask_of_claims(batch, texts, runtime) for batch in batches)
    verdicts = {at: verdict for reply in replies for at, verdict in reply.items() if _counts(verdict, texts[at])}
    judged = {
        number: _judge(changes[number], verdicts[2 * at], verdicts[2 * at + 1])
        for at, number in enumerate(left)
        if {2 * at, 2 * at + 1} <= verdicts.keys()
    }
    kept = [change for number, each in enumerate(changes) for change in judged.get(number, [each])]
    return {"changes": kept, "step_summary": f"the model judged {len(judged)} of {len(left)} that were reworded"}


def _counts(verdict: ClaimVerdict, text: str) -> bool:
    """Whether a verdict has a quote that stands in the text, without which only "not found" counts."""
    quoted = any(find_quote(each.quote.strip(), text, 0, len(text)) for each in verdict.quotes)
    if not quoted and verdict.verdict != "not found":
        count_fallback("quote_not_found")
    return quoted or verdict.verdict == "not found"


def _judge(change: Change, later: ClaimVerdict, earlier: ClaimVerdict) -> list[Change]:
    """What becomes of a pair by the verdicts on its `later` sentence beside the earlier text, and the other way."""
    verdicts, judged = {later.verdict, earlier.verdict}, Change(**{**change, "by": "model"})
    if verdicts == {"supported"}:
        return [Change(**{**judged, "kind": "moved", "differs": []})] if change["moved"] else []
    if verdicts == {"not found"}:
        removed = Change(**{**judged, "kind": "removed", "moved": False, "later": [], "differs": []})
        return [removed, Change(**{**removed, "kind": "added", "later": change["later"], "earlier": []})]
    meaning = ChangedPart(kind="meaning", earlier=later.instead.strip(), later=earlier.instead.strip())
    return [Change(**{**judged, "kind": "changed", "differs": change["differs"] or [meaning]})]


@node
@apart
async def make_table(state: JudgeState, runtime: ReaderRuntime) -> TableUpdate:
    """Give each quote its place, and put the differences into a table."""
    store, changes = page_store(runtime), state["changes"]
    document = await store.document(state["document"])
    cited = [citation for change in changes for citation in (*change["earlier"], *change["later"])]
    names = await store.place_names(document, [citation["start"] for citation in cited])
    for citation, name in zip(cited, names, strict=True):
        citation["place"] = name
    counts, rows = Counter(change["kind"] for change in changes), [row_of(change) for change in changes]
    answer = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or (SAME if document.parts else IDENTICAL)
    return {
        "changes": changes,
        "answer": answer,
        "status": "answered",
        "by_rule": all(change["by"] == "rules" for change in changes),
        "citations": cited,
        "table": Table(columns=COLUMNS, kinds=["text"] * len(COLUMNS), rows=rows, found=len(rows)),
        "step_summary": answer,
    }
