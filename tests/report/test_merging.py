"""A file that is ours and a user's: our lines change, and each byte that the user added stays."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.features.wiki.merging import merge

pytestmark = pytest.mark.quick

ours = st.lists(st.sampled_from(["", "# Ours", "## ours", *(f"ours {number}" for number in range(9))]), max_size=14)
users = st.text(st.sampled_from("xy -|`#\t\r\n\n\n\udcff\u2028\ufeff"), min_size=1, max_size=20)


def added(made: str, text: str, at: float) -> str:
    """A file with a text added somewhere, but not within the last mark, which is no place for one."""
    place = round(at * len(made))
    begins, ends = made.index("<!-- /readgraph"), made.rindex(" -->") + 4
    place = begins if begins < place < ends else place
    return made[:place] + text + made[place:]


def lines_of(file: str) -> list[str]:
    return [line.partition("<!-- /")[0] for line in file.split("\n")]


@given(ours, ours, users, users, st.floats(0, 1), st.floats(0, 1))
def test_whatever_a_user_adds_anywhere_is_there_afterwards(
    first: list[str], second: list[str], one: str, other: str, at: float, then: float
) -> None:
    file = added(merge("", ["# Ours", *first]), one, at)
    for lines in (["# Ours", *first], ["# Ours", *second]):
        file = merge(file, lines)
        assert one in file and merge(file, lines) == file
    file = added(file, other, then)
    wrote = Counter(each for each in lines_of(file) if "x" in each or "y" in each)
    for lines in (["# Ours", *second], ["# Ours", *first], []):
        file = merge(file, lines)
        assert wrote <= Counter(lines_of(file)), "behind the lines of ours that they stood behind"
        assert merge(file, lines) == file


@given(ours, st.data())
def test_a_file_whose_lines_of_ours_stand_is_left_as_it_is(lines: list[str], data: st.DataObject) -> None:
    there = merge("", lines := ["# Ours", *lines]).split("\n")
    at = data.draw(st.integers(0, len(there) - 1))
    own = data.draw(st.lists(st.sampled_from(["", "", "x", "\ty", "```", "x\r"]), max_size=5))
    file = "\n".join([*there[:at], *own, *there[at:]])
    assert merge(file, lines) == file


OURS = ["# Ours", "", "one", "", "two", "", "three"]


def test_what_a_user_wrote_is_glued_to_nothing() -> None:
    code = "```\n\nx = 1\n\n\ny = 2\n```\n\n| a | b |\n|---|---|\n\n"
    file = merge("", OURS).replace("two\n", f"two\n\n{code}")
    assert code in file and merge(file, OURS) == file
    for lines in (OURS[:4], OURS[:1], [*OURS[:3], "else", *OURS[3:]], ["# Else", "", "all"]):
        changed = merge(file, lines)
        before, _ = changed.split(code)
        assert before.endswith("\n\n") and merge(changed, lines) == changed
    behind = merge("", OURS).replace("two\n", "two\nnote\n")
    assert "\none\n\nnote\n\nthree\n" in merge(behind, ["# Ours", "", "one", "", "three"])


def test_lines_end_as_in_the_file() -> None:
    file = merge("", OURS).replace("\n", "\r\n").replace("two", "two\r\nmine")
    assert merge(file, OURS) == file
    changed = merge(file, [*OURS, "", "four"])
    assert changed.count("\r\n") == changed.count("\n") and "two\r\nmine\r\n\r\nthree\r\n\r\nfour\r\n" in changed


def test_a_file_of_the_older_form_keeps_its_layout() -> None:
    listed = " ".join(dict.fromkeys(each for each in merge("", OURS).split("readgraph: ")[1].split() if len(each) == 6))
    file = "\n".join(["<!-- readgraph -->", *OURS[:5], "", "mine", *OURS[5:], f"<!-- /readgraph {listed} -->", ""])
    changed = merge(file, OURS)
    assert changed.split("<!-- /")[0] == file.split("<!-- /")[0] and merge(changed, OURS) == changed
