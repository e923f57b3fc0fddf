"""What the baselines on web pages will use: one call, which names the action."""

from dataclasses import replace

from readgraph.estimates.arithmetic import Estimate, Range, asks, exactly, fixed
from readgraph.estimates.web_agent import ACT_REPLY, estimate_web_step
from readgraph.nodes.prompts.web import web_act_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate_web_gists(
    store: PageStore, document: Document, context: ReaderContext, instruction_words: int | None
) -> Estimate:
    """The web agent's estimate, without its look-up."""
    return await estimate_web_step(store, document, replace(context, max_pages=0), instruction_words)


async def estimate_web_act(
    store: PageStore, document: Document, context: ReaderContext, instruction_words: int | None
) -> Estimate:
    """One call with the instruction and what was chosen of the page: at most all of it, as far as it fits."""
    if instruction_words is None or not context.model:
        return Estimate()
    most = min(document.words, context.window_words)
    shown = Range(0, most, most) + exactly(instruction_words) + fixed(web_act_prompt("", "").words)
    return asks(exactly(1), shown, ACT_REPLY)
