"""Nested key-value retrieval (MemGPT, section 3.2.2): a value may be a key itself, and the last value is asked for.

    python -m benchmarks.nested_keys [--levels 0 1 2 3 4] [--orders 30] [--pairs 140] [--model PROVIDER:NAME]

Prints for each number of nestings how many of the orders were answered right, and the function calls it took. With
no model it runs against a scripted double: that shows that the plumbing carries, and nothing about any model.
"""

import argparse
import asyncio
import contextlib
import os
import re
import tempfile
from typing import Any

from benchmarks.gisting import model_server
from readgraph import ReaderContext, open_library
from readgraph.evaluation.datasets.nested_keys import LEVELS, ORDERS, PAIRS, Task, made_task
from readgraph.graphs.mem_gpt import build
from readgraph.state.context import PROFILES
from tests.doubles.agent import Step, call
from tests.doubles.model_server import ChatRequest

ID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def respond(request: ChatRequest) -> Step:
    """Search for the key, then for each value in turn, until one is found as no key."""
    queue = request.text.split("<events>\n", 1)[1].split("\n</events>", 1)[0]
    known = dict(re.findall(rf"Key: ({ID}), value: ({ID})", queue))
    (wanted,) = re.findall(rf"Beginning with key ({ID})", request.text)
    while wanted in known:
        wanted = known[wanted]
    if f'query="{wanted}"' in queue:
        return call("answer", answer=wanted, quotes=wanted)
    return call("archival_search", request_heartbeat=True, query=wanted)


async def tried(task: Task, context: ReaderContext) -> tuple[bool, int]:
    """Whether the answer holds the last value and no other id, and the model calls."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(folder) as library:
            graph = build().compile(checkpointer=library.checkpointer, store=library.store)
            document = await library.pages.add_document(task.text, title="Pairs of keys and values")
            asked: Any = {"document": document.id, "question": task.question}
            found = await graph.ainvoke(asked, {"configurable": {"thread_id": "1"}}, context=context)
    ids = re.findall(ID, (found["answer"] or "").lower())
    return ids[-1:] == [task.value], found["usage"]["calls"]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", type=int, nargs="+", default=list(LEVELS))
    parser.add_argument("--orders", type=int, default=ORDERS)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--model", default="")
    parser.add_argument("--window", type=int, default=4000)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        if not options.model:
            url = stack.enter_context(model_server(0.0, "benchmarks.nested_keys:respond"))
            os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        sizes = {**PROFILES["nested-keys"], "window_words": options.window}
        context = ReaderContext(model=options.model or "openai:double", **sizes)
        print(f"{options.pairs} pairs, {options.orders} orders, {options.model or 'a scripted double'}")
        for levels in options.levels:
            tasks = [made_task(options.pairs, levels, order) for order in range(options.orders)]
            results = [asyncio.run(tried(task, context)) for task in tasks]
            right, calls = sum(good for good, _ in results), sum(calls for _, calls in results)
            print(f"{levels} nestings: {right} of {len(results)} right, {calls / len(results):.1f} calls each")


if __name__ == "__main__":
    main()
