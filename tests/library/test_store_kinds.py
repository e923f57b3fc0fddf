"""Libraries at addresses: what plugs in opens them, and what nothing opens is refused in one line."""

from pathlib import Path

import pytest

from readgraph.library import address
from readgraph.library.address import LibraryAddress, StoreKind, library_place
from readgraph.library.file_store import LibraryStore
from readgraph.library.opening import holds_library, open_library
from readgraph.library.store import SharedStore
from readgraph.state.errors import LibraryError

LAMPS = StoreKind(
    schemes=("lamp",), place="in a lamp: write lamp://NAME", opener=f"{__name__}:open_lamp", needs="pip install lamps"
)


def open_lamp(place: LibraryAddress, *, to_read: bool = False) -> SharedStore:
    return LibraryStore(Path(place.full.removeprefix("lamp://")) / "library.sqlite", to_read=to_read)


def plug_in(monkeypatch: pytest.MonkeyPatch, *kinds: StoreKind) -> None:
    monkeypatch.setattr(address, "plugged_in", lambda hook, of: [("lamps", kind) for kind in kinds])


async def test_a_package_opens_libraries_at_its_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, LAMPS)
    place = f"lamp://{tmp_path}"
    async with open_library(place, namespace="ada") as library:
        document = await library.pages.add_document("The keeper lit the lamp at dusk.")
    async with open_library(place, namespace="ada") as library:
        assert await library.pages.text(document) == "The keeper lit the lamp at dusk."
        assert await library.checkpointer.run(lambda: library.checkpointer.threads({})) == []
    async with open_library(place) as library:
        assert await library.pages.documents() == []
    assert holds_library(place)


async def test_what_it_needs_is_named_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = StoreKind(
        schemes=("lamp",), place="in a lamp", opener="lamps_store:open_store", needs="pip install lamps"
    )
    plug_in(monkeypatch, missing)
    with pytest.raises(LibraryError, match=r"^The library lamp://ada@north needs packages .*: pip install lamps.$"):
        async with open_library("lamp://ada:hush@north"):
            pass


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ([], "A library is a folder: nothing that is installed keeps one at an address."),
        ([LAMPS], "A library is a folder, or in a lamp: write lamp://NAME."),
    ],
)
def test_other_addresses_are_refused(kinds: list[StoreKind], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, *kinds)
    for named in ("mysql://ada:hush@db/papers", "host=db password=hush"):
        with pytest.raises(LibraryError) as refused:
            library_place(named)
        assert str(refused.value) == told
