"""Sources: signs in Markdown and plain text that say what is deleted, and what is a reading."""

from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.formats.marked_text import take_final_text, take_readings_out
from tests.support.source_files import notices, write_file

pytestmark = pytest.mark.quick


FENCED = "`~~100~~` and\n```\n~~200~~\n```\n~~~\n~~300~~\n~~~\n"


@pytest.mark.parametrize(
    "text,final,left_out",
    [
        ("It costs ~~100~~200.", "It costs 200.", 1),
        ("It {--was--}{++is++} {~~100~>200~~} now{>>sure?<<}, {==yes==}.", "It is 200 now, yes.", 3),
        ("<del>100</del><ins>200</ins> <s>a</s>b <strike class=x>c</strike>", "<ins>200</ins> b ", 3),
        *((text, text, 0) for text in (FENCED, "~~ no ~~ a~~b\n\nc~~ \\~~d~~", "10<sup>6</sup>", "~~a " * 20_000)),
    ],
)
def test_the_final_text_of_markdown(text: str, final: str, left_out: int) -> None:
    found, at = take_final_text(text)
    assert (found, len(at)) == (final, left_out)


def test_deletions_are_named_with_their_places(tmp_path: Path) -> None:
    source = load(write_file(tmp_path / "a.md", "# One\n\nIt costs ~~100~~200.\n\n# Two\n\n~~x~~ {>>y<<} z\n"))
    assert source.text == "# One\n\nIt costs 200.\n\n# Two\n\n  z\n"
    assert notices(source) == ["left out: 2 deleted passages (§ One, § Two).", "left out: 1 remark (§ Two)."]


@pytest.mark.parametrize(
    "text,plain,count",
    [
        ("吾輩《わがはい》は猫である。｜ルビ付き《るびつき》の文。", "吾輩は猫である。ルビ付きの文。", 2),
        ("|東京《Tokyo》へ", "東京へ", 1),
        ("他读《红楼梦》。", "他读《红楼梦》。", 0),
        ("나는 《소설》을 읽었다", "나는 《소설》을 읽었다", 0),
    ],
)
def test_readings_behind_japanese_words(tmp_path: Path, text: str, plain: str, count: int) -> None:
    assert take_readings_out(text) == (plain, count)
    source = load(write_file(tmp_path / "a.txt", text))
    assert source.text == plain and len(source.problems) == bool(count)


@pytest.mark.parametrize(
    "code", ["Run\n\n    a ~~b~~ c\n", "<pre>\n~~a~~\n</pre>\n", "<code>~~a~~</code>\n", "{{-- a --}} {{>> b }}\n"]
)
def test_signs_in_code_and_templates_stay(tmp_path: Path, code: str) -> None:
    source = load(write_file(tmp_path / "a.md", f"# T\n\nIt is ~~old~~new.\n\n{code}"))
    assert source.text == f"# T\n\nIt is new.\n\n{code}"


def test_code_in_an_entry_of_a_list_stays(tmp_path: Path) -> None:
    text = "- entry\n\n        code ~~10~~20\n\n    goes ~~5~~6 on\n\ntext\n\n    code ~~1~~2\n\ntext\n"
    assert load(write_file(tmp_path / "a.md", text)).text == text.replace("~~5~~", "")


def test_raised_numbers_in_a_heading_stay_apart(tmp_path: Path) -> None:
    heading = "Ten 10\\ :sup:`6` and H\\ :sub:`2`\\ O"
    source = load(write_file(tmp_path / "a.rst", f"{heading}\n{'=' * len(heading)}\n\nx\n"))
    assert [place.label for place in source.places] == ["§ Ten 10^6 and H_2O"] and heading in source.text
