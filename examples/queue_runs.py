"""Read the documents of a folder by the queue of a LangGraph server: python queue_runs.py SERVER FOLDER."""

import asyncio
import sys
from pathlib import Path

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from readgraph import BadInput, open_library
from readgraph.sources import load_all

GRAPH, CONTEXT, TRIES = "read_agent", {"max_calls": 2000}, 3


async def stored(folder: Path) -> dict[str, str]:
    """Store the folder's documents in the library (READGRAPH_LIBRARY); returns their titles by their ids."""
    titles = dict[str, str]()
    async with open_library() as library:
        for source in load_all([folder], None, lambda problem: print(f"left out: {problem}", file=sys.stderr)):
            places = [(place.start, place.label) for place in source.places]
            document = await library.pages.add_document(
                source.text, title=source.title, source=source.source, places=places
            )
            titles[document.id] = document.title
    return titles


async def read(server: LangGraphClient, document: str) -> str:
    """Queue a run for the document, and again if it fails; returns how the last one ended."""
    status = "error"
    thread = (await server.threads.create())["thread_id"]
    for _ in range(TRIES):
        run = await server.runs.create(thread, GRAPH, input={"document": document}, context=CONTEXT)
        await server.runs.join(thread, run["run_id"])
        status = (await server.runs.get(thread, run["run_id"]))["status"]
        if status == "success":
            break
    await server.threads.delete(thread)
    return status


async def main() -> None:
    """Store the documents, queue a run for each, and print how they ended."""
    address, folder = sys.argv[1:]
    try:
        titles = await stored(Path(folder))
    except BadInput as problem:
        sys.exit(str(problem))
    async with get_client(url=address) as server, asyncio.TaskGroup() as queued:
        runs = {document: queued.create_task(read(server, document)) for document in titles}
    for document, run in runs.items():
        print(f"{titles[document]}: {run.result()}")


if __name__ == "__main__":
    asyncio.run(main())
