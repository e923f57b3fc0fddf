"""The page about many documents reckons with what the program estimates today."""

import re
from pathlib import Path

import pytest

from tests.support.command import Command

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guides" / "corpora.md").read_text(encoding="utf-8")
TEXT = ROOT / "examples" / "the-lamp-at-sarn-head.txt"


def figures(row: str) -> list[list[float]]:
    """The numbers of a row of the page: as it is, and with `--paging even`."""
    (cells,) = re.findall(rf"^\| {row}.*?\| (.*?) \|", PAGE, re.MULTILINE)
    return [[float(number) for number in re.findall(r"\d+\.\d+", part)] for part in cells.split("`--paging even`")]


@pytest.mark.parametrize("paging", [("--stretches", 1), ("--paging", "even")])
def test_what_goes_into_the_arithmetic_is_the_estimate(readgraph: Command, paging: tuple[str | int, ...]) -> None:
    estimate = readgraph("read", TEXT, "--model", "openai:gpt-5.4-mini", "--estimate", "--json", *paging).json
    words, column = estimate["words"], int("even" in paging)
    calls, dollars = 1000 * estimate["calls"]["expected"] / words, 1000 * estimate["cost"] / words
    sent, received = (estimate[f"{way}_words"]["expected"] / words for way in ("input", "output"))
    assert figures("calls for 1,000 words")[column] == [round(calls, 1)]
    assert figures("words sent and received")[column] == [round(sent, 2), round(received, 2)]
    assert figures("dollars for 1,000 words")[column] == [round(dollars, 4)]
