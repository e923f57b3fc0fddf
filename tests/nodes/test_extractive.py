"""What is read and quoted where no model is configured."""

from typing import Any

import pytest

from readgraph.graphs.methods import METHODS
from readgraph.language.passages import is_contents, passages_of
from readgraph.library.opening import Library
from readgraph.nodes.contracts import AnswerDraft
from readgraph.nodes.extractive.gists import extract_gist
from readgraph.nodes.extractive.quoting import quote_at_length, quoted_answer
from readgraph.state.context import ReaderContext
from tests.support.some_methods import OF_THE_PAPERS, mostly_slow

FILLER = "\n\n".join(f"The goat of year {year} ate hay in the shed until the ferry came in." for year in range(1500))
NEEDLE = "The quartermaster Okonkwo paid 4,312 crowns for tarred rope."


def quoted(pages: dict[int, str], question: str, **more: Any) -> AnswerDraft:
    state: Any = {"question_text": question, "choices": {}, **more}
    return quoted_answer(passages_of(pages), state)


def test_a_further_passage_is_quoted_only_for_words_that_the_others_lack() -> None:
    pages = {0: "The lamp was red. The lamp was red again.\n\nThe lamp was lit by Ida in the tower."}
    said = quoted(pages, "Which red lamp was lit?")
    assert (said.nearest, len(said.quotes)) == (True, 2)
    assert len(quoted(pages, "What of the lamp?").quotes) == 1
    assert quoted(pages, "Xylophones?").answer is None


def test_a_passage_among_those_of_another_language_is_cut_by_its_own_abbreviations() -> None:
    around = "La chèvre est dans la tour avec le gardien, et les bateaux sont pour nous sur la mer, qui est calme. " * 6
    english = "In the evening of that day the old keeper Mr. Iolo and the goat took the log book from the lamp room."
    german = "Und nach der langen Nacht ging auch der alte Hr. Moser zu dem Turm, und er war nicht allein bei sich."
    pages = {0: around, 1: english, 2: around, 3: german}
    assert [quote["quote"] for quote in quoted(pages, "Who took the log book from the lamp room?").quotes] == [english]
    assert [quote["quote"] for quote in quoted(pages, "Wer ging in der Nacht zu dem Turm?").quotes][:1] == [german]


@pytest.mark.parametrize(
    "method", mostly_slow([*OF_THE_PAPERS[:3], "overwrite-memory", "walk-and-read", "walk-and-research"])
)
async def test_what_stands_in_a_text_beyond_the_window_is_found(library: Library, method: str) -> None:
    middle = FILLER.index("\n\n", len(FILLER) // 2)
    document = await library.pages.add_document(f"{FILLER[:middle]}\n\n{NEEDLE}{FILLER[middle:]}", title="long")
    graph = METHODS[method].build().compile(store=library.store)
    context = ReaderContext(model="", window_words=1000, segment_words=750)
    found = await graph.ainvoke(
        {"document": document.id, "question": "What did Okonkwo pay for rope?"}, context=context
    )
    assert found["status"] == "nearest" and NEEDLE in found["citations"][0]["quote"]


def test_a_gist_is_a_heading_and_what_says_most() -> None:
    chat = (
        "# Session 2\n\nMelanie: Thanks, Caroline! Wow, Caroline!\n"
        "Caroline: Hey Mel! Good to see you! On 7 May I paid 45 euros for the course with Professor Okonkwo.\n"
        "Melanie: Wow, Caroline! That is cool, Caroline!\nCaroline: Thanks, Melanie! So good to hear, Melanie!"
    )
    gist = extract_gist(chat, 25)
    assert gist.startswith("# Session 2 ") and "On 7 May I paid 45 euros for the course with Professor Okonkwo" in gist
    assert "Wow" not in gist


@pytest.mark.parametrize(("words", "taken"), [(20, [13, 5]), (14, [13]), (8, [13]), (6, [5]), (2, [])])
def test_a_longer_answer_has_about_as_many_words_as_are_asked_for(words: int, taken: list[int]) -> None:
    gander = "Magistrate the gander met the boat, since every gander hates boats and men."
    rain = "It rained all that week."
    found = quote_at_length(passages_of({1: f"{gander} {rain}"}), "What did Magistrate the gander do?", words)
    assert [len(said.split()) for said in (gander, rain) if said in (found.answer or "")] == taken


def test_headings_and_code_are_no_answers() -> None:
    page = {0: "# The red lamp\n\n```\nlamp = red\n```\n\nIt burned in the tower, and the lamp was red."}
    said = quoted(page, "Which lamp was red?")
    assert [quote["quote"] for quote in said.quotes] == ["It burned in the tower, and the lamp was red."]


@pytest.mark.parametrize("text", ["```python\ndef storm():\n    return 1\n```", "\r", ""])
def test_a_page_without_prose_says_nothing(text: str) -> None:
    assert quoted({0: text}, "What does storm return?").answer is None


def test_turns_with_times_and_rows_with_bars_are_quoted_alone() -> None:
    chat = (
        "[2023-05-08 13:56] Ann: How are you?\n[2023-05-08 13:57] Mel: Hey Ann! I ran a race.\n"
        "[2023-05-08 13:58] Mel: It was wet.\n13/03/2024, 08:05 - Mel: I won the cup."
    )
    assert quoted({0: chat}, "Who won the cup?").quotes[0]["quote"] == "13/03/2024, 08:05 - Mel: I won the cup."
    assert "Mel: " in quoted({0: chat}, "What did Mel sing?").quotes[0]["quote"], "the name is shared"
    table = "Ships came, and were counted.\n\n| Year | Ships |\n|---|---|\n| 1948 | 120 |\n| 1949 | 131 |"
    assert "| 1949 | 131 |" in [each["quote"] for each in quoted({0: table}, "How many ships came in 1949?").quotes]


def test_sentences_without_spaces_between_them_are_quoted_as_they_stand() -> None:
    text = "李明在1998年搬到上海。他在一家书店工作了十年。书店位于南京路。"
    assert quoted({0: text}, "李明在哪里工作？").quotes[0]["quote"] in text


def test_an_option_whose_words_are_nowhere_is_no_guess() -> None:
    said = quoted({0: "The pier was built by Anna Rehm."}, "Who built the pier?", choices={"A": "Xerxes", "B": "Yves"})
    assert said.choice is None and said.quotes
    said = quoted({0: "The pier was built by Anna Rehm."}, "Who built it?", choices={"A": "Xerxes", "B": "Anna"})
    assert said.choice == "B"


CONTENTS = {
    "1 The dredging of the harbour .............. 3\n2 The cost of the crane ........ 12\n": True,
    "The cost of the crane . . . . . . . . xii": True,
    "1 The dredging …………… 3 2 The cost of the crane …………… 6": True,
    "The dredging of the harbour\t3\nThe cost of the crane\t12": True,
    "The crane\t12": False,
    "He waited .... and then he left.": False,
    "Ada: so... 3 of them.\nBen: three!": False,
    "The crane cost 400,000 crowns.\nIt came in May 2024": False,
}


@pytest.mark.parametrize("text", CONTENTS)
def test_a_table_of_contents_is_no_answer(text: str) -> None:
    assert is_contents(text) is CONTENTS[text]
    below = "\n\nThe crane was bought from a yard in Gdansk, and it cost four hundred thousand crowns.\n"
    found = quoted({0: text + below}, "What did the crane cost?")
    assert "four hundred thousand" in (found.answer or "")


@pytest.mark.parametrize(
    "refrain", ["In the evening it saw a white goat on the stair. ", "晚上它看见一只白色的山羊在楼梯上。"]
)
def test_no_sentence_stands_twice_in_a_gist(refrain: str) -> None:
    other = "The fox went to the port in the morning, and it bought oil for the lamp. "
    gist = extract_gist(f"{refrain}{other}" * 20, 60)
    assert gist.count(refrain.strip()) == 1 and gist.count(other.strip()) == 1
