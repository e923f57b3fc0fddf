"""What a reading noted and has overwritten since, and the search of it.

After "Look Back to Reason Forward" (Shi et al., 2025), whose reader names a query at each step, and is shown with the
next one what of its earlier memory is nearest to it.
"""

import asyncio
from collections.abc import Sequence

from readgraph.nodes.note_taking.lines import NoteLine, lines_in
from readgraph.state.kept.earlier_notes import EarlierNotes
from readgraph.state.search.okapi import rank
from readgraph.state.search.terms import content_words
from readgraph.state.words import count_words

AT_ONCE = 500
"""Lines that are searched in a moment; more are searched in a thread, so that other readings go on."""

FEWEST_WORDS = 3
"""Where fewer words of room are left, nothing more is looked for."""


class Overwritten:
    """The earlier notes of one reading; they are read from the store when they are searched for the first time."""

    def __init__(self, store: EarlierNotes, reading: str) -> None:
        self._store, self._reading = store, reading
        self._lines: dict[NoteLine, None] | None = None

    async def keep(self, page: int, before: Sequence[NoteLine], now: Sequence[NoteLine]) -> None:
        """Keep what is new in the notes after a page."""
        new = [line for line in now if line not in {*before}]
        await self._store.put_lines(self._reading, page, [line.written for line in new])
        if self._lines is not None:
            self._lines |= dict.fromkeys(new)

    async def find(
        self, queries: Sequence[str], notes: Sequence[NoteLine], read: int, most_words: int
    ) -> list[NoteLine]:
        """The lines nearest to the queries, after `read` pages, that say what neither the notes nor a better one say.

        At most `most_words` words; nearest by the words that they share with the queries (Okapi BM25).
        """
        if not queries:
            return []
        if self._lines is None:
            stored = await self._store.lines(self._reading, read)
            self._lines = dict.fromkeys(lines_in("\n".join(stored), read))
        lines = [*self._lines]
        if len(lines) <= AT_ONCE:
            return _nearest(queries, lines, notes, most_words)
        return await asyncio.to_thread(_nearest, queries, lines, notes, most_words)


def _nearest(
    queries: Sequence[str], lines: Sequence[NoteLine], notes: Sequence[NoteLine], most_words: int
) -> list[NoteLine]:
    found, room, said = list[NoteLine](), most_words, [{*content_words(line.text)} for line in notes]
    for number, _ in rank(" ".join(queries), [line.text for line in lines]):
        if room < FEWEST_WORDS:
            break
        size, words = count_words(lines[number].written), {*content_words(lines[number].text)}
        if size <= room and not any(words <= other for other in said):
            found.append(lines[number])
            said.append(words)
            room -= size
    return found
