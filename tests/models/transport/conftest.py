"""Fixtures: the command asks a server at an address."""

import pytest

from tests.models.transport.test_certificates import AskAt
from tests.models.transport.test_other_providers import Use
from tests.support.command import ASK, DOUBLE, Command, Ran


@pytest.fixture
def ask_at(readgraph: Command, monkeypatch: pytest.MonkeyPatch) -> AskAt:
    """Runs the command with the model server at an address."""

    def ask(address: str) -> Ran:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
        return readgraph(*ASK, *DOUBLE)

    return ask


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Use:
    """Lets a model stand for those of every provider."""
    return lambda chat: monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda *_, **__: chat)
