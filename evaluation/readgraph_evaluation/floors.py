"""What answers score that nobody read for, of the references' mean length: figures must be well above these."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from statistics import fmean

from readgraph.language.sentences import sentence_spans
from readgraph.state.words import count_words, first_words
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.records import Dataset, Item, Outcome, Text

MOST_QUESTIONS = 100  # of more questions a sample is scored: ROUGE of two long texts takes ten milliseconds
AROUND = 2_000  # characters of a text among which a random sentence is taken: a whole book takes seconds to cut
OF_READING = frozenset(("evidence_recall", "evidence_density", "citation_precision"))  # not of the answer

BEGINNING, SENTENCES, AN_OPTION, DECLINING = "the beginning", "random sentences", "a random option", "always declining"


def score_floors(dataset: Dataset) -> dict[str, dict[str, float]]:
    """The mean scores of such answers by their names and by metrics; none without texts, or where a model must rate."""
    texts = {text.id: text for text in dataset.texts}
    items = [item for item in dataset.items if item.text in texts and not item.step]
    items = Random(0).sample(items, MOST_QUESTIONS) if len(items) > MOST_QUESTIONS else items
    lengths = [count_words(reference) for item in items for reference in item.references]
    words = max(round(fmean(lengths)), 1) if lengths else 0
    found = dict[str, dict[str, float]]()
    for name in (BEGINNING, SENTENCES, AN_OPTION, DECLINING):
        if name != DECLINING or any(item.unanswerable for item in items):
            each = [(item, [*_answers(name, item, texts[item.text], words)]) for item in items]
            answered = [(item, outcomes) for item, outcomes in each if outcomes]
            found[name] = dict(_means(dataset.metrics, answered))
    return {name: means for name, means in found.items() if means}


def _means(metrics: Iterable[str], answered: Sequence[tuple[Item, list[Outcome]]]) -> Iterator[tuple[str, float]]:
    for name in metrics:
        measure, of_run = None if name in OF_READING else METRICS[name].score, METRICS[name].of_run
        scores = [*of_run([(item, each[0]) for item, each in answered]).values()] if of_run else list[float]()
        for item, outcomes in answered if measure else ():
            each = [score for outcome in outcomes if measure and (score := measure(item, outcome)) is not None]
            scores += [fmean(each)] if each else []
        if scores:
            yield name, round(fmean(scores), 2)


def _answers(name: str, item: Item, text: Text, words: int) -> Iterator[Outcome]:
    """Answers of so many words to a question: several count by their mean, none where there can be none."""
    if name == DECLINING:
        yield Outcome(item.id, "", 0, "no_answer")
    elif name == AN_OPTION:
        for number, option in enumerate(item.options):
            yield Outcome(item.id, "", 0, "answered", option, number)
    elif words and not item.options:
        first, *_ = text.documents or (text.whole,)
        said = first if name == BEGINNING else " ".join(_sentences(item, text, words))
        yield Outcome(item.id, "", 0, "answered", first_words(said, words))


def _sentences(item: Item, text: Text, words: int) -> Iterator[str]:
    """Random sentences of a text, the same for a question in every run, until there are enough words."""
    random, had, tries = Random(item.id), 0, 0
    while had < words and tries < 2 * words:
        part = random.choice(text.documents) if text.documents else text.whole
        start = random.randrange(max(len(part) - AROUND, 1))
        spans = sentence_spans(part, start, start + AROUND)
        spans = spans[1:-1] or spans  # the first and the last may be cut
        if spans:
            sentence = part[slice(*random.choice(spans))]
            had += count_words(sentence)
            yield sentence
        tries += 1
