"""A citation is a span that is really there, however the model wrote its quote."""

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.citations import find_quote, find_quotes, locate
from readgraph.state.reading import Quote
from readgraph.state.records import Page, Recipe

WORDS = ["The", "keeper", "Zoë", "lamp", "it’s", "“No!”", "a.b*c?", "[x]", "(y", "\\d+", "1,873", "—", "…", "字", "^$|"]
GAPS = [" ", "\n", "\r\n", "  ", "\t", " \n ", "\u00a0"]

texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), min_size=1, max_size=40).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)
quick = settings(deadline=None, max_examples=50)


def cut(text: str, *ends: int) -> list[Page]:
    starts = [0, *ends]
    bounds = zip(starts, [*ends, len(text)], strict=True)
    return [Page(number, start, end, 0, "rule") for number, (start, end) in enumerate(bounds)]


def cited(quote: str, text: str, page: int = 0, pages: list[Page] | None = None) -> str | None:
    """The document's own words for a quote; the citation is checked to be a span of it."""
    pages = pages if pages is not None else cut(text)
    citation = locate(Quote(page=page, quote=quote), text, pages)
    if citation is None:
        return None
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert 0 <= citation["start"] < citation["end"] <= len(text)
    holder = pages[citation["page"]] if pages else Page(0, 0, len(text), 0, "rest")
    assert holder.start <= citation["start"] < holder.end
    return citation["quote"]


def letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text)).casefold()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail after so many seconds, even in the midst of a search."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("quote", "text", "own_words"),
    [
        ("the lamp was out", "Then the lamp was out.", "the lamp was out"),
        (" the lamp was\n", "Then the lamp was out.", "the lamp was"),
        ('"It\'s out," he said', "“It’s out,” he said.", "It’s out,” he said"),
        ("“It’s out,” he said", '"It\'s out," he said.', "It's out,\" he said"),
        ("the lamp was out", "Then the lamp\r\n  was\tout.", "the lamp\r\n  was\tout"),
        ("the lamp\nwas out", "Then the lamp was out.", "the lamp was out"),
        ("the lamp - an old one - was out", "the lamp—an old one—was out", "the lamp—an old one—was out"),
        ("light-house keeper", "the light‑house keeper", "light‑house keeper"),
        ("THE LAMP WENT", "Then the Lamp went.", "the Lamp went"),
        ("...the lamp was out...", "Then the lamp was out.", "the lamp was out"),
        ("**the lamp** was _out_", "Then the lamp was out.", "the lamp was out"),
        ("the lamp was out", "the *lamp* was __out__", "the *lamp* was __out"),
        ("f(x) = [a-z]+? ^$ {2,} \\d | .*", "so f(x)  =  [a-z]+? ^$ {2,} \\d | .* is", "f(x)  =  [a-z]+? ^$ {2,} \\d"),
        ("a.c*d", "abc*d a.c*d", "a.c*d"),
        ("雨が降った 灯台", "昨日、雨が降った。灯台は", "雨が降った。灯台"),
        ("in 1873", "built in\n1873, then", "in\n1873"),
        ("a\0b c", "x a\0b c y", "a\0b c"),
        ("uch more than he had to sa", "much more than he had to say", "more than he had to"),
        ("41", "It was 41.", "41"),
        ("Desmond Rudge", "said Desmond Rudge.", "Desmond Rudge"),
        ("no", "I know it. No. It is", "No"),
        ("It rained", "Dark. “It rained.” Dark.", "It rained"),
        ("5", "3.5 of 5,000 are 5", "5"),
        ("3.5", "13.5 and 3.5, so", "3.5"),
        ("t know it was no", "I don't know it was not", "know it was"),
        ("यह हिन्दी है अ", "क्या यह हिन्दी है अब", "यह हिन्दी है"),
        ("דוד כהן", "אז דוד כהן בא לכאן", "דוד כהן"),
    ],
)
def test_a_quote_is_found_with_the_documents_own_words(quote: str, text: str, own_words: str) -> None:
    assert cited(quote, text) == own_words


@pytest.mark.parametrize(
    "quote",
    [
        *["", "   ", "—", "“…”", "___", "?!*+()[]{}\\", "the ship", "lamp the", "the lamp was lit"],
        "amp",
        "The",
        "was",
        "was out",
        "3.5",
    ],
)
def test_what_is_not_there_or_says_nothing_is_not_found(quote: str) -> None:
    assert cited(quote, "The lamp — “…” ___ ?!*+()[]{}\\ — was out then 13.57.") is None


def test_nothing_is_found_in_an_empty_text() -> None:
    assert locate(Quote(page=0, quote="a"), "", []) is None
    assert find_quote("lamp", "the lamp", 0, 6) is None


def test_the_named_page_comes_first_and_a_wrong_one_is_corrected() -> None:
    text = "The lamp. The sea. The Lamp. The end."
    pages = cut(text, 10, 19, 29)
    for named, found, own_words in [(0, 0, "The lamp"), (2, 2, "The Lamp"), (1, 0, "The lamp"), (9, 0, "The lamp")]:
        citation = locate(Quote(page=named, quote="The lamp"), text, pages)
        assert citation is not None
        assert (citation["page"], citation["quote"]) == (found, own_words)


@pytest.mark.parametrize("page", [0, 1, -1, 2])
def test_a_quote_across_pages_is_on_the_page_where_it_begins(page: int) -> None:
    text = "The lamp was out. The sea was dark."
    citation = locate(Quote(page=page, quote="out. The sea"), text, cut(text, 18))
    assert citation == {"page": 0, "quote": "out. The sea", "start": 13, "end": 25, "place": None}


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


@quick
@given(texts, st.data())
def test_any_words_of_a_text_are_found_whatever_its_white_space(text: str, data: st.DataObject) -> None:
    bounds = [match.span() for match in re.finditer(r"\S+", text)]
    assume(len(bounds) >= 3)
    first = data.draw(st.integers(0, len(bounds) - 3))
    part = text[bounds[first][0] : bounds[data.draw(st.integers(first + 2, len(bounds) - 1))][1]]
    assume(len(words(part)) >= 3)
    quote = re.sub(r"\s+", lambda _: data.draw(st.sampled_from(GAPS)), part)
    ends = data.draw(st.sets(st.integers(1, len(text) - 1), max_size=3)) if len(text) > 1 else set()
    found = cited(quote, text, data.draw(st.integers(-1, 5)), cut(text, *sorted(ends)))
    assert found is not None
    assert letters(found) == letters(quote)


@given(st.data())
def test_a_citation_of_a_real_text_is_whole_words_that_say_something(story: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, 20_000))
    end = start + data.draw(st.integers(1, 60))
    span = find_quote(story[start:end], story, 0, 21_000)
    if span is None:
        assert len(words(story[start:end])) < 5
        return
    around = story[max(span[0] - 1, 0) : span[0] + 1], story[span[1] - 1 : span[1] + 1]
    assert not any(len(pair) == 2 and pair.isalnum() for pair in around)
    assert letters(story[slice(*span)]) in letters(story[start:end])


@quick
@given(texts.filter(letters), st.data())
async def test_quotes_are_found_in_a_stored_text_as_in_a_whole_one(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=3))) if len(text) > 1 else []
    pages, store = cut(text, *ends), PageStore(InMemoryStore())
    document = await store.add_document(text)
    memory = await store.open_memory(document.id, Recipe("made", {}, ""))
    for page in pages:
        memory = await store.add_page(memory, page)
    parts = st.tuples(*[st.integers(0, len(text))] * 2).map(lambda span: text[min(span) : max(span)])
    quotes = data.draw(st.lists(st.builds(Quote, page=st.integers(-1, 5), quote=parts | texts), max_size=4))
    found = await find_quotes(store, document.id, memory.id, quotes)
    assert found == [locate(quote, text, pages) for quote in quotes]


@quick
@given(texts, texts)
def test_whatever_is_found_holds_the_letters_of_the_quote(quote: str, text: str) -> None:
    found = cited(quote, text)
    assert found is None or letters(found) in letters(quote)


@quick
@given(st.text(max_size=40), st.text(max_size=40))
def test_no_quote_and_no_text_raises(quote: str, text: str) -> None:
    cited(quote, text)
    assert cited(quote, f"{text} {quote} {text}") is not None or len(words(quote)) < 3


def test_words_of_a_quote_are_words_of_the_text() -> None:
    assert cited("a\nlone lamp", "alone lamp; a lone lamp") == "a lone lamp"


def test_a_quote_from_what_was_not_read_is_not_cited() -> None:
    text = "The lamp was out. The sea was dark."
    assert locate(Quote(page=0, quote="sea was dark"), text, [Page(0, 0, 18, 4, "rule")]) is None


MEGABYTE = " ".join(f"word{number * number % 7919}" for number in range(120_000))


@pytest.mark.parametrize("ending", ["", " and no more"])
def test_a_quote_of_thousands_of_words_is_looked_for_quickly(ending: str) -> None:
    assert len(MEGABYTE) > 1_000_000
    quote = MEGABYTE[500_000:560_000].replace(" ", "\n") + ending
    began = time.perf_counter()
    assert (find_quote(quote, MEGABYTE, 0, len(MEGABYTE)) is None) is bool(ending)
    assert time.perf_counter() - began < 2


def test_a_quote_that_nearly_matches_everywhere_is_looked_for_quickly() -> None:
    with within(2):
        assert find_quote("la " * 3000 + "end", "la " * 350_000, 0, 1_050_000) is None
