"""Functions of the caller's own as models, by a name `function:MODULE.NAME`: a prompt becomes a text, texts vectors."""

import re
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from threading import Lock
from types import MethodType
from typing import Any, cast

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from readgraph.models.names import FUNCTION, find_model_entry, name_function
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.loops import reset_in_forked

_calling: defaultdict[str, Lock] = defaultdict(Lock)  # each is called by one thread at a time: few can do more

reset_in_forked(_calling.clear)


def function_model(function: Callable[..., Any]) -> str:
    """The model's name of a function, which is known by it until the process ends.

    Replies are recorded under it; a second function of this name gets a number. Raises `BadInput` for no function.
    """
    if not callable(function):
        raise BadInput(f"A {type(function).__name__} can't be called: give a function.")
    named = function if hasattr(function, "__qualname__") else type(function)
    path = f"{named.__module__}.{named.__qualname__}".replace("<locals>.", "")
    name = stem = FUNCTION + re.sub(r"[^\w.]", "", path)
    number = 1
    while (model_entry := find_model_entry(name)) and not _same(model_entry.function, function):
        number += 1
        name = f"{stem}-{number}"
    known_as = name.removeprefix(FUNCTION)
    chat = partial(FunctionChat, function=function, known_as=known_as, cache=False)
    name_function(name, function, chat, partial(_embeddings, known_as, function))
    return name


def _same(known: Callable[..., Any] | None, function: Callable[..., Any]) -> bool:
    # A bound method is another object each time it is looked up.
    return known is function or (isinstance(function, MethodType) and known == function)


class FunctionChat(BaseChatModel):
    """A chat model that is a function from a prompt to a text; the messages are joined to one prompt."""

    function: Callable[[str], str]
    known_as: str

    @property
    def _llm_type(self) -> str:
        return "function"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **_: Any
    ) -> ChatResult:
        with _calling[self.known_as]:
            reply: Any = self.function("\n\n".join(str(message.text) for message in messages))
        if not isinstance(reply, str):
            raise BadInput(
                f"The function '{self.known_as}' returned {type(reply).__name__} instead of a string: "
                "wrap it in a function that returns the text."
            )
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply))])


class FunctionEmbeddings(Embeddings):
    """An embedding model that is a function from a list of texts to vectors, or where that fails, from one text."""

    def __init__(self, known_as: str, function: Callable[..., Any]) -> None:
        self.known_as, self.function = known_as, function

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors of texts, shape (texts, dimension)."""
        with _calling[self.known_as]:
            try:
                matrix = np.asarray(self.function(list(texts)), np.float64)
            except Exception:  # a function of one text raises its own
                return [self._of_one(text) for text in texts]
            if matrix.ndim == 2 and len(matrix) == len(texts):
                return cast("list[list[float]]", matrix.tolist())
            return [self._of_one(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a query; only an `Embeddings` object may treat it differently."""
        return self.embed_documents([text])[0]

    def _of_one(self, text: str) -> list[float]:
        try:
            vector = self.function(text)
        except Exception as problem:
            raise ModelUnavailable(
                f"The function '{self.known_as}' raised {type(problem).__name__}: correct it and run the same again."
            ) from problem
        try:
            array = np.asarray(vector, np.float64)
        except (TypeError, ValueError):
            array = np.zeros(())
        if array.ndim != 1:
            raise BadInput(
                f"The function '{self.known_as}' returned {type(vector).__name__} for a text, not a list of numbers."
            )
        return cast("list[float]", array.tolist())


def _embeddings(known_as: str, function: Callable[..., Any]) -> Embeddings:
    """The embedding model of a function; a method of LangChain's `Embeddings` stands for its object."""
    holder = getattr(function, "__self__", None)
    return holder if isinstance(holder, Embeddings) else FunctionEmbeddings(known_as, function)
