"""Limits of a minute hold in every minute, for all processes of a library, and no call waits longer than they want."""

import json
import multiprocessing
import random
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from readgraph.library.minute_ledger import MINUTE, LedgerInFile, LedgerInMemory, MinuteLedger
from readgraph.library.opening import open_library_in_background
from readgraph.library.store import SharedStore
from tests.support.postgres_server import ON_SERVER

REQUESTS, TOKENS = 7, 1000


SERVER = pytest.param("server", marks=ON_SERVER)


@contextmanager
def opened(place: Path | str) -> Iterator[MinuteLedger]:
    """The ledger in a file, or in the library at an address."""
    if isinstance(place, Path):
        yield LedgerInFile(place)
    else:
        with open_library_in_background(place) as library:
            assert isinstance(library.store, SharedStore)
            yield library.store.ledger


@pytest.fixture(params=["file", SERVER])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    if request.param == "file":
        return tmp_path / "minute.sqlite"
    address: str = request.getfixturevalue("database")
    return address


@pytest.fixture(params=["memory", "file", SERVER])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MinuteLedger]:
    if request.param == "memory":
        yield LedgerInMemory()
    else:
        place = tmp_path / "minute.sqlite" if request.param == "file" else request.getfixturevalue("database")
        with opened(place) as ledger:
            yield ledger


def most_in_a_minute(times: list[float]) -> int:
    return max(sum(end - MINUTE < at <= end for at in times) for end in times)


def test_no_minute_has_more_requests_and_none_waits_in_vain(ledger: MinuteLedger) -> None:
    times = [ledger.take("m", 1, REQUESTS, None, 100.0).at for _ in range(REQUESTS * 3 + 2)]
    assert times == [100.0 + MINUTE * (number // REQUESTS) for number in range(len(times))]
    assert ledger.take("another", 1, REQUESTS, None, 100.0).at == 100.0
    assert ledger.take("m", 1, REQUESTS, None, 1000.0).at == 1000.0


def test_no_minute_has_more_tokens_whenever_calls_come(ledger: MinuteLedger) -> None:
    chance, now = random.Random(7), 50.0
    sent = list[tuple[float, int]]()
    for _ in range(120):
        tokens = chance.choice([20, 130, 400, 1000])
        sent.append((ledger.take("m", tokens, REQUESTS, TOKENS, now).at, tokens))
        now += chance.choice([0.0, 0.5, 30.0])
    assert [at for at, _ in sent] == sorted(at for at, _ in sent)
    assert most_in_a_minute([at for at, _ in sent]) == REQUESTS
    assert max(sum(tokens for at, tokens in sent if end - MINUTE < at <= end) for end, _ in sent) == TOKENS


def test_a_call_counts_with_the_tokens_that_it_had_and_not_if_it_was_not_sent(ledger: MinuteLedger) -> None:
    place = ledger.take("m", 900, None, TOKENS, 0.0)
    ledger.settle("m", place, 300)
    second = ledger.take("m", 700, None, TOKENS, 1.0)
    assert second.at == 1.0
    ledger.settle("m", second, None)
    assert ledger.take("m", 600, None, TOKENS, 2.0).at == 2.0


def test_a_call_with_too_many_tokens_has_a_minute_to_itself(ledger: MinuteLedger) -> None:
    assert [ledger.take("m", tokens, None, TOKENS, 0.0).at for tokens in (10, 5000, 10)] == [0.0, 60.0, 120.0]


def test_a_clock_that_was_set_back_blocks_nothing(place: Path | str) -> None:
    with opened(place) as ledger:
        assert [ledger.take("m", 1, 1, None, now).at for now in (9000.0, 100.0)] == [9000.0, 100.0]


@pytest.mark.parametrize("held", [b"no database", None])
def test_a_file_that_holds_something_else_is_begun_anew(tmp_path: Path, held: bytes | None) -> None:
    file = tmp_path / "minute.sqlite"
    if held:
        file.write_bytes(held)
    else:
        with sqlite3.connect(file) as database:
            database.execute("CREATE TABLE sent (number INTEGER)")
            database.execute("CREATE TRIGGER more AFTER INSERT ON sent BEGIN DELETE FROM sent; END")
        database.close()
    times = [LedgerInFile(file).take("m", 1, 1, None, 0.0).at for _ in range(2)]
    assert times == [0.0, 60.0]


def take_many(place: Path | str, out: Path) -> None:
    with opened(place) as ledger:
        out.write_text(json.dumps([ledger.take("m", 1, REQUESTS, None, 0.0).at for _ in range(20)]))


def test_two_processes_keep_to_one_limit(place: Path | str, tmp_path: Path) -> None:
    outs = [tmp_path / "first", tmp_path / "second"]
    begun: Any = multiprocessing.get_context("fork" if isinstance(place, Path) else "forkserver")
    processes = [begun.Process(target=take_many, args=(place, out)) for out in outs]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    times = sorted(at for out in outs for at in json.loads(out.read_text()))
    assert times == [MINUTE * (number // REQUESTS) for number in range(40)]


def test_threads_of_one_process_keep_to_one_limit(ledger: MinuteLedger) -> None:
    with ThreadPoolExecutor(8) as threads:
        times = sorted(threads.map(lambda _: ledger.take("m", 1, REQUESTS, None, 0.0).at, range(40)))
    assert times == [MINUTE * (number // REQUESTS) for number in range(40)]
