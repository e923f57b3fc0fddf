"""A line now and then on what a command waits for, where standard error is no terminal and so shows no bar."""

import os
import sys
import threading
import time

from readgraph.state.logs import OF_FILE, STANDARD_ERROR
from readgraph.state.variables import longest_awaited

SILENT_SECONDS = 10.0  # after so long without a word, a command whose standard error is no terminal says what it does
BETWEEN_SECONDS = 30.0  # from one line on what it waits for to the next


class WaitTeller:
    """Tells what is waited for, on a thread of its own: also while the command's event loop is busy."""

    def __init__(self) -> None:
        self.is_quiet, self.told, self._started_by = False, 0.0, 0

    def start(self, *, is_quiet: bool = False) -> None:
        """Tell from now on; nothing on a terminal, where a bar is drawn, nor where only the result is wanted."""
        self.is_quiet = is_quiet
        if self._started_by != os.getpid():  # a fork has no threads
            self._started_by = os.getpid()
            threading.Thread(target=self._watch, name="waits", daemon=True).start()

    def _watch(self) -> None:
        while True:
            time.sleep(1.0)
            self.tell()

    def tell(self) -> None:
        """Print a line if something has been waited for long enough."""
        awaited, now = longest_awaited(), time.monotonic()
        if awaited is None or now < max(awaited.began + SILENT_SECONDS, self.told + BETWEEN_SECONDS):
            return
        logs_there = os.environ.get(OF_FILE) == STANDARD_ERROR
        if self.is_quiet or logs_there or sys.stderr is None or sys.stderr.isatty():
            return
        self.told = now
        sys.stderr.write(f"readgraph: {awaited.line()}\n")
        sys.stderr.flush()


wait_teller = WaitTeller()
