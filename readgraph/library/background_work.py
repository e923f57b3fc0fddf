"""Work that goes on in the background as long as a library is open: one thread for each store, one task after another.

Work ends soon after its library is closed, so it must keep what is done in small steps, and go on from there the next
time. A forked child begins without any.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from threading import Event, Lock, Thread
from typing import Any
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore

from readgraph.library.stored_items import base_of
from readgraph.state.logs import WARNING, log
from readgraph.state.loops import reset_in_forked

Work = Callable[[Event], Coroutine[Any, Any, None]]
"""Does the work in an event loop of its own, until it is done or the event is set."""


class _Worker:
    def __init__(self) -> None:
        self.waiting, self.lock = OrderedDict[str, Work](), Lock()
        self.stopping, self.thread = Event(), Thread(target=self._run, name="readgraph-background", daemon=True)

    def _run(self) -> None:
        while (work := self._next()) and not self.stopping.is_set():
            try:
                asyncio.run(work(self.stopping))
            except Exception as problem:  # nobody waits for it: the next reading tries it again
                log("background", WARNING, error=type(problem).__name__)

    def _next(self) -> Work | None:
        with self.lock:
            if not self.waiting:
                self.stopping.set()  # what comes later begins another
                return None
            return self.waiting.popitem(last=False)[1]

    def add(self, name: str, work: Work) -> bool:
        """Do this too; False where it has ended, or is about to."""
        with self.lock:
            if self.stopping.is_set():
                return False
            self.waiting.setdefault(name, work)
            return True


_workers: "WeakKeyDictionary[BaseStore, _Worker]" = WeakKeyDictionary()
_choosing = Lock()


def begin_work(store: BaseStore, name: str, work: Work) -> None:
    """Do this in the background, after what was begun before; what waits under the same name is not done twice."""
    with _choosing:
        worker = _workers.get(base_of(store))
        if worker is None or not worker.add(name, work):
            worker = _workers[base_of(store)] = _Worker()
            worker.add(name, work)
            worker.thread.start()


def end_work(store: BaseStore) -> None:
    """End what is done in the background for a store that is closed; this blocks until its thread has ended."""
    with _choosing:
        worker = _workers.pop(base_of(store), None)
    if worker:
        worker.stopping.set()
        worker.thread.join()


def _reset() -> None:
    global _choosing
    _choosing = Lock()
    _workers.clear()


reset_in_forked(_reset)
