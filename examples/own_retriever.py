r"""GAM with a search engine of your own: a LangChain VectorStoreRetriever replaces its vector search.

    python examples/own_retriever.py "What was stopping the F sharp on Ted's accordion?" \
        --model openai:gpt-4.1-mini --embeddings openai:text-embedding-3-small

Here the engine is LangChain's store in memory; Qdrant, Elasticsearch, pgvector and others give retrievers that can take
its place, and may run on another machine.
"""

import argparse
import asyncio
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from readgraph import ReaderContext, open_library
from readgraph.graphs import gam
from readgraph.models.embedding_models import embedding_model
from readgraph.nodes.research.retrievers import with_retrievers
from readgraph.sources.sessions import load_sessions
from readgraph.state.histories import SessionText, append_sessions
from readgraph.state.page_store import PageStore
from readgraph.state.reading import Question

CHAT = Path(__file__).parent / "allotment-chat.txt"
PAGES_FOUND = 20
"""More than `pages_per_tool`: pages that were read before are passed over."""


async def index(pages: PageStore, document: str, memory: str, engine: VectorStore) -> None:
    """Give the engine every page of the memory, with its number: by that it is known again when it is found."""
    kept, read = await pages.document(document), await pages.memory(document, memory)
    numbered = await pages.pages(memory, range(read.pages))
    texts = await pages.spans(kept, [(page.start, page.end) for page in numbered])
    together = zip(numbered, texts, strict=True)
    await engine.aadd_documents([Document(text, metadata={"page": page.number}) for page, text in together])


async def ask(
    question: str, model: str, embeddings: Embeddings, folder: Path | None = None, chat: Path = CHAT
) -> dict[str, Any]:
    """Memorise the chat, or take the memory that is there; search its pages with the engine, and answer."""
    context, engine = ReaderContext(model=model, tools=("vector", "page")), InMemoryVectorStore(embeddings)
    async with open_library(folder) as library:
        sessions = [SessionText(*session) for session in load_sessions([chat])]
        history = (await append_sessions(library.pages, chat.stem, sessions)).document
        memorize = gam.build_memorize().compile(store=library.store)
        built = await memorize.ainvoke(Question(document=history.id), context=context)
        await index(library.pages, history.id, built["memory"], engine)
        nodes = with_retrievers(vector=engine.as_retriever(search_kwargs={"k": PAGES_FOUND}))
        graph = gam.build_research(**nodes).compile(store=library.store)
        return dict(await graph.ainvoke(Question(document=history.id, question=question), context=context))


def main() -> None:
    """Ask once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question")
    parser.add_argument(
        "--model", default="", help="PROVIDER:NAME as for langchain's init_chat_model; none: extractive"
    )
    parser.add_argument("--embeddings", required=True, help="PROVIDER:NAME as for langchain's init_embeddings")
    parser.add_argument("--library", type=Path, help="the folder of the library")
    given = parser.parse_args()
    found = asyncio.run(ask(given.question, given.model, embedding_model(given.embeddings, 60.0), given.library))
    print(found["answer"])
    for citation in found["citations"]:
        print(f"  {citation['place']}: “{citation['quote']}”")


if __name__ == "__main__":
    main()
