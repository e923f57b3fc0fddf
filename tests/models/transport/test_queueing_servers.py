"""A server that takes one request at a time, and goes on with those whose client has left."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from readgraph.models.asking import ask_text
from readgraph.models.client import model_client
from readgraph.models.waiting import CallsInFlight
from readgraph.state.errors import ModelUnavailable
from tests.doubles.model_server import ModelServer
from tests.models.test_asking import PROMPT, houses, make_runtime

CALLS = 24


class OneAtATime(ModelServer):
    """Answers one after the other, `seconds` each, also those that nobody waits for any more."""

    seconds = 0.03

    async def _client_waits(self, seconds: float, http: Any) -> bool:
        self.line = getattr(self, "line", None) or asyncio.Lock()
        async with self.line:
            await asyncio.sleep(self.seconds)
        return True


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[OneAtATime]:
    server = OneAtATime(lambda request: "There are seven.")
    with server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


async def test_fewer_are_sent_at_once_where_a_server_can_not_keep_up(queue: OneAtATime, hurried: object) -> None:
    runtime = make_runtime(timeout=0.2, concurrency=16, retry_seconds=600)
    said = await asyncio.gather(*(ask_text(runtime, house) for house in houses(CALLS)))
    assert said == ["There are seven."] * CALLS
    assert queue.calls <= 2.5 * CALLS
    assert 1 <= (await model_client(runtime.context)).in_flight.limit < 16


async def test_the_line_names_what_to_lower(queue: OneAtATime, hurried: object) -> None:
    queue.seconds = 0.5
    with pytest.raises(ModelUnavailable, match=r"did not answer in time .*raise --timeout, or lower --concurrency"):
        await ask_text(make_runtime(timeout=0.1, retry_seconds=3), PROMPT)


async def test_only_calls_that_were_sent_since_lower_the_limit_again(hurried: object) -> None:
    flight = CallsInFlight(4)
    begun = [await flight.take_place().__aenter__() for _ in range(4)]
    flight.count_reply()
    flight.count_reply()
    for moment in begun[2:]:
        flight.count_timeout(moment)
    assert flight.limit == 2


async def test_calls_at_once_shrink_to_what_was_answered_and_grow_again(hurried: object) -> None:
    flight, places = CallsInFlight(4), list[Any]()

    async def begin() -> float:
        places.append(place := flight.take_place())
        began: float = await place.__aenter__()
        return began

    begun = [await begin() for _ in range(4)]
    fifth, sixth = asyncio.create_task(begin()), asyncio.create_task(begin())
    await asyncio.sleep(0)
    flight.count_reply()
    for moment in begun:
        flight.count_timeout(moment)
    assert flight.limit == 1, "one was answered; the others were sent before the limit was lowered"
    sixth.cancel()
    for place in places[:3]:
        await place.__aexit__(None, None, None)
    await asyncio.sleep(0)
    assert not fifth.done() and flight.flying == 1
    await places[3].__aexit__(None, None, None)
    flight.count_timeout(await fifth)
    assert (flight.limit, flight.flying) == (1, 1)
    for _ in range(1 + 2 + 3 + 9):
        flight.count_reply()
    assert flight.limit == flight.most == 4


async def test_a_server_that_answered_all_but_one_gets_one_fewer_at_once(hurried: object) -> None:
    flight = CallsInFlight(4)
    begun = [await flight.take_place().__aenter__() for _ in range(4)]
    for _ in range(9):
        flight.count_reply()
    flight.count_timeout(begun[0])
    assert flight.limit == 3
