"""LightRAG: a graph of entities and relations that a model writes of a text; its context for a question.

python examples/others/light_rag.py examples/questions.jsonl --model gpt-5.4-mini --out light_rag.jsonl
"""

import json
import os
from argparse import Namespace
from functools import partial
from tempfile import mkdtemp

from answering import run
from lightrag import LightRAG, QueryParam
from lightrag.llm.openai import openai_complete_if_cache, openai_embed
from lightrag.utils import EmbeddingFunc, Tokenizer

from readgraph_evaluation.records import Text


class FourCharacters:
    """Takes four characters for a token, as many as one has on average, so that no tokenizer is fetched."""

    def encode(self, content: str) -> list[int]:
        """A number for each four characters of a text, made of their code points."""
        return [int.from_bytes(content[at : at + 4].encode("utf-32-be")) for at in range(0, len(content), 4)]

    def decode(self, tokens: list[int]) -> str:
        """The text of such numbers."""
        return "".join(token.to_bytes(16).decode("utf-32-be").lstrip("\0") for token in tokens)


class LightRag:
    """LightRAG over one text, in a folder of its own."""

    def __init__(self, given: Namespace) -> None:
        server = {"base_url": os.environ.get("OPENAI_BASE_URL")}
        embed = partial(openai_embed.func, model=given.embeddings, **server)
        size = int(os.environ.get("EMBEDDING_DIMENSIONS", "1536"))
        self.rag = LightRAG(
            working_dir=mkdtemp(prefix="lightrag-"),
            llm_model_func=partial(openai_complete_if_cache, given.model, **server),
            llm_model_name=given.model,
            embedding_func=EmbeddingFunc(embedding_dim=size, func=embed),
            tokenizer=Tokenizer("four characters", FourCharacters()),
        )

    async def read(self, text: Text) -> None:
        """Build its graph."""
        await self.rag.initialize_storages()
        await self.rag.ainsert(text.text)

    async def find(self, question: str) -> list[str]:
        """The entities, relations and chunks that LightRAG would show a model."""
        context = await self.rag.aquery(question, QueryParam(mode="mix", only_need_context=True, enable_rerank=False))
        lines = [json.loads(line) for line in str(context).splitlines() if line.startswith("{")]
        return [line.get("content") or ": ".join(map(str, line.values())) for line in lines]


if __name__ == "__main__":
    run(LightRag, __doc__)
