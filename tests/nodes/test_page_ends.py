"""Pages tile every text, whatever it looks like, within their sizes."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.runtime import Runtime

from readgraph.nodes.building.parts import candidate_ends, paragraph_ends
from readgraph.nodes.extractive import pages_by_rule
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page
from readgraph.state.settings import ParagraphBreak
from readgraph.state.words import count_words

TOKENS = """word|It ends. |"Stop!" she said.|A heading|字|書く。|「はい。」|…|...|1,873|don’t|x""".split("|")
TOKENS += [" ", "  ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\f", "\n \t\n", "\u2028", "\0", "x" * 95, "-" * 41]
LETTERS = [token for token in TOKENS if token.strip()]

PARAGRAPH = "The keeper climbed to the lamp. It was late; nobody saw him! “Who is there?” he asked. " * 5
STRANGE = {
    "windows": PARAGRAPH.replace(". ", ".\r\n") + ("\r\n\r\n" + PARAGRAPH) * 40,
    "old mac": ("\r" + PARAGRAPH) * 40,
    "cjk": ("私は灯台へ行った。雨が降っていた！\n\n" * 200) + "字" * 3000,
    "one paragraph": PARAGRAPH * 60,
    "no sentence": "word " * 5000,
    "no space": "x" * 100_000,
    "nul": "\0" * 5000 + "\0 " * 2000,
    "blank lines around": "\n\n \n" * 300 + PARAGRAPH * 9 + "\n\n\t" * 300,
    "blank only": "\n \n\f" * 500,
    "form feeds": ("\f" + PARAGRAPH) * 30,
    "long run, then lines": "y" * 50_000 + ("\n" + PARAGRAPH) * 20,
    "headings": "".join(f"\n\nChapter {number}\n\n" + PARAGRAPH * 4 for number in range(20)),
}

texts = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=60).map("".join)
breaks: st.SearchStrategy[ParagraphBreak] = st.sampled_from(["auto", "two-blank-lines", "blank-line", "line"])
sizes = st.tuples(st.integers(1, 8), st.integers(1, 8)).map(lambda drawn: (drawn[0], drawn[0] + drawn[1]))
quick = settings(deadline=None, max_examples=60)

Choose = Callable[[list[int]], int]


def the_cut(text: str, min_words: int, max_words: int) -> int:
    """Where the first page ends of a text that is one paragraph."""
    (end,) = candidate_ends(text, [len(text)], 0, min_words, max_words)
    return end


def walk(text: str, how: ParagraphBreak, min_words: int, max_words: int, choose: Choose) -> list[str]:
    """The pages made by choosing among the candidates again and again, each candidate checked."""
    ends, pages, start = paragraph_ends(text, how), list[str](), 0
    while start < len(text):
        offered = candidate_ends(text, ends, start, min_words, max_words)
        assert offered and offered == sorted({*offered}) and start < offered[0] and offered[-1] <= len(text)
        for end in offered:
            words = count_words(text[start:end])
            assert words <= max_words
            assert words >= min_words or end == len(text)
        chosen = choose(offered)
        pages.append(text[start:chosen])
        start = chosen
    return pages


async def cut(text: str, last: Page | None = None, min_words: int = 280, max_words: int = 600) -> list[Page]:
    context = ReaderContext(model="", min_page_words=min_words, max_page_words=max_words)
    return [page async for page in pages_by_rule(text, last, Runtime(context=context))]


@quick
@given(texts, breaks)
def test_paragraphs_tile_the_text_and_start_with_no_line_end(text: str, how: ParagraphBreak) -> None:
    ends = paragraph_ends(text, how)
    assert ends == sorted({*ends})
    assert ends[0] > 0 and ends[-1] == len(text)
    assert not any(text[end - 1 : end + 1] == "\r\n" for end in ends)
    assert all(text[end - 1].isspace() for end in ends[:-1])


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_auto_takes_blank_lines_unless_they_are_rare(line_end: str) -> None:
    short, long = f"one{line_end}two{line_end}{line_end}three", f"{'word ' * 300}{line_end}" * 3
    assert paragraph_ends(short) == paragraph_ends(short, "blank-line") == [short.index("three"), len(short)]
    assert len(paragraph_ends(short, "line")) == 3
    apart = f"{short}{line_end * 3}four"
    assert paragraph_ends(apart, "two-blank-lines") == [apart.index("four"), len(apart)]
    assert paragraph_ends(long, "blank-line") == [len(long)]
    assert paragraph_ends(long) == paragraph_ends(long, "line") and len(paragraph_ends(long)) == 3


@quick
@given(texts, breaks, sizes, st.data())
def test_any_choice_of_candidates_tiles_the_text(
    text: str, how: ParagraphBreak, size: tuple[int, int], data: st.DataObject
) -> None:
    first = walk(text, how, *size, lambda offered: offered[0])
    last = walk(text, how, *size, lambda offered: offered[-1])
    any_ = walk(text, how, *size, lambda offered: data.draw(st.sampled_from(offered)))
    assert "".join(first) == "".join(last) == "".join(any_) == text


@pytest.mark.parametrize("how", ["auto", "blank-line", "line"])
@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.slow
def test_strange_texts_are_tiled_with_the_default_sizes(name: str, how: ParagraphBreak) -> None:
    for choice in (0, -1):
        assert "".join(walk(STRANGE[name], how, 280, 600, lambda offered: offered[choice])) == STRANGE[name]  # noqa: B023


@pytest.mark.parametrize(("how", "rest"), [("auto", "\f\f"), ("auto", "\f\n\n"), ("auto", "\f  "), ("line", "\n  ")])
def test_no_page_is_blank(how: ParagraphBreak, rest: str) -> None:
    pages = walk(f"{'word ' * 300}{rest}", how, 280, 600, lambda offered: offered[0])
    assert all(page.strip() for page in pages)


@quick
@given(texts, sizes)
def test_a_cut_within_a_paragraph_keeps_the_sizes(text: str, size: tuple[int, int]) -> None:
    text = text + " word" * (size[1] + 1)
    end = the_cut(text, *size)
    assert size[0] <= count_words(text[:end]) <= size[1]


def test_a_paragraph_is_cut_at_a_sentence_else_a_word_else_a_character() -> None:
    sentences = "One two. Three four five six seven eight"
    assert sentences[: the_cut(sentences, 1, 5)] == "One two. "
    at_a_word = sentences[: the_cut(sentences, 3, 5)]
    assert at_a_word.split() in (sentences.split()[:4], sentences.split()[:5])
    assert the_cut("x" * 400, 2, 5) == 200
    assert the_cut("雨が降った。灯台は暗かった。", 2, 8) == len("雨が降った。")


@pytest.mark.parametrize(
    ("text", "words", "page"), [("One two. Three four. Five", 4, "One two. Three four. "), ("a b c d", 3, "a b c ")]
)
def test_a_cut_is_the_farthest_that_fits(text: str, words: int, page: str) -> None:
    assert text[: the_cut(text, 1, words)] == page


@given(texts, sizes, st.data())
async def test_pages_by_rule_tile_and_resume(text: str, size: tuple[int, int], data: st.DataObject) -> None:
    pages = await cut(text, None, *size)
    assert [page.number for page in pages] == list(range(len(pages)))
    assert [0, *(page.end for page in pages)] == [*(page.start for page in pages), len(text)]
    assert [page.words for page in pages] == [count_words(text[page.start : page.end]) for page in pages]
    assert [page.ended_by for page in pages] == ["rule"] * (len(pages) - 1) + ["rest"]
    last = data.draw(st.sampled_from(pages))
    assert await cut(text, last, *size) == pages[last.number + 1 :]


@pytest.mark.parametrize("name", STRANGE)
async def test_pages_by_rule_tile_strange_texts_and_resume_behind_any_page(name: str) -> None:
    pages = await cut(STRANGE[name])
    assert "".join(STRANGE[name][page.start : page.end] for page in pages) == STRANGE[name]
    for last in pages[:: max(len(pages) // 5, 1)]:
        assert await cut(STRANGE[name], last) == pages[last.number + 1 :]


async def test_pages_by_rule_end_before_a_heading() -> None:
    text = STRANGE["headings"]
    pages = await cut(text)
    assert all(text.startswith("Chapter", page.start) for page in pages[1:])


@pytest.mark.parametrize("text", ["字" * 200_000, "word " * 200_000], ids=["cjk", "words"])
def test_one_page_of_an_endless_paragraph_does_not_cost_the_whole_paragraph(text: str) -> None:
    ends, began = [len(text)], time.perf_counter()
    for page in range(20):
        candidate_ends(text, ends, page * 600, 280, 600)
    assert time.perf_counter() - began < 0.2
