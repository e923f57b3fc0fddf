"""What nodes and calls do, told in one place each: as records of logs and as spans.

Where nobody listens, nothing is made.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import urlsplit

from langgraph.errors import GraphBubbleUp

from readgraph.models.clients import ModelClient
from readgraph.models.metering import Meter, current_meter
from readgraph.models.named import named_model
from readgraph.models.prices import Price, known_price, paid
from readgraph.models.prompt import Prompt
from readgraph.models.spans import Span, collected, span
from readgraph.state.errors import BudgetSpent
from readgraph.state.logs import ERROR, INFO, WARNING, fault, how_ended, log, logged
from readgraph.state.runs import Run, as_run, current_run, part_of_run


def watched() -> bool:
    """Whether anybody listens."""
    return logged() or collected()


class Call:
    """One prompt to a model, and what became of it: answered, recorded or refused; it failed if an error ends it."""

    def __init__(self, client: ModelClient, prompt: Prompt, number: int, *, batch: bool) -> None:
        self.client, self.batch = client, batch
        self.told = {"model": client.name, "prompt": prompt.name, "version": prompt.version, "try": number}
        self.outcome, self.why, self.tokens, self.began = "answered", "", (0, 0), 0.0
        self._span, self._lasting = Span(), ExitStack()

    def sent(self) -> None:
        """The request is sent now."""
        self.began = time.perf_counter()
        if collected():
            self._span = self._lasting.enter_context(_call_span(self.client, "chat"))
            self._span.add(**{f"readgraph__{name}": value for name, value in self.told.items() if name != "model"})

    def end(self, problem: BaseException | None = None) -> None:
        """Tell what became of it."""
        if isinstance(problem, BudgetSpent):
            log("budget_spent", WARNING, **fault(problem))
            return
        if problem is not None:
            self.outcome = "failed" if isinstance(problem, Exception) else "cancelled"
        new = self.began > 0
        tokens_in, tokens_out = self.tokens if new else (0, 0)
        seconds = round(time.perf_counter() - self.began, 4) if new else None
        dollars = self._cost() if new else None
        self._count(new, dollars)
        self._span.add(
            gen_ai__usage__input_tokens=tokens_in or None,
            gen_ai__usage__output_tokens=tokens_out or None,
            readgraph__outcome=self.outcome,
            readgraph__why=self.why,
            readgraph__cost=dollars,
        )
        if self.outcome == "failed":
            self._span.fail(type(problem).__name__)
        self._lasting.close()
        log(
            "call",
            WARNING if self.outcome in ("refused", "failed") else INFO,
            **self.told,
            outcome=self.outcome,
            why=self.why,
            recorded=not new if self.outcome == "refused" else None,
            tokens_in=tokens_in or None,
            tokens_out=tokens_out or None,
            seconds=seconds,
            cost=dollars,
            **(fault(problem) if problem is not None and self.outcome == "failed" else {}),
        )

    def _count(self, new: bool, dollars: float | None) -> None:
        if run := current_run():
            made = new and self.outcome in ("answered", "refused")
            run.count(calls=made, recorded=self.outcome == "recorded", refused=self.outcome == "refused")
            run.count(failed=self.outcome == "failed", cost=dollars)
            run.count(tokens_in=self.tokens[0] if new else 0, tokens_out=self.tokens[1] if new else 0)

    def _cost(self) -> float | None:
        run = current_run()
        given = Price(*run.price) if run and run.price else None
        price = paid(given or known_price(self.client.name), batch=self.batch) if self.tokens[0] else None
        return round(price.of_tokens(*self.tokens), 6) if price else None


class Unwatched(Call):
    """A call to which nobody listens."""

    def __init__(self) -> None:
        self.outcome = self.why = ""

    def sent(self) -> None:
        """Nothing is told."""

    def end(self, problem: BaseException | None = None) -> None:
        """Nothing is told."""


@contextmanager
def watched_call(client: ModelClient, prompt: Prompt, number: int, *, batch: bool) -> Iterator[Call]:
    """Tell of a prompt to a model, the `number`th in a row for one answer."""
    call = Call(client, prompt, number, batch=batch) if watched() else Unwatched()
    try:
        yield call
    except BaseException as problem:
        call.end(problem)
        raise
    call.end()


@contextmanager
def watched_embedding(model: str, texts: int) -> Iterator[None]:
    """Tell of a request for the vectors of so many texts."""
    if not watched():
        yield
        return
    began = time.perf_counter()
    fields: dict[str, Any] = {"model": model, "texts": texts}
    provider, name = _provider(model)
    named = {"gen_ai__provider__name": provider, "gen_ai__request__model": name}
    with span(f"embeddings {name}", client=True, gen_ai__operation__name="embeddings", **named) as lasts:
        lasts.add(readgraph__texts=texts)
        try:
            yield
        except Exception as problem:
            log("embedding", WARNING, **fields, outcome="failed", **fault(problem))
            raise
    log("embedding", **fields, outcome="answered", seconds=round(time.perf_counter() - began, 4))


@contextmanager
def watched_node(meter: Meter, about: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Tell of a node; what is put into the dictionary is its update."""
    update: dict[str, Any] = {}
    if not watched():
        yield update
        return
    known = {"document": meter.document, **about, "node": meter.node}
    part = part_of_run(**known)
    attributes = {f"readgraph__{name}": value for name, value in {"run": part.id, **known}.items()}
    with as_run(part), span(f"node {meter.node}", **attributes) as lasts:
        log("node_begun")
        try:
            yield update
        except BaseException as problem:
            state, failed = ("paused", {}) if isinstance(problem, GraphBubbleUp) else how_ended(problem)
            log("node_ended", ERROR if failed else INFO, state=state, seconds=round(meter.seconds, 4), **failed)
            raise
        _end_node(part, meter, update, lasts)


def _end_node(part: Run, meter: Meter, update: Mapping[str, Any], lasts: Span) -> None:
    status = update.get("status")
    if isinstance(status, str):
        part.say_status(status)
    used = meter.used
    sums = {
        "calls": used["calls"],
        "recorded": used["cached_calls"],
        "refused": used["refused"],
        "fallbacks": sum(meter.fallbacks.values()),
        "tokens_in": used["input_tokens"],
        "tokens_out": used["output_tokens"],
    }
    lasts.add(**{f"readgraph__{name}": value for name, value in sums.items() if value}, readgraph__status=part.status)
    told = {name: value for name, value in sums.items() if value}
    known = {} if "document" in part.about else {"document": str(update.get("document", ""))}
    log("node_ended", state="done", status=part.status, seconds=round(meter.seconds, 4), **told, **known)


@contextmanager
def _call_span(client: ModelClient, operation: str) -> Iterator[Span]:
    provider, name = _provider(client.name)
    server = urlsplit(client.server)
    with span(
        f"{operation} {name}",
        client=True,
        gen_ai__operation__name=operation,
        gen_ai__provider__name=provider,
        gen_ai__request__model=name,
        server__address=server.hostname,
        server__port=server.port,
        readgraph__node=current_meter().node,
    ) as lasts:
        yield lasts


def _provider(model: str) -> tuple[str, str]:
    """The provider of a model, and its name there."""
    named = named_model(model)
    full = named.table.full_name if named and named.table else model
    provider, colon, name = full.partition(":")
    return (provider, name) if colon else ("", full)
