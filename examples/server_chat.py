"""Assistants made of readgraph's profiles on a LangGraph server, and a chat in which people may write at any time.

    python examples/server_chat.py http://127.0.0.1:2024 DOCUMENT

An assistant is a graph with a context of its own, so each profile is one. A message that comes before the answer stops
the question before it ("interrupt"): what was read for that is kept, and the new question goes on from there. With
"enqueue" the server answers one after the other, which is right for an agent that lives on (`mem_gpt_chat`).
"""

import asyncio
import sys
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from readgraph.state.context import PROFILES


async def make_assistants(server: LangGraphClient, graph: str, model: str = "") -> dict[str, str]:
    """An assistant for each profile, made once; gives their ids by the profiles' names.

    A profile has sizes of several methods, and a graph takes only its own settings.
    """
    own = await server.assistants.search(graph_id=graph, limit=1)
    known = ((await server.assistants.get_schemas(own[0]["assistant_id"]))["context_schema"] or {})["properties"]
    made = dict[str, str]()
    for profile, settings in PROFILES.items():
        made[profile] = str(uuid5(NAMESPACE_URL, f"readgraph/{graph}/{profile}/{model}"))
        context = {name: value for name, value in {**settings, "model": model}.items() if value and name in known}
        await server.assistants.create(
            graph, assistant_id=made[profile], name=f"{graph}, {profile}", context=context, if_exists="do_nothing"
        )
    return made


async def say(server: LangGraphClient, thread: str, assistant: str, text: str, document: str) -> str:
    """Begin to answer a message, in place of the one before; gives the id of the run."""
    message: dict[str, Any] = {"messages": [{"role": "user", "content": text}], "document": document}
    run = await server.runs.create(thread, assistant, input=message, multitask_strategy="interrupt")
    return run["run_id"]


async def main() -> None:
    """Ask what is typed, line by line, without waiting; each answer is printed when it is there."""
    if len(sys.argv) != 3:
        raise SystemExit(f"Give the server's address and a document: {sys.argv[0]} http://127.0.0.1:2024 DOCUMENT")
    address, document = sys.argv[1:]
    async with get_client(url=address) as server:
        assistants = await make_assistants(server, "read_agent")
        thread = (await server.threads.create())["thread_id"]

        async def show(run: str) -> None:
            found = await server.runs.join(thread, run)
            status = (await server.runs.get(thread, run))["status"]
            if status == "success":
                print(found["messages"][-1]["content"])
            elif status != "interrupted":  # by a message that came before the answer
                print(f"No answer ({status}). {found.get('__error__', {}).get('message', '')}", file=sys.stderr)

        async with asyncio.TaskGroup() as shown:
            while line := (await asyncio.to_thread(input)).strip():
                shown.create_task(show(await say(server, thread, assistants["report"], line, document)))


if __name__ == "__main__":
    asyncio.run(main())
