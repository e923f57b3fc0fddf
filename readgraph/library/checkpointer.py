"""The checkpointer of a library, in a file or on a server: what it offers, writes and keeps, and its threads.

Values are written by LangGraph's serialiser, compressed, and limited to what runs no code. A question writes a
checkpoint after each step, with its whole state, so that a person can go back to any step. In a thread of a thousand
questions nobody does so, and they would fill the disk: of earlier questions only the last checkpoint is kept.

The newest checkpoint is the row that was written last. LangGraph takes the greatest id, and ids begin with the time,
so it would miss the newest turns after the clock was set back.
"""

import re
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import pairwise
from threading import Lock, local
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
)

from readgraph.library.sqlite_files import IN_WORKER
from readgraph.library.workers import WorkerThread, run_within
from readgraph.state.errors import LibraryError

KEPT_QUESTIONS = 20  # of so many newest questions of a thread every checkpoint is kept
AT_ONCE = 100  # how many checkpoints are fetched at a time when many are listed
QUESTION = "question_text"  # the channel that the state of every graph that answers questions has
LAST_ROW = 2**63 - 1

_STEPS_WITHIN = """(checkpoint_ns, checkpoint_id) IN (
    SELECT checkpoint_ns, checkpoint_id FROM checkpoints
    WHERE thread_id = :thread AND {row} >= :begin AND {row} < :end AND {row} <> (
        SELECT max({row}) FROM checkpoints
        WHERE thread_id = :thread AND {row} >= :begin AND {row} < :end AND checkpoint_ns = ''
    )
)"""
_OLDER = """(checkpoint_ns, checkpoint_id) IN (
    SELECT checkpoint_ns, checkpoint_id FROM checkpoints WHERE thread_id = :thread AND {row} < :before
)"""
_OTHER_LINES = """checkpoint_id NOT IN (
    WITH RECURSIVE line(id) AS (
        SELECT CAST(:last AS TEXT) UNION
        SELECT parent_checkpoint_id FROM line JOIN checkpoints ON thread_id = :thread AND checkpoint_id = id
        WHERE parent_checkpoint_id IS NOT NULL
    )
    SELECT id FROM line
)"""

_T = TypeVar("_T")


class SharedCheckpointer(BaseCheckpointSaver[str]):
    """A checkpointer of LangGraph's, whose asynchronous calls, of any event loop, run on a thread of its own.

    It comes before one of LangGraph's among the bases of a class. `kept_questions` says of how many of a thread's
    newest questions it keeps all checkpoints. Threads of other graphs, and of agents, keep theirs.
    """

    kept_questions = KEPT_QUESTIONS

    row: str  # the column that numbers checkpoints in the order of writing
    of_input: str  # the condition for checkpoints at which a question or a turn began
    of_method: str  # the condition for checkpoints of methods
    writes_table: str  # what steps wrote
    parameter: str  # how a statement names a value; a template says `:name`
    tidy = ""  # the statement that deletes what no checkpoint has any more
    what: str  # the library, as messages name it
    conn: Any
    lock: Lock

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._begun = local()
        self._thread = WorkerThread(
            "readgraph-checkpoints", self.what, run_within(self._one_transaction), instead=IN_WORKER
        )

    def to_stored_thread(self, thread: str) -> str:
        """The id under which a thread is stored."""
        return thread

    def to_given_thread(self, stored: str) -> str:
        """The id of a stored thread."""
        return stored

    def _check(self) -> None:
        """Raise `LibraryError` where the library is closed, or was opened before a fork."""
        self._thread.check()

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Any]:
        """A cursor, in the transaction that this thread has begun or a new one; nothing is kept if it fails."""

    @abstractmethod
    def _select_from(self, config: RunnableConfig | None, filter: dict[str, Any] | None) -> tuple[str, Sequence[Any]]:
        """FROM and WHERE, with their values, for checkpoints with this metadata, also those that can't be read."""

    @abstractmethod
    def _fetch(self, select: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows that a statement finds, in which `%s` stands for each value."""

    @contextmanager
    def _one_transaction(self) -> Iterator[None]:
        """Inside the `with`, this thread's operations are one transaction, of which nothing is kept if one fails."""
        with self._transaction() as self._begun.cursor:
            try:
                yield
            finally:
                self._begun.cursor = None

    def drop_steps(self, thread: str) -> int:
        """Delete all checkpoints but the first and the last of a thread's old questions; returns how many."""
        beginnings = self._list_beginnings(thread, "AND checkpoint_ns = ''")[self.kept_questions - 1 :]
        return self._drop(thread, _STEPS_WITHIN, [{"begin": begin, "end": end} for end, begin in pairwise(beginnings)])

    def drop_turns(self, thread: str, kept: int) -> None:
        """Delete the checkpoints before the newest `kept` turns of an agent's thread."""
        oldest_kept = self._list_beginnings(thread)[kept : kept + 1]
        self._drop(thread, _OLDER, [{"before": begin} for begin in oldest_kept])

    def drop_undone(self, thread: str, last: str) -> None:
        """Delete the checkpoints of a thread but this one and its ancestors."""
        self._drop(thread, _OTHER_LINES, [{"last": last}])

    def _list_beginnings(self, thread: str, within: str = "") -> list[int]:
        """The rows at which questions or turns of a thread began, the newest first."""
        source = f"FROM checkpoints WHERE thread_id = %s AND {self.of_input} {within}"
        found = self._fetch(f"SELECT {self.row} AS number {source} ORDER BY 1 DESC", [self.to_stored_thread(thread)])
        return [number for (number,) in found]

    def _drop(self, thread: str, condition: str, given: Sequence[Mapping[str, Any]]) -> int:
        """Delete the checkpoints for which a condition holds with any of these values, and what belongs to them."""
        dropped = 0
        with self._transaction() as cursor:

            def execute(template: str, values: Mapping[str, Any]) -> int:
                statement = re.sub(r":(\w+)", self.parameter, template.format(row=self.row))
                done = cursor.execute(statement, {"thread": self.to_stored_thread(thread), **values})
                return int(done.rowcount)

            for values in given:
                execute(f"DELETE FROM {self.writes_table} WHERE thread_id = :thread AND {condition}", values)
                dropped += execute(f"DELETE FROM checkpoints WHERE thread_id = :thread AND {condition}", values)
            if dropped and self.tidy:
                execute(self.tidy, {})
        return dropped

    def threads(self, filter: dict[str, Any]) -> Sequence[str]:
        """The threads that have checkpoints with this metadata, even checkpoints that can't be read."""
        source, values = self._select_from(None, filter)
        found = self._fetch(f"SELECT DISTINCT thread_id {source}", values)
        return [self.to_given_thread(thread) for (thread,) in found]

    async def question_threads(
        self, *, document: str = "", offset: int = 0, limit: int = 50
    ) -> tuple[list[CheckpointTuple], int]:
        """The newest checkpoints of threads in which a method ran, of one document or of all, the last written first.

        Beside them: how many such threads there are.
        """

        def find_threads() -> tuple[list[CheckpointTuple], int]:
            threads = self._list_question_threads(document)
            shown = [self.to_given_thread(thread) for thread in threads[offset : offset + limit]]
            saved = [self.get_tuple({"configurable": {"thread_id": thread}}) for thread in shown]
            return [checkpoint_tuple for checkpoint_tuple in saved if checkpoint_tuple], len(threads)

        return await self.run(find_threads)

    def _list_question_threads(self, document: str) -> list[str]:
        """The stored ids of threads in which a method ran, of one document or of all, the last written first.

        Threads and their newest rows are found in an index alone. Mostly that row is a method's, and the thread's only
        one whose metadata are read.
        """
        everything, of_part = self._select_from(None, None)
        wanted, values = self._select_from(None, {"document": document} if document else None)
        wanted += f" AND checkpoint_ns = '' AND {self.of_method} AND thread_id = id"
        newest = f"SELECT thread_id AS id, max({self.row}) AS newest {everything} AND checkpoint_ns = ''"
        last = f"coalesce((SELECT {self.row} {wanted} AND {self.row} = newest), (SELECT max({self.row}) {wanted}))"
        select = f"SELECT id, {last} AS last FROM ({newest} GROUP BY thread_id) AS threads ORDER BY last DESC"
        return [thread for thread, row in self._fetch(select, (*values, *values, *of_part)) if row is not None]

    def _iterate_rows(
        self, config: RunnableConfig | None, filter: dict[str, Any] | None, below: int, limit: int | None = None
    ) -> Iterator[RunnableConfig]:
        """The names of at most `limit` checkpoints before the row `below`, the last written first."""
        source, values = self._select_from(config, filter)
        names = ("thread_id", "checkpoint_ns", "checkpoint_id")
        columns = f"{self.row} AS number, {', '.join(names)}"
        select = f"SELECT {columns} {source} AND {self.row} < %s ORDER BY 1 DESC LIMIT %s"
        while rows := self._fetch(select, (*values, below, AT_ONCE if limit is None else min(limit, AT_ONCE))):
            for _, thread, *name in rows:
                yield {"configurable": dict(zip(names, (self.to_given_thread(thread), *name), strict=True))}
            if rows[-1][0] >= below:  # such rows might never end
                raise self._damage_error()
            below, limit = rows[-1][0], None if limit is None else limit - len(rows)

    @abstractmethod
    def _damage_error(self) -> LibraryError:
        """The error for a row that can't be read."""

    async def run(self, operation: Callable[[], _T], *, writes: bool = False) -> _T:
        """Run an operation on the checkpointer's thread.

        One that only `writes`, and may be run twice, shares a transaction with those that wait beside it.
        """
        self._check()
        return await self._thread.run(operation, writes=writes)

    async def close(self) -> None:
        """Finish pending writes and close the connection."""
        if not self._thread.of_parent:
            await self.run(lambda: None)
            self._thread.shutdown()  # also for a copy of this object, such as LangGraph may have made
            with self.lock:
                self.conn.close()

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; where it begins a question, drop the steps of one that is old by now."""
        stored = super().put(config, checkpoint, metadata, new_versions)
        of_question = QUESTION in checkpoint["channel_values"] and not config["configurable"].get("checkpoint_ns")
        if metadata.get("source") == "input" and of_question:
            self.drop_steps(str(config["configurable"]["thread_id"]))
        return stored

    def oldest_first(self) -> Iterator[CheckpointTuple]:
        """All checkpoints in the order of their writing; they are read one by one."""
        for config in reversed([*self._iterate_rows(None, None, LAST_ROW)]):
            if (saved := self._read(config)) is not None:  # it may have been deleted meanwhile
                yield saved

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that `config` names, or the newest one of its thread."""
        if get_checkpoint_id(config):
            return self._read(config)
        named = config["configurable"]
        thread = {"thread_id": str(named["thread_id"]), "checkpoint_ns": named.get("checkpoint_ns", "")}
        newest = next(self._iterate_rows({"configurable": thread}, None, LAST_ROW, 1), None)
        return self._read(newest) if newest else None

    def _read(self, named: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint; raises `LibraryError` if it does not have the form that LangGraph relies on."""
        try:
            if (saved := super().get_tuple(named)) is None:
                return None
            checkpoint = saved.checkpoint
            versions, seen = checkpoint["channel_versions"], checkpoint["versions_seen"]
            parts: list[Any] = [saved.metadata, checkpoint["channel_values"], versions, seen]
            sound = all(isinstance(part, dict) for part in parts)
            if sound := sound and all(isinstance(part, dict) for part in seen.values()):
                compared = [*versions.values(), *(each for part in seen.values() for each in part.values())]
                sound = len({*map(type, compared)}) <= 1
            if not sound or checkpoint["id"] != saved.config["configurable"]["checkpoint_id"]:
                raise ValueError("This is not a checkpoint.")
            return saved
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            raise self._damage_error() from problem

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """The checkpoints, the newest first; none if the checkpoint that `before` names does not exist.

        They are read one by one: LangGraph's own method lets nothing be written until the last one was read.
        """
        below = LAST_ROW
        if before:
            thread = (config or before)["configurable"].get("thread_id")
            of_thread: RunnableConfig | None = None if thread is None else {"configurable": {"thread_id": thread}}
            source, values = self._select_from(of_thread, None)  # in any graph of the thread
            select = f"SELECT max({self.row}) AS number {source} AND checkpoint_id = %s"
            ((row,),) = self._fetch(select, (*values, get_checkpoint_id(before)))
            below = row or 0
        for named in self._iterate_rows(config, filter, below, limit):
            if (checkpoint := self._read(named)) is not None:  # it may have been deleted meanwhile
                yield checkpoint

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As `get_tuple`."""
        return await self.run(partial(self.get_tuple, config))

    def alist(self, *given: Any, **named: Any) -> AsyncIterator[CheckpointTuple]:
        """As `list`."""
        return self._each(self.list(*given, **named))

    def aoldest_first(self) -> AsyncIterator[CheckpointTuple]:
        """As `oldest_first`."""
        return self._each(self.oldest_first())

    async def _each(self, checkpoints: Iterator[CheckpointTuple]) -> AsyncIterator[CheckpointTuple]:
        while (checkpoint := await self.run(partial(next, checkpoints, None))) is not None:
            yield checkpoint

    async def aput(self, *given: Any, **named: Any) -> RunnableConfig:
        """Store a checkpoint; when this returns, it is committed."""
        return await self.run(partial(self.put, *given, **named), writes=True)

    async def aput_writes(self, *given: Any, **named: Any) -> None:
        """Store what a step wrote; when this returns, it is committed."""
        await self.run(partial(self.put_writes, *given, **named), writes=True)

    async def adelete_thread(self, thread_id: str) -> None:
        """As `delete_thread`."""
        await self.run(partial(self.delete_thread, thread_id))

    async def aget_delta_channel_history(self, **named: Any) -> Mapping[str, DeltaChannelHistory]:
        """As `get_delta_channel_history`."""
        return await self.run(partial(self.get_delta_channel_history, **named))


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
