"""What the full text will use: an answer from each chunk, and where there are several a weighing."""

from readgraph.graphs.baselines.full_text import chunk_words
from readgraph.graphs.estimates.shared import ANSWER_REPLY, TAG_WORDS, answering, pages_of, sending
from readgraph.nodes.answering_each import LONGEST_FINDING
from readgraph.nodes.estimating import Estimate, Range, asks, exactly, fixed
from readgraph.nodes.prompts.weigh import weigh_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """Reading takes no call; a question of so many words takes one a chunk and perhaps one more."""
    if question_words is None or not context.model:
        return Estimate()
    chunks = pages_of(document.words, chunk_words(context))
    each = answering(exactly(question_words + TAG_WORDS), times=chunks)
    return sending(document.words, chunks, each) + _weighing(chunks, question_words)


def _weighing(chunks: Range, question_words: int) -> Estimate:
    assert chunks.high is not None
    several = Range(0, min(chunks.expected - 1, 1), min(chunks.high - 1, 1))
    findings = chunks * Range(0, ANSWER_REPLY, LONGEST_FINDING + TAG_WORDS)
    prompt = fixed(weigh_prompt("", "", {"A": "", "B": ""}).words) + findings + exactly(question_words)
    return asks(several, prompt, ANSWER_REPLY)
