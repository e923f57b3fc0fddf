"""How close the opener of a conversation is to the facts about its reader (MemGPT, section 3.1.3, table 3)."""

from heapq import nlargest
from statistics import fmean

from readgraph.evaluation.records import Item
from readgraph.models.embedding_models.embedder import Embedder

CLOSEST = 3
"""The number of facts that CSIM-3 averages over."""


async def similarities(item: Item, answer: str, embedder: Embedder) -> dict[str, float]:
    """The scores that apply, from 0 to 100, by name: `csim_1`, `csim_3`, `csim_h`.

    They are cosine similarities of the answer: with the closest fact of `item.about`; with the three closest facts, on
    average (or fewer); and with the closest reference, an opener that a person wrote. Negative ones count as 0. Raises
    the errors of `Embedder.documents`.
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
