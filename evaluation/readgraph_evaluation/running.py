"""Run an evaluation: in each run, every row's method reads every text and answers every question."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from readgraph import Library, ReadgraphError
from readgraph.graphs.method_facts import settings_of
from readgraph.models.metering import ask_each_prompt_once
from readgraph.nodes.building.recipes import with_question
from readgraph.state.transports import calls_at_once
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.line_shapes import Cost
from readgraph_evaluation.reading import ConversationReading, TextReading, group_by_talk
from readgraph_evaluation.records import Dataset, Item, Outcome, Text
from readgraph_evaluation.rows import EvaluationRow, takes_question

__all__ = ["Evaluation"]

Group = tuple[EvaluationRow, int, Text, list[Item]]  # row, run, text, and questions about it that share a memory
MOST_READINGS = 1000  # readings at once, however many calls a batch holds: each takes memory
MOST_FAILURES = 20  # after this many failures in a row the run stops: the server is down, or the settings are wrong


def find_unanswered(
    dataset: Dataset, rows: Sequence[EvaluationRow], runs: Sequence[int], outcomes: Iterable[Outcome]
) -> list[Group]:
    """The questions that have no answer yet or have failed."""
    answered, groups = {outcome.key for outcome in outcomes if outcome.status != "failed"}, list[Group]()
    for run, row, text in product(runs, rows, dataset.texts):
        taken = [item for item in dataset.about(text) if takes_question(row.method, item, row.context.answer_length)]
        missing = [item for item in taken if (row.name, run, item.id) not in answered]
        if row.context.preset == "question" and "preset" in settings_of(row.method, asks=True):
            for item in missing:  # each has a memory of its own, whose notes are for it
                own = replace(row, context=with_question(row.context, item.question, item.options))
                groups.append((own, run, text, [item]))
        elif missing:
            groups.append((row, run, text, missing))
    return groups


@dataclass
class Evaluation:
    """An evaluation and its folder. Each number in `runs` gets new replies from the model.

    `missing` are the questions that have no answer yet.
    """

    dataset: Dataset
    rows: Sequence[EvaluationRow]
    runs: Sequence[int]
    folder: EvaluationFolder
    library: Library
    cost: Cost = lambda exchange: None
    missing: list[Group] = field(init=False)
    reading: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.missing = find_unanswered(self.dataset, self.rows, self.runs, self.folder.outcomes())
        least = min((calls_at_once(row.context) for row in self.rows), default=1)
        self.reading = asyncio.Semaphore(min(least, MOST_READINGS))

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

        with ask_each_prompt_once():
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
        self, row: EvaluationRow, run: int, text: Text, items: Sequence[Item], done: asyncio.Queue[Outcome | None]
    ) -> None:
        row = replace(row, context=replace(row.context, sample=run))
        for talk, questions in group_by_talk(row, items).items():
            fields = (self.library, self.folder, self.cost, row, run, text)
            reading = ConversationReading(*fields, talk) if talk else TextReading(*fields)
            await self._answers(reading, questions, done)

    async def _answers(self, reading: TextReading, items: Sequence[Item], done: asyncio.Queue[Outcome | None]) -> None:
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
