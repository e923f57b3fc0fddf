r"""GAM with your own search engine: a LangChain VectorStoreRetriever replaces its vector search.

    python examples/own_retriever.py "What was stopping the F sharp on Ted's accordion?" \
        --model openai:gpt-5.4-mini --embeddings openai:text-embedding-3-small

Here the engine is LangChain's in-memory store. Qdrant, Elasticsearch, pgvector and others offer retrievers that can
replace it; they may run on another machine.
"""

import argparse
import asyncio
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from readgraph import PageStore, Question, ReaderContext, open_library
from readgraph.api import searched_by
from readgraph.graphs import gam
from readgraph.library.histories import SessionText, append_sessions
from readgraph.models.embeddings.models import embedding_model
from readgraph.sources.sessions import load_sessions

CHAT = Path(__file__).parent / "allotment-chat.txt"
PAGES_FOUND = 20
"""More than `pages_per_tool`, because pages that were read before are skipped."""


async def index(pages: PageStore, document: str, memory: str, engine: VectorStore) -> None:
    """Add every page of the memory to the engine, with its number, by which a search hit is recognised."""
    stored, size = await pages.document(document), (await pages.memory(document, memory)).pages
    all_pages = await pages.pages(memory, range(size))
    texts = await pages.spans(stored, [(page.start, page.end) for page in all_pages])
    pairs = zip(all_pages, texts, strict=True)
    await engine.aadd_documents([Document(text, metadata={"page": page.number}) for page, text in pairs])


async def ask(
    question: str, model: str, embeddings: Embeddings, folder: Path | None = None, chat: Path = CHAT
) -> dict[str, Any]:
    """Memorise the chat, or use the existing memory; search its pages with the engine, and answer."""
    context, engine = ReaderContext(model=model, tools=("vector", "page")), InMemoryVectorStore(embeddings)
    async with open_library(folder) as library:
        sessions = [SessionText(*session) for session in load_sessions([chat])]
        history = (await append_sessions(library.pages, chat.stem, sessions)).document
        memorize = gam.build_memorize().compile(store=library.store)
        built = await memorize.ainvoke(Question(document=history.id), context=context)
        await index(library.pages, history.id, built["memory"], engine)
        graph = gam.build_research().compile(store=library.store)
        with searched_by(vector=engine.as_retriever(search_kwargs={"k": PAGES_FOUND})):
            return dict(await graph.ainvoke(Question(document=history.id, question=question), context=context))


def main() -> None:
    """Ask one question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question")
    parser.add_argument(
        "--model", default="", help="PROVIDER:NAME as for langchain's init_chat_model; without it, extractive"
    )
    parser.add_argument("--embeddings", required=True, help="PROVIDER:NAME as for langchain's init_embeddings")
    parser.add_argument("--library", type=Path, help="the folder of the library")
    options = parser.parse_args()
    embeddings = embedding_model(options.embeddings, 60.0)
    output = asyncio.run(ask(options.question, options.model, embeddings, options.library))
    print(output["answer"])
    for citation in output["citations"]:
        print(f"  {citation['place']}: “{citation['quote']}”")


if __name__ == "__main__":
    main()
