"""Which call is being made: what a transport must know of it to record its reply, and to find it again."""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass

from readgraph.library.page_store import PageStore
from readgraph.state.variables import set_variable


@dataclass(frozen=True)
class CallIdentity:
    """The call that is being made: the store and the key under which its reply is recorded, its prompt and document."""

    store: PageStore
    key: str
    prompt: str
    document: str


_asked: ContextVar[CallIdentity] = ContextVar("readgraph_call")


def identify_call(asked: CallIdentity) -> AbstractContextManager[CallIdentity]:
    """Calls inside the `with` are this one."""
    return set_variable(_asked, asked)


def identified_call() -> CallIdentity:
    """The call that is being made."""
    return _asked.get()
