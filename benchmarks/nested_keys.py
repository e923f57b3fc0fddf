"""Nested key-value retrieval (MemGPT, section 3.2.2): a value may itself be a key; the last value is asked for.

    python -m benchmarks.nested_keys [--levels 0 1 2 3 4] [--orders 30] [--pairs 140] [--model PROVIDER:NAME]

Prints for each number of nestings how many of the orders were answered correctly, and the calls per question. Without
a model it runs with a scripted double, which tests the code and says nothing about any model.
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
from readgraph.features.agents.mem_gpt import build
from readgraph.state.context import PROFILES
from readgraph_evaluation.datasets.synthetic import LEVELS, ORDERS, PAIRS, make_task
from readgraph_evaluation.records import Item, Text
from tests.doubles.agent import Step, call
from tests.doubles.model_server import ChatRequest

ID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def respond(request: ChatRequest) -> Step:
    """The double's reply: search for the key, then for each value in turn, until a value is not itself a key."""
    queue = request.text.split("<events>\n", 1)[1].split("\n</events>", 1)[0]
    values = dict(re.findall(rf"Key: ({ID}), value: ({ID})", queue))
    (wanted,) = re.findall(rf"Beginning with key ({ID})", request.text)
    while wanted in values:
        wanted = values[wanted]
    if f'query="{wanted}"' in queue:
        return call("answer", answer=wanted, quotes=wanted)
    return call("archival_search", request_heartbeat=True, query=wanted)


async def answered(text: Text, item: Item, context: ReaderContext) -> tuple[bool, int]:
    """Whether the answer ends with the correct value, and the number of calls."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(folder) as library:
            graph = build().compile(checkpointer=library.checkpointer, store=library.store)
            document = await library.pages.add_document(text.text, title=text.title)
            question: Any = {"document": document.id, "question": item.question}
            output = await graph.ainvoke(question, {"configurable": {"thread_id": "1"}}, context=context)
    ids = re.findall(ID, (output["answer"] or "").lower())
    return ids[-1:] == [*item.references], output["usage"]["calls"]


def main() -> None:
    """Run the benchmark and print its figures."""
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
            tasks = [make_task(options.pairs, levels, order) for order in range(options.orders)]
            results = [asyncio.run(answered(*task, context)) for task in tasks]
            correct, calls = sum(is_correct for is_correct, _ in results), sum(calls for _, calls in results)
            print(f"{levels} nestings: {correct} of {len(results)} correct, {calls / len(results):.1f} calls each")


if __name__ == "__main__":
    main()
