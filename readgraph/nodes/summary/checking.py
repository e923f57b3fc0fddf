"""Check a summary sentence by sentence: the model sees sentences with the pages that they name."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.nodes.bounds import content_room
from readgraph.nodes.memory_view import tagged
from readgraph.nodes.prompts.check_summary import SentenceVerdicts, check_summary_prompt
from readgraph.nodes.step import StepNode
from readgraph.nodes.summary.material import TAG_WORDS, Material, material_of
from readgraph.nodes.tasks import all_finished
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import LARGEST
from readgraph.state.errors import NoUsableReply
from readgraph.state.reading import Quote, Status, Usage
from readgraph.state.settings import SummaryForm
from readgraph.state.summary import ShownPart, SummarySentence
from readgraph.state.words import count_words, counted

MOST_SENTENCES = 5
"""Sentences that one call checks."""


class CheckState(TypedDict):
    """What checking reads."""

    document: str
    memory: str
    shown: list[ShownPart]
    sentences: list[SummarySentence]
    status: NotRequired[Status]
    usage: NotRequired[Usage]


class CheckUpdate(TypedDict):
    """What checking writes: the sentences with what the pages say of them."""

    sentences: list[SummarySentence]
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
    batches = _batches(left, sentences, material, content_room(runtime.context))
    each = await all_finished(_checked(batch, sentences, material, runtime) for batch in batches)
    verdicts = {number: verdict for found in each for number, verdict in found.items()}
    return _update([_judged(sentence, verdicts.get(number)) for number, sentence in enumerate(sentences)])


async def check_without_model(state: CheckState, runtime: Runtime[ReaderContext]) -> CheckUpdate:
    """Nothing is asked: what was extracted is the text's own, and what was written stays unchecked."""
    return _update(state["sentences"])


class _Verdict(NamedTuple):
    supported: bool
    quotes: list[Quote]


def _judged(sentence: SummarySentence, verdict: _Verdict | None) -> SummarySentence:
    if verdict is None:
        return sentence
    return {**sentence, "supported": verdict.supported, "quotes": verdict.quotes if verdict.supported else []}


def _batches(
    numbers: Sequence[int], sentences: Sequence[SummarySentence], material: Material, room: int
) -> list[list[int]]:
    """The sentences in order, a few at a time whose pages fit the room together."""
    sizes = {page: count_words(text) + TAG_WORDS for page, text in material.texts.items()}
    batches, shown, words = list[list[int]](), set[int](), 0
    for number in numbers:
        pages, own = {*sentences[number]["pages"]}, count_words(sentences[number]["text"]) + 1
        more = own + sum(sizes.get(page, 0) for page in pages - shown)
        if not batches or len(batches[-1]) >= MOST_SENTENCES or words + more > room:
            batches.append([])
            shown, words = set(), 0
            more = own + sum(sizes.get(page, 0) for page in pages)
        batches[-1].append(number)
        shown |= pages
        words += more
    return batches


async def _checked(
    batch: Sequence[int], sentences: Sequence[SummarySentence], material: Material, runtime: Runtime[ReaderContext]
) -> Mapping[int, _Verdict]:
    """What one call says of these sentences, by their numbers."""
    pages = sorted({page for number in batch for page in sentences[number]["pages"]} & material.texts.keys())
    asked = [sentences[number]["text"] for number in batch]

    def complaint(reply: SentenceVerdicts) -> str | None:
        missing = {*range(1, len(batch) + 1)} - {each.sentence for each in reply.verdicts}
        return f"there is no verdict on sentence {min(missing)}" if missing else None

    prompt = check_summary_prompt(tagged({page: material.texts[page] for page in pages}), asked)
    try:
        reply = await ask(runtime, prompt, SentenceVerdicts, complaint)
    except NoUsableReply:
        fell_back("check")
        return {}
    found = dict[int, _Verdict]()
    for place, number in enumerate(batch, 1):
        said = [each for each in reply.verdicts if each.sentence == place]
        # A page that can't exist counts as unknown, since the state can't hold arbitrarily large integers.
        given = [quoted for each in said for quoted in each.quotes]
        quotes = [Quote(page=one.page if 0 <= one.page <= LARGEST else -1, quote=one.quote) for one in given]
        found[number] = _Verdict(all(each.supported for each in said), quotes)
    return found


def _update(sentences: list[SummarySentence]) -> CheckUpdate:
    unsupported = sum(each["supported"] is False for each in sentences)
    unchecked = sum(each["supported"] is None for each in sentences)
    supported = len(sentences) - unsupported - unchecked
    did = f"{supported} of {counted(len(sentences), 'sentence')} supported"
    did += f", {unchecked} not checked" if unchecked else ""
    return {"sentences": sentences, "unsupported": unsupported, "unchecked": unchecked, "step_summary": did}


check = StepNode(check_summary, check_without_model, settings=(SummaryForm,))
