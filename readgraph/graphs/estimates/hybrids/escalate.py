"""What escalating will use: ReadAgent's reading, a verdict on the gists, perhaps a look-up and GAM's rounds."""

from dataclasses import replace

from readgraph.graphs.estimates.gam import REFLECT_REPLY, researching
from readgraph.graphs.estimates.read_agent import foreseen_reading, looking_up
from readgraph.graphs.estimates.shared import answering
from readgraph.nodes.estimating import Estimate, Range, asks, exactly, fixed
from readgraph.nodes.prompts.reflect import reflect_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """Reading what is not read yet, and a question of so many words (none: no question)."""
    reading, seen = await foreseen_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    gists = seen.gists + exactly(question_words)
    verdicts = Range(0, 1, 2 if context.separate_requests else 1)
    judging = asks(verdicts, fixed(reflect_prompt("", "", {}).words) + gists, REFLECT_REPLY)
    looking = looking_up(gists, replace(context, strategy="parallel"))  # all pages at once, whatever the strategy
    rounds = replace(context, rounds=max(context.rounds, 1))  # a look-up is read even where only a context is wanted
    research = researching(seen.pages, context.max_page_words, rounds, question_words)
    return reading + judging + looking + research + answering(gists, times=Range(0, 0, 1))
