"""What can be said of a question, a search or a check has one name in Python, over HTTP, MCP and in the command."""

import inspect
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs pip install 'readgraph[mcp]'")
pytest.importorskip("fastapi", reason="needs pip install 'readgraph[serve]'")
from readgraph.api import functions
from readgraph.doors.mcp.server import LibraryTools
from readgraph.doors.serve.documents import Finding
from readgraph.doors.serve.runs import RunRequest
from readgraph.features.verify import functions as checking
from tests.support.options import COMMAND, OPTIONS

OF_PROGRAMS = {"library", "context", "listen", "thread"}  # what only Python can be given
AS_TYPED = {"question": "question", "query": "words", "options": "choices", "documents": "paths"}
AS_TOOLS = {"documents": "document"}  # one or several: agents name a document by the same word in all tools
HTTP = {*RunRequest.model_fields, *OPTIONS, "draft"}  # settings by their names; a draft as the question of its run
ACTS: dict[str, tuple[Any, Any, set[str]]] = {
    "ask": (functions.ask, LibraryTools.ask, HTTP),
    "search": (functions.search, LibraryTools.search, {*inspect.signature(Finding.search).parameters}),
    "verify": (checking.verify, checking.verify_tool, HTTP),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_parameter_has_one_name_at_each_door(act: str) -> None:
    function, tool, over_http = ACTS[act]
    wanted = {*inspect.signature(function).parameters} - OF_PROGRAMS
    assert wanted <= over_http
    assert {AS_TOOLS.get(name, name) for name in wanted} <= {*inspect.signature(tool).parameters}
    typed = {option.name for option in COMMAND.commands[act].params}
    assert {name for name in wanted if name not in typed and AS_TYPED.get(name) not in typed} == set()
