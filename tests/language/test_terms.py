"""Words of texts and queries: folded, stemmed, in any script, and always a sound query."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from readgraph.language.terms import (
    ENGLISH,
    MOST_TERMS,
    affordable,
    content_words,
    index_terms,
    query_terms,
    stop_words,
    tokens,
    words,
)
from readgraph.library.search.okapi import Okapi, QueryTermFinder, TextsWith, rank

ODD = ['"', "'", "NEAR(", "AND", "OR", "NOT", "*", "^", "-", "a:b", "{", "}", "\0", "\ud800", "(", ")", "\\", "%", "_"]
texts = st.one_of(
    st.text(max_size=60), st.lists(st.sampled_from([*ODD, "lamp", "灯塔", "who"]), max_size=8).map(" ".join)
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lamps", "lamp"),
        ("pages", "page"),
        ("paging", "page"),
        ("stories", "story"),
        ("running", "run"),
        ("classes", "class"),
        ("planned", "plan"),
        ("The KEEPER's", "keepers"),
        ("Café", "CAFE"),
        ("ﬁre", "fire"),
        ("ＧＡＭ", "gam"),
        ("naïve", "nai\u0308ve"),
        ("Straße", "strasse"),
    ],
)
def test_forms_of_a_word_are_one_term(one: str, other: str) -> None:
    assert content_words(one)[-1] == content_words(other)[-1]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("ru", "Пожарный", "пожарных"),
        ("ru", "орган на свадьбах", "свадьба"),
        ("de", "Welche Orgeln?", "die Orgel"),
        ("de", "Häuser", "HAUSES"),
        ("fr", "les Cloches", "cloche"),
        ("it", "manoscritti", "manoscritto"),
        ("tr", "KIZLARI", "kızlar"),
        ("hi", "किताबों", "किताब"),
        ("ar", "مخطوطات", "والمخطوطة"),
        ("ar", "الأَحْمَد", "احمد"),
        ("he", "כשהשומרים", "שומר"),
        ("he", "סְפָרִים", "הספר"),
        ("vi", "BÁN", "ba\u0301n"),
        ("en", "война", "войны"),
        ("en", "مكتبات", "المكتبة"),
        ("uk", "café", "CAFE"),
    ],
)
def test_forms_of_a_word_are_one_term_in_their_language(language: str, one: str, other: str) -> None:
    assert content_words(one, language)[-1] == content_words(other, language)[-1]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("vi", "bán", "bản"), ("ru", "война", "воина"), ("ar", "كتب", "كلب"), ("he", "מלח", "לח"), ("de", "Orgel", "Ort")],
)
def test_other_words_of_a_language_stay_apart(language: str, one: str, other: str) -> None:
    assert not {*index_terms(one, language)[:1]} & {*index_terms(other, language)}


def test_stop_words_are_those_of_the_language() -> None:
    assert content_words("Welche Orgeln hat die Kirche?", "de") == content_words("Orgel Kirche", "de")
    assert content_words("Die hard", "en") == ["die", "hard"]
    assert query_terms("The Orgel: die Orgel", "de", "en") == ["orgel"], "a stop word of either is none"
    assert query_terms("die", "de") == ["die"]
    long = " ".join(f"häuser{number}n" for number in range(MOST_TERMS))
    assert {*query_terms(long, "en", "de")} & {*index_terms("Häuser0n", "de")}, "no language takes all the room"


def test_parts_of_words_are_searched_for_where_endings_are_many() -> None:
    assert {*query_terms("kitaplık", "tr")} & {*index_terms("kitabın", "tr")} == {"·_kit", "·kita"}
    assert not any("·" in term for term in index_terms("libraries Bibliotheken", "de"))
    ranked = rank("кошачья", ["собака спала", "кошечка мяукала"], "ru")
    assert [number for number, _ in ranked] == [1]


@pytest.mark.parametrize("language", ["de", "fr", "it", "ru", "tr"])
def test_a_look_at_its_beginning_does_not_miss_a_form(language: str) -> None:
    lines = (Path(__file__).parents[2] / "benchmarks" / "languages.txt").read_text(encoding="utf-8")
    said = [*dict.fromkeys([*tokens(lines, language)[:1500], *"äpfel aepfel öle oele führen mme".split()])]
    wanted = QueryTermFinder("Äpfel Öl pommes книги kitapları dottori " + " ".join(said[::40]), language)
    asked = {*content_words("Äpfel Öl pommes книги kitapları dottori " + " ".join(said[::40]), language)}
    for token in said:
        stemmed = {*content_words(token, language)} <= asked and token not in stop_words(language)
        assert stemmed == any(not part for _, terms in wanted.find_among({token}) for _, part in terms), token


def test_a_query_finds_texts_in_several_languages() -> None:
    okapi = Okapi("Orgeln organs")
    for language, text in (("de", "Eine Orgel schwieg."), ("en", "An organ was silent."), ("en", "A goat.")):
        okapi.add((text,), language)
    assert [number for number, _ in okapi.rank_by_weights(okapi.weights(TextsWith()))] == [0, 1]


@pytest.mark.parametrize(("follows", "expected"), [(False, [3, 0, 4]), (True, [3, 4, 0])])
def test_words_of_the_texts_beside_count_where_one_follows_the_other(follows: bool, expected: list[int]) -> None:
    okapi, all_terms = Okapi("lamp shelf"), TextsWith()
    texts = ("On the shelf.", "It was late.", "A goat came.", "Where is the lamp?", "On the shelf.")
    okapi.add(texts, following=range(1, len(texts)) if follows else ())
    assert [number for number, _ in okapi.rank_by_weights(okapi.weights(all_terms))] == expected


@pytest.mark.parametrize(("one", "other"), [("lamp", "lame"), ("1873", "1872"), ("100", "1000"), ("ring", "r")])
def test_other_words_stay_apart(one: str, other: str) -> None:
    assert content_words(one) != content_words(other)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("灯塔的守护者在夜里写日记", "守护者"),
        ("灯台守は日記を書いた", "日記"),
        ("등대지기가", "등대"),
        ("ประภาคารเก่า", "เก่า"),
    ],
)
def test_scripts_without_spaces_are_found_by_their_parts(text: str, part: str) -> None:
    assert {*content_words(part)} <= {*content_words(text)}
    assert [page for page, _ in rank(part, ["the lamp", "the keeper", text])] == [2]


def test_vowel_signs_stay_inside_words() -> None:
    assert len(words("हिन्दी में")) == 2


def test_a_query_of_stop_words_looks_for_them() -> None:
    assert query_terms("who is the keeper") == query_terms("keepers")
    assert query_terms("Who is it?") == words("Who is it?")
    assert query_terms(" … ") == []


@given(texts)
def test_terms_hold_nothing_that_parts_or_quotes(text: str) -> None:
    for term in words(text):
        assert term
        assert not {*term} & {*' "\0\n'}
        assert words(term)


@given(texts)
def test_every_query_is_understood_and_finds_its_own_text(text: str) -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE VIRTUAL TABLE said USING fts5(terms, tokenize=\"ascii tokenchars '_'\")")
        connection.execute("INSERT INTO said VALUES (?)", (" ".join(index_terms(text, ENGLISH)),))
        connection.execute("CREATE VIRTUAL TABLE held USING fts5vocab(said, 'row')")
        held = {term for (term,) in connection.execute("SELECT term FROM held")}
        assert {*query_terms(text)} <= held
    connection.close()


def test_a_long_query_is_cut() -> None:
    assert len(query_terms(" ".join(f"word{number}" for number in range(1000)))) == MOST_TERMS


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(0, 50), max_size=10), st.integers(0, 100))
def test_the_rarest_terms_are_afforded(frequencies: dict[str, int], most: int) -> None:
    chosen = affordable(frequencies, most)
    there = sorted(count for count in frequencies.values() if count)
    assert [frequencies[term] for term in chosen] == there[: len(chosen)]
    assert bool(chosen) == bool(there)
    assert len(chosen) < 2 or sum(frequencies[term] for term in chosen) <= most
    if len(chosen) < len(there):
        assert sum(there[: len(chosen) + 1]) > most


@given(query=texts, corpus=st.lists(texts, max_size=8), language=st.sampled_from(["en", "de"]))
def test_the_ranking_has_the_scores_of_the_papers_baseline(query: str, corpus: list[str], language: str) -> None:
    wanted, found = content_words(query, language), [content_words(text, language) for text in corpus]
    ranked = dict(rank(query, corpus, language))
    assert set(ranked) == {number for number, there in enumerate(found) if not {*wanted}.isdisjoint(there)}
    scores = BM25Okapi(found).get_scores(wanted) if ranked else []
    assert all(score == scores[number] for number, score in ranked.items())
    assert list(ranked.values()) == sorted(ranked.values(), reverse=True)
