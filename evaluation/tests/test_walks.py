"""What walks come to: figures over questions, and the drawing of one."""

import io
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from rich.console import Console

from readgraph.cli.terminal.rendering import draw_walk, print_walk
from readgraph.graphs.mem_walker import build, graph
from readgraph.state.channels import Hop
from readgraph_evaluation.records import Outcome
from readgraph_evaluation.results import WalkFigures, walk_figures
from tests.doubles.model_server import ModelServer
from tests.doubles.walker import CONTEXT, REVERT, TEXT, Walker, down, says

pytestmark = pytest.mark.filterwarnings("ignore:The graph has no store")


def hop(node: str, action: Any, to: str | None = None, reasoning: str = "", walk: int = 0) -> Hop:
    return {
        "walk": walk,
        "node": node,
        "action": action,
        "next_node": to,
        "reasoning": reasoning,
        "memory_words": 0,
        "shown_words": 0,
        "valid": action != "unusable",
    }


WALK = [
    hop("2.0", "child", "1.0", "it tells of goats"),
    hop("1.0", "child", "0.1", "a goat"),
    hop("0.1", "keep", "1.0", "one goat"),
    hop("1.0", "revert", "2.0", "no more goats"),
    hop("2.0", "child", "1.1", "[bold] animals"),
    hop("1.1", "child", "0.4", "a kid"),
    hop("0.4", "answer", None, "two goats"),
]


def drawn(hops: list[Hop], *, colours: bool = False) -> str:
    out = io.StringIO()
    Console(file=out, width=100, force_terminal=colours, color_system="standard" if colours else None).print(
        draw_walk(hops)
    )
    return out.getvalue()


def test_a_walk_is_drawn_as_its_tree() -> None:
    assert [line.rstrip() for line in drawn(WALK).splitlines()] == [
        "2.0",
        "├── 1.0  it tells of goats  → back: no more goats",
        "│   └── + 0.1  a goat  → kept: one goat",
        "└── 1.1  [bold] animals",
        "    └── ✓ 0.4  a kid  → answer: two goats",
    ]
    coloured = drawn(WALK, colours=True).splitlines()
    struck = [line for line in coloured if "\x1b[9m" in line]
    assert len(struck) == 1 and "1.0" in struck[0]
    assert "\x1b[1;32m" in coloured[-1]


def test_odd_walks_are_drawn_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert "1.0  why  → the walk ended here" in drawn([hop("2.0", "child", "1.0", "why")])
    sent = drawn([hop("2.0", "child", "1.0"), hop("0.7", "unusable", None, "no JSON")])
    assert "? 0.7  → no usable reply: no JSON" in sent
    print_walk([])
    assert capsys.readouterr().out == ""
    assert drawn([hop("0.0", "answer")]).strip() == "✓ 0.0  → answer"


async def outcomes_of(server: ModelServer, *scripts: Walker) -> list[Outcome]:
    """What questions came to whose walks decide as the scripts say, over a tree that was built before."""
    compiled = build().compile(store=InMemoryStore())
    server.respond = Walker()
    await compiled.ainvoke({"text": TEXT, "question": "What rang?"}, context=CONTEXT)
    outcomes = []
    for number, script in enumerate(scripts):
        server.respond = script
        given: Any = {"text": TEXT, "question": f"What was found in year {number}?"}
        outcomes.append(outcome(number, await compiled.ainvoke(given, context=CONTEXT)))
    return outcomes


def outcome(number: int, output: Any) -> Outcome:
    usage = output["usage"]
    return Outcome(
        item=str(number),
        method="mem-walker",
        run=0,
        status=output["status"],
        answer=output["answer"],
        calls=usage["calls"] + usage["cached_calls"],
        refused=usage["refused"],
        hops=len(output["hops"]),
        strayed=any(made["action"] == "revert" for made in output["hops"]),
        percent_read=output["percent_read"],
        percent_shown=sum(made["shown_words"] for made in output["hops"]),
    )


async def test_figures_of_a_set_of_questions(server: ModelServer) -> None:
    useless = "hm"
    outcomes = await outcomes_of(
        server,
        Walker(down(0), down(0), says("answer", "a goat")),
        Walker(useless, down(0), down(0), REVERT, down(1), says("answer", "a mackerel")),
        Walker(down(2), down(None), down(1), down(1), REVERT),
        Walker(down(1), {"part": 7}, down(0), says("answer", "a plaque")),
    )
    other_method = Outcome(item="0", method="read-agent", run=0, status="answered", calls=100)
    assert walk_figures([*outcomes, other_method], [True, False, False, True, True]) == WalkFigures(
        questions=4,
        answered=75.0,
        stray_ratio=50.0,
        recovery_rate=0.0,
        percent_read=13.89,
        usable_replies=76.19,  # of 21 replies, 1 + 3 + 1 could not be used
        hops=4.25,
        percent_shown=round(fmean(outcome.percent_shown or 0 for outcome in outcomes), 2),
    )
    figures = walk_figures(outcomes)
    assert figures and figures.recovery_rate == 50.0


async def test_figures_without_a_model_or_a_walk() -> None:
    assert walk_figures([]) is None
    assert walk_figures([Outcome(item="0", method="read-agent", run=0, status="answered")]) is None
    given: Any = {"text": TEXT, "question": "What of the goat?"}
    figures = walk_figures([outcome(0, await graph.ainvoke(given, context=replace(CONTEXT, model="")))])
    assert figures and (figures.usable_replies, figures.recovery_rate, figures.answered) == (None, None, 100.0)
