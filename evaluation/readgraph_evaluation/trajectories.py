"""Training examples from the prompts and replies of an evaluation, in TRL's formats: `sft`, `preference`, `reward`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean
from typing import Any

from readgraph.state.records import digest
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.records import texts_of
from readgraph_evaluation.results import RIGHT, ScoredEvaluation

__all__ = ["good_paths", "preferences", "rewards"]

Example = dict[str, Any]

Worth = dict[tuple[str, int, str, str], float]
"""Scores by the leading metric (0 to 100), by method and run: of a question ("question" and its id), and of a text
("text" and its id) as the mean of its questions' scores."""


def worth_of(folder: EvaluationFolder) -> Worth:
    """The scores of the answers in a folder."""
    evaluation = ScoredEvaluation.of(folder.dataset(), folder)
    text_of, of_texts = texts_of(evaluation.dataset.items), defaultdict[tuple[str, int, str, str], list[float]](list)
    worth = Worth()
    for method in evaluation.outcomes:
        for run, by_item in evaluation.leading_scores(method).items():
            for item, score in by_item.items():
                worth[method, run, "question", item] = score
                of_texts[method, run, "text", text_of[item]].append(score)
    return worth | {text: fmean(scores) for text, scores in of_texts.items()}


def score_of(worth: Worth, line: Mapping[str, Any]) -> float | None:
    """The score that an exchange led to; None if it is unknown."""
    subject = ("question", line["item"]) if line["item"] else ("text", line["text"])
    return worth.get((line["method"], line["run"], *subject))


def good_paths(folder: EvaluationFolder) -> Iterator[Example]:
    """Prompt and completion of every reply that led to a good answer.

    A reply after a refused one is given with the first prompt, without the refused reply and the complaint.
    """
    worth, seen = worth_of(folder), set[str]()
    for line in folder.lines("exchanges"):
        score = score_of(worth, line)
        if score is not None and score >= RIGHT and line["item"] and line["refused"] is None:
            example = {"prompt": _prompt(line), "completion": _completion(line)}
            if (known := digest(example)) not in seen:
                seen.add(known)
                yield {**example, **_about(line, score)}


def preferences(folder: EvaluationFolder) -> Iterator[Example]:
    """Pairs of replies to one prompt: the usable one, or the one that led to the better answer, and the other."""
    worth = worth_of(folder)
    replies = defaultdict[str, list[dict[str, Any]]](list)
    for line in folder.lines("exchanges"):
        replies[digest([line["method"], line["item"], line["asked"], _prompt(line)])].append(line)
    for lines in replies.values():
        values = [(-1.0 if line["refused"] else score_of(worth, line), line) for line in lines]
        known = sorted(((value, line) for value, line in values if value is not None), key=lambda pair: pair[0])
        if known and known[0][0] < known[-1][0] and known[0][1]["reply"] != known[-1][1]["reply"]:
            (_, worse), (best, better) = known[0], known[-1]
            pair = {"chosen": _completion(better), "rejected": _completion(worse)}
            yield {"prompt": _prompt(better), **pair, **_about(better, best)}


def rewards(folder: EvaluationFolder) -> Iterator[Example]:
    """Every reply with its reward (0 to 1) and its advantage over the mean of its group.

    A researcher's group is a question in all runs, a memorizer's a text. The client's answers are left out.
    """
    worth = worth_of(folder)
    groups = defaultdict[tuple[str, str], list[float]](list)
    for (method, _, _, identity), value in worth.items():
        groups[method, identity].append(value / 100)
    means = {group: fmean(values) for group, values in groups.items()}
    for line in each_once(folder.lines("exchanges")):
        score = score_of(worth, line)
        if score is None or line["asked"] in ("answer", "answer_from_notes"):
            continue
        reward, identity = 0.0 if line["refused"] else score / 100, line["item"] or line["text"]
        yield {
            "prompt": _prompt(line),
            "completion": _completion(line),
            "label": line["refused"] is None and score >= RIGHT,
            "reward": reward,
            "advantage": reward - means[line["method"], identity],
            "group": f"{line['method']}/{identity}",
            "role": "researcher" if line["item"] else "memorizer",
            **_about(line, score),
        }


FORMS = {"sft": good_paths, "preference": preferences, "reward": rewards}


def each_once(lines: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each exchange of a reading once: a prompt repeated after a stop or a failure is recorded twice."""
    seen = set[str]()
    for line in lines:
        known = digest([line.get(name) for name in ("method", "run", "text", "item", "messages", "reply", "repeated")])
        if known not in seen:
            seen.add(known)
            yield line


def _prompt(line: Mapping[str, Any]) -> list[dict[str, str]]:
    """The messages of the first try: system and user."""
    return [{"role": role, "content": text} for role, text in line["messages"][:2]]


def _completion(line: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": line["reply"]}]


def _about(line: Mapping[str, Any], score: float) -> Example:
    return {name: line[name] for name in ("method", "run", "item", "asked", "version")} | {"score": score}
