"""A store over another one: what is written stays above, what is read falls through."""

from typing import Any

import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from readgraph.library.opening import Library
from readgraph.library.overlay import OverlayStore
from readgraph.library.page_store import PageStore
from readgraph.library.stored_items import in_namespace

pytestmark = pytest.mark.quick

SPACE, OTHER = ("readgraph", "things"), ("readgraph", "others")


def filled() -> BaseStore:
    below = InMemoryStore()
    for number in range(5):
        below.put(SPACE, f"k{number}", {"number": number, "even": number % 2 == 0})
    return below


def found(store: BaseStore, **wanted: Any) -> dict[str, int]:
    return {item.key: item.value["number"] for item in store.search(SPACE, **{"limit": 99, **wanted})}


def test_reads_fall_through_and_writes_stay_above() -> None:
    below = filled()
    above = OverlayStore(below)
    above.put(SPACE, "k1", {"number": 11, "even": False})
    above.put(SPACE, "k9", {"number": 9, "even": False})
    above.delete(SPACE, "k0")
    assert [above.get(SPACE, key) and above.get(SPACE, key).value["number"] for key in ("k0", "k1", "k2", "k9")] == [  # type: ignore[union-attr]
        None,
        11,
        2,
        9,
    ]
    assert found(above) == {"k1": 11, "k2": 2, "k3": 3, "k4": 4, "k9": 9}
    assert found(below) == {f"k{number}": number for number in range(5)}


def test_searches_keep_to_filters_limits_and_offsets() -> None:
    above = OverlayStore(filled())
    above.put(SPACE, "k2", {"number": 2, "even": False})
    above.put(SPACE, "k6", {"number": 6, "even": True})
    assert found(above, filter={"even": True}) == {"k0": 0, "k4": 4, "k6": 6}
    pages = [found(above, limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [len(page) for page in pages] == [2, 2, 2, 0]
    assert {key for page in pages for key in page} == {*found(above)}
    above.put(OTHER, "a", {"number": 1})
    assert above.list_namespaces(prefix=("readgraph",)) == [OTHER, SPACE]


def test_layers_lie_on_layers() -> None:
    first = OverlayStore(filled())
    first.put(SPACE, "k5", {"number": 5})
    second = OverlayStore(first)
    second.delete(SPACE, "k5")
    assert "k5" in found(first) and "k5" not in found(second)


async def test_a_library_is_read_through_it_and_stays_as_it_is(library: Library) -> None:
    kept = await library.pages.add_document("The keeper lit the lamp.\n\n" * 9_000)
    for name in ("", "tenant"):
        above = PageStore(in_namespace(OverlayStore(library.store), name))
        added = await above.add_document("The goat stood on the gallery.")
        assert (await above.documents_from("")) == [] and added in await above.documents()
        assert (kept in await above.documents()) is not bool(name), "a tenant sees no other's documents"
    assert await library.pages.documents() == [kept]
    assert await PageStore(OverlayStore(library.store)).text(kept) == await library.pages.text(kept)
