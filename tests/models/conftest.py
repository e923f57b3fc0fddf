"""Fixtures: a run that asks the model double, and the double that answers seven."""

import pytest

from readgraph.nodes.contracts import ReaderRuntime
from tests.doubles.model_server import ModelServer
from tests.models.test_asking import make_runtime, seven


@pytest.fixture
def runtime() -> ReaderRuntime:
    return make_runtime()


@pytest.fixture
def says_seven(server: ModelServer) -> None:
    server.respond = seven
