"""A question's way through our code is short: whoever debugs a step sees few frames between graph and client."""

import pytest

from benchmarks.weight import Build, follow_question
from readgraph.graphs import gam, mem_walker, read_agent
from tests.doubles.model_server import ModelServer

MOST_FRAMES = 8


@pytest.mark.parametrize("build", [read_agent.build, mem_walker.build, gam.build], ids=["read-agent", "walk", "gam"])
async def test_few_functions_of_ours_stand_between_a_graph_and_its_model(server: ModelServer, build: Build) -> None:
    path = await follow_question(build)
    assert path.to_client
    longest = max(path.to_client.values(), key=len)
    assert len(longest) <= MOST_FRAMES, " > ".join(longest)
