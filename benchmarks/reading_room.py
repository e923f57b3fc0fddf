"""The reading room: how long its answers take, how late its events are, how much memory it takes.

    python -m benchmarks.reading_room [--documents 1000] [--readers 64] [--pages 4111]

Without a model. The first figures are of a room in this process, with its readers in another; memory is that of
`readgraph serve` as a process of its own. The aims: a list of 1,000 documents within 300 ms, an event within 50
ms, 250 MB.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from httpx2 import Client

from benchmarks.checkpoints import made_text
from readgraph.doors.serve.room import Run
from readgraph.library.opening import open_library
from readgraph.state.context import ReaderContext
from tests.support.reading_room import OpenRoom, reading_room

TRIES = 20
QUESTION = "What did the keeper of lamp 7 write about the wind?"


async def filled(folder: Path, documents: int) -> None:
    """A library with many short documents."""
    async with open_library(folder) as library:
        for number in range(documents):
            text = f"Document {number}. The goat stood on gallery number {number}. " * 20
            await library.pages.add_document(text, title=f"Paper {number}")


def listing(room: OpenRoom) -> float:
    """The median of several tries, in milliseconds."""
    return median(listing_once(room) for _ in range(TRIES))


def events_say_when_they_were_told() -> None:
    """From now on each event says when its graph told it: a time that all processes of a machine share."""
    tell = Run.tell

    def timed(self: Run, event: dict[str, Any]) -> None:
        tell(self, {**event, "told": time.monotonic()})

    Run.tell = timed  # type: ignore[method-assign]


def follow(base: str, token: str, document: str, late: list[float]) -> None:
    """Ask, and note how many milliseconds late each event is."""
    body = {"documents": [document], "question": QUESTION}
    with Client(base_url=base, headers={"authorization": f"Bearer {token}"}, timeout=600) as client:
        run = client.post("/api/runs", json=body).json()
        with client.stream("GET", f"/api/runs/{run['id']}/events") as response:
            for line in response.iter_lines():
                if line.startswith("data: "):
                    arrived, event = time.monotonic(), json.loads(line[6:])
                    if "told" in event and event["type"] != "result":
                        late.append(1000 * (arrived - event["told"]))


def readers(base: str, token: str, document: str, count: int) -> tuple[float, list[float]]:
    """In a process of their own: questions a second of many readers at once, and how late their events are."""
    late = list[float]()
    threads = [threading.Thread(target=follow, args=(base, token, document, late)) for _ in range(count)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count / (time.monotonic() - began), late


def listing_once(room: OpenRoom) -> float:
    """Milliseconds until the list of documents is there."""
    began = time.perf_counter()
    room.get("/api/documents")
    return 1000 * (time.perf_counter() - began)


def memory_of_command(pages: int) -> tuple[float, float]:
    """Peak memory of `readgraph serve` in megabytes: with an empty library, and with a document of `pages` pages."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "readgraph", "serve", "--no-open", "--port", "0", "--library", folder]
        environment = {name: value for name, value in os.environ.items() if name != "READGRAPH_MODEL"}
        served = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8", env=environment)
        assert served.stderr
        try:
            said = served.stderr.readline()
            match = re.search(r"(http://\S+)/\?token=(\S+)", said)
            assert match, said
            headers = {"authorization": f"Bearer {match[2]}"}
            with Client(base_url=match[1], headers=headers, timeout=600) as client:
                client.get("/api/about")
                empty = _most_megabytes(served.pid)
                text = made_text(pages * 3000 / 1e6)
                client.put("/api/files/long.txt", content=text.encode())
                while not (listed := client.get("/api/documents").json()["documents"]):
                    time.sleep(0.1)
                run = client.post("/api/runs", json={"documents": [listed[0]["id"]]}).json()
                with client.stream("GET", f"/api/runs/{run['id']}/events") as response:
                    for _ in response.iter_lines():
                        pass
                memory = client.get(f"/api/documents/{listed[0]['id']}").json()["memories"][0]
                print(f"read {memory['pages']:,} pages")
            return empty, _most_megabytes(served.pid)
        finally:
            served.terminate()
            served.wait(30)


def _most_megabytes(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    match = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert match
    return int(match[1]) / 1024


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=1000)
    options.add_argument("--readers", type=int, default=64)
    options.add_argument("--pages", type=int, default=4111)
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(filled(Path(folder), args.documents))
        events_say_when_they_were_told()
        spawning = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        with reading_room(Path(folder), ReaderContext(model="")) as room, spawning as apart:
            print(f"a list of {args.documents:,} documents: {listing(room):.0f} ms (aim 300)")
            document = room.added("lamps.txt", made_text(0.05).encode())["id"]
            room.ran(documents=[document])
            _, late = apart.submit(readers, room.base, room.guard.token, document, 1).result()
            print(f"an event of one reader: {median(late):.1f} ms, at most {max(late):.1f} (aim 50)")
            listed, future = list[float](), apart.submit(readers, room.base, room.guard.token, document, args.readers)
            while not future.done():
                listed.append(listing_once(room))
            rate, late = future.result()
            slow = quantiles(late, n=20)[-1]
            print(
                f"{args.readers} readers at once: {rate:.0f} questions a second; an event {median(late):.0f} ms, "
                f"95 % within {slow:.0f}; a list meanwhile {median(listed):.0f} ms, at most {max(listed):.0f}"
            )
    empty, full = memory_of_command(args.pages)
    print(f"memory of the command: {empty:.0f} MB at first, {full:.0f} MB after a long document (aim 250)")


if __name__ == "__main__":
    main()
