"""How good an answer is: its option, its words beside references' (SQuAD, BLEU-1, ROUGE), its refusal, its evidence."""

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, wraps
from typing import Any

from readgraph_evaluation.records import Item, Outcome, TextSpan

GUESSED = "without a model an option is a guess by shared words, no better than chance"
"""Why there is no accuracy without a model."""


def accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 if the right option was chosen, else 0; None without options, and without a model (see `GUESSED`)."""
    if item.correct is None or outcome.by_rule:
        return None
    return 100.0 * (outcome.choice == item.correct)


_LETTERED = re.compile(r"\s*\(?([A-Z])(?:\)|[.:](?=\s|$)|$)\s*(.*)", re.DOTALL)  # such as "B", "B.", "(B) The goat"


def best_of_references(item: Item, outcome: Outcome, score: Callable[[str, str], float]) -> float | None:
    """The best `score` (0 to 1) over the references, in percent; None without any, and for unanswerable questions."""
    if item.unanswerable or not item.references:
        return None
    if outcome.answer is None and outcome.choice is None:
        return 0.0
    answer, references = answer_and_references(item, outcome)
    return 100 * max(score(answer.strip(), reference) for reference in references)


def over_references(score: Callable[[str, str], float]) -> Callable[[Item, Outcome], float | None]:
    """The metric that gives an answer its best `score` over the references (see `best_of_references`)."""
    return wraps(score)(lambda item, outcome: best_of_references(item, outcome, score))


def answer_and_references(item: Item, outcome: Outcome) -> tuple[str, tuple[str, ...]]:
    """The answer ("" for none) and the references that it is compared with, options without their letters."""
    answer = outcome.answer or ""
    if not item.options:
        return answer, item.references
    matches = [_LETTERED.fullmatch(option) for option in item.options]
    bare = [match[2] for place, match in enumerate(matches) if match and match[1] == option_letter(place) and match[2]]
    options = bare if len(bare) == len(item.options) else item.options
    if outcome.choice is not None and 0 <= outcome.choice < len(options):
        answer = options[outcome.choice]
    answer, *references = (_as_option(text, item.options, options) for text in (answer, *item.references))
    return answer, tuple(references)


def _as_option(text: str, options: Sequence[str], bare: Sequence[str]) -> str:
    """The bare option that a text names, by its words, its letter, or both; another text as it is."""
    if text in options:
        return bare[options.index(text)]
    match = _LETTERED.fullmatch(text)
    for place, option in enumerate(bare if match else ()):
        if match and match[1] == option_letter(place) and match[2].strip() in ("", option):
            return option
    return text


def option_letter(place: int) -> str:
    """The letter of the option at this place, from 0."""
    return chr(ord("A") + place)


ARTICLES = ("a", "an", "the")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


@over_references
def exact_match(answer: str, reference: str) -> float:
    """Whether the answer equals the reference with SQuAD's normalisation."""
    return normalise_words(answer) == normalise_words(reference)


@over_references
def f1(answer: str, reference: str) -> float:
    """Token F1 with SQuAD's normalisation; an empty text matches only another."""
    words, wanted = normalise_words(answer), normalise_words(reference)
    return overlap_f1(words, wanted) if words and wanted else float(words == wanted)


def normalise_words(text: str, dropped: Sequence[str] = ARTICLES) -> list[str]:
    """The words in lower case, without ASCII punctuation and without the `dropped` words."""
    bare = text.lower().translate(_WITHOUT_PUNCTUATION)
    return re.sub(rf"\b({'|'.join(dropped)})\b", " ", bare).split()


def overlap_f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    """The harmonic mean (0 to 1) of the shares of common words in both, counting repeated words."""
    shared = (Counter(answer) & Counter(reference)).total()
    return 2 * shared / (len(answer) + len(reference)) if shared else 0.0


@over_references
def bleu_1(answer: str, reference: str) -> float:
    """The share of the answer's words that the reference has, without articles and punctuation; short answers lose."""

    def words(text: str) -> list[str]:
        return [word for word in re.sub(r"[^\w\s]", " ", text.lower()).split() if word not in ARTICLES]

    from nltk.translate.bleu_score import sentence_bleu

    return float(sentence_bleu([words(reference)], words(answer), weights=(1.0,)))


def summary_rouge(answer: str, reference: str) -> float:
    """F-measure (0 to 1) of longest common subsequences line by line (ROUGE-Lsum), without stemming, as in ∞Bench."""
    return float(_scorer("rougeLsum", stems=False).score(reference, answer)["rougeLsum"].fmeasure)


def rouge(kind: str, figure: str) -> Callable[[Item, Outcome], float | None]:
    """A `figure` ("fmeasure", "precision", "recall") of rouge1, rouge2 or rougeL, the best over the references."""
    return over_references(lambda answer, reference: float(getattr(_compare(kind, answer, reference), figure)))


@lru_cache(1 << 12)  # the three figures of a long answer are one comparison, which takes milliseconds
def _compare(kind: str, answer: str, reference: str) -> Any:
    return _scorer(kind).score(reference, answer)[kind]


@cache
def _scorer(kind: str, *, stems: bool = True) -> Any:
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import DefaultTokenizer

    return RougeScorer([kind], tokenizer=DefaultTokenizer(stems))  # without one, its logging is set up for all


def substring_accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 if the answer contains a reference, or the share of those that go together, in any case (RULER)."""
    if item.unanswerable or not item.references:
        return None
    answer, references = answer_and_references(item, outcome)
    found = [reference.lower() in answer.lower() for reference in references]
    return 100 * sum(found) / len(found) if item.together else 100.0 * any(found)


@over_references
def subspan_accuracy(answer: str, reference: str) -> float:
    """Whether the answer's first line contains the reference, normalised as in SQuAD (Liu et al., 2023)."""
    first, _, _ = answer.strip().partition("\n")
    return float(" ".join(normalise_words(reference)) in " ".join(normalise_words(first)))


NOT_THERE = ("no information available", "not mentioned")  # by which LoCoMo's official scoring recognises it


def abstention(item: Item, outcome: Outcome) -> float | None:
    """100 if status or answer say that the text doesn't hold the answer, else 0; None for answerable questions."""
    if not item.unanswerable:
        return None
    return 100.0 * _declines(outcome)


def _declines(outcome: Outcome) -> bool:
    answer = (outcome.answer or "").casefold()
    return outcome.status == "no_answer" or any(words in answer for words in NOT_THERE)


def abstention_at_coverage(asked: Sequence[tuple[Item, Outcome]]) -> dict[str, float]:
    """For each unanswerable question, how likely it is declined, in percent, where as many are as have no answer.

    The least sure answers are declined first, of equally sure ones any: who declines everything, and who is as sure of
    everything, has the share of unanswerable questions.
    """
    ranks, unanswerable = _rank(asked)
    every, most = [*ranks.values()], len(unanswerable)
    left = {item: most - sum(other < ranks[item] for other in every) for item in unanswerable}
    return {item: 100 * min(1.0, max(0.0, left[item] / every.count(ranks[item]))) for item in unanswerable}


def abstention_auroc(asked: Sequence[tuple[Item, Outcome]]) -> dict[str, float]:
    """For each unanswerable question, the share of answerable ones that are surer, in percent; equals count half.

    The mean is the area under the ROC curve: 50 is chance.
    """
    ranks, unanswerable = _rank(asked)
    others = [rank for item, rank in ranks.items() if item not in unanswerable]
    worth = {item: sum((other > ranks[item]) + (other == ranks[item]) / 2 for other in others) for item in unanswerable}
    return {item: 100 * surer / len(others) if others else 100.0 for item, surer in worth.items()}


def _rank(asked: Sequence[tuple[Item, Outcome]]) -> tuple[dict[str, tuple[bool, float]], dict[str, None]]:
    """How sure answers are, declined and failed ones less than all others, and which questions are unanswerable."""
    ranks = dict[str, tuple[bool, float]]()
    for item, outcome in asked:
        answered = outcome.status != "failed" and not _declines(outcome)
        ranks[item.id] = answered, -math.inf if outcome.confidence is None else outcome.confidence
    return ranks, {item.id: None for item, _ in asked if item.unanswerable}


def evidence_recall(item: Item, outcome: Outcome) -> float | None:
    """The percentage of evidence spans that a re-read page or a citation overlaps; None without evidence, or untold."""
    seen = (*outcome.read, *outcome.cited)
    return _share_overlapping(item.evidence, seen) if item.evidence and outcome.tells_read else None


CHARACTERS_SHOWN = 6_000  # about 1,000 words; who shows fewer is not scored as if it had shown nothing


def evidence_density(item: Item, outcome: Outcome) -> float | None:
    """The recall of evidence, divided by the thousands of words that were read or cited; None without evidence."""
    recall = evidence_recall(item, outcome)
    shown = sum(end - start for start, end in {*outcome.read, *outcome.cited})
    return None if recall is None else recall / max(1.0, shown / CHARACTERS_SHOWN)


def citation_precision(item: Item, outcome: Outcome) -> float | None:
    """The percentage of citations that overlap evidence; None without evidence or citations."""
    return _share_overlapping(outcome.cited, item.evidence) if item.evidence and outcome.cited else None


def _share_overlapping(spans: tuple[TextSpan, ...], others: Iterable[TextSpan]) -> float:
    overlapping = [any(max(span.start, one.start) < min(span.end, one.end) for one in others) for span in spans]
    return 100 * sum(overlapping) / len(spans)
