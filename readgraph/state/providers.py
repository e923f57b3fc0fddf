"""Models that names in the settings stand for: those that packages run on this machine, and those given as objects.

For a chat or embedding model that is given as an object stands a name that holds the object. It says what the object is
by its public parameters, so what was recorded under it is found in the next process. It means a model only where it is
the name that holds the object: a copy of its text asks nobody.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from readgraph.plugins import plugged_in_by_name
from readgraph.state.errors import BadInput

if TYPE_CHECKING:  # packages declare their models when readgraph starts
    from langchain_core.embeddings import Embeddings

    ModelName: TypeAlias = Any  # no type says: a string, for which an object may be given
else:
    ModelName = str

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


MODEL_FIELDS = ("model_name", "model", "model_id", "deployment_name", "azure_deployment", "repo_id", "endpoint_name")
"""The fields in which LangChain's packages keep the model's own name."""

TEXT_FIELDS = (
    *("temperature", "top_p", "top_k", "seed", "stop", "stop_sequences", "n"),
    *("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict", "num_ctx"),
    *("reasoning", "reasoning_effort", "effort", "thinking", "thinking_budget", "thinking_level", "include_thoughts"),
    *("presence_penalty", "frequency_penalty", "repeat_penalty", "logit_bias", "verbosity"),
    *("model_kwargs", "extra_body", "additional_model_request_fields"),
)  # further fields that change what is written; headers, keys, callbacks, times and limiters are not among them

NO_PARAMETER = re.compile(
    r"key|secret|passw|credential|auth|token$|header|proxy|query|timeout|retr|client|callback|cache|verbose|tags|metadata"
    r"|chunk_size|batch|progress|concurren|limiter|profile",
    re.I,
)
"""Names of fields that don't change what a model gives, or may hold a key."""

ASKS = ("tools", "tool_choice", "functions", "function_call", "response_format")  # what we ask with ourselves


class GivenModel(str):
    """The name of a model that was given as an object, `given`; `entry` is what else is known of it."""

    given: Any
    entry: Any = None

    def __deepcopy__(self, memo: object) -> "GivenModel":
        return self

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)  # the object may hold a key


def name_given(setting: str, given: Any) -> GivenModel:
    """The name that stands for an object in this setting. Raises `BadInput` for what is no model."""
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

    kind, what = (Embeddings, "an Embeddings") if setting == "embeddings" else (BaseChatModel, "a chat model")
    leaves = [*find_leaves(given)]
    if other := [leaf for leaf in leaves if not isinstance(leaf, kind)]:
        raise BadInput(
            f"The setting '{setting}' can't be of {type(other[0]).__name__}: give a name, or {what} of LangChain."
        )
    if asked := next((name for bound in _bound(given) for name in bound if name in ASKS), None):
        raise BadInput(
            f"The model of '{setting}' is bound to '{asked}', with which readgraph asks itself: leave it out."
        )
    known = [describe_model(leaf) for leaf in leaves]
    text = " or ".join(
        f"{type(leaf).__name__}({own[0] if own else ''})" for leaf, (_, own, _) in zip(leaves, known, strict=True)
    )
    if any(settings for _, _, settings in known) or any(_bound(given)):
        text += f" #{sha256(json.dumps(describe_writer(given)).encode()).hexdigest()[:8]}"
    name = GivenModel(text.replace("()", ""))
    name.given = given
    return name


def find_leaves(given: Any) -> Iterator[Any]:
    """The models of an object: it alone, or those with which `with_fallbacks`, `with_retry` and `bind` made it."""
    inner = _inside(given)
    for each in inner:
        yield from find_leaves(each)
    if not inner:
        yield given


def _inside(given: Any) -> list[Any]:
    from langchain_core.runnables.base import RunnableBindingBase
    from langchain_core.runnables.fallbacks import RunnableWithFallbacks

    if isinstance(given, RunnableBindingBase):
        return [given.bound]
    return [given.runnable, *given.fallbacks] if isinstance(given, RunnableWithFallbacks) else []


def _bound(given: Any) -> Iterator[dict[str, Any]]:
    """The public arguments that `bind` gave, from the outside in."""
    inner, arguments = _inside(given), getattr(given, "kwargs", {})
    if len(inner) == 1:
        yield _as_plain_json({name: arguments[name] for name in arguments if not NO_PARAMETER.search(name)})
    for each in inner:
        yield from _bound(each)


def describe_writer(given: Any, name: str = "") -> list[Any]:
    """What changes what an object gives, as plain JSON; what names no model of its own is known by `name`."""
    known = [describe_model(leaf, name) for leaf in find_leaves(given)]
    return [known, [*_bound(given)]] if _inside(given) else known[0]


def describe_model(model: Any, name: str = "") -> list[Any]:
    """The same of one model: its class, its own name, and its settings, which are all public fields without a name."""
    kind = type(model)
    own = [_as_plain_json(value) for field in MODEL_FIELDS if (value := getattr(model, field, None))]
    fields = {field: getattr(model, field, None) for field in TEXT_FIELDS}
    if not hasattr(model, "invoke") or not (own or name):
        declared = getattr(kind, "model_fields", {})
        usual = {field: known.default for field, known in declared.items()}
        hidden = {field for field, known in declared.items() if known.exclude} | {*MODEL_FIELDS}
        public = [field for field in vars(model) if not (field.startswith("_") or NO_PARAMETER.search(field))]
        fields = {field: getattr(model, field) for field in public if field not in hidden}
        fields = {field: value for field, value in fields.items() if value != usual.get(field)}
    told = {field: _as_plain_json(value) for field, value in fields.items() if value not in (None, {}, [])}
    return [f"{kind.__module__}.{kind.__qualname__}", own or list(filter(None, [name])), told]


def _as_plain_json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=lambda other: type(other).__qualname__))
