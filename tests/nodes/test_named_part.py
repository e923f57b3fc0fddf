"""A part of a text by what a person calls it."""

import pytest

from readgraph.library.opening import Library
from readgraph.nodes.named_parts import find_named_part
from readgraph.sources.formats import plain_text
from readgraph.state.errors import BadInput
from readgraph.state.records import Page, Recipe

BOOK = """PART ONE

Chapter 1

The lamp was lit by the keeper.

Chapter 2

The goat stood on the gallery.

PART TWO

Chapter 3

The boat came late in the night.

EPILOGUE

The lamp was sold.
"""
MANUAL = """# Setting up

Here.

## Oil

Three gallons.

## Wick

Trim it.

# 7 Faults

None.

# Oil

Buy it.
"""
PRINTED = "The first page.\n\nThe second page.\n\nThe third page.\n"


async def told(library: Library, kind: str, wanted: str) -> list[str]:
    """The text of the part, without white space at its ends."""
    text, places = {
        "book": (BOOK, _places(plain_text.convert(BOOK.encode(), "book.txt").places)),
        "manual": (MANUAL, _places(plain_text.convert_markdown(MANUAL.encode(), "manual.md").places)),
        "printed": (
            PRINTED,
            [
                (PRINTED.index(f"The {each}"), f"PDF page {number} ({roman})")
                for number, each, roman in ((1, "first", "v"), (2, "second", "vi"), (3, "third", "vii"))
            ],
        ),
        "bare": (PRINTED, []),
    }[kind]
    document = await library.pages.add_document(text, title=kind, places=places)
    memory = await library.pages.open_memory(document.id, Recipe("read-agent", {}, "", {}))
    third = len(text) // 3
    for number, (start, end) in enumerate([(0, third), (third, 2 * third), (2 * third, len(text))]):
        memory = await library.pages.add_page(memory, Page(number, start, end, 5, "rule"))
    spans = await find_named_part(library.pages, document, wanted, memory)
    return [text[start:end].strip() for _, start, end in spans]


def _places(places: object) -> list[tuple[int, str]]:
    return [(place.start, place.label) for place in places]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "wanted", "begins", "holds"),
    [
        ("book", "Part two", "PART TWO", {"Chapter 3"}),
        ("book", "part II", "PART TWO", {"Chapter 3"}),
        ("book", "Part 1", "PART ONE", {"Chapter 1", "Chapter 2"}),
        ("book", "chapter two", "Chapter 2", {"goat"}),
        ("book", "epilogue", "EPILOGUE", {"sold"}),
        ("manual", "Setting", "# Setting up", {"gallons", "Trim"}),
        ("manual", "Setting up > Oil", "## Oil", {"gallons"}),
        ("manual", "1.2", "## Wick", {"Trim"}),
        ("manual", "7", "# 7 Faults", {"None"}),
        ("manual", "section 3", "# Oil", {"Buy"}),
        ("printed", "pages 2-3", "The second", {"third"}),
        ("printed", "page vi", "The second", {"page"}),
        ("printed", "3", "The third", {"third"}),
        ("bare", "parts 0–1", "The first", {"second"}),
    ],
)
async def test_a_part_is_found(library: Library, kind: str, wanted: str, begins: str, holds: set[str]) -> None:
    (part,) = await told(library, kind, wanted)
    assert part.startswith(begins) and all(each in part for each in holds)
    others = {"goat", "boat", "gallons", "Trim", "None", "Buy", "sold", "first"} - holds
    if wanted not in ("Part 1", "Part two", "part II", "parts 0–1"):
        assert not any(each in part for each in others)
    assert "EPILOGUE" not in part or wanted == "epilogue"


async def test_a_title_that_several_sections_have_stands_for_all_of_them(library: Library) -> None:
    assert [part.partition("\n")[0] for part in await told(library, "manual", "oil")] == ["## Oil", "# Oil"]


@pytest.mark.parametrize(
    ("kind", "wanted", "reason"),
    [
        ("book", "Part nine", "has no place 'Part nine': its places have names such as 'PART ONE'"),
        ("manual", "4.1", "has no place '4.1'"),
        ("printed", "pages 2-9", "has no text on a page '9': its pages are 1 to 3"),
        ("bare", "parts 2-1", "goes backwards"),
        ("printed", "pages 3-2", "goes backwards"),
        ("bare", "page iv", "names no part"),
        ("bare", "part 3", "'bare' has parts 0 to 2"),
        ("bare", "Oil", "its source names none"),
    ],
)
async def test_a_name_that_is_not_there_is_refused(library: Library, kind: str, wanted: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        await told(library, kind, wanted)
