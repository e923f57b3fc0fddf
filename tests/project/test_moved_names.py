"""The public import paths of version 0.1 still work."""

import subprocess
import sys
from importlib import import_module

import pytest

from readgraph.moved import BASELINES, MOVED

NAMES = {
    "tools": (
        "LibraryRetriever add_documents as_retriever as_tool ask compress list_documents open_page read "
        "remember research research_tool search searched_by summarise table until_left"
    ),
    "tools.results": (
        "Answer Cited DocumentInfo Hit OpenedPage Reading Remembered Researched Result Summary "
        "SurveyTable TableRow Used"
    ),
    "tools.compressed": "CompressedText",
    "sources.web.page": "HIDDEN WebPage web_page",
    "state.histories": "Appended SessionText append_sessions history history_id sessions_of",
    "state.corrections": "Corrected Correction correct corrections_of restore",
    "nodes.answering.citing": "cite",
    "nodes.building.gists": "gist_page",
    "nodes.building.pauses": "pages_at_pauses",
    "nodes.building.summary_tree": "grow",
    "nodes.look_up.retrieval": "retrieve",
    "nodes.agent.event_text": "queue_text",
    "nodes.agent.receiving": "clock keep",
    "nodes.agent.working_context": "append_to_block blocks_text replace_in_block",
    "nodes.memory_view": "memory_pages view_memory",
    "nodes.tree_view": "flat_tree view_nodes",
    "state.agent_lives": "agent_config undo_turn",
    "state.agents": "AgentStore Event agent_id agent_store",
    "state.search.okapi": "rank",
    "cli.terminal.walk_drawing": "print_walk",
    "estimates.methods": "estimate_reading",
    "estimates.web_agent": "estimate_web_step",
    "report.data": "report_of_answer report_of_document shown_pages",
    "browsing.driving": "CannotAct Driver PageSeen",
    "evaluation.walks": "WalkFigures walk_figures",
} | {f"graphs.baselines.{name}": "build graph" for name in BASELINES}
"""What was public in 0.1, and has moved."""


def test_every_moved_module_is_tried() -> None:
    assert NAMES.keys() == MOVED.keys()


@pytest.mark.parametrize("path", NAMES)
def test_a_name_is_found_at_its_former_place_and_says_where_it_is_now(path: str) -> None:
    module = import_module(f"readgraph.{path}")
    for name in NAMES[path].split():
        with pytest.warns(DeprecationWarning, match=f"readgraph.{path}.{name} is now readgraph.{MOVED[path]}."):
            assert getattr(module, name) is not None
    with pytest.raises(AttributeError):
        module.no_such_name  # noqa: B018


@pytest.mark.slow
@pytest.mark.parametrize("first", ["from readgraph.tools import search", "from readgraph import tools; tools.search"])
def test_import_statements_work(first: str) -> None:
    statements = [
        first,  # before anything else of ours is imported
        "from readgraph.sources.web.page import web_page",
        "from readgraph.nodes.look_up.retrieval import retrieve",
        "from readgraph.state.search.okapi import rank",
        "from readgraph.graphs.baselines.bm25 import build",
    ]
    subprocess.run([sys.executable, "-W", "ignore", "-c", "\n".join(statements)], check=True)


@pytest.mark.parametrize(
    ("module", "former", "now"),
    [
        ("models.metering", "fell_back", "count_fallback"),
        ("nodes.step", "step", "node"),
        ("nodes.step", "step_with", "node"),
        ("nodes.contracts", "SaidAnswer", "AnswerDraft"),
        ("nodes.answering.in_view", "InView", "AnswerSource"),
    ],
)
def test_a_renamed_name_is_found_under_its_former_one(module: str, former: str, now: str) -> None:
    home = import_module(f"readgraph.{module}")
    with pytest.warns(DeprecationWarning, match=f"{former} is now called {now}"):
        assert getattr(home, former) is getattr(home, now)
