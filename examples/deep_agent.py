r"""A deep agent that sees a library as files, and has a memory of its own.

    pip install 'readgraph[deepagents]'
    readgraph read book.txt letters.txt
    python examples/deep_agent.py "Who took the log book?" --model openai:gpt-5.4-mini --memory agent-memory

Below /library/ each document that was read is a folder with its pages and notes, read-only. The agent's long results
and what leaves its window go into a library of its own.
"""

import argparse
import asyncio
from pathlib import Path

from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, StateBackend
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from readgraph import ReaderContext, open_library
from readgraph.doors.middleware import AgentMemory, LibraryBackend

ROLE = (
    "You answer questions from the documents below /library/. Their notes are short: read or grep these first, and the "
    "pages of the same numbers after that. Quote the words that show the answer."
)


async def answer(
    question: str, model: BaseChatModel, memory: Path, folder: Path | None = None, memory_model: str = ""
) -> str:
    """Let the agent look through the library in the folder; its own library is `memory`."""
    async with open_library(folder) as library, open_library(memory) as own:
        agent = create_deep_agent(
            model=model,
            system_prompt=ROLE,
            backend=CompositeBackend(default=StateBackend(), routes={"/library/": LibraryBackend(library)}),
            middleware=[AgentMemory(own, context=ReaderContext(model=memory_model))],
        )
        output = await agent.ainvoke({"messages": [HumanMessage(question)]}, {"recursion_limit": 500})
    return str(output["messages"][-1].text)


def main() -> None:
    """Ask one question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question")
    parser.add_argument("--model", required=True, help="PROVIDER:NAME of the agent, as for langchain's init_chat_model")
    parser.add_argument("--memory", type=Path, required=True, help="the folder of the agent's own library")
    parser.add_argument("--memory-model", default="", help="PROVIDER:NAME of the model that writes gists and notes")
    parser.add_argument("--library", type=Path, help="the folder of the library that it reads")
    given = parser.parse_args()
    model = init_chat_model(given.model)
    print(asyncio.run(answer(given.question, model, given.memory, given.library, given.memory_model)))


if __name__ == "__main__":
    main()
