"""Which checkpoints of a thread are deleted, in the words of SQLite and of PostgreSQL.

Rows are compared in the order of writing. Ids are in the order of the clock, which may have been set back.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any


@dataclass(frozen=True)
class Dialect:
    """A database's words."""

    row: str
    """The column that numbers checkpoints in the order of writing."""

    of_input: str
    """The condition for checkpoints at which a question or a turn began."""

    of_method: str
    """The condition for checkpoints of methods."""

    writes: str
    """The table of what steps wrote."""

    parameter: str
    """How a statement names a value; a template says `:name`."""

    first: Callable[[Any], int]
    """The number in a fetched row."""

    tidy: str = ""
    """The statement that deletes what no checkpoint has any more."""


IN_SQLITE = Dialect(
    "rowid",
    """CAST(metadata AS TEXT) LIKE '%"source": "input"%'""",
    """CAST(metadata AS TEXT) LIKE '%"method"%'""",
    "writes",
    r":\1",
    itemgetter(0),
)

IN_POSTGRES = Dialect(
    "written",
    "metadata ->> 'source' = 'input'",
    "jsonb_exists(metadata, 'method')",
    "checkpoint_writes",
    r"%(\1)s",
    itemgetter("number"),
    """
    DELETE FROM checkpoint_blobs WHERE thread_id = :thread AND (checkpoint_ns, channel, version) NOT IN (
        SELECT checkpoint_ns, key, value FROM checkpoints, jsonb_each_text(checkpoint -> 'channel_versions')
        WHERE thread_id = :thread AND value IS NOT NULL
    )
    """,
)
"""Values of channels are rows of their own there, which several checkpoints share."""

_BEGINNINGS = (
    "SELECT {row} AS number FROM checkpoints WHERE thread_id = :thread AND {of_input} {within} ORDER BY 1 DESC"
)
_INNER = """(checkpoint_ns, checkpoint_id) IN (
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


@dataclass(frozen=True)
class Retention:
    """What is kept of a thread, over a cursor within a transaction."""

    dialect: Dialect
    cursor: Any
    thread: str

    def drop_steps_of_old_questions(self, kept: int) -> int:
        """Delete the checkpoints between the beginning and the end of all questions but the newest `kept` (at least 1).

        Returns how many were deleted. An earlier question has no beginning left, so this looks at each question once.
        """
        beginnings = self._list_beginnings("AND checkpoint_ns = ''")[kept - 1 :]
        return self._drop(_INNER, *({"begin": begin, "end": end} for end, begin in pairwise(beginnings)))

    def drop_older_turns(self, kept: int) -> None:
        """Delete the checkpoints before the newest `kept` turns of an agent's thread."""
        self._drop(_OLDER, *({"before": begin} for begin in self._list_beginnings()[kept : kept + 1]))

    def drop_other_lines(self, last: str) -> None:
        """Delete the checkpoints of a thread but this one and its ancestors."""
        self._drop(_OTHER_LINES, {"last": last})

    def _list_beginnings(self, within: str = "") -> list[int]:
        """The numbers of the checkpoints at which questions or turns began, the newest first."""
        return [self.dialect.first(row) for row in self._execute(_BEGINNINGS, {}, within=within).fetchall()]

    def _drop(self, condition: str, *given: Mapping[str, Any]) -> int:
        """Delete the checkpoints for which a condition holds with any of these values, and what belongs to them."""
        dropped = 0
        for values in given:
            for table in (self.dialect.writes, "checkpoints"):
                deleting = f"DELETE FROM {table} WHERE thread_id = :thread AND {condition}"
                last = self._execute(deleting, values)
            dropped += last.rowcount
        if dropped and self.dialect.tidy:
            self._execute(self.dialect.tidy, {})
        return dropped

    def _execute(self, template: str, values: Mapping[str, Any], **parts: str) -> Any:
        words = template.format(row=self.dialect.row, of_input=self.dialect.of_input, **parts)
        return self.cursor.execute(re.sub(r":(\w+)", self.dialect.parameter, words), {"thread": self.thread, **values})
