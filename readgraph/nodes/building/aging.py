"""Make the gists of gists that stand for old pages (iterative gisting: ReadAgent, appendix G.3).

Each is made once, when all that it stands for is there, so a page costs a third of a call, however long a history is.
"""

from langgraph.runtime import Runtime

from readgraph.nodes.building.gists import gisting
from readgraph.nodes.extractive import extract_for
from readgraph.nodes.gist_levels import level_sizes, older_gist_words, older_gists
from readgraph.nodes.prompts.building.notes import gist_prompt
from readgraph.nodes.purpose import purpose_of
from readgraph.nodes.tasks import all_finished
from readgraph.state.context import ReaderContext
from readgraph.state.kept.older_gists import FAN, older_id
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.records import Memory, Page, TreeNode
from readgraph.state.store.build_lock import building
from readgraph.state.words import count_words


async def gist_again(memory: Memory, runtime: Runtime[ReaderContext]) -> None:
    """Make the gists of gists that are missing above a memory's pages, level by level; each is kept when it is made."""
    store, most = page_store(runtime), older_gist_words(runtime.context)
    async with building(store.store, memory.id):
        known = await older_gists(store, memory.id, memory.pages, most)
        texts = {(gist.level, gist.number): gist.text for gist in known}
        texts |= {(0, note.page): note.text for note in await store.notes(memory.id, range(memory.pages))}
        for level, size in enumerate(level_sizes(memory.pages), 1):
            missing = [number for number in range(size) if (level, number) not in texts]
            below = {n: [texts[level - 1, n * FAN + part] for part in range(FAN)] for n in missing}
            made = await all_finished(_made(store, memory.id, level, n, below[n], runtime) for n in missing)
            texts |= {(level, number): text for number, text in zip(missing, made, strict=True)}


async def _made(
    store: PageStore, memory: str, level: int, number: int, below: list[str], runtime: Runtime[ReaderContext]
) -> str:
    """The gists below joined, or gisted again where they are too long together."""
    text, most, fallback = "\n\n".join(below), older_gist_words(runtime.context), False
    if (words := count_words(text)) > most:
        gist = gisting(lambda passage, context: gist_prompt(passage, most, purpose_of(context)))
        note = await gist(text, Page(number, 0, len(text), words, "rule"), runtime)
        text, fallback = note.text, note.fallback
        if count_words(text) > most:
            text = extract_for(runtime.context, text, most)
    node = TreeNode(older_id(most, level, number), text, count_words(text), compressed=True, fallback=fallback)
    await store.put_tree_node(memory, node)
    return text
