"""An evaluation as logs of inspect-ai, for its viewer and functions: one for each row, without texts.

The form is the JSON of `inspect_ai.log.EvalLog`, version 2 (checked with inspect-ai 0.3.285). A question in a run is a
sample in an epoch, a row is a solver, a metric a scorer. Scores are from 0 to 1 there.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from readgraph.sources.loading import fault_of
from readgraph.state.files import replace_file
from readgraph.state.records import digest
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.metrics.answers import option_letter
from readgraph_evaluation.records import Item, Key, Outcome
from readgraph_evaluation.results import ScoredEvaluation, categories_of
from readgraph_evaluation.trajectories import each_once

NO_MODEL = "none/none"
Usage = dict[str, Counter[str]]  # tokens in, out and together, by the names of models
COUNTS = ("input_tokens", "output_tokens", "total_tokens", "input_tokens_cache_read", "input_tokens_cache_write")

ABOUT_OUTCOMES = ("status", "by_rule", "compression_rate", "look_ups", "calls", "input_words", "output_words", "memory")
"""The fields of an outcome that stand in a sample's metadata."""


def write_logs(evaluation: ScoredEvaluation, logs: Path) -> list[Path]:
    """Write a log for each row that answered, in place of earlier ones, and give their paths. Raises `BadInput`."""
    of_samples, of_rows = _tokens(evaluation.exchanges())
    said = {(one.key, one.rater): one.said for one in evaluation.judgements}
    written = list[Path]()
    try:
        logs.mkdir(parents=True, exist_ok=True)
        for number, row in enumerate(evaluation.methods, 1):
            log = _log(evaluation, row, of_samples, of_rows[row["method"]], said)
            named = (log["eval"]["created"], log["eval"]["task"], f"{number} {row['method']}")
            path = logs / f"{'_'.join(re.sub(r'[^A-Za-z0-9.-]+', '-', part) for part in named)}.json"
            with replace_file(path, errors="replace") as file:
                json.dump(log, file, ensure_ascii=False, indent=1)
            written.append(path)
    except OSError as problem:
        raise fault_of(logs, f"can't be used as a folder for logs: {problem.strerror}.") from None
    return written


def _log(
    evaluation: ScoredEvaluation,
    row: Mapping[str, Any],
    of_samples: Mapping[Key, Usage],
    used: Usage,
    mappings: Mapping[tuple[Key, str], Mapping[str, str]],
) -> dict[str, Any]:
    what, name = evaluation.results["what"], row["method"]
    items = evaluation.dataset.by_id
    outcomes = evaluation.outcomes[name]
    rater = (evaluation.results["judging"] or {}).get("rater", "")
    keyed = [(one, of_samples.get(one.key, {}), mappings.get((one.key, rater), {})) for one in outcomes]
    samples = [_sample(evaluation, items[one.item], one, usage, said) for one, usage, said in keyed]
    complete = len(outcomes) == (len(items) - row["left_out"]) * what["runs"]
    return {
        "version": 2,
        "status": "success" if complete else "cancelled",
        "eval": _spec(evaluation, row),
        "plan": {"name": "plan", "steps": [{"solver": name, "params": _settings_of(what, name)}], "config": {}},
        "results": {
            "total_samples": len(samples),
            "completed_samples": sum(one.status != "failed" for one in outcomes),
            "scores": [_score(metric, of, len(samples)) for metric, of in row["metrics"].items()],
        },
        "stats": {"started_at": what["begun"], "completed_at": "", "model_usage": used},
        "samples": samples,
    }


def _settings_of(what: Mapping[str, Any], name: str) -> dict[str, Any]:
    settings: dict[str, Any] = what.get("rows", {}).get(name, {}).get("settings", {})
    return settings


def _spec(evaluation: ScoredEvaluation, row: Mapping[str, Any]) -> dict[str, Any]:
    what, name = evaluation.results["what"], row["method"]
    settings = what["settings"] | _settings_of(what, name)
    about = digest([what["dataset"], what["begun"]])
    kept = ("licence", "note", "prompts", "file")
    return {
        "eval_id": digest([about, name]),
        "run_id": about,
        "created": what["begun"],
        "task": what["dataset"],
        "task_id": digest([about, name, "task"]),
        "task_version": 0,
        "solver": name,
        "solver_args": _settings_of(what, name),
        "dataset": {
            "name": what["dataset"],
            "samples": len(evaluation.dataset.items),
            "sample_ids": [item.id for item in evaluation.dataset.items],
            "shuffled": False,
        },
        "model": settings["model"] or NO_MODEL,
        **({"model_roles": {"grader": {"model": what["judge"]}}} if what["judge"] else {}),
        "config": {"epochs": what["runs"]},
        "packages": {package: version for package, version in what["packages"].items() if version},
        "metadata": {"settings": settings, **{each: what[each] for each in kept if what.get(each)}},
        "scorers": [{"name": metric, "metrics": [{"name": "mean"}]} for metric in row["metrics"]],
    }


def _score(name: str, metric: dict[str, Any], samples: int) -> dict[str, Any]:
    """The figures of a metric: the mean with its interval, those of categories, and a mark of an unproven judge."""
    low, high = metric["interval"] or (None, None)
    values = {"mean": metric["mean"], "low": low, "high": high, "deviation": metric["deviation"]}
    figures = {each: {"name": each, "value": value / 100} for each, value in values.items() if value is not None}
    for category, of in categories_of(metric).items():
        figures[f"category: {category}"] = {"name": category, "group": "category", "value": of["mean"] / 100}
    scored = metric["questions"] * metric["runs"]
    counts = {"scored_samples": scored, "unscored_samples": max(0, samples - scored)}
    about = {"metadata": {"unproven_judge": True}} if metric["unproven_judge"] else {}
    return {"name": name, "scorer": name, **counts, "params": {}, "metrics": figures, **about}


def _sample(
    evaluation: ScoredEvaluation, item: Item, outcome: Outcome, usage: Usage, said: Mapping[str, str]
) -> dict[str, Any]:
    answer = option_letter(outcome.choice) if outcome.choice is not None else outcome.answer or ""
    values = {metric: evaluation.score(outcome, metric) for metric in evaluation.dataset.metrics}
    judged = {"explanation": "\n".join(f"{name}: {reply}" for name, reply in said.items())} if said else {}
    seconds, failed = outcome.usage["seconds"], outcome.status == "failed"
    model = evaluation.model or NO_MODEL
    said_back = {"role": "assistant", "content": outcome.answer or answer, "source": "generate", "model": model}
    messages = [] if failed else [said_back]
    return {
        "id": item.id,
        "epoch": outcome.run + 1,
        "input": item.question,
        **({"choices": [*item.options]} if item.options else {}),
        "target": option_letter(item.correct) if item.correct is not None else [*item.references],
        "messages": [{"role": "user", "content": item.question, "source": "input"}, *messages],
        "output": {
            "model": model,
            "choices": [{"message": message, "stop_reason": "stop"} for message in messages],
            "completion": said_back["content"],
            "time": seconds,
        },
        "scores": {
            metric: {"value": value / 100, "answer": answer, **(judged if METRICS[metric].rater == "judge" else {})}
            for metric, value in values.items()
            if value is not None
        },
        "metadata": {
            "category": item.category,
            "groups": [*item.groups],
            "text": item.text,
            "unanswerable": item.unanswerable,
            **{each: getattr(outcome, each) for each in ABOUT_OUTCOMES},
        },
        "model_usage": usage,
        "total_time": seconds,
        "working_time": seconds,
        "uuid": digest([*outcome.key]),
        **({"error": {"message": outcome.problem, "traceback": "", "traceback_ansi": ""}} if failed else {}),
    }


def _tokens(exchanges: Iterable[dict[str, Any]]) -> tuple[dict[Key, Usage], dict[str, Usage]]:
    """The tokens that servers counted, by question, and by row with those of its memories."""
    of_samples = defaultdict[Key, Usage](dict)
    of_rows = defaultdict[str, Usage](dict)
    for line in each_once(exchanges):
        tokens = line.get("tokens")
        if not (isinstance(tokens, list) and len(tokens) in (2, 4) and all(isinstance(one, int) for one in tokens)):
            continue
        sums = [of_rows[line["method"]]]
        if line["item"]:
            sums.append(of_samples[line["method"], line["run"], line["item"]])
        counts = dict(zip(COUNTS, (*tokens[:2], sum(tokens[:2]), *tokens[2:]), strict=False))
        for usage in sums:
            usage.setdefault(str(line.get("model", "")), Counter()).update(counts)
    return of_samples, of_rows
