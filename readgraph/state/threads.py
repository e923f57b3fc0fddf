"""The threads of a library: the questions that were asked, the newest first."""

from functools import partial
from typing import NamedTuple

from langgraph.checkpoint.base import CheckpointTuple

from readgraph.state.checkpoints import LibraryCheckpointer

_METADATA = "CAST(metadata AS TEXT)"
_OF_QUESTIONS = f"checkpoint_ns = '' AND json_valid({_METADATA}) AND {_METADATA} LIKE '%\"method\"%'"


class Threads(NamedTuple):
    """The newest checkpoints of some threads, and how many threads there are."""

    newest: list[CheckpointTuple]
    total: int


async def question_threads(
    saver: LibraryCheckpointer, *, document: str = "", offset: int = 0, limit: int = 50
) -> Threads:
    """The newest checkpoint of each thread in which a method ran, of one document or of all."""
    return await saver.run(partial(_threads, saver, document, offset, limit))


def _threads(saver: LibraryCheckpointer, document: str, offset: int, limit: int) -> Threads:
    where, values = _OF_QUESTIONS, list[object]()
    if document:
        where += f" AND json_extract({_METADATA}, '$.document') = ?"
        values.append(document)
    with saver.cursor(transaction=False) as cursor:
        (total,) = cursor.execute(f"SELECT count(DISTINCT thread_id) FROM checkpoints WHERE {where}", values).fetchone()
        found = cursor.execute(
            f"SELECT thread_id, max(rowid) AS last FROM checkpoints WHERE {where} "
            "GROUP BY thread_id ORDER BY last DESC LIMIT ? OFFSET ?",
            (*values, limit, offset),
        ).fetchall()
    saved = [saver.get_tuple({"configurable": {"thread_id": thread}}) for thread, _ in found]
    return Threads([each for each in saved if each], total)
