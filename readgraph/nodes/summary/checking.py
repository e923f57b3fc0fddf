"""Check a summary sentence by sentence: the model sees sentences with the pages that they name."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.answering.verdicts import Doubted, Verdict, in_batches, verdicts_on
from readgraph.nodes.bounds import content_room
from readgraph.nodes.prompts.answering.checking import check_summary_prompt
from readgraph.nodes.step import StepNode
from readgraph.nodes.summary.material import material_of
from readgraph.nodes.tasks import all_finished
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Sentence, Status, Usage
from readgraph.state.settings import Checking
from readgraph.state.summary import ShownPart
from readgraph.state.words import counted


class CheckState(TypedDict):
    """What checking reads."""

    document: str
    memory: str
    shown: list[ShownPart]
    sentences: list[Sentence]
    status: NotRequired[Status]
    usage: NotRequired[Usage]


class CheckUpdate(TypedDict):
    """What checking writes: the sentences with what the pages say of them."""

    sentences: list[Sentence]
    unsupported: int
    unchecked: int
    step_summary: str


async def check_summary(state: CheckState, runtime: Runtime[ReaderContext]) -> CheckUpdate:
    """Ask of each sentence whether its pages support it; a sentence without a usable reply stays unchecked.

    What was extracted is the text's own. With `check_sentences` off nothing is asked.
    """
    sentences = state["sentences"]
    left = [number for number, each in enumerate(sentences) if not each["extracted"]]
    if not runtime.context.check_sentences or not left:
        return _update(sentences)
    material = await material_of(state["shown"], state["document"], state["memory"], runtime)
    doubted = {number: Doubted(sentences[number]["text"], sentences[number]["pages"]) for number in left}
    batches = in_batches(doubted, material.texts, content_room(runtime.context))
    each = await all_finished(
        verdicts_on({number: doubted[number] for number in batch}, material.texts, check_summary_prompt, runtime)
        for batch in batches
    )
    verdicts = {number: verdict for found in each for number, verdict in found.items()}
    return _update([_judged(sentence, verdicts.get(number)) for number, sentence in enumerate(sentences)])


async def check_without_model(state: CheckState, runtime: Runtime[ReaderContext]) -> CheckUpdate:
    """Nothing is asked: what was extracted is the text's own, and what was written stays unchecked."""
    return _update(state["sentences"])


def _judged(sentence: Sentence, verdict: Verdict | None) -> Sentence:
    if verdict is None:
        return sentence
    return {**sentence, "supported": verdict.supported, "quotes": verdict.quotes if verdict.supported else []}


def _update(sentences: list[Sentence]) -> CheckUpdate:
    unsupported = sum(each["supported"] is False for each in sentences)
    unchecked = sum(each["supported"] is None for each in sentences)
    supported = len(sentences) - unsupported - unchecked
    did = f"{supported} of {counted(len(sentences), 'sentence')} supported"
    did += f", {unchecked} not checked" if unchecked else ""
    return {"sentences": sentences, "unsupported": unsupported, "unchecked": unchecked, "step_summary": did}


check = StepNode(check_summary, check_without_model, settings=(Checking,))
