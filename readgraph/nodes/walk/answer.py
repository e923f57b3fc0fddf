"""How a walk answers: from the findings of its leaves, or from the leaves themselves with all notes."""

from langgraph.runtime import Runtime

from readgraph.library.page_store import page_store
from readgraph.nodes.answering.answer import memory_with
from readgraph.nodes.answering.ask import STYLE, format_finding, weigh_findings
from readgraph.nodes.answering.in_view import AnswerSource, ready_answer, write_answer, write_draft
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate
from readgraph.nodes.memory import load_memory, tag_texts
from readgraph.nodes.step import node
from readgraph.nodes.walk.position import WalkingState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Finding
from readgraph.state.settings import Walk, Window
from readgraph.state.summary_tree import node_id
from readgraph.state.words import count_words


@node(settings=(*STYLE, Walk))
async def answer(state: WalkingState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    """A single answer is taken as the leaf gave it; several findings are weighed in one call.

    Status `no_answer` where the walk found nothing, or ended on unusable replies. Without a model, and where the
    findings can't be weighed, the first answer is taken: it came from the best child of the root. Where the budget
    ended the walk, that is the first one that the model gave. Nothing is weighed where leaves keep no findings.
    """
    findings = state["findings"]
    document = await page_store(runtime).document(state["document"])
    every = [finding for finding in findings if finding["answers"]]
    answers = [finding for finding in every if not finding.get("by_rule")] or every  # the model's own come first
    unusable = any(not hop["valid"] for hop in state["hops"][-1:])
    gave_up = not answers and (unusable or (state["status"] == "budget" and not findings))
    first = _draft_from_leaf(answers[0] if answers else None, state)
    first = first._replace(nearest=first.nearest or gave_up)
    if not findings or gave_up or (answers and (len(findings) == 1 or not runtime.context.keep_findings)):
        return await write_answer(ready_answer(document, first), state, runtime)

    async def weigh() -> AnswerDraft:
        shown = tag_texts((finding["page"], format_finding(finding)) for finding in findings)
        return await weigh_findings(findings, shown, state, runtime, count_words(shown))

    async def take_first() -> AnswerDraft:
        return first

    return await write_answer(AnswerSource(document, take_first, weigh, "weigh"), state, runtime)


def _draft_from_leaf(finding: Finding | None, state: WalkingState) -> AnswerDraft:
    """One leaf's answer, or none; its context was the working memory and the segment."""
    if finding is None:
        hops = f"{len(state['hops'])} hop" + ("s" if len(state["hops"]) != 1 else "")
        return AnswerDraft(None, None, [], summary=f"no answer after {hops}")
    leaf = node_id(0, finding["page"])
    words = [hop["memory_words"] + hop["shown_words"] for hop in state["hops"] if hop["node"] == leaf]
    did = f"took the answer of part {finding['page']}"
    nearest, seen = finding.get("by_rule", False), words[-1] if words else None
    return AnswerDraft(finding["text"], finding["choice"], finding["quotes"], seen, did, nearest=nearest)


async def answer_over_leaves_without_model(state: WalkingState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    """Without a model the leaves are quoted: all of them, since no window has to hold them."""
    source = await memory_with(state["pages_read"], state, runtime)
    return await write_draft(await source.substitute(), source.document, state, runtime)


@node(without_model=answer_over_leaves_without_model, settings=(*STYLE, Window))
async def answer_over_leaves(state: WalkingState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    """Answer from all notes, with the leaves in full that fit the window, first those that had something to say.

    Where the walk found nothing, the notes may still hold the answer.
    """
    first = [finding["page"] for finding in state["findings"]]
    view = await (await load_memory(runtime, state)).view([])
    room = content_room(runtime.context, state["question_text"], state["choices"])
    leaves = view.pages_that_fit(dict.fromkeys([*first, *state["pages_read"]]), room)
    return await write_answer(await memory_with(leaves, state, runtime), state, runtime)
