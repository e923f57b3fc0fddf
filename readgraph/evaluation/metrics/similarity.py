"""How close a conversation's opener comes to what is known of its reader (MemGPT, section 3.1.3, table 3)."""

from heapq import nlargest
from statistics import fmean

from readgraph.evaluation.records import Item
from readgraph.models.embedder import Embedder

CLOSEST = 3
"""Facts that CSIM-3 counts."""


async def similarities(item: Item, answer: str, embedder: Embedder) -> dict[str, float]:
    """The scores from 0 to 100 by their names, those that apply: `csim_1`, `csim_3`, `csim_h`.

    Cosine similarity of the answer and each fact of `item.about`: the best, and the mean of the three best (of fewer
    where there are fewer); and the best of the item's references, the openers that people wrote. A negative cosine
    counts 0. Errors as in `Embedder.documents`.
    """
    known = len(item.about)
    to_answer, *others = await embedder.documents([answer, *item.about, *item.references])
    close = [min(1.0, max(0.0, float(to_answer @ other))) for other in others]
    scores = dict[str, float]()
    if item.about:
        scores |= {"csim_1": 100 * max(close[:known]), "csim_3": 100 * fmean(nlargest(CLOSEST, close[:known]))}
    if item.references:
        scores["csim_h"] = 100 * max(close[known:])
    return scores
