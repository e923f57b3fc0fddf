"""What plugs in: see `readgraph.plugins`."""

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from readgraph.features.local_models.files import PACKAGED_MODEL
from readgraph.features.local_models.forms import fields_for_form
from readgraph.plugins import give_names, hookimpl
from readgraph.state.providers import ModelProvider

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from readgraph.features.local_models.servers import LocalServer

PACKAGED_EMBEDDINGS = "local:all-MiniLM-L6-v2-int8"
"""The embedding model that comes inside a package (`readgraph[meaning]`)."""


@hookimpl
def models() -> list[ModelProvider]:
    local = ModelProvider(
        name="local", chat_model=PACKAGED_MODEL, serve=_serve, settings=_fit, fields_for_form=fields_for_form
    )
    if find_spec("readgraph.features.meaning"):
        local = replace(
            local,
            embedding_model=PACKAGED_EMBEDDINGS,
            embeddings=_embed,
            is_installed=_can_embed,
            languages=frozenset({"en"}),  # `benchmarks/meaning.py`: texts in others are found worse with it
        )
    return [local]


functions = give_names("readgraph.features.local_models.servers:local_model")


def _serve(model: str) -> "LocalServer":
    from readgraph.features.local_models.servers import local_server

    return local_server(model)


def _fit(*models: str) -> dict[str, Any]:
    from readgraph.features.local_models.files import local_settings

    return local_settings(*models)


def _can_embed() -> bool:
    try:
        from readgraph.features.meaning.model import is_installed
    except ModuleNotFoundError:  # its folder was taken away
        return False
    return is_installed()


def _embed() -> "Embeddings":
    from readgraph.features.meaning.model import PackagedMiniLM

    return PackagedMiniLM()
