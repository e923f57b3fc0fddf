"""Figures that papers give, made with other models: to be read beside one's own, never as a bar."""

from typing import NamedTuple


class Published(NamedTuple):
    """A figure of a paper: of which method, which metric, with which model, where it stands."""

    method: str
    metric: str
    value: float
    model: str
    source: str


_READ_AGENT, _MEM_WALKER, _GAM, _MEM_GPT = "ReadAgent (2024)", "MemWalker (2023)", "GAM (2025)", "MemGPT (2024)"
_PALM, _BELUGA, _QWEN = "PaLM 2-L", "Stable Beluga 2 70B", "Qwen2.5-14B"

PUBLISHED: dict[str, tuple[Published, ...]] = {
    "quality": (
        Published("read-agent", "accuracy", 86.91, _PALM, f"{_READ_AGENT}, table 1"),
        Published("full-text", "accuracy", 85.83, _PALM, f"{_READ_AGENT}, table 1"),
        Published("gists-only", "accuracy", 77.52, _PALM, f"{_READ_AGENT}, table 1"),
        Published("bm25", "accuracy", 84.42, _PALM, f"{_READ_AGENT}, table 1"),
        Published("mem-walker", "accuracy", 67.4, _BELUGA, f"{_MEM_WALKER}, table 2"),
    ),
}


def published_figures(dataset: str) -> list[dict[str, object]]:
    """The figures of papers for a dataset."""
    return [figure._asdict() for figure in PUBLISHED.get(dataset, ())]
