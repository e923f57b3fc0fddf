"""Every dataset, in its authors' form, runs through the command: without a model, and with one."""

from pathlib import Path

import pytest

from evaluation.tests.datasets.test_record_files import WRITTEN
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.support.command import DOUBLE, Command

EMBEDS = ("msc-openers",)
"""The datasets whose answers are compared by embeddings."""


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITTEN)
def test_a_dataset_runs_through_the_command(readgraph: Command, server: ModelServer, tmp_path: Path, name: str) -> None:
    server.respond = reader
    (tmp_path / "data").mkdir()
    file = WRITTEN[name](tmp_path / "data")
    methods = () if name == "mind2web" else ("--methods", "bm25,full-text")
    embeddings = ("--embeddings", "openai:double") if name in EMBEDS else ()
    for place, model in enumerate([(), DOUBLE]):
        out = tmp_path / f"out-{place}"
        ran = readgraph("evaluate", file, *methods, *model, *embeddings, "--limit", 3, "--out", out, "--json")
        results = ran.json
        assert results["methods"] and not any(method["failures"] for method in results["methods"])
        assert all(method["outcomes"] == results["what"]["questions"] for method in results["methods"])
