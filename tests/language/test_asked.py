"""What a question asks for, and whether a text holds it; which sentence comes first, and what stands beside it."""

from typing import Any

import pytest

from readgraph.language.asked import answers, is_of_kinds, read_question
from readgraph.language.passages import passages_of
from readgraph.nodes.answering.citations import with_marks
from readgraph.nodes.extractive.nearest import nearest_sentences
from readgraph.nodes.extractive.quoting import quoted_answer

COUNCIL = "What did the council recommend for Orlow Bridge?"
SHORT = "The council met. It recommends one bridge."
LONG = (
    "The council recommended that Orlow Bridge be painted blue in two stages, and that the lamps be kept, because the "
    "lamps elsewhere had failed in the second winter."
)


@pytest.mark.parametrize(
    ("question", "text", "holds"),
    [
        (COUNCIL, LONG, True),
        (COUNCIL, SHORT, False),
        (COUNCIL, "The council asked: what does it recommend for Orlow Bridge?", False),
        ("What did Tilbury Council recommend for Orlow Bridge?", LONG, False),
        ("Which lamps did the council not keep?", "The council keeps all lamps.", False),
        ("Who took the log book?", "The log book was taken by a boy.", True),
        ("Who painted Orlow Bridge?", "Orlow Bridge was painted on Monday.", False),
        ("When was Orlow Bridge painted?", "Orlow Bridge was painted on Monday.", True),
        ("When was Orlow Bridge painted?", "Orlow Bridge was painted by Ann.", False),
        ("How many lamps did the council keep?", "The council kept the lamps.", False),
        ("How many lamps did the council keep?", "The council kept three lamps.", True),
        ("How many lamps did the council keep?", "The council kept the lamps in June, then in July.", False),
        ("How many lamps did the council keep?", "The council kept the lamps on 3 May.", False),
        ("When does the ferry stop?", "The ferry has to stop for about five weeks.", False),
        ("When does the ferry stop?", "The ferry has to stop in about five weeks.", True),
        ("Wann fährt die Fähre?", "Die Fähre fährt elf Minuten.", False),
        ("Wann fährt die Fähre?", "Die Fähre fährt in elf Minuten.", True),
        ("Where did the coach break down?", "The coach broke down on Friday.", False),
        ("Where did the coach break down?", "The coach broke down at Malton.", True),
        ("Why was the swim moved?", "The swim was moved to August.", False),
        ("What happened to the goat on May 3rd?", "The goat fell on 3 May.", True),
        ("Was empfahl der Stadtrat am 3. Mai für die Brücke?", "Am 3.5. empfahl der Stadtrat eine neue Brücke.", True),
        ("Wer kaufte die Lampen?", "Anna Berg kaufte die Brückenlampen für den Rat der Stadt.", True),
        ("Wer strich die Brücke?", "Die Brücke wurde am Montag vom Rost befreit und gestrichen.", False),
        ("¿Quién pintó el puente?", "El puente fue pintado el lunes por la tarde.", False),
        ("为什么取消队列？", "队列被取消了，因为它丢了消息。", True),
        ("Ann: What nets?", "Ann: Good nets.", False),
        ("Who built the harbour?", "The harbour was not built by Ann.", False),
        ("Did Ann build the harbour?", "The harbour was not built by Ann.", True),
        ("Who came to the market?", "Nobody came to the market.", True),
        ("Why was the light put out?", "The light was put out because no oil was left.", True),
        ("Who repaired the lantern?", "The lantern was repaired by Ann Holt. She was not paid for the lantern.", True),
        ("Who sold the flour?", "The flour was sold in London.", False),
        ("When will the roofer come?", "The roofer came on Monday and looked at the roof.", False),
        ("When will the roofer come?", "The roofer comes on Monday.", True),
        ("When will the roofer come?", "The roofer will come on Monday.", True),
        ("When did the roofer come?", "The roofer will come on Monday.", False),
        ("Which bridge will the council paint?", "The council painted Orlow Bridge.", False),
        ("Who hired Ann Holt?", "In March Ann Holt was hired, and met Tom.", False),
        ("Who hired Ann Holt?", "Ann Holt was hired by Tom.", True),
        ("Who hired Ann Holt?", "Tom hired Ann Holt in March.", True),
        ("Where was the boathouse painted?", "The boathouse was painted by Jory Pell in May.", False),
        ("Où est le pont de Varenne ?", "Le pont de Varenne fut détruit en 1794 par les crues.", False),
        ("Wann übernahm Lene die Mühle?", "Lene übernahm die Mühle, weil der Sohn nach Riga ging.", False),
        ("Wer verkaufte das Mehl?", "Die Mühle hatte drei Räder. Das Mehl wurde in Straßburg verkauft.", False),
        ("When does the boat leave?", "When does the boat leave?, 5 March 2024", False),
        ("Когда построил мельницу Лукин?", "Мельница сгорела в 1891 году. Мельницу построил Лукин.", False),
        ("谁卖粮食？", "粮食卖到了青州。", False),
        ("いつ橋を設計したか。", "古い橋は1652年に建てられた。橋を設計したのは山本健一である。", False),
        ("متى صمم الجسر القديم؟", "صمم الجسر القديم المهندس سالم الحداد.", False),
        ("متى بني الجسر القديم؟", "بني الجسر القديم في عام 1652.", True),
        ("Πότε χτίστηκε η παλιά γέφυρα;", "Η παλιά γέφυρα χτίστηκε από τον Νίκο.", False),
    ],
)
def test_a_text_holds_what_is_asked_with_all_its_words_and_an_answer_of_its_kind(
    question: str, text: str, holds: bool
) -> None:
    assert answers(question, text) == holds


def test_what_is_not_known_of_a_language_rules_nothing_out() -> None:
    assert is_of_kinds(read_question("Köprüyü kim boyadı?", "tr"), "Köprü nehrin üzerinde.", "tr")


@pytest.mark.parametrize("text", [f"{SHORT}\n\n{LONG}", f"{LONG}\n\n{SHORT}", f"# {COUNCIL}\n\n{LONG}"])
def test_the_sentence_with_all_words_comes_first_and_alone(text: str) -> None:
    state: Any = {"question_text": COUNCIL, "choices": {}}
    assert [each["quote"] for each in quoted_answer(passages_of({0: text}), state).quotes] == [LONG]


def test_a_sentence_with_all_words_comes_first_out_of_a_long_paragraph() -> None:
    near = "\n\n".join(f"Orlow Bridge {number} is a bridge, and the council saw a bridge." for number in range(30))
    legal = " ".join(f"Whereas clause {number} holds for every party of the agreement," for number in range(60))
    best = nearest_sentences(COUNCIL, passages_of({0: f"{near}\n\n{legal} it ends. {LONG}"}))[0]
    assert best.text == LONG


def test_of_another_document_only_what_shares_half_as_much_is_quoted() -> None:
    pages = {
        0: "The council of the town saw Orlow Bridge in the rain.",
        1: "We recommend the soup of the house to all.",
    }
    state: Any = {"question_text": COUNCIL, "choices": {}}
    quotes = [
        quoted_answer(passages_of(pages), state, documents).quotes for documents in ({}, {0: "council", 1: "soup"})
    ]
    assert [len(each) for each in quotes] == [2, 1]


def test_a_message_is_quoted_once() -> None:
    message = (
        "Ann: The nets are red. I saw a fox on the way here today. Ida mends red nets on Sundays. The nets are dry."
    )
    talk = "\n".join([message, *(f"{who}: It rained, and we drank a cup of tea." for who in ("Ben", "Ann") * 3)])
    state: Any = {"question_text": "Who mends the red nets?", "choices": {}}
    assert [each["quote"] for each in quoted_answer(passages_of({0: talk}), state).quotes] == [message]


def test_only_the_mark_of_its_own_quote_stands_behind_a_quote() -> None:
    citations: Any = [{"quote": quote, "page": 0, "start": 0, "end": 9, "place": None} for quote in (LONG, SHORT)]
    output = {"answer": LONG, "choice": None, "status": "nearest", "citations": citations}
    marked = with_marks(output, COUNCIL)
    assert (marked["marked_answer"], marked["says"]) == (f"{LONG} [1]", True)
    assert [citation["mark_at"] for citation in marked["citations"]] == [len(LONG), None]
    assert not with_marks(output, "What did the council recommend for Tilbury?")["says"]
