"""The steps of a comparison: two texts are opened and compared by rules, and what these leave open by the model."""

from bisect import bisect_right
from collections import Counter
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from readgraph.features.changes.comparing import Span, compare_texts
from readgraph.features.changes.state import Change, ChangedPart, describe_change
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
from readgraph.nodes.tasks import all_finished
from readgraph.state.apart import apart
from readgraph.state.errors import BadInput
from readgraph.state.reading import Citation, Status
from readgraph.state.tables import Table
from readgraph.state.words import first_words, format_count

SHOWN_WORDS = 60  # of a quote in the table; the citations hold all of it
SAME, IDENTICAL = "Nothing differs but how it is written.", "The two documents are identical."
COLUMNS = ["change", "what differs", "earlier", "place", "later", "place there"]


class ChangesOpenState(OpenState):
    """What opening reads: as for a question, and the earlier text."""

    earlier: NotRequired[str]


class CompareState(TypedDict):
    document: str
    memory: Annotated[str, PAGES_ALONE]


class JudgeState(TypedDict):
    changes: list[Change]


class CompareUpdate(StepUpdate):
    """What the steps of a comparison write: its differences."""

    changes: list[Change]


class TableState(JudgeState):
    document: str


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
        first = await store.find_document(earlier)
        if not first:
            check_length(earlier)
        document = await add_collection(store, [first or await store.add_document(earlier, title="earlier"), document])
    if len(document.parts) != 2 and not earlier:
        raise BadInput("Two documents are compared: name the earlier one, too.")
    return {**opened, "document": document.id}


@node
@apart
async def compare(state: CompareState, runtime: ReaderRuntime) -> CompareUpdate:
    """Join the statements of both texts to pairs, and say of each pair what rules can tell."""
    store = page_store(runtime)
    document, memory = await store.document_and_memory(state["document"], state["memory"])
    text, pages = await store.text(document), await store.pages(memory.id, range(memory.pages))
    (first, end), (begin, last) = [(part.start, part.end) for part in document.parts] or [(0, len(text))] * 2
    starts = [page.start for page in pages]

    def cite(span: Span | None, offset: int) -> list[Citation]:
        start, stop = (offset + at for at in span) if span else (0, 0)
        return [make_citation(bisect_right(starts, start) - 1, 0, text, (start, stop))] if span else []

    changes = [
        Change(
            kind=found.kind,
            moved=found.moved,
            by="rules",
            differs=found.differs,
            earlier=cite(found.earlier, first),
            later=cite(found.later, begin),
        )
        for found in compare_texts(text[first:end], text[begin:last])
    ]
    return {"changes": changes, "step_summary": f"found {format_count(len(changes), 'difference')}"}


@node
async def judge_reworded(state: JudgeState, runtime: ReaderRuntime) -> CompareUpdate:
    """Ask the model, both ways, whether what was reworded says the same: of each sentence beside the other's text."""
    changes = [*state["changes"]]
    left = [number for number, change in enumerate(changes) if change["kind"] == "not judged"]
    unasked: CompareUpdate = {"changes": changes, "step_summary": "asked no model"}
    if not left or not can_ask(runtime):
        say_budget_spent(runtime)
        return unasked
    quotes = [(changes[number]["earlier"][0]["quote"], changes[number]["later"][0]["quote"]) for number in left]
    texts = dict(enumerate(quote for pair in quotes for quote in pair))
    checks = {number: SentenceToCheck(" ".join(texts[number ^ 1].split()), [number]) for number in texts}
    batches = in_batches(checks, texts, content_room(runtime.context, ""))
    replies = await all_finished(ask_of_claims(batch, texts, runtime) for batch in batches)
    verdicts = {
        number: verdict for reply in replies for number, verdict in reply.items() if _counts(verdict, texts[number])
    }
    judged = {
        number: _judged(changes[number], verdicts[2 * place], verdicts[2 * place + 1])
        for place, number in enumerate(left)
        if {2 * place, 2 * place + 1} <= verdicts.keys()
    }
    kept = [change for number, each in enumerate(changes) for change in judged.get(number, [each])]
    return {
        "changes": kept,
        "step_summary": f"the model judged {len(judged)} of {format_count(len(left), 'rewording')}",
    }


def _counts(verdict: ClaimVerdict, text: str) -> bool:
    """Whether a verdict has a quote that stands in the text, which only "not found" needs not."""
    quoted = any(find_quote(each.quote.strip(), text, 0, len(text)) for each in verdict.quotes)
    if not quoted and verdict.verdict != "not found":
        count_fallback("quote_not_found")
    return quoted or verdict.verdict == "not found"


def _judged(change: Change, later: ClaimVerdict, earlier: ClaimVerdict) -> list[Change]:
    """What becomes of a pair by the verdicts on its `later` sentence beside the earlier text, and the other way."""
    verdicts, by_model = {later.verdict, earlier.verdict}, Change(**{**change, "by": "model"})
    if verdicts == {"supported"}:
        return [Change(**{**by_model, "kind": "moved", "differs": []})] if change["moved"] else []
    if verdicts == {"not found"}:
        removed = Change(**{**by_model, "kind": "removed", "moved": False, "later": [], "differs": []})
        return [removed, Change(**{**removed, "kind": "added", "later": change["later"], "earlier": []})]
    meaning = ChangedPart(kind="meaning", earlier=later.instead.strip(), later=earlier.instead.strip())
    return [Change(**{**by_model, "kind": "changed", "differs": change["differs"] or [meaning]})]


@node
@apart
async def make_table(state: TableState, runtime: ReaderRuntime) -> TableUpdate:
    """Give each quote its place, and put the differences into a table."""
    store = page_store(runtime)
    document = await store.document(state["document"])
    sides = ("earlier", "later")
    starts = sorted({citation["start"] for change in state["changes"] for side in sides for citation in change[side]})  # type: ignore[literal-required]
    places = dict(zip(starts, await store.place_names(document, starts), strict=True))
    changes, rows = list[Change](), []
    for change in state["changes"]:
        cited = {side: [{**each, "place": places[each["start"]]} for each in change[side]] for side in sides}  # type: ignore[literal-required]
        changes.append(Change(**{**change, **cited}))
        quoted = [value for side in sides for value in _quote_cells(cited[side])]
        rows.append({"values": [*describe_change(change), *quoted], "citations": [*cited["earlier"], *cited["later"]]})
    counts = Counter(change["kind"] for change in changes)
    answer = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or (SAME if document.parts else IDENTICAL)
    return {
        "changes": changes,
        "answer": answer,
        "status": "answered",
        "by_rule": all(change["by"] == "rules" for change in changes),
        "citations": [citation for row in rows for citation in row["citations"]],
        "table": Table(columns=COLUMNS, kinds=["text"] * len(COLUMNS), rows=rows, found=len(rows)),
        "step_summary": answer,
    }


def _quote_cells(citations: list[Citation]) -> list[str]:
    if not citations:
        return ["", ""]
    quote, shown = citations[0]["quote"], first_words(citations[0]["quote"], SHOWN_WORDS)
    return [
        " ".join(shown.split()) + (" …" if len(shown) < len(quote) else ""),
        citations[0]["place"] or f"part {citations[0]['page']}",
    ]
