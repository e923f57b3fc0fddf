"""What a walk has in view when it answers: the findings of its leaves, or the leaves themselves with all notes."""

from langgraph.runtime import Runtime

from readgraph.library.page_store import page_store
from readgraph.models.prompt import unused_name
from readgraph.nodes.answering.answer import memory_with
from readgraph.nodes.answering.ask import by_the_model, finding_text, weigh_findings
from readgraph.nodes.answering.in_view import InView, answering, known
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AnswerUpdate, SaidAnswer
from readgraph.nodes.memory import view_memory
from readgraph.nodes.walk.position import WalkingState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Finding
from readgraph.state.settings import Walk, Window
from readgraph.state.summary_tree import node_id
from readgraph.state.words import count_words


async def findings_in_view(state: WalkingState, runtime: Runtime[ReaderContext]) -> InView:
    """A single answer is taken as the leaf gave it; several findings are weighed in one call.

    Status `no_answer` where the walk found nothing, or ended on unusable replies. Without a model, and where the
    findings can't be weighed, the first answer is taken: it came from the best child of the root. Where the budget
    ended the walk, that is the first one that the model gave. Nothing is weighed where leaves keep no findings.
    """
    findings = state["findings"]
    document = await page_store(runtime).document(state["document"])
    every = [finding for finding in findings if finding["answers"]]
    answers = by_the_model(every) or every
    unusable = any(not hop["valid"] for hop in state["hops"][-1:])
    gave_up = not answers and (unusable or (state["status"] == "budget" and not findings))
    first = _taken(answers[0] if answers else None, state)
    first = first._replace(nearest=first.nearest or gave_up)
    if not findings or gave_up or (answers and (len(findings) == 1 or not runtime.context.keep_findings)):
        return known(document, first)

    async def weigh() -> SaidAnswer:
        shown = _shown(findings)
        return await weigh_findings(findings, shown, state, runtime, count_words(shown))

    async def take_first() -> SaidAnswer:
        return first

    return InView(document, take_first, weigh, "weigh")


def _shown(findings: list[Finding]) -> str:
    """Each finding with its quotes, after its page's tag."""
    bodies = [finding_text(finding) for finding in findings]
    tag = unused_name("page", bodies)
    return "\n\n".join(f"<{tag} {finding['page']}>\n{body}" for finding, body in zip(findings, bodies, strict=True))


def _taken(finding: Finding | None, state: WalkingState) -> SaidAnswer:
    """One leaf's answer, or none; its context was the working memory and the segment."""
    if finding is None:
        hops = f"{len(state['hops'])} hop" + ("s" if len(state["hops"]) != 1 else "")
        return SaidAnswer(None, None, [], summary=f"no answer after {hops}")
    leaf = node_id(0, finding["page"])
    words = [hop["memory_words"] + hop["shown_words"] for hop in state["hops"] if hop["node"] == leaf]
    did = f"took the answer of part {finding['page']}"
    nearest, seen = finding.get("by_rule", False), words[-1] if words else None
    return SaidAnswer(finding["text"], finding["choice"], finding["quotes"], seen, did, nearest=nearest)


async def leaves_in_view(state: WalkingState, runtime: Runtime[ReaderContext]) -> InView:
    """Answer from all notes, with the leaves in full that fit the window, first those that had something to say.

    Where the walk found nothing, the notes may still hold the answer.
    """
    first = [finding["page"] for finding in state["findings"]]
    view = await view_memory(runtime, state["document"], state["memory"], [])
    room = content_room(runtime.context, state["question_text"], state["choices"])
    leaves = view.fitting(dict.fromkeys([*first, *state["pages_read"]]), room)
    return await memory_with(leaves, state, runtime)


async def every_leaf_in_view(state: WalkingState, runtime: Runtime[ReaderContext]) -> InView:
    """Without a model the leaves are quoted: all of them, since no window has to hold them."""
    return await memory_with(state["pages_read"], state, runtime)


answer = answering(findings_in_view, writes=AnswerUpdate, settings=(Walk,))
answer_over_leaves = answering(leaves_in_view, every_leaf_in_view, writes=AnswerUpdate, settings=(Window,))
