"""The answer of a walk: the leaf's own, or what several findings give together."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.metering import fell_back
from readgraph.nodes.prompting import unused_name
from readgraph.nodes.step import step_with
from readgraph.nodes.walking import WalkingState
from readgraph.nodes.weighing import weigh
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import page_store
from readgraph.state.reading import Quote, Status
from readgraph.state.records import Document
from readgraph.state.summary_tree import node_id
from readgraph.state.walk import Finding
from readgraph.state.words import count_words


class WalkAnswer(TypedDict):
    """What the answer of a walk writes."""

    answer: str | None
    choice: str | None
    quotes: list[Quote]
    status: Status
    compression_rate: float | None
    percent_read: float
    did: str


async def first_answer(state: WalkingState, runtime: Runtime[ReaderContext]) -> WalkAnswer:
    """The first answer that a leaf gave; it came from the best child of the root."""
    answers = [finding for finding in state["findings"] if finding["answers"]]
    return await _taken(answers[0] if answers else None, state, runtime)


@step_with(without_model=first_answer)
async def answer(state: WalkingState, runtime: Runtime[ReaderContext]) -> WalkAnswer:
    """A single answer is taken as the leaf gave it; several findings are weighed in one call.

    Status `no_answer` where the walk found nothing, or ended on unusable replies; `findings` holds what was learned.
    Where the findings can't be weighed, the first answer is taken.
    """
    findings = state["findings"]
    unusable = any(not hop["valid"] for hop in state["hops"][-1:])
    gave_up = unusable and not any(finding["answers"] for finding in findings)
    if not findings or gave_up or (len(findings) == 1 and findings[0]["answers"]):
        return await first_answer(state, runtime)
    try:
        return await _weigh(state, runtime)
    except NoUsableReply:
        fell_back("weigh")
        return await first_answer(state, runtime)


async def _weigh(state: WalkingState, runtime: Runtime[ReaderContext]) -> WalkAnswer:
    findings, shown = state["findings"], _shown(state["findings"])
    said, letter, pages = await weigh(runtime, shown, state["asked"], state["choices"])
    backing = [finding for finding in findings if finding["page"] in pages] or findings
    quotes = [quote for finding in backing for quote in finding["quotes"]] if said else []
    document = await page_store(runtime).document(state["document"])
    return {
        "answer": said,
        "choice": letter,
        "quotes": quotes,
        "status": "answered" if said else "no_answer",
        "compression_rate": _rate(count_words(shown), document),
        "percent_read": await percent_read(state, runtime, document),
        "did": f"weighed {len(findings)} findings" + ("" if said else ": they give no answer"),
    }


def _shown(findings: list[Finding]) -> str:
    """Each finding with its quotes, behind the tag of its page."""
    bodies = [
        "\n".join([finding["found"], *(f'"{quote["quote"]}"' for quote in finding["quotes"])]) for finding in findings
    ]
    tag = unused_name("page", bodies)
    return "\n\n".join(f"<{tag} {finding['page']}>\n{body}" for finding, body in zip(findings, bodies, strict=True))


async def _taken(finding: Finding | None, state: WalkingState, runtime: Runtime[ReaderContext]) -> WalkAnswer:
    """One leaf's answer, or none; its context was the working memory and the segment."""
    document = await page_store(runtime).document(state["document"])
    leaf = node_id(0, finding["page"]) if finding else ""
    words = [hop["memory_words"] + hop["shown_words"] for hop in state["hops"] if hop["node"] == leaf]
    hops = f"{len(state['hops'])} hop" + ("s" if len(state["hops"]) != 1 else "")
    return {
        "answer": finding["found"] if finding else None,
        "choice": finding["choice"] if finding else None,
        "quotes": finding["quotes"] if finding else [],
        "status": "answered" if finding else "no_answer",
        "compression_rate": _rate(words[-1], document) if words else None,
        "percent_read": await percent_read(state, runtime, document),
        "did": f"took the answer of page {finding['page']}" if finding else f"no answer after {hops}",
    }


def _rate(words: int, document: Document) -> float:
    """100 · (1 − words in context / words of the text)."""
    return round(100 * (1 - words / max(document.words, 1)), 2)


async def percent_read(state: WalkingState, runtime: Runtime[ReaderContext], document: Document) -> float:
    """The share of the text's words that stand on pages read."""
    pages = await page_store(runtime).pages(state["memory"], state["pages_read"])
    return round(100 * sum(page.words for page in pages) / max(document.words, 1), 2)
