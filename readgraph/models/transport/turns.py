"""Keeping to a model's limits of requests and tokens a minute, together with all processes of a library."""

import asyncio
from dataclasses import dataclass

from langgraph.store.base import BaseStore

from readgraph.models.metering import current_meter
from readgraph.models.names.limits import Limits
from readgraph.models.transport.waiting import clock
from readgraph.state.store.minute_ledger import MinuteLedger, Place
from readgraph.state.store.shared_ledger import ledger_of

TOKENS_PER_WORD = 4 / 3


@dataclass
class Turns:
    """The turns of one prompt's calls: each try is a request of its own."""

    ledger: MinuteLedger
    model: str
    limits: Limits
    tokens: int
    place: Place | None = None

    async def wait(self) -> None:
        """Wait until one more call may be sent; if that is cancelled, the turn is given back."""
        limits = self.limits
        most = (limits.requests_per_minute, limits.tokens_per_minute)
        place = await asyncio.to_thread(self.ledger.take, self.model, self.tokens, *most, clock().time())
        try:
            if (left := place.at - clock().time()) > 0:
                current_meter().wait(left, f"'{self.model}' takes no more calls in a minute")
            while (left := place.at - clock().time()) > 0:
                await clock().sleep(left)
        except BaseException:
            self.ledger.settle(self.model, place, None)
            raise
        self.place = place

    async def settle(self, tokens: int) -> None:
        """The last call had this many tokens, as its server counts them; 0: it does not say."""
        if self.place and tokens:
            await asyncio.to_thread(self.ledger.settle, self.model, self.place, tokens)


def turns_of(store: BaseStore, model: str, limits: Limits, words: int) -> Turns | None:
    """The turns for a prompt of this many words; None for a model without limits."""
    if not limits:
        return None
    return Turns(ledger_of(store), model, limits, round(words * TOKENS_PER_WORD) + limits.reply_tokens)
