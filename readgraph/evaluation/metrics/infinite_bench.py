"""∞Bench's official scoring, by the task (Zhang et al., 2024)."""

import re
import string
from collections.abc import Callable
from itertools import takewhile

from readgraph.evaluation.metrics.choices import accuracy
from readgraph.evaluation.metrics.references import best_of_references
from readgraph.evaluation.metrics.rouge import summary_rouge
from readgraph.evaluation.metrics.squad import normalised, shared_f1
from readgraph.evaluation.records import Item, Outcome

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
        right = sum(1 for _ in takewhile(lambda pair: _unpadded(pair[0].strip()) == _unpadded(pair[1]), values))
        return 100 * right / len(item.references) if item.references else None
    return best_of_references(item, outcome, _SCORES.get(item.category, _f1))


def _unpadded(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _first_digits(answer: str, reference: str) -> float:
    found = _DIGITS.search(answer)
    return float(found is not None and found[0] == reference.strip())


def _a_word(answer: str, reference: str) -> float:
    return float(reference.strip() in answer.translate(_PUNCTUATION).split())


def _a_name(answer: str, reference: str) -> float:
    """Names of several words are found too, which the official script misses."""
    said, name = (f" {' '.join(text.upper().translate(_PUNCTUATION).split())} " for text in (answer, reference))
    return float(name in said)


def _first_number(answer: str, reference: str) -> float:
    found = _NUMBER.search(answer)
    return float(found is not None and float(found[0]) == _as_number(reference))


def _last_word(answer: str, reference: str) -> float:
    words, value = answer.translate(_AFTER_CODE).split(), _as_number(reference)
    return float(bool(words) and value is not None and _as_number(words[-1]) == value)


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _f1(answer: str, reference: str) -> float:
    return shared_f1(normalised(answer), normalised(reference))


def _characters_f1(answer: str, reference: str) -> float:
    return shared_f1(*(list(text.lower().translate(_NO_MARKS)) for text in (answer, reference)))


_SCORES: dict[str, Callable[[str, str], float]] = {
    "passkey": _first_digits,
    "number_string": _first_digits,
    "kv_retrieval": _a_word,
    "longdialogue_qa_eng": _a_name,
    "math_find": _first_number,
    "code_run": _last_word,
    "longbook_qa_chn": _characters_f1,
    "longbook_sum_eng": summary_rouge,
}
