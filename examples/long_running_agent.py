r"""An agent that reads a folder of any size, file by file, and forgets nothing.

    python examples/long_running_agent.py ~/notes "Where is the spare key?" --model openai:gpt-5.4-mini --library agent

What a file says becomes a document of the library, with a gist in its place; what leaves the agent's window becomes a
history. The agent looks both up again. Gists and notes are made without a model; with `--memory-model` one writes them.
"""

import argparse
import asyncio
from pathlib import Path

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool, tool

from readgraph import ReaderContext, open_library
from readgraph.doors.middleware import AgentMemory

ROLE = (
    "You read the files of a folder to answer a question. List them, and read one after the other. Long results are "
    "kept: look_up looks into them. What is no longer in view is remembered: recall looks it up. Answer when you know."
)
AT_ONCE = 100
"""Names of files in one list."""

STEPS = 10_000
"""The most steps of the agent; a call of a tool takes three or four."""


def file_tools(folder: Path) -> list[BaseTool]:
    """Tools that list and read the text files of a folder, and no others."""
    files = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*.txt"))}

    @tool
    def list_files(start: int = 0) -> str:
        """List the files of the folder, from a number on."""
        names = [*files][start : start + AT_ONCE]
        more = f"\nGo on with start={start + AT_ONCE}." if start + AT_ONCE < len(files) else ""
        return "\n".join(names) + more

    @tool
    def read_file(name: str) -> str:
        """Read a file of the folder."""
        if name not in files:
            return f"There is no file {name}: list_files lists them."
        return files[name].read_text(encoding="utf-8", errors="replace")

    return [list_files, read_file]


async def answer(
    question: str, folder: Path, model: BaseChatModel, library: Path | None = None, memory_model: str = ""
) -> str:
    """Let the agent read the folder until it answers."""
    async with open_library(library) as opened:
        memory = AgentMemory(opened, context=ReaderContext(model=memory_model))
        agent = create_agent(model, file_tools(folder), system_prompt=ROLE, middleware=[memory])
        output = await agent.ainvoke({"messages": [HumanMessage(question)]}, {"recursion_limit": STEPS})
    return str(output["messages"][-1].text)


def main() -> None:
    """Ask one question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("question")
    parser.add_argument("--model", required=True, help="PROVIDER:NAME of the agent, as for langchain's init_chat_model")
    parser.add_argument("--memory-model", default="", help="PROVIDER:NAME of the model that writes gists and notes")
    parser.add_argument("--library", type=Path, required=True, help="the folder of the agent's own library")
    options = parser.parse_args()
    model = init_chat_model(options.model)
    print(asyncio.run(answer(options.question, options.folder, model, options.library, options.memory_model)))


if __name__ == "__main__":
    main()
