"""The report of an evaluation in a real browser: text stays text, filters filter, nothing is asked of a network."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.support.evaluations import answer, folder_of, quiz
from readgraph_evaluation.judges.calibration import basis, gold_pairs
from readgraph_evaluation.records import Dataset, Item, Judgement
from readgraph_evaluation.report import write_results
from tests.report.conftest import IN_BROWSER
from tests.report.test_report_browser import CONTRAST
from tests.support.browser import Browser

pytestmark = IN_BROWSER
SCRIPT = "</script><script>document.title = 'taken'</script>"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report about text that looks like markup, with plots, walks, categories, runs and a failure."""
    dataset = quiz(150, texts=6, categories=("fact", SCRIPT))
    items = [replace(item, question=f"{item.question} {SCRIPT}") for item in dataset.items]
    dataset = replace(dataset, items=tuple(items))
    walked: dict[str, Any] = {"strayed": True, "hops": 3, "percent_read": 20.0, "fallbacks": {"choice": 1}}
    folder = folder_of(
        tmp_path_factory.mktemp("evaluation") / "out",
        dataset,
        {"read-agent": lambda number, run: True, "mem-walker": lambda number, run: number % 3 == 0},
        runs=2,
        **walked,
    )
    folder.append("answers", [answer("mem-walker", 0, items[7], True, status="failed", problem=SCRIPT)])
    write_results(dataset, folder)
    return (folder.path / "report.html").as_uri()


@pytest.fixture(autouse=True)
def nothing_is_asked_of_a_network(tab: Browser) -> Iterator[None]:
    yield
    assert len(tab.requested()) == 1 and tab.troubles() == []


def choose(tab: Browser, label: str, value: str) -> None:
    find = f"""document.querySelector('[aria-label="{label}"]')"""
    tab.run(f"""(e => {{
      e.value = {value!r};
      e.dispatchEvent(new Event(e.type === 'search' ? 'input' : 'change'));
    }})({find})""")


@pytest.mark.slow
def test_text_stays_text(tab: Browser, page: str) -> None:
    tab.open(page)
    assert tab.run("document.title") == "quality – evaluation"
    tab.click(".question summary")
    assert tab.texts(".question .asked")[0] == f"What of 0? {SCRIPT}"
    assert tab.texts(".question[open] .choices li") == ["A this", "B that"]
    assert tab.texts(".question[open] tbody td:last-child") == ["A this"] * 4
    assert SCRIPT in tab.texts(".troubles")[0] and "1 reading failed" in tab.texts(".troubles")[0]
    assert len(tab.texts("figure svg")) == 6 and "read-agent" in tab.texts("figure svg")[0]


def test_questions_are_filtered(tab: Browser, page: str) -> None:
    tab.open(page)
    assert len(tab.texts(".question")) == 100
    tab.click(".questions > button")
    assert len(tab.texts(".question")) == 150
    choose(tab, "Outcome", "methods differ")
    assert tab.texts("[role=status]") == ["100 of 150 questions"]
    choose(tab, "Method", "0")
    choose(tab, "Outcome", "wrong (under 50)")
    assert tab.texts("[role=status]") == ["0 of 150 questions"]
    choose(tab, "Method", "1")
    choose(tab, "Outcome", "failed")
    assert [text.split("?")[0] for text in tab.texts(".question .asked")] == ["What of 7"]
    choose(tab, "Outcome", "any outcome")
    choose(tab, "Words of the question", "OF 14")
    assert tab.texts("[role=status]") == ["11 of 150 questions"]


@pytest.mark.parametrize(("width", "dark"), [(360, False), (360, True), (800, False), (1280, True)])
def test_every_width_and_both_schemes_read_well(tab: Browser, page: str, width: int, dark: bool) -> None:
    tab.open(page, width=width, dark=dark)
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.run(CONTRAST) >= 4.5


def test_how_far_a_judge_can_be_trusted_stands_beside_its_scores(tab: Browser, tmp_path: Path) -> None:
    judge = f"openai:{SCRIPT}"
    asked = quiz(13)
    items = tuple(Item(item.id, item.text, item.question, ("this",)) for item in asked.items)
    dataset = Dataset("own", asked.texts, items, ("judged_accuracy", "f1"))
    folder = folder_of(tmp_path / "out", asked, {"bm25": lambda number, run: True}, choice=None, answer="this")
    folder.write("evaluation.json", json.dumps({**folder.what(), "judge": judge}))
    for place, item in enumerate(items):
        folder.keep_judgement(Judgement(item.id, "bm25", 0, judge, {"judged_accuracy": 100.0 * (place > 3)}))
    said = {pair.item.id: pair.right or pair.kind == "long and wrong" for pair in gold_pairs()}
    used = dict.fromkeys(("calls", "input_words", "output_words", "refused"), 50) | {"cost": None}
    folder.append("calibrations", [{"judge": judge, "basis": basis({}), "verdicts": said, **used}])
    write_results(dataset, folder)
    tab.open((folder.path / "report.html").as_uri())
    (told,) = [text for text in tab.texts(".judge p") if "known to be right" in text]
    assert judge in told and "agrees with 87\u00a0% [73–94], Cohen's kappa 0.74 [0.46–0.89]" in told
    assert "5 of 5 long wrong answers for right, 0 of 18 other wrong ones, and 0 of 15 right ones for wrong" in told
    rows = tab.texts(".judge tbody tr")
    assert len(rows) == 8 + 1 and "long and wrong0\u00a0%" in rows and "11369.2100\u00a0%" in rows
    assert "(unproven judge)" not in " ".join(tab.texts("th"))
    folder.append("calibrations", [{"judge": judge, "basis": basis({}), "verdicts": dict.fromkeys(said, True), **used}])
    write_results(dataset, folder)
    tab.open((folder.path / "report.html").as_uri())
    assert "judged_accuracy (unproven judge)" in tab.texts("th")
    assert any("by chance alone" in text for text in tab.texts(".judge p"))
