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

from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent
from readgraph.state.logs import WARNING, current_run, log
from readgraph.state.reading import NOTHING_USED, Tokens, Usage, add_usage
from readgraph.state.records import Note
from readgraph.state.variables import set_variable, tell_pause
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


class Recording(NamedTuple):
    """To whom the exchanges of a task are reported, and the newest of them."""

    recorder: ExchangeRecorder
    newest: ModelExchange | None = None


_recording: ContextVar[Recording | None] = ContextVar("readgraph_recording", default=None)


def exchanges_to(
    keep: Callable[[ModelExchange], Any], fall_back: Callable[[FallBack], Any] | None = None
) -> AbstractContextManager[Any]:
    """Inside of the `with`, call `keep` with each exchange as it ends, and `fall_back` with each fall-back."""
    return set_variable(_recording, Recording(ExchangeRecorder(keep, fall_back)))


@contextmanager
def exchanges_held() -> Iterator[list[ModelExchange]]:
    """Hold back the exchanges of the `with`; at its end those are reported that are still in the list."""
    around, held = _recording.get(), list[ModelExchange]()
    try:
        with exchanges_to(held.append, around and around.recorder.fall_back):
            yield held
    finally:
        for exchange in held:
            keep_exchange(copy(exchange))


def keep_exchange(exchange: ModelExchange) -> None:
    """Report an exchange to the recorder, if there is one."""
    if recording := _recording.get():
        _recording.set(recording._replace(newest=exchange))
        recording.recorder.exchange(exchange)


@dataclass
class CallBudget:
    """What the calls of a step may use of the budget, and whether it is spent."""

    spent_before: bool = False  # when the step began
    spent: bool = False  # since then
    calls_begun: int = 0
    words_begun: int = 0

    @property
    def is_over(self) -> bool:
        """Whether the step makes no more calls."""
        return self.spent_before or self.spent


@dataclass
class StepMessage:
    """The chat message as which a step's reply is streamed to persons."""

    aloud: bool = True  # it is streamed
    streamed: str = ""  # the id of the message of which something was streamed

    @cached_property
    def id(self) -> str:
        """The message's id; few steps stream one, so it is made late."""
        return uuid4().hex

    @property
    def has_begun(self) -> bool:
        """Whether something of it was streamed."""
        return self.streamed == self.id

    def begin_another(self) -> None:
        """Begin another message: what was streamed of the reply before doesn't count."""
        self.id = uuid4().hex


@dataclass
class StepRemarks:
    """What a step's line in the trajectory says beside its summary."""

    went_without: bool = False  # the step did without a reply because the budget is spent
    left_out: int = 0  # words that the step could not show, because the window does not hold them
    by_words: str = ""  # why the step searched by words in the place of vectors
    by_meaning: bool = False  # whether it searched by meaning too, without a setting that says so

    def add_to(self, summary: str) -> str:
        """The line: the summary, of at most `LONGEST_LINE` characters, with the remarks."""
        if self.went_without:
            summary = f"the budget is spent: {summary}"
        summary = summary if len(summary) <= LONGEST_LINE else f"{summary[:LONGEST_LINE]} …"
        if self.left_out:
            summary += f" ({self.left_out:,} words did not fit the window)"
        if self.by_words:
            summary += f" (searched by words, not by vectors: {self.by_words})"
        return summary


LONGEST_LINE = 1500  # characters of a step's summary, which may hold a model's text and is in each checkpoint


@dataclass
class Meter:
    """Counts the usage of one step, and holds what its calls share."""

    context: ReaderContext = field(default_factory=ReaderContext)
    before: Usage = field(default_factory=lambda: Usage(**NOTHING_USED))  # the reading's usage when the step began
    stream: Callable[[Any], None] = lambda event: None
    document: str = ""
    node: str = ""
    used: Usage = field(default_factory=lambda: Usage(**NOTHING_USED))
    inside: Usage = field(default_factory=lambda: Usage(**NOTHING_USED))  # by steps inside of this one
    fallbacks: Counter[str] = field(default_factory=Counter)
    corrected: set[int] = field(default_factory=set)  # pages whose notes are a user's corrections
    pictures: dict[str, tuple[int, ...]] = field(default_factory=dict)  # places seen in pictures, with their parts
    unavailable: str = ""  # why a call of the step was given up that nothing answered
    # the keys of prompts that got a new reply, which are not asked once more (see `ask_each_prompt_once`)
    asked: set[str] = field(default_factory=lambda: set() if (shared := _scope.get().asked) is None else shared)
    budget: CallBudget = field(default_factory=CallBudget)
    message: StepMessage = field(default_factory=StepMessage)
    remarks: StepRemarks = field(default_factory=StepRemarks)
    began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """How long the step has lasted."""
        return time.perf_counter() - self.began

    def places_seen(self, part: int) -> list[str]:
        """The places of a part that the model saw in pictures."""
        return [place for place, parts in self.pictures.items() if part in parts]

    def end(self, outer: "Meter | None") -> None:
        """The step has ended: what it used, with the steps inside of it, counts for the one around it too."""
        self.used = add_usage(self.used, self.inside)
        self.used["seconds"] = round(self.seconds, 4)
        if outer:
            outer.inside = add_usage(outer.inside, self.used)

    def begin_call(self, words: int) -> None:
        """Take a call with this many input words from the budget; raises `BudgetSpent` if that exceeds it."""
        context, before, budget = self.context, self.before, self.budget
        calls = before["calls"] + budget.calls_begun + 1
        total = before["input_words"] + before["output_words"] + budget.words_begun + self.used["output_words"] + words
        seconds = before["seconds"] + self.seconds
        for unit, most, reached in (
            ("call", context.max_calls, calls),
            ("word", context.max_words, total),
            ("second", context.max_seconds, seconds),
        ):
            if most is not None and reached > most:
                what = format_count(most, unit)
                line = f"The budget of {what} is spent: run the same again with a larger --max-{unit}s to go on."
                if not budget.spent:
                    budget.spent = True
                    self.stream({"budget": {"node": self.node, "problem": line}})
                    log("budget_spent", WARNING, problem=line)
                raise BudgetSpent(line)
        budget.calls_begun += 1
        budget.words_begun += words

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
        self.message.begin_another()
        self.stream({"refused": {"node": self.node, "asked": asked, "reason": reason}})

    def wait(self, seconds: float, reason: str, why: str = "") -> None:
        """Report that a call is made again after so many seconds; `why` is for logs, without a server's words."""
        if run := current_run():
            run.count(waits=1)
        tell_pause(reason, seconds)
        log("waiting", WARNING, model=self.context.model, wait_seconds=round(seconds, 2), why=why or reason)
        self.stream({"waiting": {"node": self.node, "seconds": seconds, "reason": reason}})

    def tell_by_words(self, problem: str) -> None:
        """Report that the step searches by words in the place of vectors, and why."""
        self.remarks.by_words = problem
        self.stream({"by_words": {"node": self.node, "problem": problem}})

    def report(self, **progress: Any) -> None:
        """Send a progress event to whoever streams the graph (stream mode 'custom')."""
        self.stream({"progress": {"node": self.node, **progress, "usage": add_usage(self.before, self.used)}})


class MeterScope(NamedTuple):
    """Who meters what runs here."""

    meter: Meter | None = None
    substitutes: bool = False  # a node around has a substitute for the whole step
    asked: set[str] | None = None  # see `ask_each_prompt_once`


_scope: ContextVar[MeterScope] = ContextVar("readgraph_meter", default=MeterScope())  # noqa: B039


def start_meter(meter: Meter) -> Meter | None:
    """Use this meter in the current task and the tasks that it starts; returns that of the step around, if any."""
    scope = _scope.get()
    _scope.set(scope._replace(meter=meter))
    return scope.meter


def current_meter() -> Meter:
    """The meter of the running step; outside of a step, a meter that nobody reads."""
    return _scope.get().meter or Meter()


def let_node_substitute() -> AbstractContextManager[Any]:
    """Inside of the `with`, a spent budget is raised, since the node around has a substitute for the whole step."""
    return set_variable(_scope, _scope.get()._replace(substitutes=True))


def node_substitutes() -> bool:
    """Whether a node around has a substitute for the whole step, so that a spent budget is raised."""
    return _scope.get().substitutes


def ask_each_prompt_once() -> AbstractContextManager[Any]:
    """Inside of the `with`, all readings are one run: where settings say `again`, a prompt is asked again once."""
    return set_variable(_scope, _scope.get()._replace(asked=set()))


@contextmanager
def suppress_streaming() -> Iterator[None]:
    """Inside of the `with`, what the running step's calls bring is no answer yet, and is not streamed."""
    message = current_meter().message
    before, message.aloud = message.aloud, False
    try:
        yield
    finally:
        message.aloud = before


def count_fallback(kind: str, times: int = 1) -> None:
    """Count a fall-back: the model's replies could not be used, so the method used its substitute."""
    current_meter().fallbacks[kind] += times
    if run := current_run():
        run.count(fallbacks=times)
    log("fell_back", WARNING, fallback=kind, times=times)
    if (recording := _recording.get()) and recording.recorder.fall_back:
        recording.recorder.fall_back(FallBack(kind=kind, times=times, after=recording.newest))


def record_corrections(notes: Iterable[Note]) -> None:
    """Record which of the notes that the step uses are a user's corrections."""
    current_meter().corrected.update(note.page for note in notes if note.replaced is not None)
