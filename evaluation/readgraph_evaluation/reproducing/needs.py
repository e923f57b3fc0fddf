"""What an experiment needs: its dataset's file in a folder, or without one, an estimate from its published size."""

from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

from langgraph.store.memory import InMemoryStore

from readgraph import BadInput, PageStore, ReaderContext, ReadgraphError
from readgraph.graphs.estimate import Estimate
from readgraph.library.histories import SessionText
from readgraph.sources.loading import fault_of, printable_path
from readgraph_evaluation.datasets import FORMS
from readgraph_evaluation.datasets.assembling import SCORING
from readgraph_evaluation.datasets.forms import first_value
from readgraph_evaluation.datasets.own import own
from readgraph_evaluation.plan import estimate_groups, fill_defaults, with_papers_settings
from readgraph_evaluation.records import Dataset, Item, Text, WebStep
from readgraph_evaluation.reproducing import Experiment, Source
from readgraph_evaluation.rows import rows_to_run
from readgraph_evaluation.running import find_unanswered


def find_dataset_file(source: Source, data: Path | None) -> Path | None:
    """The dataset's file in this folder, by its published name, or a file in readgraph's form that names the dataset.

    None where it is not there, and for a dataset that is made. Raises `BadInput` for a file that names another dataset.
    """
    if source.made or data is None:
        return None
    if not data.exists():
        raise BadInput(f"There is no folder {printable_path(data)}: name the folder that holds the datasets.")
    if data.is_file():
        if dataset_name_in(data) not in (None, "", source.dataset):
            raise fault_of(data, f"holds {dataset_name_in(data)}, and this needs {source.dataset}: name another file.")
        return data
    there = [data.absolute(), *sorted(_list_paths(data.absolute(), DEPTH))]
    form = FORMS.get(source.form or source.dataset)
    named = [path for pattern in source.files for path in there if path.match(pattern)]
    named = [path for path in named if not (path.is_dir() and form and form.find and not form.recognises(path))]
    fitting = (path for path in named if dataset_name_in(path) in (None, source.dataset))
    own_form = (path for path in there if dataset_name_in(path) == source.dataset)
    recognised = (path for path in there if form and path.is_dir() and form.recognises(path))
    return next(chain(fitting, own_form, recognised), None)


def lacking_parts(source: Source, file: Path | None) -> list[str]:
    """The dataset's test sets that are not in its file or folder, by the patterns of their names."""
    if file is None or dataset_name_in(file) is not None:
        return []
    there = [file, *_list_paths(file, DEPTH)]
    return [part for part in source.parts if not any(path.match(part) for path in there)]


def require_dataset_file(source: Source, data: Path | None) -> Path | None:
    """The same; raises `BadInput` where a file is missing, with one line that says which, and who publishes it."""
    path = find_dataset_file(source, data)
    if path is None and not source.made:
        where = f"{printable_path(data)} does not hold it" if data else "name its folder with --data"
        needed = f"{source.title} ({' or '.join((*source.files, *source.parts))}), from {source.project}"
        raise BadInput(f"This needs {needed}: {where}; nothing is downloaded for you.")
    return path


def form_of(source: Source, path: Path | None) -> str | None:
    """The form to read the dataset's file in; None for readgraph's own form, which names its dataset."""
    return None if path and dataset_name_in(path) is not None else source.form


def dataset_name_in(path: Path) -> str | None:
    """The dataset that a file in readgraph's own form names, "" if it names none; None for any other file."""
    if not (path.is_file() and path.suffix == ".jsonl"):
        return None
    try:
        first = first_value(path)
    except (ReadgraphError, OSError, ValueError):
        return None
    return str(first.get("dataset", "")) if isinstance(first, dict) and first.keys() >= own.keys else None


def _list_paths(folder: Path, depth: int) -> list[Path]:
    if not depth:
        return []
    try:
        inside = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError:
        return []
    return [*inside, *(deeper for path in inside if path.is_dir() for deeper in _list_paths(path, depth - 1))]


DEPTH = 8  # how deep a dataset may lie in the folder: RULER's `scripts/benchmark_root/MODEL/synthetic/131072/data`
QUESTION_WORDS, OPTION_WORDS, WORDS_A_LINE = 12, 8, 60
WORD = "that "  # stands for each word of a text: English, so that no classifier of languages is loaded to see it


async def estimate_experiment(experiment: Experiment, context: ReaderContext) -> Estimate:
    """The rough estimate for all rows together: a text of mean length with its questions stands for each of the texts.

    There are fewer texts where a sample is drawn.
    """
    size, name = experiment.source.size, experiment.source.dataset
    questions = min(size.questions, experiment.sample or size.questions)
    drawn = size.texts if questions == size.questions else size.texts * (1 - (1 - 1 / size.texts) ** questions)
    texts, text, scoring = max(1, round(drawn)), _text(size.words, size.sessions), SCORING[name]
    choices = tuple(WORD * OPTION_WORDS for _ in range(size.options))
    step = WebStep("e", 1, (), ("1",), "CLICK") if size.steps else None
    like = Item("", text.id, "", ("word",), choices, 0 if choices else None, step=step)
    names = [f"q{number}" for number in range(max(1, round(questions / texts)))]
    items = tuple(replace(like, id=each, question=f"{each} " + WORD * (QUESTION_WORDS - 1)) for each in names)
    dataset = Dataset(name, (text,), items, scoring.metrics, scoring.profile, scoring.answers)
    settings = with_papers_settings(dataset, fill_defaults(context, experiment.settings))
    rows = rows_to_run(experiment.rows, dataset, settings, full_text=False)
    groups = find_unanswered(dataset, rows, range(1), [])
    return (await estimate_groups(store_of_mean_texts(), groups, rough=True)).times(texts)


@cache
def store_of_mean_texts() -> PageStore:
    """Where the texts of mean length stand, so that each is counted once; nothing is ever read of them."""
    return PageStore(InMemoryStore())


@cache
def _text(words: int, sessions: int) -> Text:
    name = f"{words} words in {sessions} sessions"  # a history is stored by its name
    if not sessions:
        return Text(name, name, _lines(words))
    each = _lines(words // sessions)
    session_texts = [SessionText(f"{number}\n\n{each}", "", "") for number in range(sessions)]
    return Text.of_sessions(name, name, session_texts)


def _lines(words: int) -> str:
    return "\n\n".join([WORD * WORDS_A_LINE] * max(1, round(words / WORDS_A_LINE)))
