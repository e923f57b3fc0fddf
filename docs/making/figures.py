"""Tables of measured figures, made of `figures.toml`, which says by which commands they were measured."""

import tomllib
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

FIGURES: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

ON_BOARD = (
    *("named", "abstention", "abstention_at_coverage", "abstention_auroc"),
    *("evidence_recall", "evidence_density"),
)


def board_table() -> str:
    """The board's rows by size: the mean over the seeds, with the lowest and the highest where there are several."""
    found = defaultdict[tuple[int, str], list[dict[str, Any]]](list)
    for row in FIGURES["board"]["rows"]:
        found[row["tokens"], row["method"]].append(row)
    lines = [
        f"| tokens | seeds | row | {' | '.join(f'`{name}`' for name in ON_BOARD)} |",
        f"|--:|---|---|{'--:|' * len(ON_BOARD)}",
    ]
    for (tokens, method), rows in found.items():
        seeds = ", ".join(str(row["seed"]) for row in rows)
        figures = (_mean_and_range([row[name] for row in rows if name in row]) for name in ON_BOARD)
        lines.append(f"| {tokens:,} | {seeds} | `{method}` | {' | '.join(figures)} |")
    return "\n".join(lines)


def _mean_and_range(values: list[float]) -> str:
    if not values:
        return "–"
    between = f" ({min(values):.1f}–{max(values):.1f})" if len(values) > 1 and max(values) > min(values) else ""
    return f"{fmean(values):.1f}{between}"


def beside_others_table() -> str:
    """What other systems and methods send over the same text, and how many of their answers are right."""
    columns, rows = FIGURES["beside_others"]["columns"], FIGURES["beside_others"]["rows"]
    lines = [f"| | {' | '.join(columns)} |", f"|---|{'--:|' * len(columns)}"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(map(str, figures))} |" for name, *figures in rows)])


def without_model_table() -> str:
    """What methods score without a model on the samples, with the words that they had in view."""
    measured = FIGURES["without_model"]
    lines = ["| | words in view, LoCoMo | QMSum ROUGE-1 | SQuALITY ROUGE-1 |", "|---|--:|--:|--:|"]
    for method, of_locomo in measured["locomo"].items():
        words = f"{of_locomo['words_in_view']:,}" if "words_in_view" in of_locomo else ""
        rouge = (f"{measured[name][method]['rouge_1']:.1f}" for name in ("qmsum", "squality"))
        lines.append(f"| `{method}` | {words} | {' | '.join(rouge)} |")
    return "\n".join(lines)
