"""The folder of a published run: all that another person needs to replay an evaluation without its model.

run.json          what was run and with what: dataset, licence, settings, rows, versions, machine, cost, scores; scores
                  and calls only repeat what follows from the other files, and a replay compares them with these
replies.jsonl     each reply with the digest of its prompt: prompts hold texts, so they are not kept
answers.jsonl     what each answer was: the option's number, or the words of a free answer, and the spans read and cited
judgements.jsonl  what judges and raters said
scores.csv        every score of every answer
prompts/          the prompts that had words of the user's own, if any

Of the dataset's texts, the folder holds what a reply or an answer quotes, and nothing else. What its licence says on
sharing that is told as far as the licence's name tells.
"""

import json
import os
import platform
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from readgraph import BadInput, ReaderContext
from readgraph.models.names import find_model_entry
from readgraph.models.prompt import export_words, own_words
from readgraph.models.reply import FLAWED, FLAWS, prompt_key
from readgraph.nodes.prompts import every_wording
from readgraph.sources.loading import fault_of
from readgraph.state.words import format_count
from readgraph_evaluation.folder import SCORES, EvaluationFolder, FolderContents
from readgraph_evaluation.line_shapes import json_lines
from readgraph_evaluation.records import PROBLEM, Judgement, Outcome
from readgraph_evaluation.rows import count_left_out

FORMAT = 1
RUN, REPLIES, ANSWERS, JUDGEMENTS = "run.json", "replies.jsonl", "answers.jsonl", "judgements.jsonl"
PROMPTS = "prompts"
ANSWER_FIELDS = ("item", "method", "run", "status", "choice", "by_rule", "read", "cited", "action", "calls", "answer")

FOLLOWS = ("dataset", "questions", "texts", "methods", "rows", "runs", "judge")
"""What of run.json, beside scores and calls, follows from the dataset's file and the rows that are run again."""


def write_published_run(
    folder: EvaluationFolder, results: dict[str, Any], asked: dict[str, Any], context: ReaderContext, to: Path
) -> dict[str, Any]:
    """Write an evaluation to a new folder, and return the value of its run.json.

    `asked`: the limit, the sample with its seed, and the metrics. Answers to other questions are left out. Raises
    `BadInput` for a folder that holds something, and where a row lacks answers: a replay would give them.
    """
    check_new(to)
    contents = FolderContents.of(folder.dataset(), folder)
    _check_complete(contents)
    run = _run(results, asked, context)
    published, own = EvaluationFolder(to), run.get("own_prompts", ())
    try:
        to.mkdir(parents=True, exist_ok=True)
        published.write(REPLIES, json_lines(_replies(contents.exchanges())))
        outcomes = chain.from_iterable(contents.outcomes.values())
        published.write(ANSWERS, json_lines(map(answer_line, outcomes)))
        published.write(JUDGEMENTS, json_lines(map(_judgement, contents.judgements)))
        published.write(SCORES, (folder.path / SCORES).read_text(encoding="utf-8"))
        for words in [words for words in every_wording() if words.name in own]:  # without the user's comments
            (to / PROMPTS).mkdir(exist_ok=True)
            export_words(own_words(words, context.prompts), to / PROMPTS / f"{words.name}.toml")
        published.write(RUN, json.dumps(run, ensure_ascii=False, indent=1) + "\n")  # last: it makes the folder a run
    except OSError as problem:
        raise fault_of(to, f"can't be written: {problem.strerror}.") from None
    return run


def check_new(to: Path) -> None:
    """Raises `BadInput` for a folder that holds something, before anything is run."""
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise fault_of(to, "holds something already: name a new folder.")


def _check_complete(contents: FolderContents) -> None:
    """Raises `BadInput` where a row was asked fewer questions, or less often, than the others."""
    what, items = contents.what, contents.dataset.items
    for name in what["methods"]:
        asked = (len(items) - count_left_out(name, what, items)) * what["runs"]
        if (lacking := asked - len(contents.outcomes.get(name, ()))) > 0:
            raise BadInput(
                f"Nothing is published: the row '{name}' lacks {format_count(lacking, 'answer')} of {asked:,}. "
                f"Give the command with this row too, and with --runs {what['runs']}."
            )


def _run(results: dict[str, Any], asked: dict[str, Any], context: ReaderContext) -> dict[str, Any]:
    what = {name: value for name, value in results["what"].items() if name != "format"}
    # A namespace may name a person or a group.
    what["settings"] = {name: value for name, value in what["settings"].items() if name != "namespace"}
    rows = results["methods"]
    costs = [row["cost"] for row in rows]
    settings = [what["settings"], *(row["settings"] for row in what.get("rows", {}).values())]
    given = {setting.get(name) for setting in settings for name in ("model", "reading_model", "embeddings")}
    found = {name: find_model_entry(name) for name in sorted(filter(None, given))}
    return {
        "readgraph": "run",
        "format": FORMAT,
        **what,
        "asked": asked,
        "budget": {name: getattr(context, name) for name in ("max_calls", "max_words", "max_seconds")},
        "models": {name: known.table.full_name for name, known in found.items() if known and known.table},
        "machine": _machine(),
        "cost": None if None in costs else sum(costs),
        "scores": scores_of(results),
        "use": {row["method"]: {"calls": row["figures"]["calls"], "seconds": row["seconds"]} for row in rows},
    }


def scores_of(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The mean of each metric, by row."""
    rows = results["methods"]
    return {row["method"]: {name: metric["mean"] for name, metric in row["metrics"].items()} for row in rows}


def _machine() -> dict[str, Any]:
    """The kind of machine; no name of it, or of anybody."""
    try:
        memory = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (ValueError, OSError, AttributeError):
        memory = None
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "processors": os.cpu_count(),
        "memory_gb": memory,
    }


def _replies(exchanges: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each different reply to each prompt, in the order in which they came."""
    seen = set[tuple[str, str]]()
    for line in exchanges:
        key = prompt_key(line["model"], line["asked"], line["messages"], line["run"])
        if (key, line["reply"]) not in seen:
            seen.add((key, line["reply"]))
            cut, tokens = (line["refused"] or "").startswith("the reply was cut off"), line.get("tokens", (0, 0))[:2]
            reply = {"key": key, "asked": line["asked"], "reply": line["reply"], "cut": cut, "tokens": tokens}
            flaw = next((flaw for flaw in FLAWS if flaw and line["refused"] == FLAWED.format(flaw)), "")
            yield {**reply, "flaw": flaw} if flaw else reply


def answer_line(outcome: Outcome) -> dict[str, Any]:
    """An outcome as a line of answers.jsonl."""
    line = without_option(outcome).line()
    return {name: line[name] for name in ANSWER_FIELDS}


def without_option(outcome: Outcome) -> Outcome:
    """The outcome without the words of a chosen option, which are the dataset's; its number says the same."""
    return outcome if outcome.choice is None else replace(outcome, answer=None)


def _judgement(judgement: Judgement) -> dict[str, Any]:
    kept = {name: getattr(judgement, name) for name in ("item", "method", "run", "rater", "scores")}
    return {**kept, "said": {name: text for name, text in judgement.said.items() if name != PROBLEM}}


def note_on_sharing(dataset: str, licence: str) -> str:
    """One line on whether replies that quote the texts may be shared; "" where the licence allows it freely."""

    def says(pattern: str) -> bool:
        return bool(re.search(pattern, licence, re.IGNORECASE))

    about = f"{dataset} ({licence})" if licence else f"{dataset}, whose licence is not stated"
    if says(r"\bND\b|no[- ]?deriv"):
        return (
            f"The licence of {about} forbids sharing derivatives, and replies quote the texts: don't share this folder."
        )
    if not says(r"\b(CC[ -]?BY|CC0|MIT|Apache|BSD|ODC|public domain)\b"):
        return f"Replies quote the texts of {about}: ask its authors before you share this folder."
    notes = []
    if says("each|its own|see there"):
        notes.append("texts have licences of their own: look at those that replies quote")
    if says(r"\bNC\b|non-?commercial"):
        notes.append("share it for purposes that are not commercial only")
    if says(r"\bSA\b|share-?alike"):
        notes.append("share it under the same licence")
    return f"Replies quote the texts of {about}: {'; '.join(notes)}." if notes else ""
