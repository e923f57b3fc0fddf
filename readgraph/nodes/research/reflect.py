"""Decide whether the notes are enough, and what to look for next (GAM, section 2.2.2)."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field

from readgraph.language.terms import content_words
from readgraph.models.asking import ask_reply
from readgraph.models.prompt import DATA_RULE, Prompt, Wording, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply, Texts
from readgraph.nodes.contracts import AskedState, ReaderRuntime, StepUpdate
from readgraph.nodes.extractive.gists import telling_words
from readgraph.nodes.memory import load_memory
from readgraph.nodes.prompts import question_alone, question_part, with_reasons
from readgraph.nodes.research.plan import PlanState
from readgraph.nodes.step import node
from readgraph.state.channels import Plan, Round, SearchHit, pages_of_round
from readgraph.state.context import ReaderContext
from readgraph.state.settings import Reasoning, Reflecting, Research, Window
from readgraph.state.words import first_words

MOST_REQUESTS = 5

_SYSTEM = (
    "You check notes that were taken from a long text: whether somebody who sees nothing else could now answer the "
    "question in full. You don't answer it. " + DATA_RULE
)
_MISSING = (
    f"At most {MOST_REQUESTS} short questions for what is missing, the most important first, each to be understood "
    "alone, with full names; empty if nothing is."
)


class Verdict(LenientReply):
    """Whether the notes are enough, and what is missing."""

    DECIDES: ClassVar[tuple[str, ...]] = ("enough",)
    enough: bool = Field(description="true if the notes hold every fact that the answer needs; else false.")
    missing: Annotated[Texts, Field(description=_MISSING)]

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """Two in three are enough; for the most, none is."""
        enough = not reply.longest and bool(reply.chance % 3)
        return {"enough": enough, "missing": [] if enough else [reply.words(8, reply.question)]}


class Enough(BaseModel):
    """Whether the notes are enough."""

    DECIDES: ClassVar[tuple[str, ...]] = ("enough",)
    enough: bool = Field(description="true if the notes hold every fact that the answer needs; else false.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """As often as with what is missing."""
        return {"enough": not reply.longest and bool(reply.chance % 3)}


class Missing(BaseModel):
    """What is missing."""

    DECIDES: ClassVar[tuple[str, ...]] = ("missing",)
    missing: Annotated[Texts, Field(description=_MISSING)]

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """Something is: who is asked this has said so."""
        return {"missing": [reply.words(8, reply.question)]}


_THINK = "Think about which facts the answer needs, and which of them the notes hold. Then decide: are"
REFLECT = declare_wording(
    "reflect",
    _SYSTEM,
    "{think}{at_once} the notes enough to answer the question? If not, what is missing?",
    version=2,
    think=_THINK,
    at_once="Are",
)
ENOUGH = declare_wording(
    "enough",
    _SYSTEM,
    "{think}{at_once} the notes enough to answer the question?",
    prompt="reflect",
    version=2,
    think=_THINK,
    at_once="Are",
)
MISSING = declare_wording(
    "missing", _SYSTEM, "The notes are not enough to answer the question. What is missing?", prompt="reflect", version=2
)


def reflect_prompt(
    notes: str, question: str, choices: dict[str, str], *, reasoning: bool = True, words: Wording = REFLECT
) -> Prompt:
    """Ask whether notes are enough and what is missing, or (`words`) for one of these alone."""
    material = fenced("notes", notes), question_part(question, choices)
    return words.ask(*material, think=reasoning, at_once=not reasoning)


REQUEST_WORDS = 60


class ReflectState(PlanState):
    """What reflecting reads: the whole round."""

    plan: Plan
    hits: list[SearchHit]
    sources: list[int]


class JudgeUpdate(StepUpdate):
    """What judging writes: whether to look further, and for what."""

    requests: list[str]
    continue_search: bool


class ReflectUpdate(JudgeUpdate):
    """What reflecting writes: the finished round, and the requests of the next one."""

    rounds: list[Round]


async def reflect_without_model(state: ReflectState, runtime: ReaderRuntime) -> ReflectUpdate:
    """Without a model: enough is where the notes hold all words of the question; those that they don't are missing.

    A round that looked for these and brought no page is the last one: the next one would be the same.
    """
    closed = await _close_unasked(state, runtime)
    in_vain = state["rounds"] and not pages_of_round(state["pages_read"], state["rounds"])
    if in_vain and (not closed or closed["continue_search"]):
        return _close_round(state, runtime, None, state["requests"], "the same search would find nothing new")
    if closed:
        return closed
    missing = words_not_in_notes(state["notes"], question_alone(state))
    return _close_round(state, runtime, not missing, [" ".join(missing)])


@node(without_model=reflect_without_model, settings=(Reasoning, Reflecting))
async def reflect(state: ReflectState, runtime: ReaderRuntime) -> ReflectUpdate:
    """Ask whether the notes are enough, and what is missing, unless that decides nothing; else go on as before."""
    if closed := await _close_unasked(state, runtime):
        return closed
    judged = await ask_for_verdict(state["notes"], state, runtime, fallback="reflect")
    return _close_round(state, runtime, *(judged or (None, state["requests"])))


def words_not_in_notes(notes: str, question: str) -> list[str]:
    """Content words of a question that do not occur in the notes in any form."""
    held = {*content_words(notes)}
    return [word for word in telling_words(question, REQUEST_WORDS) if held.isdisjoint(content_words(word))]


async def ask_for_verdict(
    notes: str, state: AskedState, runtime: ReaderRuntime, *, fallback: str
) -> tuple[bool, list[str]] | None:
    """Whether the notes are enough, and what is missing; None without a usable reply, counted as `fallback`."""
    asked, reasoning = (notes, state["question_text"], state["choices"]), runtime.context.reasoning
    if not runtime.context.separate_requests:
        prompt = reflect_prompt(*asked, reasoning=reasoning)
        said = await ask_reply(runtime, prompt, with_reasons(Verdict) if reasoning else Verdict, fallback=fallback)
        return (said.enough, said.missing) if said else None
    prompt = reflect_prompt(*asked, reasoning=reasoning, words=ENOUGH)
    judged = await ask_reply(runtime, prompt, with_reasons(Enough) if reasoning else Enough, fallback=fallback)
    if not judged or judged.enough:
        return (True, []) if judged else None
    named = await ask_reply(runtime, reflect_prompt(*asked, words=MISSING), Missing, fallback=fallback)
    return (False, named.missing) if named else None


def _limit_requests(missing: list[str]) -> list[str]:
    return [first_words(request, REQUEST_WORDS) for request in missing[:MOST_REQUESTS]]


async def _close_unasked(state: ReflectState, runtime: ReaderRuntime) -> ReflectUpdate | None:
    """The finished round where no verdict is asked for: no other follows, or there are no notes without one."""
    end = ""
    if len(state["rounds"]) + 1 >= runtime.context.rounds:
        end = "the last round"
    elif len(state["pages_read"]) >= (await load_memory(runtime, state)).record.pages:
        end = "every page was read"
    judged = state["rounds"][-1]["notes"] if state["rounds"] else ""
    if not end and state["notes"] not in ("", judged):
        return None
    return _close_round(state, runtime, None, state["requests"], end)


def _close_round(
    state: ReflectState, runtime: ReaderRuntime, enough: bool | None, missing: list[str], end: str = ""
) -> ReflectUpdate:
    """The round as it is recorded, and whether another follows; `end`: why none does, whatever the notes contain."""
    requests = [] if enough else _limit_requests(missing)
    done: Round = {
        "requests": state["requests"],
        "plan": state["plan"],
        "hits": state["hits"],
        "pages_shown": pages_of_round(state["pages_read"], state["rounds"]),
        "notes": state["notes"],
        "sources": state["sources"],
        "enough": enough,
        "missing": requests,
    }
    told = end or ("enough" if enough else f"not enough, next: {'; '.join(requests) or 'the question again'}")
    return {
        "rounds": [*state["rounds"], done],
        "requests": requests,
        "continue_search": not end and not enough,
        "step_summary": f"round {len(state['rounds']) + 1} of {runtime.context.rounds}: {told}",
    }


async def gists_suffice_without_model(state: AskedState, runtime: ReaderRuntime) -> JudgeUpdate:
    """Without a model: enough is where the notes hold all words of the question."""
    if settled := _verdict_by_rule(runtime.context):
        return settled
    view = await (await load_memory(runtime, state)).view(state["pages_read"])
    missing = words_not_in_notes(view.text, question_alone(state))
    return _make_judge_update(not missing, [" ".join(missing)])


@node(without_model=gists_suffice_without_model, settings=(Reasoning, Reflecting, Research, Window))
async def gists_suffice(state: AskedState, runtime: ReaderRuntime) -> JudgeUpdate:
    """Ask whether the notes are enough, and what is missing, unless that decides nothing; else they are not."""
    if settled := _verdict_by_rule(runtime.context):
        return settled
    view = await (await load_memory(runtime, state)).view(state["pages_read"])
    judged = await ask_for_verdict(view.text, state, runtime, fallback="judge")
    return _make_judge_update(*(judged or (False, [])))


def _verdict_by_rule(context: ReaderContext) -> JudgeUpdate | None:
    if context.context_only:
        return {"requests": [], "continue_search": True, "step_summary": "a context is wanted"}
    if context.rounds:
        return None
    return {"requests": [], "continue_search": False, "step_summary": "no research: the notes must do"}


def _make_judge_update(enough: bool, missing: list[str]) -> JudgeUpdate:
    requests = [] if enough else _limit_requests(missing)
    did = "enough" if enough else f"not enough, next: {'; '.join(requests) or 'the question'}"
    return {"requests": requests, "continue_search": not enough, "step_summary": did}
