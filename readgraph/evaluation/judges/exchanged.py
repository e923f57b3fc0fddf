"""What asking a judge took: each try counts, and a recorded reply that was counted before does not count again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from readgraph.models.exchanges import ModelExchange, exchanges_to
from readgraph.models.metering import Meter, start_meter
from readgraph.state.context import ReaderContext


@contextmanager
def exchanges_of(
    context: ReaderContext, before: Callable[[ModelExchange], bool] = lambda exchange: False
) -> Iterator[list[ModelExchange]]:
    """The exchanges inside of the `with`, as they come; it must be the only thing that its task does with a meter.

    Left out are those that a recorded reply answered and that were counted `before`: what got no usable rating is rated
    again, by the recorded replies and, where the settings say `again`, by new ones in place of those that were refused.
    """
    start_meter(Meter(replace(context, max_calls=None, max_words=None, max_seconds=None)))
    kept = list[ModelExchange]()

    def keep(exchange: ModelExchange) -> None:
        if not (exchange["recorded"] and before(exchange)):
            kept.append(exchange)

    with exchanges_to(keep):
        yield kept
