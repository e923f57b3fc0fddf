"""Records as they are stored."""

from dataclasses import asdict
from typing import Any

import pytest

from readgraph.state.records import Memory, Note, Page, Recipe, RecordedReply, TreeNode, dump_record, load_record

RECIPE = Recipe("gam", {"sizes": [1, 2], "preset": None}, "openai:double", {"memorize": 3})
RECORDS = [
    Memory("m", "d", RECIPE, "2025-03-01T00:00:00+00:00", 3, 400, levels=(2, 1), headings=("Lamp", "Sea")),
    Page(0, 0, 9, 2, "model"),
    Note(0, "half a sign \ud83d", 4, header="Day 1"),
    TreeNode("1.0", "Both.", 1),
    RecordedReply("It is so.", False, "answer", "d", (7, 3)),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_is_stored_with_all_that_it_holds(record: Any) -> None:
    dumped = dump_record(record)
    assert (dumped, [*dumped]) == (asdict(record), [*asdict(record)])
    assert load_record(type(record), dumped) == record


def test_what_is_stored_is_no_part_of_the_record() -> None:
    dump_record(RECORDS[0])["recipe"]["parameters"]["sizes"].append(3)
    assert RECIPE.parameters["sizes"] == [1, 2]
