"""What a question asks for, found in the sentences nearest to it: dates, numbers, names, a few words."""

from datetime import date
from typing import Any

import pytest

from readgraph.api.answer_text import NEAREST, NEAREST_ONE
from readgraph.cli.terminal.rendering import answer_text
from readgraph.graphs.methods import METHODS
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.nodes.answering.citations import with_marks
from readgraph.nodes.extractive.dates import date_in, resolve_time_words
from readgraph.nodes.extractive.passages import passages_of
from readgraph.nodes.extractive.quoting import extract_phrase, kind_of, phrase_answer, quoted_answer, richest_words
from readgraph.state.context import ReaderContext

FRIDAY = date(2023, 7, 14)

MAY = "Ann: Hello Ben, how is the harbour?\nBen: Cold. I mended the red net yesterday with Ida."
JUNE = "Ben: We sold 412 herrings last week.\nAnn: Good. My sister moved to Oxholm."
CHAT = [SessionText(MAY, time="9 May 2023"), SessionText(JUNE, time="1:10 pm on 2 June, 2023")]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("I went there yesterday.", "13 July 2023"),
        ("Three days ago it broke.", "11 July 2023"),
        ("She came two weeks ago.", "two weeks before 14 July 2023"),
        ("He came a couple of months ago.", "May 2023"),
        ("We met last Friday.", "The Friday before 14 July 2023"),
        ("We meet next month.", "August 2023"),
        ("It was last December.", "December 2022"),
        ("It was last year.", "2022"),
        ("It rained all last weekend.", "The weekend before 14 July 2023"),
        ("This may be true.", None),
        ("It was 9 years later.", None),
        ("It was the day before yesterday.", "12 July 2023"),
        ("We leave the day after tomorrow.", "16 July 2023"),
    ],
)
def test_words_for_a_time_are_resolved_by_the_day_on_which_they_were_said(said: str, meant: str | None) -> None:
    assert resolve_time_words(said, FRIDAY) == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [("last Friday", "7 July 2023"), ("next Monday", "17 July 2023"), ("last Saturday", "8 July 2023")],
)
def test_a_weekday_is_resolved_to_its_date_where_dates_are_wanted(said: str, meant: str) -> None:
    assert resolve_time_words(f"We met {said}.", FRIDAY, by_date=True) == meant


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("session 3, 1:56 pm on 8 May, 2023", date(2023, 5, 8)),
        ("March 3rd, 1897", date(1897, 3, 3)),
        ("2024-02-29T10:00", date(2024, 2, 29)),
        ("31 June 2023", None),
        ("session 4, part 12", None),
    ],
)
def test_a_session_has_the_day_in_its_name(text: str, day: date | None) -> None:
    assert date_in(text) == day


@pytest.mark.parametrize(
    ("question", "sentence", "found"),
    [
        ("When did the mill burn?", "The mill burned in March 1897.", "March 1897"),
        ("Wann brannte die Mühle?", "Die Mühle brannte am 3. März 1897.", "3. März 1897"),
        ("How long did Ida wait?", "She waited for three hours at the gate.", "three hours"),
        ("How many of the 9 boats sank?", "Of the 9 boats 4 sank.", "4"),
        ("Who lit the lamp?", "In the night it was lit by Ida Moor.", "Ida Moor"),
        ("Where does Ida live?", "Ida has a house in Oxholm.", "Oxholm"),
        ("Was the lamp lit?", "The lamp was not lit.", "No"),
        ("Did Ida come?", "Ida came at dusk.", "Yes"),
        ("Who lit the lamp?", "It was lit by the keeper.", None),
    ],
)
def test_a_question_finds_what_it_asks_for(question: str, sentence: str, found: str | None) -> None:
    kind = kind_of(question)
    assert kind and extract_phrase(kind, sentence, question, None) == found


@pytest.mark.parametrize(
    ("question", "sentence", "found"),
    [
        ("How many goldfish does Tom have?", "Tom has 3 cats and 12 goldfish.", "12"),
        ("How many shillings did Tom pay?", "In 1920 Tom paid 12 shillings.", "12"),
        ("How many daughters had he?", "He paid 30 crowns.", None),
        ("Combien de livres a-t-elle vendus?", "Elle a vendu 2 300 livres en mai.", "2 300"),
        ("How much does the pump cost?", "Chosen by 24 votes, the pump costs 91,000 euros.", "91,000 euros"),
        ("How much does the brace cost?", "It stands for twenty years. The brace costs $1,700.", "$1,700"),
        ("How much does it cost?", "It has 3 legs.", None),
        ("How long did the race take?", "The race took 3 hours and 42 minutes.", "3 hours and 42 minutes"),
        ("Who sold the motorbike?", "On Friday I sold the motorbike.", None),
        ("Where will she drum?", "The examination is on 12 February.", None),
        ("Who was elected?", "Mr Adeyemi was elected.", "Mr Adeyemi"),
        ("Who lives in Hull?", "Lena Fox; Town: Hull", "Lena Fox"),
        ("How many tons of rye in 2024?", "crop: rye | 2023: 5 | 2024: 7", "7"),
        ("How many tons of rye in 2024?", "2023, rye: 1 | 2024, oats: 2 | 2024, rye: 3", "3"),
        ("How much did the lamp weigh?", "In 1954 the lamp weighed 340 kilos.", "340"),
        ("How much did the lamp weigh?", "On 4 May 1954 the lamp weighed 340 kilos.", "340"),
        ("Für wie viel Mark kaufte Gisela die Mühle?", "1987 kaufte Gisela die Mühle für 42.500 Mark.", "42.500"),
        ("Wie viel kostete der Tee?", "Der Tee kostete 4,75 Mark.", "4,75"),
    ],
)
def test_what_stands_near_is_not_taken_for_what_is_asked(question: str, sentence: str, found: str | None) -> None:
    kind = kind_of(question)
    assert kind and extract_phrase(kind, sentence, question, None) == found


def test_without_a_cue_the_words_that_the_question_lacks_are_the_answer() -> None:
    assert kind_of("What did Ida carry?") is None
    sentence = "So in the end Ida did carry a coil of tarred rope and one lantern."
    assert richest_words(sentence, "What did Ida carry?") == "coil of tarred rope and one lantern"


@pytest.mark.parametrize(
    ("question", "length", "answer", "quote"),
    [
        ("When did Ben mend the net?", "phrase", "8 May 2023", "I mended the red net yesterday with Ida."),
        ("How many herrings did Ben sell?", "phrase", "412", "Ben: We sold 412 herrings last week."),
        ("How many herrings did Ben sell?", None, "412", "Ben: We sold 412 herrings last week."),
        ("When did Ben mend the net?", None, "8 May 2023", "Ben: Cold. I mended the red net yesterday with Ida."),
        ("When did Ben polish the brass?", None, None, "Ben: Cold. I mended the red net yesterday with Ida."),
        ("What did Ben mend?", None, None, "Ben: Cold. I mended the red net yesterday with Ida."),
        ("Did Ben sell herrings?", None, None, "Ben: We sold 412 herrings last week."),
    ],
)
async def test_a_phrase_is_cited_with_its_sentence_and_a_sentence_is_quoted(
    library: Library, question: str, length: Any, answer: str | None, quote: str
) -> None:
    document = (await append_sessions(library.pages, "chat", CHAT)).document
    graph = METHODS["bm25"].build().compile(store=library.store)
    context = ReaderContext(model="", answer_length=length)
    found = await graph.ainvoke({"document": document.id, "question": question}, context=context)
    assert found["status"] == "nearest" and found["citations"][0]["quote"] == quote
    assert found["answer"] == (answer or quote)
    shown = answer_text(with_marks(found)).plain
    one = len(found["citations"]) == 1
    perhaps = f"Perhaps, from the nearest sentence{'' if one else 's'}: {answer} [1]"
    assert shown == (perhaps if answer else NEAREST_ONE if one else NEAREST)


def test_of_a_talk_the_five_nearest_turns_are_quoted_and_its_questions_answer_nothing() -> None:
    lines = ["How many nets were there?", "There were 12 nets.", "Which nets?", "So.", "Ah, nets.", "Oh, nets.", "So."]
    talk = "\n".join(f"{('Ann', 'Ben')[number % 2]}: {line}" for number, line in enumerate(lines))
    state: Any = {"question_text": "How many nets?", "choices": {}}
    said = quoted_answer(passages_of({0: talk}), state)
    assert len(said.quotes) == 5 and said.answer == "12"
    assert said.quotes[0]["quote"] == "Ben: There were 12 nets."


TALK = "\n".join(
    ["Ann: How was the week?", "Ben: I carved a wooden heron for the fair.", "Ann: How fine! I baked some bread."]
    + [f"{who}: It rained on day {day}." for day in range(3) for who in ("Ann", "Ben")]
)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did Ben carve for the fair?", True),
        ("What did Ann carve for the fair?", False),
        ("What did Ann bake?", True),
        ("What did Ann and Ben carve for the fair?", True),
        ("What was carved for the fair?", True),
        ("How is Ann?", True),
    ],
)
def test_what_somebody_else_said_is_no_answer(question: str, found: bool) -> None:
    said = phrase_answer(passages_of({0: TALK}), question, {})
    assert (said.status, bool(said.quotes)) == (("nearest", True) if found else ("no_answer", False))


def test_each_turn_and_each_row_is_a_passage_of_its_own() -> None:
    talk = "9 May 2023\nAnn: It was on 7 May.\nBen: I know"
    rows = "Station: Hexley; Year: 1985; Discharge: 12\nStation: Oxholm; Year: 1985; Discharge: 31"
    found = passages_of({0: f"{talk}\n\n{rows}\n\nLamps\nThe lamps of the harbour were lit by night."})
    assert [(each.speaker, each.heading) for each in found] == [
        ("Ann", "9 May 2023"), ("Ben", "9 May 2023"), ("Station", ""), ("Station", ""), ("", "Lamps")
    ]  # fmt: skip
    assert [each.text.strip() for each in found[2:4]] == rows.split("\n")


@pytest.mark.parametrize(
    ("question", "sentence", "phrase"),
    [
        ("Wer brachte das Öl?", "Am Abend brachte Anna Vogel das Öl in den Turm.", "Anna Vogel"),
        ("Wer schlief?", "Am Abend schlief der Koch im Turm.", None),
        ("Wo schlief der Koch?", "Am Abend schlief der Koch im Turm.", "Turm"),
        ("Mit wem kam sie?", "Sie kam mit Frau Lind aus Sarn.", "Frau Lind"),
        ("Qui a apporté l'huile ?", "Le soir, l'huile fut apportée par Anne Morel.", "Anne Morel"),
        ("Où se trouvait la lampe ?", "La lampe se trouvait à Honfleur.", "Honfleur"),
        ("¿Dónde estaba la lámpara?", "La lámpara estaba en Cádiz.", "Cádiz"),
        ("Chi portò l'olio?", "Di sera l'olio fu portato da Elena Riva.", "Elena Riva"),
        ("Who is the keeper?", "Lena Fox | role: keeper | city: Hexley", "Lena Fox"),
        ("Who is the keeper?", "Lena Fox; keeper; Hexley", "Lena Fox"),
    ],
)
def test_who_and_where_are_asked_in_other_languages_and_of_rows(
    question: str, sentence: str, phrase: str | None
) -> None:
    kind = kind_of(question)
    assert kind in ("person", "place") and extract_phrase(kind, sentence, question, None) == phrase
