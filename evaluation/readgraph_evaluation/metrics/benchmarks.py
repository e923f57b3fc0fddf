"""Official scores: LoCoMo (Maharana et al., 2024), ∞Bench (Zhang et al., 2024), OOLONG, Mind2Web (Deng et al.)."""

import re
import string
from functools import cache, partial
from itertools import takewhile
from statistics import fmean
from typing import Any

from readgraph.features.survey.values import date_value
from readgraph.language.dates import NUMBERS, dates_in
from readgraph.language.detection import DEFAULT
from readgraph.state.tables import without_unread
from readgraph_evaluation.metrics.answers import (
    ARTICLES,
    accuracy,
    best_of_references,
    normalise_words,
    over_references,
    overlap_f1,
    summary_rouge,
)
from readgraph_evaluation.records import Item, Outcome


def locomo_f1(item: Item, outcome: Outcome) -> float | None:
    """The official F1 by the item's category; None without references, and for "adversarial" questions."""
    if item.category == "adversarial":
        return None

    def score(answer: str, reference: str) -> float:
        if item.category == "multi-hop":
            parts = [_stems(part) for part in answer.split(",")]
            return fmean(max(overlap_f1(part, _stems(wanted)) for part in parts) for wanted in reference.split(","))
        wanted = reference.partition(";")[0] if item.category == "open-domain" else reference
        return overlap_f1(_stems(answer), _stems(wanted))

    return best_of_references(item, outcome, score)


def _stems(text: str) -> list[str]:
    return [_stemmer().stem(word) for word in normalise_words(text, (*ARTICLES, "and"))]


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


_PUNCTUATION = str.maketrans(dict.fromkeys("\n:\"'.,?!{}", " "))
_AFTER_CODE = str.maketrans(dict.fromkeys("\n.`'\":", " "))
_CHINESE = (
    "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣"
    "､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏"
)
_NO_MARKS = str.maketrans(dict.fromkeys(string.punctuation + _CHINESE + string.whitespace, None))
_DIGITS, _NUMBER = re.compile(r"[0-9]+"), re.compile(r"\d+\.\d+|\d+")


def infinite_bench(item: Item, outcome: Outcome) -> float | None:
    """The official score of the item's task, which is its category.

    Of `passkey` and `number_string` the first run of digits counts, of `kv_retrieval` a word, of `longdialogue_qa_eng`
    a word in capitals, of `math_find` the first number, of `code_run` the last word, of `math_calc` the share of the
    values before the first wrong one, of `longbook_qa_eng` the words (F1), of `longbook_qa_chn` the characters (F1), of
    `longbook_sum_eng` ROUGE-L over lines. With options it is the accuracy.
    """
    if item.options:
        return accuracy(item, outcome)
    if item.category == "math_calc":
        values = zip(item.references, _DIGITS.findall(outcome.answer or ""), strict=False)
        right = sum(1 for _ in takewhile(lambda pair: _strip_zeros(pair[0].strip()) == _strip_zeros(pair[1]), values))
        return 100 * right / len(item.references) if item.references else None
    return best_of_references(item, outcome, partial(_score_task, item.category))


def _strip_zeros(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _score_task(task: str, answer: str, reference: str) -> float:
    """The score (0 to 1) of an answer to one of ∞Bench's tasks without options."""
    match task:
        case "passkey" | "number_string":
            match = _DIGITS.search(answer)
            return float(match is not None and match[0] == reference.strip())
        case "kv_retrieval":
            return float(reference.strip() in answer.translate(_PUNCTUATION).split())
        case "longdialogue_qa_eng":  # names of several words are found too, which the official script misses
            said, name = (f" {' '.join(text.upper().translate(_PUNCTUATION).split())} " for text in (answer, reference))
            return float(name in said)
        case "math_find":
            match = _NUMBER.search(answer)
            return float(match is not None and float(match[0]) == _as_number(reference))
        case "code_run":
            words, value = answer.translate(_AFTER_CODE).split(), _as_number(reference)
            return float(bool(words) and value is not None and _as_number(words[-1]) == value)
        case "longbook_qa_chn":
            return overlap_f1(*(list(text.lower().translate(_NO_MARKS)) for text in (answer, reference)))
        case "longbook_sum_eng":
            return summary_rouge(answer, reference)
    return overlap_f1(normalise_words(answer), normalise_words(reference))


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_OF_LETTERS = re.compile(r"\b(?:AND|FINAL|(?:ANSWER|CHOICE|LETTER|OPTION)S?)\b")


def longmemeval_v2(item: Item, outcome: Outcome) -> float | None:
    """100 if the answer has all phrases of the right one, in some questions in their order, or its letter, or letters.

    None where the official script asks a model.
    """
    boxed, scorer = _BOXED.findall(outcome.answer or ""), item.groups[-1] if item.groups else ""
    said, right = boxed[-1] if boxed else outcome.answer or "", "".join(item.references[:1])
    if scorer == "mc_choice_match":
        return 100.0 * (re.sub(r"\b(?:CHOICE|OPTION)\b|\.", "", said.upper()).strip() == right.strip().upper())
    if scorer == "mc_choice_set_match":
        chosen = re.findall(r"[A-Z]", _OF_LETTERS.sub("", said.upper()))
        return 100.0 * (bool(chosen) and {*chosen} == {*re.findall(r"[A-Z]", right.upper())})
    if not item.rubric:
        return None
    words, at = f" {_without_marks(said)} ", 0
    for phrase in filter(None, map(_without_marks, item.rubric)):
        found = words.find(f" {phrase} ", at)
        if found < 0:
            return 0.0
        at = found + len(phrase) + 1 if scorer.endswith("_ordered") else 0
    return 100.0


def _without_marks(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", "", re.sub(r"[-_,;]", " ", text.lower())).split())


SEPARATOR = "; "  # between the entries of a reference that is a list; answers may have commas or lines there, too
NEAR = 0.75  # a count loses a quarter of its score for each by which it is wrong
COMPARED = ("more common", "less common", "same frequency")  # what a comparison says, whatever words are around it
_COUNT, _DATE = re.compile(r"-?\d+"), re.compile(r"\d{4}-\d\d-\d\d")
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}")
_GROUPED_NUMBER, _AROUND = re.compile(r"-?\d[\d,]*"), " \t\n*[]'\"`."


def aggregation(item: Item, outcome: Outcome) -> float | None:
    """OOLONG's best score over the references, in percent; of a list the share of entries; None if unanswerable."""
    return best_of_references(item, outcome, partial(_score_aggregation, "user" not in item.groups))


def _score_aggregation(near: bool, answer: str, reference: str) -> float:
    """The score (0 to 1) of an answer; `near`: a count may be nearly right, as no number of a user is."""
    said = without_unread(answer)
    said = said.removeprefix("at least ") if said != answer else said
    boxed = _BOXED.search(said)
    said = (boxed[1] if boxed else said).strip(_AROUND)
    if any(phrase in reference.lower() for phrase in COMPARED):
        named = [phrase for phrase in COMPARED if phrase in said.lower()]
        return float(len(named) == 1 and named[0] in reference.lower())
    if SEPARATOR in reference:
        return max(_share_of_list(part, reference) for part in (said, said.rpartition(":")[2]))
    # As the official script does, take the rest after the last colon, a short answer, or a last word.
    final = (said.rpartition(":")[2] if ":" in said or len(said) < 20 else said.split()[-1]).strip(_AROUND)
    if near and _COUNT.fullmatch(reference):
        number = final.replace(",", "") if _GROUPED_NUMBER.fullmatch(final) else ""
        return float(NEAR ** abs(int(number) - int(reference))) if 0 < len(number) <= 18 else 0.0
    if _DATE.fullmatch(reference):
        return float(date_value(final, order="mdy") == reference)
    return float(bool(final) and normalise_words(reference) in (normalise_words(said), normalise_words(final)))


def _share_of_list(answer: str, reference: str) -> float:
    entries = {tuple(normalise_words(part)) for part in re.split(r"[;\n]", answer)}
    entries |= {tuple(normalise_words(part)) for part in re.split(r"[;,\n]", answer)}
    wanted = [tuple(normalise_words(part)) for part in reference.split(SEPARATOR)]
    return sum(part in entries for part in wanted) / len(wanted)


MOST_AROUND = 5  # words beside three times those of the right answer: who says more says not which is the answer


@over_references
def named(answer: str, reference: str) -> float:
    """Whether the answer names all of the reference ("2009; 2011") and little else."""
    said, wanted = _plain_words(without_unread(answer)), [*map(_plain_words, reference.split(SEPARATOR))]
    if len(said) > 3 * sum(map(len, wanted)) + MOST_AROUND:
        return 0.0
    return float(all(f" {' '.join(part)} " in f" {' '.join(said)} " for part in wanted))


def _plain_words(text: str) -> list[str]:
    whole = [date for date in dates_in(text, DEFAULT) if date.year and date.month and date.day]
    for written_date in reversed(whole):
        digits = f"{written_date.year}{written_date.month:02}{written_date.day:02}"
        text = f"{text[: written_date.start]}{digits} {text[written_date.end :]}"
    return [str(NUMBERS.index(word) + 1) if word in NUMBERS else word for word in normalise_words(text)]


_PAIR = re.compile(r"(\d+)\s*,\s*(\d+)")


@over_references
def pairs_f1(answer: str, reference: str) -> float:
    """F1 of the pairs of numbers in an answer (Zhang et al., 2025, section 3.1), whatever their order."""
    said, right = ({*map(frozenset, _PAIR.findall(without_unread(text)))} for text in (answer, reference))
    return 2 * len(said & right) / (len(said) + len(right)) if said or right else 1.0


def element_accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 if one of the right elements was chosen, else 0, also where the page holds none; None if it is no step."""
    if item.step is None:
        return None
    return 100.0 * (outcome.action is not None and outcome.action.element in item.step.elements)


def operation_f1(item: Item, outcome: Outcome) -> float | None:
    """Token F1 of operation and value, by case, each token once, as in the official script; None if it is no step."""
    if item.step is None:
        return None
    action = outcome.action
    chosen = _tokens(action.operation, action.value) if action else set[str]()
    shared = len(chosen & (right := _tokens(item.step.operation, item.step.value)))
    return 200 * shared / (len(chosen) + len(right))


def step_success(item: Item, outcome: Outcome) -> float | None:
    """100 if element, operation and value are right, else 0; None if it is no step."""
    if item.step is None:
        return None
    return 100.0 * (element_accuracy(item, outcome) == operation_f1(item, outcome) == 100)


def _tokens(operation: str, value: str) -> set[str]:
    """What is compared: of a click, the operation alone."""
    return {operation.upper(), *(value.split() if operation.upper() != "CLICK" else ())}
