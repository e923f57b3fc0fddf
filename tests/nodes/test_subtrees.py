"""Parts of a web page: subtrees at a depth, joined where they are small, cut where the window can't hold them."""

from hypothesis import given
from hypothesis import strategies as st

from readgraph.features.web.look_up import part_ends, subtree_ends
from readgraph.features.web.page import web_page
from readgraph.state.words import count_words

TEXT = "\n".join(
    [
        "<title>Shop",
        "<body>",
        "  <h1>Lamps",
        "  <ul>",  # in wrappers without lines: the list is at depth 3
        "    <li>one",
        '     <a id="1">more',
        "    <li>two",
        "  <h1>Ropes",
        "  <p>three",
        "  <p>four",
    ]
)


def parts(text: str, ends: list[int]) -> list[list[str]]:
    starts = [0, *ends]
    return [[line.strip() for line in text[a:b].splitlines()] for a, b in zip(starts, ends, strict=False)]


def test_a_subtree_comes_with_what_stands_above_it() -> None:
    head, ropes = ["<title>Shop", "<body>", "<h1>Lamps"], ["<h1>Ropes", "<p>three", "<p>four"]
    listed = ["<ul>", "<li>one", '<a id="1">more', "<li>two"]
    assert parts(TEXT, subtree_ends(TEXT, 4)) == [[*head, *listed[:3]], listed[3:], ropes]
    assert parts(TEXT, subtree_ends(TEXT, 3)) == [[*head, *listed], ropes]
    assert parts(TEXT, subtree_ends(TEXT, 2)) == [head, listed, *([line] for line in ropes)]
    assert subtree_ends(TEXT, 20) == [len(TEXT)]


def test_small_neighbours_are_joined_and_a_long_subtree_is_cut_at_lines() -> None:
    alone, _ = part_ends(TEXT, 0, 2, 0, 100)
    assert len(alone) == 5
    joined, cuts = part_ends(TEXT, 0, 2, 3, 100)
    assert (len(joined), cuts) == (3, 0)
    pieces, cuts = part_ends(TEXT, 0, 2, 0, 3)
    assert cuts == 1 and all(words <= 3 for _, words in pieces)
    assert all(TEXT[end - 1 : end] == "\n" or end == len(TEXT) for end, _ in pieces)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), min_size=1, max_size=40),
    *(st.integers(*bounds) for bounds in ((1, 8), (0, 20), (5, 30), (0, 400))),
)
def test_parts_cover_the_page_and_keep_to_the_window(
    lines: list[tuple[int, int]], depth: int, fewest: int, most: int, start: int
) -> None:
    text = "\n".join(f"{' ' * indented}<p>{'word ' * words}".rstrip() for indented, words in lines)
    found, _ = part_ends(text, min(start, len(text) - 1), depth, fewest, most)
    ends = [end for end, _ in found]
    assert ends[-1] == len(text) and ends == sorted({*ends})
    begun = min(start, len(text) - 1)
    for end, words in found:
        assert count_words(text[begun:end]) <= words <= most
        begun = end


def test_a_long_page_is_cut_in_time_that_its_size_allows() -> None:
    text = web_page("<ul>" + "<li>thing <a href=/>x</a>" * 1000 + "<p>" + "word " * 20_000).text
    found, cuts = part_ends(text, 0, 6, 100, 3000)
    assert found[-1][0] == len(text) and cuts > 0
