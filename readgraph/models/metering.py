"""The meter of a step's usage (calls, words, fall-backs, the budget), and its exchanges with the model."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from uuid import uuid4

from typing_extensions import TypedDict

from readgraph.state.awaited import tell_pause
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent
from readgraph.state.logs import WARNING, current_run, log
from readgraph.state.reading import NOTHING_USED, Tokens, Usage, add_usage
from readgraph.state.records import Note
from readgraph.state.variables import set_variable
from readgraph.state.words import format_count


class ModelExchange(TypedDict):
    """One prompt and its reply, which is new or recorded.

    `asked` is the prompt's name, `version` its version. `messages` are pairs of role and text. `refused` says why the
    reply could not be used, or is None. `tokens` are as the server counted them, zeros if it did not.
    `repeated`: how many replies to the same messages the server had withheld or damaged just before. `recorded`: the
    reply is not new.
    """

    node: str
    model: str
    asked: str
    version: int
    messages: list[tuple[str, str]]
    reply: str
    refused: str | None
    tokens: Tokens
    repeated: int
    recorded: bool


class FallBack(TypedDict):
    """A fall-back of a `kind`, which happened `times` times; `after` is the task's newest exchange, or None."""

    kind: str
    times: int
    after: ModelExchange | None


class ExchangeRecorder(NamedTuple):
    """Callbacks for each finished exchange and each fall-back."""

    exchange: Callable[[ModelExchange], Any]
    fall_back: Callable[[FallBack], Any] | None = None


_keep: ContextVar[ExchangeRecorder | None] = ContextVar("readgraph_recording", default=None)
_newest: ContextVar[ModelExchange | None] = ContextVar("readgraph_newest_exchange", default=None)


def exchanges_to(
    keep: Callable[[ModelExchange], Any], fall_back: Callable[[FallBack], Any] | None = None
) -> AbstractContextManager[Any]:
    """Inside of the `with`, call `keep` with each exchange as it ends, and `fall_back` with each fall-back."""
    return set_variable(_keep, ExchangeRecorder(keep, fall_back))


@contextmanager
def exchanges_held() -> Iterator[list[ModelExchange]]:
    """Hold back the exchanges of the `with`; at its end those are reported that are still in the list."""
    around, held = _keep.get(), list[ModelExchange]()
    try:
        with exchanges_to(held.append, around and around.fall_back):
            yield held
    finally:
        for exchange in held:
            keep_exchange(copy(exchange))


def keep_exchange(exchange: ModelExchange) -> None:
    """Report an exchange to the recorder, if there is one."""
    if keep := _keep.get():
        _newest.set(exchange)
        keep.exchange(exchange)


_asked: ContextVar[set[str] | None] = ContextVar("readgraph_asked", default=None)


@dataclass
class Meter:
    """Counts the usage of one step."""

    context: ReaderContext = field(default_factory=ReaderContext)
    before: Usage = field(default_factory=lambda: Usage(**NOTHING_USED))  # the reading's usage when the step began
    stream: Callable[[Any], None] = lambda event: None
    document: str = ""
    node: str = ""
    used: Usage = field(default_factory=lambda: Usage(**NOTHING_USED))
    inside: Usage = field(default_factory=lambda: Usage(**NOTHING_USED))  # by steps inside of this one
    fallbacks: Counter[str] = field(default_factory=Counter)
    corrected: set[int] = field(default_factory=set)
    left_out: int = 0  # words that the step could not show, because the window does not hold them
    unavailable: str = ""  # why a call of the step was given up that nothing answered
    by_words: str = ""  # why the step searched by words in the place of vectors
    aloud: bool = True  # replies for a person are streamed
    said: str = ""  # the id of the message of which something was streamed
    spent_before: bool = False  # the budget was spent when the step began
    went_without: bool = False  # the step did without a reply because the budget is spent
    # the keys of prompts that got a new reply, which are not asked once more (see `ask_each_prompt_once`)
    asked: set[str] = field(default_factory=lambda: set() if (shared := _asked.get()) is None else shared)
    budget_spent: bool = False
    calls_begun: int = 0
    words_begun: int = 0
    began: float = field(default_factory=time.perf_counter)

    @property
    def is_spent(self) -> bool:
        """Whether the budget is spent: the step makes no more calls."""
        return self.spent_before or self.budget_spent

    @property
    def seconds(self) -> float:
        """How long the step has lasted."""
        return time.perf_counter() - self.began

    def end(self, outer: "Meter | None") -> None:
        """The step has ended: what it used, with the steps inside of it, counts for the one around it too."""
        self.used = add_usage(self.used, self.inside)
        self.used["seconds"] = round(self.seconds, 4)
        if outer:
            outer.inside = add_usage(outer.inside, self.used)

    @cached_property
    def message_id(self) -> str:
        """The id of the chat message as which the step's reply is streamed; few steps are, so it is made late."""
        return uuid4().hex

    def begin_call(self, words: int) -> None:
        """Take a call with this many input words from the budget; raises `BudgetSpent` if that exceeds it."""
        context, before = self.context, self.before
        calls = before["calls"] + self.calls_begun + 1
        total = before["input_words"] + before["output_words"] + self.words_begun + self.used["output_words"] + words
        seconds = before["seconds"] + self.seconds
        for unit, most, reached in (
            ("call", context.max_calls, calls),
            ("word", context.max_words, total),
            ("second", context.max_seconds, seconds),
        ):
            if most is not None and reached > most:
                what = format_count(most, unit)
                line = f"The budget of {what} is spent: run the same again with a larger --max-{unit}s to go on."
                if not self.budget_spent:
                    self.budget_spent = True
                    self.stream({"budget": {"node": self.node, "problem": line}})
                    log("budget_spent", WARNING, problem=line)
                raise BudgetSpent(line)
        self.calls_begun += 1
        self.words_begun += words

    def end_call(self, input_words: int, output_words: int, tokens: Tokens) -> None:
        """Count and report an answered call, with the tokens that its server counted."""
        self.used["calls"] += 1
        self.used["input_words"] += input_words
        self.used["output_words"] += output_words
        self.used["input_tokens"] += tokens.sent
        self.used["output_tokens"] += tokens.received
        self.used["cache_read_tokens"] += tokens.cache_read
        self.used["cache_write_tokens"] += tokens.cache_written
        self.report()

    def count_cached(self) -> None:
        """Count and report a call that a recorded reply answered: it costs nothing."""
        self.used["cached_calls"] += 1
        self.report()

    def count_embedded(self, texts: int) -> None:
        """Count texts that an embedding model was sent."""
        self.used["embedded_texts"] = self.used.get("embedded_texts", 0) + texts

    def refuse(self, asked: str, reason: str) -> None:
        """Count a reply that can't be used, and report why."""
        self.used["refused"] += 1
        self.new_message()
        self.stream({"refused": {"node": self.node, "asked": asked, "reason": reason}})

    def new_message(self) -> None:
        """Begin another chat message: what was streamed of the reply before doesn't count."""
        self.message_id = uuid4().hex

    def wait(self, seconds: float, reason: str, why: str = "") -> None:
        """Report that a call is made again after so many seconds; `why` is for logs, without a server's words."""
        if run := current_run():
            run.count(waits=1)
        tell_pause(reason, seconds)
        log("waiting", WARNING, model=self.context.model, wait_seconds=round(seconds, 2), why=why or reason)
        self.stream({"waiting": {"node": self.node, "seconds": seconds, "reason": reason}})

    def tell_by_words(self, problem: str) -> None:
        """Report that the step searches by words in the place of vectors, and why."""
        self.by_words = problem
        self.stream({"by_words": {"node": self.node, "problem": problem}})

    def report(self, **progress: Any) -> None:
        """Send a progress event to whoever streams the graph (stream mode 'custom')."""
        self.stream({"progress": {"node": self.node, **progress, "usage": add_usage(self.before, self.used)}})


_meter: ContextVar[Meter] = ContextVar("readgraph_meter")
_substituted: ContextVar[bool] = ContextVar("readgraph_substituted", default=False)


def start_meter(meter: Meter) -> Meter | None:
    """Use this meter in the current task and the tasks that it starts; returns that of the step around, if any."""
    outer = _meter.get(None)
    _meter.set(meter)
    return outer


def current_meter() -> Meter:
    """The meter of the running step; outside of a step, a meter that nobody reads."""
    return _meter.get(None) or Meter()


def let_node_substitute() -> AbstractContextManager[bool]:
    """Inside of the `with`, a spent budget is raised, since the node around has a substitute for the whole step."""
    return set_variable(_substituted, True)


def node_substitutes() -> bool:
    """Whether a node around has a substitute for the whole step, so that a spent budget is raised."""
    return _substituted.get()


def ask_each_prompt_once() -> AbstractContextManager[Any]:
    """Inside of the `with`, all readings are one run: where settings say `again`, a prompt is asked again once."""
    return set_variable(_asked, set())


@contextmanager
def suppress_streaming() -> Iterator[None]:
    """Inside of the `with`, what the running step's calls bring is no answer yet, and is not streamed."""
    meter = current_meter()
    before, meter.aloud = meter.aloud, False
    try:
        yield
    finally:
        meter.aloud = before


def count_fallback(kind: str, times: int = 1) -> None:
    """Count a fall-back: the model's replies could not be used, so the method used its substitute."""
    current_meter().fallbacks[kind] += times
    if run := current_run():
        run.count(fallbacks=times)
    log("fell_back", WARNING, fallback=kind, times=times)
    if (keep := _keep.get()) and keep.fall_back:
        keep.fall_back(FallBack(kind=kind, times=times, after=_newest.get()))


def record_corrections(notes: Iterable[Note]) -> None:
    """Record which of the notes that the step uses are a user's corrections."""
    current_meter().corrected.update(note.page for note in notes if note.replaced is not None)
