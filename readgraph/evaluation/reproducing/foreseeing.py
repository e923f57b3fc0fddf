"""What an experiment will take, estimated from the published size of its dataset, without its file."""

from dataclasses import replace
from functools import cache

from langgraph.store.memory import InMemoryStore

from readgraph.estimates.arithmetic import Estimate
from readgraph.evaluation.datasets.scoring import SCORING
from readgraph.evaluation.plan.estimating import foreseen
from readgraph.evaluation.plan.run_record import with_papers_settings
from readgraph.evaluation.records import Dataset, Item, Text, WebStep
from readgraph.evaluation.reproducing.experiment import Experiment
from readgraph.evaluation.rows.row import Row, rows_to_run
from readgraph.evaluation.running.evaluation import missing
from readgraph.state.context import ReaderContext
from readgraph.state.histories import SessionText
from readgraph.state.page_store import PageStore

QUESTION_WORDS, OPTION_WORDS, WORDS_A_LINE = 12, 8, 60

WORD = "that "
"""Stands for each word of a text: an English one, so that no classifier of languages is loaded to see that it is."""


def with_settings_of(experiment: Experiment, context: ReaderContext) -> ReaderContext:
    """The context with what the paper sets for the experiment, except for settings that differ from their defaults."""
    default = ReaderContext()
    unset = {
        name: value for name, value in experiment.settings.items() if getattr(context, name) == getattr(default, name)
    }
    return replace(context, **unset)


async def of_published_size(experiment: Experiment, context: ReaderContext) -> Estimate:
    """The estimate for all rows together, which share what is the same.

    One text of the dataset's mean length, with the mean number of questions, stands for each of its texts.
    """
    dataset, rows = _planned(experiment, context)
    return (await _foreseen(dataset, rows)).times(_texts_and_questions(experiment)[0])


async def of_each_row(experiment: Experiment, context: ReaderContext) -> dict[str, Estimate]:
    """The same for each row alone, by its name."""
    dataset, rows = _planned(experiment, context)
    texts = _texts_and_questions(experiment)[0]
    return {row.name: (await _foreseen(dataset, [row])).times(texts) for row in rows}


def _planned(experiment: Experiment, context: ReaderContext) -> tuple[Dataset, list[Row]]:
    dataset = _mean_text(experiment)
    settings = with_papers_settings(dataset, with_settings_of(experiment, context))
    return dataset, rows_to_run(experiment.rows, dataset, settings, full_text=False)


async def _foreseen(dataset: Dataset, rows: list[Row]) -> Estimate:
    return await foreseen(pages(), missing(dataset, rows, range(1), []))


@cache
def pages() -> PageStore:
    """Where the texts of mean length stand, so that each is counted once; nothing is ever read of them."""
    return PageStore(InMemoryStore())


def _texts_and_questions(experiment: Experiment) -> tuple[int, int]:
    """How many questions are asked, where the paper draws a sample of them, and about how many texts these are."""
    size = experiment.source.size
    questions = min(size.questions, experiment.sample or size.questions)
    drawn = size.texts if questions == size.questions else size.texts * (1 - (1 - 1 / size.texts) ** questions)
    return max(1, round(drawn)), questions


def _mean_text(experiment: Experiment) -> Dataset:
    size, name = experiment.source.size, experiment.source.dataset
    texts, questions = _texts_and_questions(experiment)
    scoring = SCORING[name]
    text = _text(size.words, size.sessions)
    items = tuple(
        _item(number, text, size.options, steps=size.steps) for number in range(max(1, round(questions / texts)))
    )
    return Dataset(name, (text,), items, scoring.metrics, scoring.profile, scoring.answers)


@cache
def _text(words: int, sessions: int) -> Text:
    name = f"{words} words in {sessions} sessions"  # a history is stored by its name
    if not sessions:
        return Text(name, name, _lines(words))
    each = _lines(words // sessions)
    told = [SessionText(f"{number}\n\n{each}", "", "") for number in range(sessions)]
    return Text.history(name, name, told)


def _lines(words: int) -> str:
    return "\n\n".join([WORD * WORDS_A_LINE] * max(1, round(words / WORDS_A_LINE)))


def _item(number: int, text: Text, options: int, *, steps: bool) -> Item:
    question = f"q{number} " + WORD * (QUESTION_WORDS - 1)
    choices = tuple(WORD * OPTION_WORDS for _ in range(options))
    step = WebStep("e", 1, (), ("1",), "CLICK") if steps else None
    return Item(f"q{number}", text.id, question, ("word",), choices, 0 if choices else None, step=step)
