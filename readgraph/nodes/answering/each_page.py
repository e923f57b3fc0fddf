"""Answer from each page separately and weigh the answers, for texts longer than the window."""

from langgraph.runtime import Runtime

from readgraph.models.metering import unsaid
from readgraph.nodes.answering.answer import answer, memory_in_view
from readgraph.nodes.answering.in_view import InView, answering, known
from readgraph.nodes.answering.weighing import all_quotes, by_the_model, finding_text, weigh_findings
from readgraph.nodes.contracts import AnswerState, AnswerUpdate, SaidAnswer
from readgraph.nodes.memory_view import memory_pages, tagged
from readgraph.nodes.tasks import all_finished
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Finding
from readgraph.state.words import first_words

LONGEST_FINDING = 120
"""Most words of a page's answer and quotes that are weighed."""


class EachPageUpdate(AnswerUpdate):
    """What answering writes: also the answer of each page that has one."""

    findings: list[Finding]


async def each_page_in_view(state: AnswerState, runtime: Runtime[ReaderContext]) -> InView:
    """Answer from each page concurrently; if the answers differ, the model weighs them in one call.

    GAM's long-LLM baseline takes the best score over the chunks (section 3.1), which needs the gold answer; a reader
    has none. Without a usable reply to the weighing, the first answer is used. Passages that were quoted for lack of a
    usable reply count only where no page was answered, and so does it that there were none to quote. The compression
    rate counts the words of all chunks, whichever gave the answer.
    """
    pages = state["pages_read"]
    document, chunks = await memory_pages(runtime, state["document"], state["memory"])
    words = sum(page.words for page in chunks if page.number in pages)
    with unsaid():
        each: list[AnswerUpdate] = await all_finished(
            answer.work({**state, "pages_read": [page]}, runtime) for page in pages
        )
    every = [_finding(page, said) for page, said in zip(pages, each, strict=True) if said["answer"]]
    findings = by_the_model(every)
    if not findings and any(said.get("by_rule") for said in each):
        quoted = await pages_in_view(state, runtime)
        return known(document, await quoted.substitute(), **quoted.beside)

    if len({finding["text"] for finding in findings}) < 2:
        did = f"answered from {len(findings)} of {len(pages)} parts, each by itself"
        return known(document, _agreed(findings, words, did), findings=findings)

    async def weigh() -> SaidAnswer:
        shown = tagged({finding["page"]: first_words(_shown(finding), LONGEST_FINDING) for finding in findings})
        return await weigh_findings(findings, shown, state, runtime, words)

    async def take_first() -> SaidAnswer:
        return _agreed(findings[:1], words, f"took the first of {len(findings)} answers")

    return InView(document, take_first, weigh, "weigh", {"findings": findings})


def _finding(page: int, said: AnswerUpdate) -> Finding:
    finding = Finding(page=page, answers=True, text=said["answer"] or "", choice=said["choice"], quotes=said["quotes"])
    return {**finding, "by_rule": True} if said.get("by_rule") else finding


def _agreed(findings: list[Finding], words: int, did: str) -> SaidAnswer:
    """The one answer that pages agree on, or none."""
    if not findings:
        return SaidAnswer(None, None, [], words, "found no answer in the text")
    return SaidAnswer(findings[0]["text"], findings[0]["choice"], all_quotes(findings), words, did)


def _shown(finding: Finding) -> str:
    letter = f"{finding['choice']}. " if finding["choice"] else ""
    return letter + finding_text(finding)


async def pages_in_view(state: AnswerState, runtime: Runtime[ReaderContext]) -> InView:
    """Without a model: the passages of all pages that best match the question."""
    seen = await memory_in_view(state, runtime)
    return InView(seen.document, seen.substitute, beside={"findings": []})


answer_from_each = answering(each_page_in_view, pages_in_view, writes=EachPageUpdate)
