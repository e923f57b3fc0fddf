"""Figures from papers, made with other models: a reference for your own figures, not a target."""

from collections.abc import Iterator
from typing import NamedTuple


class PaperFigure(NamedTuple):
    """A figure from a paper: its method, metric (and category) and model, and where it is in the paper."""

    method: str
    metric: str
    value: float
    model: str
    source: str
    category: str = ""


class _PaperTable(NamedTuple):
    """A table from a paper: figures by method, in the order of the metrics."""

    model: str
    source: str
    metrics: tuple[str, ...]
    rows: dict[str, tuple[float, ...]]
    categories: tuple[str, ...] = ("",)

    def figures(self) -> Iterator[PaperFigure]:
        """Its figures; with categories, each row holds all metrics of the first one, then of the next."""
        columns = [(metric, category) for category in self.categories for metric in self.metrics]
        for method, values in self.rows.items():
            for (metric, category), value in zip(columns, values, strict=True):
                yield PaperFigure(method, metric, value, self.model, self.source, category)


_PALM, _BELUGA, _QWEN, _MINI = "PaLM 2-L", "Stable Beluga 2 70B", "Qwen2.5-14B", "GPT-4o-mini"
_GPT_3_5, _GPT_4 = "GPT-3.5 Turbo", "GPT-4"
_RATED = ("lr_1", "lr_2", "rouge_1", "rouge_2", "rouge_l")
_LOCOMO = ("single-hop", "multi-hop", "temporal", "open-domain")

# GAM's retrieval baseline takes the five best segments; its paper names a dense retriever as the default (section 3.1),
# so its row stands by `dense`. 56K, 224K and 448K tokens of HotpotQA are 400, 1,600 and 3,200 passages.
TABLES: dict[str, tuple[_PaperTable, ...]] = {
    "quality": (
        _PaperTable(
            _PALM,
            "ReadAgent, table 1 (up to 6 pages at once; retrieval of 4 of its pages)",
            ("accuracy",),
            {
                "read-agent": (86.91,),
                "read-agent-s": (87.17,),
                "gists-only": (77.52,),
                "full-text": (85.83,),
                "bm25": (84.42,),
                "dense": (84.88,),
            },
        ),
        _PaperTable(
            _GPT_3_5,
            "ReadAgent, table 7 (up to 5 pages at once; retrieval of 3 of its pages)",
            ("accuracy",),
            {
                "read-agent": (69.65,),
                "read-agent-s": (72.10,),
                "gists-only": (66.06,),
                "full-text": (73.30,),
                "dense": (69.22,),
            },
        ),
        _PaperTable(
            _BELUGA,
            "MemWalker, table 2 (without working memory: figure 3)",
            ("accuracy",),
            {
                "mem-walker": (67.4,),
                "mem-walker@working_memory=off": (62.5,),
                "recurrent": (51.3,),
                "dense": (63.1,),
                "first-words": (56.7,),
                "last-words": (70.1,),
            },
        ),
    ),
    "qmsum": (
        _PaperTable(
            _PALM,
            "ReadAgent, table 11 (test set; up to 6 pages at once; retrieval of 6; truncated to 6,000 words)",
            _RATED,
            {
                "read-agent": (42.70, 90.51, 31.74, 8.90, 20.66),
                "read-agent-s": (49.58, 93.83, 32.88, 9.98, 21.50),
                "gists-only": (44.96, 91.93, 31.20, 9.02, 20.60),
                "bm25": (40.45, 90.98, 32.56, 9.78, 21.64),
                "dense": (44.60, 92.65, 32.55, 9.75, 21.39),
                "first-words": (13.17, 47.81, 24.15, 4.89, 16.27),
                "last-words": (13.76, 43.42, 22.90, 4.35, 15.69),
            },
        ),
    ),
    "narrativeqa-gutenberg": (
        _PaperTable(
            _PALM,
            "ReadAgent, table 2 (test set; up to 3 pages at once; retrieval of 4)",
            _RATED,
            {
                "read-agent": (59.63, 72.84, 23.0, 9.3, 21.7),
                "read-agent-s": (60.55, 72.79, 23.1, 9.5, 21.9),
                "gists-only": (55.79, 71.19, 23.1, 9.2, 21.7),
                "bm25": (53.60, 66.16, 21.0, 8.4, 19.7),
                "dense": (50.62, 62.05, 20.3, 8.0, 19.1),
            },
        ),
    ),
    "narrativeqa-movie": (
        _PaperTable(
            _PALM,
            "ReadAgent, table 2 (test set; up to 3 pages at once; retrieval of 4)",
            _RATED,
            {
                "read-agent": (58.82, 69.12, 27.2, 11.6, 25.7),
                "read-agent-s": (64.53, 73.06, 21.7, 9.0, 20.2),
                "gists-only": (54.68, 64.00, 24.8, 10.5, 23.4),
                "bm25": (50.18, 60.13, 21.7, 8.5, 20.2),
                "dense": (52.13, 59.41, 18.4, 7.2, 17.1),
            },
        ),
    ),
    "narrativeqa": (
        _PaperTable(_QWEN, "GAM, table 1", ("f1",), {"gam": (34.77,), "full-text": (29.69,), "dense": (18.29,)}),
        _PaperTable(_MINI, "GAM, table 1", ("f1",), {"gam": (36.86,), "full-text": (31.26,), "dense": (25.00,)}),
    ),
    "locomo": tuple(
        _PaperTable(
            model,
            "GAM, table 1 (F1 and BLEU-1 as GAM computes them)",
            ("f1", "bleu_1"),
            {
                "gam": gam,
                "full-text": long,
                "dense": rag,
            },
            _LOCOMO,
        )
        for model, gam, long, rag in (
            (
                _MINI,
                (57.75, 52.10, 42.29, 34.44, 59.45, 53.11, 33.30, 26.97),
                (46.68, 37.54, 29.23, 22.76, 25.97, 19.42, 16.87, 13.70),
                (52.45, 47.94, 27.50, 20.13, 46.07, 40.35, 23.23, 17.94),
            ),
            (
                _QWEN,
                (58.93, 53.74, 42.96, 34.48, 51.52, 44.43, 30.63, 26.04),
                (46.05, 39.56, 32.08, 24.46, 30.51, 24.45, 14.89, 11.41),
                (47.87, 42.79, 26.38, 19.54, 30.78, 25.97, 14.16, 10.52),
            ),
        )
    ),
    "hotpotqa-long": tuple(
        _PaperTable(
            model,
            "GAM, table 1 (56K, 224K and 448K tokens)",
            ("f1",),
            {"gam": gam, "full-text": long, "dense": rag},
            ("400 documents", "1600 documents", "3200 documents"),
        )
        for model, gam, long, rag in (
            (_MINI, (63.22, 64.56, 59.81), (56.56, 54.29, 53.92), (52.71, 51.84, 54.01)),
            (_QWEN, (64.07, 55.99, 57.87), (49.75, 46.82, 43.17), (51.81, 46.72, 48.36)),
        )
    ),
    "ruler": tuple(
        _PaperTable(
            model,
            "GAM, table 1 (128K tokens)",
            ("substring_accuracy",),
            {"gam": gam, "full-text": long, "dense": rag},
            ("niah", "vt", "cwe and fwe", "qa"),
        )
        for model, gam, long, rag in (
            (_MINI, (97.70, 93.20, 42.50, 72.50), (80.30, 60.60, 36.70, 61.60), (94.25, 0.00, 35.50, 55.90)),
            (_QWEN, (93.43, 90.20, 36.10, 74.50), (70.85, 80.00, 15.40, 45.60), (92.78, 0.00, 24.70, 47.80)),
        )
    ),
    "summscreenfd-who": (
        _PaperTable(
            _BELUGA,
            "MemWalker, table 2 (accuracy; without working memory: figure 3)",
            ("lr_1",),
            {
                "mem-walker": (67.3,),
                "mem-walker@working_memory=off": (61.4,),
                "recurrent": (47.7,),
                "dense": (63.7,),
                "first-words": (62.7,),
                "last-words": (64.7,),
            },
        ),
    ),
    "govreport-who": (
        _PaperTable(
            _BELUGA,
            "MemWalker, table 2 (accuracy; without working memory: figure 3)",
            ("lr_1",),
            {
                "mem-walker": (59.4,),
                "mem-walker@working_memory=off": (46.5,),
                "recurrent": (35.6,),
                "dense": (54.0,),
                "first-words": (59.4,),
                "last-words": (50.5,),
            },
        ),
    ),
    "mind2web": (
        _PaperTable(
            _PALM,
            "ReadAgent, table 10 (the rows of the sweep web-agent-snippets)",
            ("element_accuracy", "operation_f1", "step_success", "episode_success"),
            {
                "web-page": (22.1, 76.7, 19.2, 1.2, 22.2, 72.3, 18.2, 1.7, 23.6, 75.6, 20.9, 1.0),
                "web-bm25@max_pages=1": (16.3, 61.7, 14.2, 0.4, 17.8, 60.8, 15.2, 0.0, 17.3, 60.4, 15.9, 0.0),
                "web-bm25@max_pages=5": (25.9, 70.4, 22.4, 2.0, 29.5, 71.8, 23.1, 1.7, 27.6, 71.1, 24.4, 1.0),
                "web-dense@max_pages=1": (14.6, 55.5, 11.7, 0.4, 18.0, 55.8, 14.0, 0.0, 16.4, 60.3, 14.2, 0.1),
                "web-dense@max_pages=5": (26.4, 71.9, 22.6, 0.8, 26.7, 69.1, 22.3, 2.8, 30.0, 72.5, 26.9, 1.2),
                "web-gists-only": (11.7, 43.1, 9.5, 0.0, 11.7, 43.6, 8.4, 0.0, 13.4, 49.6, 11.7, 0.5),
                "web-agent@max_pages=1": (31.1, 70.1, 26.8, 2.0, 34.5, 74.1, 28.2, 2.3, 36.1, 75.6, 33.0, 2.0),
                "web-agent@max_pages=5": (33.7, 72.5, 29.2, 2.8, 37.4, 75.1, 31.1, 3.4, 37.2, 76.3, 33.4, 2.3),
            },
            ("cross-task", "cross-website", "cross-domain"),
        ),
    ),
    "msc-retrieval": (
        _PaperTable(
            _GPT_4,
            "MemGPT, table 2 (no gold persona)",
            ("dmr_accuracy", "rouge_l", "rouge_l_precision", "rouge_l_recall"),
            {"mem-gpt": (82.4, 17.3, 10.6, 74.3), "recurrent": (63.0, 15.9, 10.1, 60.7)},
        ),
    ),
    "msc-openers": (
        _PaperTable(
            _GPT_4,
            "MemGPT, table 3",
            ("csim_1", "csim_3", "csim_h"),
            {
                "mem-gpt": (81.7, 78.7, 76.0),
                "mem-gpt@agent_memory=working": (82.0, 79.0, 76.2),
                "mem-gpt@agent_memory=recall": (74.9, 73.8, 73.7),
            },
        ),
    ),
}


def figures_of_papers(dataset: str) -> list[dict[str, object]]:
    """The papers' figures for a dataset."""
    return [figure._asdict() for table in TABLES.get(dataset, ()) for figure in table.figures()]
