"""Plain retrieval: chunks of 200 words, the ten nearest by their embeddings.

python examples/others/plain_rag.py examples/questions.jsonl --model gpt-5.4-mini --out plain_rag.jsonl
"""

from argparse import Namespace

from answering import run
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import OpenAIEmbeddings

from readgraph_evaluation.records import Text

CHUNK, FOUND = 200, 10


class PlainRag:
    """Chunks of a text in LangChain's vector store."""

    def __init__(self, given: Namespace) -> None:
        self.store = InMemoryVectorStore(OpenAIEmbeddings(model=given.embeddings, check_embedding_ctx_length=False))

    async def read(self, text: Text) -> None:
        """Embed its chunks."""
        words = text.text.split()
        await self.store.aadd_texts([" ".join(words[at : at + CHUNK]) for at in range(0, len(words), CHUNK)])

    async def find(self, question: str) -> list[str]:
        """The chunks nearest to a question."""
        return [found.page_content for found in await self.store.asimilarity_search(question, FOUND)]


if __name__ == "__main__":
    run(PlainRag, __doc__)
