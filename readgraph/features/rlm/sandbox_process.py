"""The child process that runs a model's programs in a JavaScript engine, and ends with its parent.

The engine is QuickJS inside of WebAssembly (quickjs-rs): without network, files and modules. Its own bound of memory
counts no arrays of bytes, so WebAssembly's memory is bounded too, and on Linux the whole process. Each line of input is
JSON: a `program`, what is `kept`, the `replies` that are known by then, its `seconds`, and the `text` where it is
another than before. Each line of output says what came of it. Where the program waits for replies that nobody knows
yet, these are `asked`: it is then run again from its start with them, and does the same up to there, since chance and
the time of day are the same in each run.
"""

import asyncio
import json
import sys
from typing import Any

import wasmtime
from quickjs_rs import DeadlockError, MemoryLimitError, Runtime, TimeoutError

from readgraph.state.own_process import limit_memory
from readgraph.state.words import end_after_words

OWN_BYTES, BYTES_A_CHARACTER = 128 * 2**20, 8  # memory of a program, and for each character of its text
PROCESS_BYTES, BYTES_READ = 192 * 2**20, 32  # memory of the process beside that, and to read a character of the text
MOST_SHOWN, MOST_KEPT, MOST_FAULT = 100_000, 200_000, 1_000  # characters of what is shown, kept, and said of a fault
MOST_ASKED = 10_000  # sub-calls that a program makes together

PRELUDE = """
"use strict";
(() => {
  let seed = 1;
  Math.random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  Date.now = () => 0;
  const plain = (_, value) => value instanceof Map || value instanceof Set ? [...value]
    : typeof value === "bigint" ? String(value) : value;
  const words = value => typeof value === "string" ? value : JSON.stringify(value, plain, 1) ?? String(value);
  const said = value => words(value).toWellFormed().replaceAll("\\0", "\\ufffd");
  const { hostShow, hostCut, hostFinish, hostAsk } = globalThis;
  for (const name of ["hostShow", "hostCut", "hostFinish", "hostAsk"]) delete globalThis[name];
  globalThis.show = (...values) => hostShow(values.map(said).join(" ").slice(0, MOST_SHOWN));
  globalThis.console = { log: show, error: show, warn: show };
  globalThis.cut = (string, words) => {
    if (!(words >= 1)) throw new Error("cut wants a text and a number of words");
    return hostCut(said(string), Math.floor(Math.min(words, 1e9)));
  };
  globalThis.ask = async (question, piece = "") => {
    const known = hostAsk(said(question), said(piece));
    if (known === null) return new Promise(() => {});
    if (known[1]) throw new Error(known[1]);
    return known[0];
  };
  globalThis.finish = (answer = null, quotes = []) => {
    const given = JSON.stringify([answer === null ? null : said(answer), [quotes].flat().map(said)]);
    if (given.length > MOST_KEPT) throw new Error("an answer and its quotes may have MOST_KEPT characters");
    hostFinish(given);
    throw new Error("finished");
  };
})();
""".replace("MOST_KEPT", str(MOST_KEPT)).replace("MOST_SHOWN", str(MOST_SHOWN))


class BoundStore(wasmtime.Store):
    """A store of WebAssembly whose memory is that of one program, whatever the engine in it counts."""

    most = OWN_BYTES

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.set_limits(memory_size=self.most)


class Run:
    """One run of a program: what it showed, asked, kept and answered; `fault` says why it ended early."""

    def __init__(self, kept: str, replies: list[list[Any]]) -> None:
        self.kept, self.shown, self.fault = kept, "", ""
        self.finished: tuple[str | None, list[str]] | None = None
        self.asked = list[tuple[str, str]]()
        self._asked, self._most_asked = 0, 0  # characters
        self._replies = {(question, piece): (reply, refused) for question, piece, reply, refused in replies}

    async def evaluate(self, program: str, text: str, seconds: float) -> None:
        """Run the program until it ends or waits for what nobody knows."""
        self._most_asked = 2 * len(text) + MOST_KEPT
        BoundStore.most = most = OWN_BYTES + BYTES_A_CHARACTER * len(text)
        limit_memory(most + PROCESS_BYTES + BYTES_READ * len(text))
        with Runtime(memory_limit=most) as runtime:
            engine = runtime.new_context(timeout=seconds)
            for function in (self.hostShow, cut_text, self.hostFinish, self.hostAsk):
                engine.register("hostCut" if function is cut_text else function.__name__, function)
            engine.eval(PRELUDE)
            engine.globals["text"] = text
            engine.eval(f"const kept = JSON.parse({json.dumps(self.kept)})")
            try:
                await engine.eval_async(f"await (async () => {{\n{program}\n}})(); null")
            except Exception as problem:  # of many kinds, some of them WebAssembly's own
                self.fault = "" if self.finished else describe(problem, seconds)
                if isinstance(problem, TimeoutError):
                    self.asked.clear()  # it did not wait for them
            if self.asked and not self.finished:
                return  # it is run again
            self._keep(engine)

    def hostShow(self, line: str) -> None:
        """Show a line."""
        if len(self.shown) < MOST_SHOWN:
            self.shown = f"{self.shown}{line}\n"[:MOST_SHOWN]

    def hostFinish(self, given: str) -> None:
        """Take the answer and its quotes, the first that are given; a program may have changed what writes them."""
        answer, quotes = json.loads(given)
        self.finished = self.finished or (None if answer is None else str(answer), [*map(str, quotes)])

    def hostAsk(self, question: str, piece: str) -> list[str | None] | None:
        """The reply, and why the call was refused; None where neither is known yet."""
        question, piece = str(question), str(piece)
        if (question, piece) in self._replies:
            return [*self._replies[question, piece]]
        self._asked += len(question) + len(piece)
        if len(self.asked) >= MOST_ASKED or self._asked > self._most_asked:
            return [None, f"at most {MOST_ASKED:,} calls, and twice the text, can be asked together"]
        self.asked.append((question, piece))
        return None

    def _keep(self, engine: Any) -> None:
        """Take over what the program left in `kept`; where that can't be had, what was there before stays."""
        try:
            kept = engine.eval("{ const written = JSON.stringify(kept); JSON.parse(written); written }")
            json.loads(kept)  # a program may have changed what writes and reads it
        except Exception as problem:  # a value that is no JSON, or an engine that ran out of something
            self.fault = self.fault or f"kept could not be read: {describe(problem, 0)}"
            return
        if len(kept) > MOST_KEPT:
            self.fault = self.fault or f"kept may have {MOST_KEPT:,} characters as JSON: it is as it was before"
            return
        self.kept = kept


def cut_text(text: str, words: int) -> list[str]:
    """Pieces of at most so many words; each ends with a paragraph, else with a line, in its second half if one does."""
    start, pieces = 0, list[str]()
    while start < len(text):
        end = end_after_words(text, start, words)
        if end < len(text):
            half = start + (end - start) // 2
            breaks = (text.rfind(mark, half, end) + len(mark) for mark in ("\n\n", "\n"))
            end = next((at for at in breaks if at > half), end)
        pieces.append(text[start:end])
        start = end
    return pieces


def describe(problem: Exception, seconds: float) -> str:
    """What the model is told of a program that ended early."""
    if isinstance(problem, TimeoutError):
        return f"it took more than {seconds:g} seconds of its own time"
    if isinstance(problem, MemoryLimitError):
        return "it took too much memory"
    if isinstance(problem, DeadlockError):
        return "it waits for something that never comes: only ask can be awaited"
    if str(problem) == "Error: null":
        return "it took too much memory, or threw null"
    if type(problem).__module__.startswith("wasmtime"):
        return "it called itself too deep, or broke the engine"
    stack = str(getattr(problem, "stack", None) or "").strip().partition("\n")[0]
    return " ".join(filter(None, [str(problem) or type(problem).__name__, stack]))[:MOST_FAULT]


def serve() -> None:
    """Run programs until the input ends."""
    wasmtime.Store = BoundStore  # type: ignore[misc, assignment]  # the engine makes one for each program, and takes no bound for it
    text = ""
    for line in sys.stdin:
        order = json.loads(line)
        text = order.get("text", text)
        run = Run(order["kept"], order["replies"])
        asyncio.run(run.evaluate(order["program"], text, order["seconds"]))
        out = {name: getattr(run, name) for name in ("kept", "shown", "fault", "finished", "asked")}
        sys.stdout.write(f"{json.dumps(out)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
