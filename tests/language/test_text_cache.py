"""What was worked out from a text is kept, and no more of it than the bound allows."""

from threading import Thread

import pytest

from readgraph.language.terms import cache_by_text


def test_a_text_is_worked_out_once_for_each_use_of_it() -> None:
    calls = list[tuple[str, int]]()

    @cache_by_text
    def first(text: str, most: int) -> str:
        calls.append((text, most))
        return text[:most]

    assert [first("goat", 2), first("goat", 2), first("goat", 3), first("gull", 2)] == ["go", "go", "goa", "gu"]
    assert calls == [("goat", 2), ("goat", 3), ("gull", 2)]


def test_the_oldest_results_make_room_and_a_very_long_text_takes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.language.terms.MOST_CHARACTERS", 100)
    calls = list[str]()

    @cache_by_text
    def length(text: str) -> int:
        calls.append(text)
        return len(text)

    texts = [f"{number:05}" for number in range(20)]
    for text in [*texts, "00020", *texts[1:], texts[0]]:
        length(text)
    assert calls == [*texts, "00020", texts[0]]
    assert [length("long text"), length("long text")] == [9, 9] and calls.count("long text") == 2


def test_several_texts_are_worked_out_together_and_count_with_all_their_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("readgraph.language.terms.MOST_CHARACTERS", 100)
    calls = list[tuple[str, ...]]()

    @cache_by_text
    def length(texts: tuple[str, ...]) -> int:
        calls.append(texts)
        return sum(map(len, texts))

    assert [length(("a", "b")), length(("a", "b")), length(("abc", "def")), length(("abc", "def"))] == [2, 2, 6, 6]
    assert calls == [("a", "b"), ("abc", "def"), ("abc", "def")]


def test_threads_share_it() -> None:
    @cache_by_text
    def words(text: str) -> int:
        return len(text.split())

    found = list[int]()
    threads = [Thread(target=lambda: found.extend(words(f"a b {n % 7}") for n in range(500))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 2000
