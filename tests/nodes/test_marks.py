"""Marks tie the sentences of an answer to its citations."""

from typing import Any

import pytest

from readgraph.nodes.answering.citations import with_marks

pytestmark = pytest.mark.quick


def cited(*quotes: str, answer: str | None) -> dict[str, Any]:
    citations = [{"page": 0, "quote": quote, "start": 0, "end": len(quote), "place": None} for quote in quotes]
    return with_marks({"answer": answer, "citations": citations})


@pytest.mark.parametrize(
    ("answer", "quotes", "marked"),
    [
        ("Ben took it", ["It was Ben."], "Ben took it [1]"),
        ("Ben took it.", ["It was Ben.", "Nobody knew."], "Ben took it. [1][2]"),
        (
            "Ben took the book. Ida was given it.",
            ["He gave Ida a parcel.", "The book went with Ben.", "Ida, his aunt"],
            "Ben took the book. [2] Ida was given it. [1][3]",
        ),
        ("Es war Ben.\n\nIda bekam es.", ["Ben war es"], "Es war Ben. [1]\n\nIda bekam es."),
        ("Ben [1] took it.", [], "Ben [1] took it."),
        (
            "Ben took the old book. Ida had it.",
            ["Ben took the old book, Ida had it."],
            "Ben took the old book. Ida had it. [1]",
        ),
        ("…", ["Nobody knew."], "… [1]"),
        (
            "3 May, Ann: the beans. 4 May, Tom: the rent.",
            ["4 May, Tom: the rent.", "3 May, Ann: a cake.", "3 May, Ann: the beans.", "May 3, Ann had the beans"],
            "3 May, Ann: the beans. [3][4] 4 May, Tom: the rent. [1][2]",
        ),
    ],
)
def test_a_mark_stands_after_the_sentence_that_its_quote_supports(answer: str, quotes: list[str], marked: str) -> None:
    found = cited(*quotes, answer=answer)
    assert (found["answer"], found["marked_answer"]) == (answer, marked)
    for number, citation in enumerate(found["citations"], 1):
        assert citation["number"] == number
        assert marked.count(f"[{number}]", len(answer[: citation["mark_at"]])) == 1


def test_without_an_answer_citations_are_numbered_all_the_same() -> None:
    found = cited("Nobody knew.", answer=None)
    assert found["marked_answer"] is None
    assert [(each["number"], each["mark_at"]) for each in found["citations"]] == [(1, None)]
