"""Run an evaluation: in each run, every method reads every text and answers every question."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field, replace

from readgraph.evaluation.conversing import Conversing, by_talk
from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.reading import Reading
from readgraph.evaluation.records import Dataset, Item, Outcome, Text
from readgraph.evaluation.usage import Cost
from readgraph.graphs.methods import Method
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.library import Library

Group = tuple[Method, int, Text, list[Item]]
"""Method, run, text, and the questions about this text that the method is asked in this run."""

MOST_FAILURES = 20
"""After this many failures in a row the run stops: the server is down, or the settings are wrong."""


def missing(
    dataset: Dataset, methods: Sequence[Method], runs: Sequence[int], outcomes: Iterable[Outcome]
) -> list[Group]:
    """The questions that have no answer yet or have failed."""
    answered = {outcome.key for outcome in outcomes if outcome.status != "failed"}
    groups = [
        (method, run, text, [item for item in dataset.about(text) if (method.name, run, item.id) not in answered])
        for run in runs
        for method in methods
        for text in dataset.texts
    ]
    return [group for group in groups if group[3]]


@dataclass
class Evaluation:
    """An evaluation and its folder. Each number in `runs` gets new replies from the model.

    `missing` are the questions that have no answer yet.
    """

    dataset: Dataset
    methods: Sequence[Method]
    runs: Sequence[int]
    context: ReaderContext
    folder: EvaluationFolder
    library: Library
    cost: Cost = lambda exchange: None
    missing: list[Group] = field(init=False)
    reading: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.missing = missing(self.dataset, self.methods, self.runs, self.folder.outcomes())
        self.reading = asyncio.Semaphore(self.context.concurrency)

    async def run(self) -> AsyncIterator[Outcome]:
        """Answer the missing questions; yields each outcome after it was stored.

        A failure does not stop the rest; after `MOST_FAILURES` failures in a row, `ReadgraphError` is raised.
        """
        failures = 0
        done: asyncio.Queue[Outcome | None] = asyncio.Queue()

        async def run_all() -> None:
            try:
                async with asyncio.TaskGroup() as tasks:
                    for group in self.missing:
                        tasks.create_task(self._text(*group, done))
            finally:
                done.put_nowait(None)

        running = asyncio.create_task(run_all())
        try:
            while outcome := await done.get():
                yield outcome
                failures = failures + 1 if outcome.status == "failed" else 0
                if failures == MOST_FAILURES:
                    raise ReadgraphError(
                        f"{MOST_FAILURES} questions in a row failed, the last one with: {outcome.problem}"
                    )
            await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _text(
        self, method: Method, run: int, text: Text, items: Sequence[Item], done: asyncio.Queue[Outcome | None]
    ) -> None:
        """Let one method read one text in one run and answer the questions about it."""
        context = replace(self.context, sample=run)
        for talk, questions in by_talk(method, items, context).items():
            fields = (self.library, self.folder, self.cost, method, run, text, context)
            await self._answers(Conversing(*fields, *talk) if talk else Reading(*fields), questions, done)

    async def _answers(self, reading: Reading, items: Sequence[Item], done: asyncio.Queue[Outcome | None]) -> None:
        try:
            async with self.reading:
                await reading.build()
        except ReadgraphError as problem:
            for item in items:
                done.put_nowait(reading.fail(item, problem))
            return

        async def answer(item: Item) -> None:
            async with self.reading:
                done.put_nowait(await reading.answer(item))

        async with asyncio.TaskGroup() as tasks:
            for item in items:
                tasks.create_task(answer(item))
