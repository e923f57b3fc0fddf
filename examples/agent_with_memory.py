"""A small LangGraph agent with GAM as its memory: it remembers a chat, and looks up what a question needs.

    python examples/agent_with_memory.py "What was stopping the F sharp on Ted's accordion?" --model openai:gpt-5.4-mini

The agent is a plain StateGraph of two nodes, `think` and `look_up`; any agent that takes LangChain tools works.
"""

import argparse
import asyncio
from pathlib import Path
from typing import Any

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from readgraph import Question, ReaderContext, open_library
from readgraph.api import research_tool
from readgraph.graphs import gam
from readgraph.library.histories import SessionText, append_sessions
from readgraph.sources.sessions import load_sessions

CHAT = Path(__file__).parent / "allotment-chat.txt"
ROLE = "You answer questions about a chat that you remember. Look up what you need; say so where nothing is found."


def build_agent(
    model: BaseChatModel, memory: BaseTool
) -> StateGraph[MessagesState, None, MessagesState, MessagesState]:
    """An agent that thinks, looks things up in its memory, and thinks again."""
    thinking = model.bind_tools([memory])

    async def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await thinking.ainvoke([SystemMessage(ROLE), *state["messages"]])]}

    builder = StateGraph(MessagesState)
    builder.add_node("think", think)
    builder.add_node("look_up", ToolNode([memory]))
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", tools_condition, {"tools": "look_up", END: END})
    builder.add_edge("look_up", "think")
    return builder


async def answer(question: str, model: str, folder: Path | None = None, chat: Path = CHAT) -> str:
    """Memorise the chat, or use the existing memory, and let the agent answer."""
    context = ReaderContext(model=model, evidence="snippets")
    async with open_library(folder) as library:
        sessions = [SessionText(*session) for session in load_sessions([chat])]
        history = (await append_sessions(library.pages, chat.stem, sessions)).document
        await gam.build_memorize().compile(store=library.store).ainvoke(Question(document=history.id), context=context)
        memory = research_tool(library, history.id, context)
        agent = build_agent(init_chat_model(model), memory).compile()
        output = await agent.ainvoke({"messages": [HumanMessage(question)]}, {"recursion_limit": 20})
    return str(output["messages"][-1].text)


def main() -> None:
    """Ask one question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question")
    parser.add_argument("--model", required=True, help="PROVIDER:NAME as for langchain's init_chat_model")
    parser.add_argument("--library", type=Path, help="the folder of the library")
    options = parser.parse_args()
    print(asyncio.run(answer(options.question, options.model, options.library)))


if __name__ == "__main__":
    main()
