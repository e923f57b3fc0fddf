"""The threads of a library: the questions that were asked, the newest first; and the steps of one."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any, NamedTuple

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from readgraph.state.checkpointing.shared_checkpointer import SharedCheckpointer
from readgraph.state.errors import LibraryError


class Threads(NamedTuple):
    """The newest checkpoints of some threads, and how many threads there are."""

    newest: list[CheckpointTuple]
    total: int


async def question_threads(
    saver: SharedCheckpointer, *, document: str = "", offset: int = 0, limit: int = 50
) -> Threads:
    """The newest checkpoint of each thread in which a method ran, of one document or of all."""
    return await saver.run(partial(_threads, saver, document, offset, limit))


def _threads(saver: SharedCheckpointer, document: str, offset: int, limit: int) -> Threads:
    found, total = saver.question_threads(document, offset, limit)
    saved = [saver.get_tuple({"configurable": {"thread_id": thread}}) for thread in found]
    return Threads([each for each in saved if each], total)


async def steps_back(saver: BaseCheckpointSaver[Any], config: RunnableConfig) -> AsyncIterator[CheckpointTuple]:
    """A thread's newest checkpoint, or the one that is named, and those before it as far as they are kept.

    Raises `LibraryError` where damage has made one of them come before itself.
    """
    before: RunnableConfig | None = config
    passed = set[str]()
    while before and (saved := await saver.aget_tuple(before)):
        named = saved.config["configurable"]
        if named["checkpoint_id"] in passed:
            raise LibraryError(
                f"The steps of thread '{named['thread_id']}' are damaged: one comes before itself. Put a copy of the "
                "library back."
            )
        passed.add(named["checkpoint_id"])
        yield saved
        before = saved.parent_config
