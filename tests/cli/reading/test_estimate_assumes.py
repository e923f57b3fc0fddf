"""An estimate says what it takes for granted, wherever it is shown."""

import pytest

from readgraph.doors.mcp.jobs import ExpectedUse
from readgraph.graphs.estimate import ASSUMES
from tests.support.command import Command
from tests.support.examples import STORY


@pytest.mark.parametrize("verb", ["read", "summarise"])
def test_an_estimate_says_that_replies_must_be_usable_at_once(readgraph: Command, verb: str) -> None:
    asked = [verb, STORY, "--model", "openai:double", "--estimate"]
    shown = " ".join(readgraph(*asked).out.split())
    assert "if replies can be used at once" in shown and "at most, if none can be used at first" in shown
    assert readgraph(*asked, "--json").json["assumes"] == ASSUMES


def test_agents_are_told_too() -> None:
    assert "used at once" in ExpectedUse.model_json_schema()["description"]
