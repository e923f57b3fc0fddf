"""What a model says of sentences that it sees with the texts they rest on; shared by summaries and long answers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.models.prompt import Prompt
from readgraph.nodes.memory_view import tagged
from readgraph.nodes.prompts.answering.checking import SentenceVerdicts
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import LARGEST
from readgraph.state.errors import NoUsableReply
from readgraph.state.reading import Quote
from readgraph.state.words import count_words

MOST_SENTENCES = 5
"""Sentences that one call checks."""

TAG_WORDS = 2
"""Words of the tag before a text."""


class Verdict(NamedTuple):
    """Whether a sentence is supported, and quotes that show it, not yet looked up."""

    supported: bool
    quotes: list[Quote]


class Doubted(NamedTuple):
    """A sentence to check, and the numbers of the texts that it rests on."""

    text: str
    pages: Collection[int]


MakePrompt = Callable[[str, Sequence[str]], Prompt]
"""Makes the prompt of texts with their tags, and of sentences."""


def in_batches(sentences: Mapping[int, Doubted], texts: Mapping[int, str], room: int) -> list[list[int]]:
    """The numbers of the sentences in order, a few at a time whose texts fit the room together."""
    sizes = {page: count_words(text) + TAG_WORDS for page, text in texts.items()}
    batches, shown, words = list[list[int]](), set[int](), 0
    for number, sentence in sentences.items():
        pages, own = {*sentence.pages}, count_words(sentence.text) + 1
        more = own + sum(sizes.get(page, 0) for page in pages - shown)
        if not batches or len(batches[-1]) >= MOST_SENTENCES or words + more > room:
            batches.append([])
            shown, words = set(), 0
            more = own + sum(sizes.get(page, 0) for page in pages)
        batches[-1].append(number)
        shown |= pages
        words += more
    return batches


async def verdicts_on(
    batch: Mapping[int, Doubted], texts: Mapping[int, str], make_prompt: MakePrompt, runtime: Runtime[ReaderContext]
) -> dict[int, Verdict]:
    """What one call says of these sentences, by their numbers; nothing without a usable reply, which is counted."""
    pages = sorted({page for sentence in batch.values() for page in sentence.pages} & texts.keys())

    def complaint(reply: SentenceVerdicts) -> str | None:
        missing = {*range(1, len(batch) + 1)} - {each.sentence for each in reply.verdicts}
        return f"there is no verdict on sentence {min(missing)}" if missing else None

    prompt = make_prompt(tagged({page: texts[page] for page in pages}), [each.text for each in batch.values()])
    try:
        reply = await ask(runtime, prompt, SentenceVerdicts, complaint)
    except NoUsableReply:
        fell_back("check")
        return {}
    found = dict[int, Verdict]()
    for place, number in enumerate(batch, 1):
        said = [each for each in reply.verdicts if each.sentence == place]
        # A page that can't exist counts as unknown, since the state can't hold arbitrarily large integers.
        given = [quoted for each in said for quoted in each.quotes]
        quotes = [Quote(page=one.page if 0 <= one.page <= LARGEST else -1, quote=one.quote) for one in given]
        found[number] = Verdict(all(each.supported for each in said), quotes)
    return found
