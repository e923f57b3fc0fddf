"""Models that run on this machine, as packages plug them in: what names such as `local:NAME` stand for."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from readgraph.plugins import plugged_in_by_name

if TYPE_CHECKING:  # packages declare their models when readgraph starts
    from langchain_core.embeddings import Embeddings

__all__ = ["ModelProvider", "ModelServer"]


class ModelServer(Protocol):
    """A server of OpenAI's protocol that a package runs on this machine: it answers one call after the other.

    It can be a key of a dictionary, and is another object each time that it is started.
    """

    @property
    def url(self) -> str:
        """Its address."""

    @property
    def key(self) -> str:
        """The key that requests must have."""

    def how_it_ended(self) -> str:
        """How it ended by itself, and what to do then, for the middle of a line; "" if it still runs."""


@dataclass(frozen=True, kw_only=True)
class ModelProvider:
    """Models that a package runs on this machine.

    Attributes:
        name: What stands before the colon of their names.
        chat_model: The full name of the model that `name` alone means.
        serve: Gives the server of a chat model by its full name, and starts it if it does not run; it may block. Raises
            `BadInput` or `ModelUnavailable`.
        settings: The settings with which prompts fit all the chat models of these names.
        fields_for_form: The fields of a request whose reply keeps to a JSON schema, where the servers take others than
            OpenAI's `response_format`; of None, those of a request for a note, in plain text.
        embedding_model: The full name of the embedding model; "" if there is none.
        embeddings: Makes the embedding model, for one event loop; it may block.
        is_installed: Whether what the embedding model needs is installed; nothing heavy may be imported.
        languages: The languages (ISO 639-1) whose texts are searched with the embedding model too, where it is
            installed and nothing else is named.
    """

    name: str
    chat_model: str
    serve: Callable[[str], ModelServer]
    settings: Callable[..., dict[str, Any]]
    fields_for_form: Callable[[dict[str, Any] | None], dict[str, Any]] | None = None
    embedding_model: str = ""
    embeddings: "Callable[[], Embeddings] | None" = None
    is_installed: Callable[[], bool] | None = None
    languages: frozenset[str] = frozenset()


@cache
def providers() -> dict[str, ModelProvider]:
    """What the hook `models` gives, by name; none replaces another."""
    taken = "there are models of '{}' already"
    return plugged_in_by_name("models", ModelProvider, lambda provider: provider.name, taken)


def find_provider(model: str) -> ModelProvider | None:
    """The package's models among which this name is; None for all others."""
    return providers().get(model.partition(":")[0])


def full_name(model: str) -> str:
    """The name of a chat model with its provider; a provider's name alone means the model that it packages."""
    provider = providers().get(model)
    return provider.chat_model if provider else model
