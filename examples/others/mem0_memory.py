"""mem0: memories that a model writes of each session, the ten nearest to a question.

python examples/others/mem0_memory.py examples/questions.jsonl --model gpt-5.4-mini --out mem0.jsonl
"""

import os
from argparse import Namespace
from tempfile import mkdtemp

os.environ["MEM0_TELEMETRY"] = "False"  # it reports use otherwise
os.environ.setdefault("MEM0_DIR", mkdtemp(prefix="mem0-"))

from answering import run
from mem0 import AsyncMemory

from readgraph_evaluation.records import Text

CHUNK, FOUND = 400, 10
"""Words of a text without sessions that are given at once, and memories that are read."""


class Mem0:
    """A memory of one text, in a Qdrant store of its own."""

    def __init__(self, given: Namespace) -> None:
        server = {"openai_base_url": os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")}
        size = {"embedding_model_dims": int(os.environ.get("EMBEDDING_DIMENSIONS", "1536"))}
        self.memory = AsyncMemory.from_config(
            {
                "llm": {"provider": "openai", "config": {"model": given.model, "temperature": 0, **server}},
                "embedder": {"provider": "openai", "config": {"model": given.embeddings, **server}},
                "vector_store": {"provider": "qdrant", "config": {"path": mkdtemp(prefix="mem0-"), **size}},
            }
        )

    async def read(self, text: Text) -> None:
        """Give it each session, or each chunk of another text, as a message."""
        words = text.text.split()
        chunks = [" ".join(words[at : at + CHUNK]) for at in range(0, len(words), CHUNK)]
        for said in [f"{session.time}\n{session.text}" for session in text.sessions] or chunks:
            await self.memory.add([{"role": "user", "content": said}], user_id="reader")

    async def find(self, question: str) -> list[str]:
        """The memories nearest to a question."""
        found = await self.memory.search(question, top_k=FOUND, filters={"user_id": "reader"})
        return [each["memory"] for each in found["results"]]


if __name__ == "__main__":
    run(Mem0, __doc__)
