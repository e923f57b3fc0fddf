"""Pages of sessions: within their session, evenly cut, the same however the text came."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from readgraph.nodes.building.paging import pages_of_sessions
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page
from readgraph.state.words import count_words


async def cut(text: str, ends: list[int], most: int, last: Page | None = None) -> list[Page]:
    runtime: Any = SimpleNamespace(context=ReaderContext(model="", memo_page_words=most))
    return [page async for page in pages_of_sessions(ends)(text, last, runtime)]


lines = st.lists(st.integers(1, 70).map(lambda words: "lamp " * words + "end."), min_size=1, max_size=12)


@given(st.lists(st.tuples(lines, st.sampled_from(["\n", "\n\n"])), min_size=1, max_size=4), st.data())
async def test_pages_stay_within_their_session(made: list[tuple[list[str], str]], data: st.DataObject) -> None:
    sessions = [between.join(texts) + "\n\n" for texts, between in made]
    text, ends, most = "".join(sessions), [0], 50
    for session in sessions:
        ends.append(ends[-1] + len(session))
    pages = await cut(text, ends[1:], most)
    assert [page.number for page in pages] == [*range(len(pages))]
    assert "".join(text[page.start : page.end] for page in pages) == text
    assert {page.end for page in pages} >= {*ends[1:]}, "a page crosses a session's border"
    assert all(0 < count_words(text[page.start : page.end]) == page.words <= most for page in pages)

    stopped = data.draw(st.integers(0, len(pages)))
    rest = await cut(text, ends[1:], most, pages[stopped - 1] if stopped else None)
    assert pages[:stopped] + rest == pages, "paging that was stopped goes on otherwise"
    first = await cut(text[: ends[1]], ends[1:2], most)
    assert pages[: len(first)] == first, "a session's pages depend on what comes behind it"
