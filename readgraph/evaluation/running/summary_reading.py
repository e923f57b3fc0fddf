"""The row `summary` reads one text and sums it up for each question that takes a summary."""

from dataclasses import replace
from typing import Any

from readgraph.evaluation.records import Item
from readgraph.evaluation.rows.row import Row
from readgraph.evaluation.running.reading import Reading
from readgraph.graphs.methods import METHODS, SUMMARY
from readgraph.models.exchanges import Keep
from readgraph.state.summary import SummaryWanted


def reading_of(row: Row) -> type[Reading]:
    """How a row reads a text and answers."""
    return SummingUp if row.method is SUMMARY else Reading


class SummingUp(Reading):
    """A text is read as ReadAgent reads it, and summed up for each question."""

    async def remember(self, keep: Keep) -> dict[str, Any]:
        """Build ReadAgent's memory, which summaries are made from, whatever other memories the text has."""
        row = replace(self.row, method=METHODS["read-agent"])
        reading = Reading(self.library, self.folder, self.cost, row, self.run, self.text)
        built = await reading.remember(keep)
        self.document, self.graph = reading.document, self.row.method.build().compile(store=self.library.store)
        return built

    def asked(self, item: Item) -> SummaryWanted:
        """The input: without a subject where all of the text is to be summed up."""
        whole = SummaryWanted(document=self.document.id)
        return whole if item.summary else {**whole, "question": item.question}
