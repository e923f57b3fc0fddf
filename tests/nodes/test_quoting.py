"""What is quoted without a model: the nearest sentences, questions with their replies, and what "yesterday" means."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from readgraph.api.answer_text import NEAREST, NEAREST_ONE
from readgraph.api.functions import ask
from readgraph.cli.terminal.rendering import answer_text
from readgraph.graphs.methods import METHODS
from readgraph.language.dates import date_in, resolve_time_words
from readgraph.language.passages import passages_of
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.nodes.answering.citations import with_marks
from readgraph.nodes.extractive.quoting import quoted_answer
from readgraph.state.context import ReaderContext
from tests.support.command import Command

FRIDAY = date(2023, 7, 14)

MAY = "Ann: Hello Ben, how is the harbour?\nBen: Cold. I mended the red net yesterday with Ida."
JUNE = "Ben: We sold 412 herrings last week.\nAnn: Good. My sister moved to Oxholm."
CHAT = [SessionText(MAY, time="9 May 2023"), SessionText(JUNE, time="1:10 pm on 2 June, 2023")]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("I went there yesterday.", {"yesterday": "13 July 2023"}),
        ("Three days ago it broke.", {"Three days ago": "11 July 2023"}),
        ("She came two weeks ago.", {"two weeks ago": "two weeks before 14 July 2023"}),
        ("He came a couple of months ago.", {"a couple of months ago": "a couple of months before 14 July 2023"}),
        ("We met last Sunday.", {"last Sunday": "9 July 2023"}),
        ("We met last Friday, and leave next Monday.", {"last Friday": "7 July 2023", "next Monday": "17 July 2023"}),
        ("We meet next month.", {"next month": "August 2023"}),
        ("It was last December.", {"last December": "December 2022"}),
        ("It was last year.", {"last year": "2022"}),
        ("It rained all last weekend.", {"last weekend": "the weekend before 14 July 2023"}),
        ("It was the day before yesterday.", {"the day before yesterday": "12 July 2023"}),
        ("We leave the day after tomorrow.", {"the day after tomorrow": "16 July 2023"}),
        ("This may be true.", {}),
        ("It was 9 years later.", {}),
        ("We go on next Saturday.", {}),  # the 15th or the 22nd
        ("We meet on the last Friday of each month.", {}),
        ("It was his last year at sea.", {}),
        ("It is the last week of July.", {}),
        ("Ann's last month was hard.", {}),
        ("It cost a lot over the past year.", {}),
    ],
)
def test_words_for_a_time_are_resolved_by_the_day_on_which_they_were_said(said: str, meant: dict[str, str]) -> None:
    assert resolve_time_words(said, FRIDAY) == meant


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("session 3, 1:56 pm on 8 May, 2023", date(2023, 5, 8)),
        ("March 3rd, 1897", date(1897, 3, 3)),
        ("2024-02-29T10:00", date(2024, 2, 29)),
        ("minutes of 2024-01-05, 12 March 2024, Tor", date(2024, 3, 12)),
        ("31 June 2023", None),
        ("session 4, part 12", None),
    ],
)
def test_a_session_has_the_day_in_its_name(text: str, day: date | None) -> None:
    assert date_in(text) == day


@pytest.mark.parametrize("length", ["phrase", "sentence", None])
@pytest.mark.parametrize(
    ("question", "quote", "dates"),
    [
        (
            "When did Ben mend the net?",
            "Ben: Cold. I mended the red net yesterday with Ida.",
            {"yesterday": "8 May 2023"},
        ),
        (
            "How many herrings did Ben sell?",
            "Ben: We sold 412 herrings last week.",
            {"last week": "the week before 2 June 2023"},
        ),
        ("Who moved to Oxholm?", "Ann: Good. My sister moved to Oxholm.", {}),
    ],
)
async def test_the_nearest_sentence_is_quoted_and_nothing_is_said_to_answer(
    library: Library, question: str, length: Any, quote: str, dates: dict[str, str]
) -> None:
    document = (await append_sessions(library.pages, "chat", CHAT)).document
    graph = METHODS["full-text"].build().compile(store=library.store)
    context = ReaderContext(model="", answer_length=length)
    found = await graph.ainvoke({"document": document.id, "question": question}, context=context)
    assert (found["status"], found["answer"], found["by_rule"]) == ("nearest", quote, True)
    assert found["citations"][0]["quote"] == quote and found["citations"][0].get("dates", {}) == dates
    assert answer_text(with_marks(found)).plain == (NEAREST_ONE if len(found["citations"]) == 1 else NEAREST)


def quotes_of(talk: str, question: str) -> list[str]:
    state: Any = {"question_text": question, "choices": {}}
    return [each["quote"] for each in quoted_answer(passages_of({0: talk}), state).quotes]


def test_of_a_talk_the_five_nearest_turns_are_quoted_the_best_first() -> None:
    lines = ["How many nets were there?", "There were 12 nets.", "Which nets?", "The red.", "Ah, nets.", "Oh, nets."]
    talk = "\n".join(f"{('Ann', 'Ben')[number % 2]}: {line}" for number, line in enumerate(lines))
    first, *others = quotes_of(talk, "How many nets?")
    assert first == "\n".join(f"{who}: {line}" for who, line in zip(("Ann", "Ben") * 2, lines, strict=False))
    assert others == ["Ben: Oh, nets.", "Ann: Ah, nets."]


QUEUE = "Why was the queue dropped?"
SMALL_TALK = "\n".join(
    f"{who}: It rained on day {day}, and we drank tea." for day in range(3) for who in ("Ann", "Ben")
)


@pytest.mark.parametrize(
    ("talk", "question", "quote"),
    [
        ("Ann: Why did we drop the queue?\nBen: It lost messages.", QUEUE, "all"),
        ("Ann: Why did we drop the queue?\n\nBen: It lost messages.", QUEUE, "all"),
        ("Ann: why did we drop the queue\nBen: it lost messages", QUEUE, "all"),
        ("Ann: Why did we drop the queue? I forgot it.\nBen: It lost messages.", QUEUE, "all"),
        ("Ann: Why did we drop the queue?\nAnn: I forgot.\nBen: It lost messages.", QUEUE, "all"),
        ("Ann: Why did we drop the queue?\nBen: Which one?\nAnn: The red one.\nBen: Ah, yes.", QUEUE, "Ben: Which"),
        ("User: Why did we drop the queue?\n\nAssistant: Good question.\n\nIt lost messages.", QUEUE, "all"),
        ("[19:40] Ann: Why did we drop the queue?\n[19:41] Ben: It lost messages.", QUEUE, "all"),
        ("Ana: ¿Por qué quitamos la cola?\nBea: Perdía mensajes.", "¿Por qué se quitó la cola?", "all"),
        ("Анна: Почему мы убрали очередь?\nБорис: Она теряла сообщения.", "Почему убрали очередь?", "all"),
        ("小明: 我们为什么取消队列？\n小红: 因为它丢了消息。", "为什么取消队列？", "all"),
        ("健: なぜキューをやめたのですか。\n花: メッセージが消えたから。", "なぜキューをやめた？", "all"),
        ("ليلى: لماذا حذفنا الطابور؟\nسامي: كان يفقد الرسائل.", "لماذا حذف الطابور؟", "all"),
        ("Άννα: Γιατί αφήσαμε την ουρά;\nΝίκος: Έχανε μηνύματα.", "Γιατί άφησαν την ουρά;", "all"),
        ("Why did we drop the queue?\n\nIt lost messages.", QUEUE, "all"),
    ],
)
def test_a_question_that_is_quoted_stands_with_the_reply_after_it(talk: str, question: str, quote: str) -> None:
    first = quotes_of(f"{talk}\n\n# Other things\n\n{SMALL_TALK}", question)[0]
    flat = " ".join(first.split())
    assert flat == " ".join(talk.split()) if quote == "all" else quote in flat


def test_a_long_reply_is_quoted_by_its_first_sentences_and_a_question_without_one_alone() -> None:
    asked, story = (
        "Ann: Why did we drop the queue?",
        " ".join(f"It lost message {number} at night." for number in range(99)),
    )
    (long,) = quotes_of(f"{asked}\nBen: {story}\n\n# Later\n\n{SMALL_TALK}", QUEUE)[:1]
    assert long.startswith(f"{asked}\nBen: It lost message 0") and len(long.split()) < 100
    alone = quotes_of(f"{SMALL_TALK}\n{asked}\n\n# Later\n\nBen: The boats came in.", QUEUE)
    assert alone[0] == asked


def test_a_reply_on_the_next_page_stands_next() -> None:
    state: Any = {"question_text": QUEUE, "choices": {}}
    pages = {0: f"{SMALL_TALK}\nAnn: Why did we drop the queue?", 1: "Ben: It lost messages.\nAnn: I see."}
    said = quoted_answer(passages_of(pages), state)
    assert [(each["page"], each["quote"]) for each in said.quotes[:2]] == [
        (0, "Ann: Why did we drop the queue?"),
        (1, "Ben: It lost messages."),
    ]


BEFORE, QUOTE = "The boat of the harbour master came in at dawn.", "Ida lit the lamp in the tower as every evening."
AFTER = "The goat of the keeper slept on the stair. Nobody saw the fox that came for the hens."


async def test_the_sentences_around_a_quote_are_shown_on_demand(library: Library) -> None:
    texts = ("It is a long day.", f"{BEFORE} {QUOTE} {AFTER}", "It is a long night.")
    documents = [await library.pages.add_document(text, title=text[:9]) for text in texts]
    (plain,) = (await ask(library, "Who lit the lamp in the tower?", documents=documents)).citations
    assert (plain.quote, plain.before, plain.after) == (QUOTE, "", "")
    context = ReaderContext(model="", quote_context=3)  # more than its document has
    (told,) = (await ask(library, "Who lit the lamp in the tower?", documents=documents, context=context)).citations
    assert (told.quote, told.before, told.after) == (QUOTE, BEFORE, AFTER)


def test_the_command_shows_dates_and_context(readgraph: Command, tmp_path: Path) -> None:
    talk = tmp_path / "talk.md"
    talk.write_text(f"# 9 May 2023\n\n{MAY}\nAnn: Good.\n", encoding="utf-8")
    told = readgraph("ask", "When did Ben mend the net?", talk, "-q", "--quote-context", "1").text
    assert (
        "Ann: Hello Ben, how is the harbour? “Ben: Cold. I mended the red net yesterday with Ida.” Ann: Good." in told
    )
    assert "(“yesterday” = 8 May 2023)" in told


def test_each_turn_and_each_row_is_a_passage_of_its_own() -> None:
    talk = "9 May 2023\nAnn: It was on 7 May.\nBen: I know"
    rows = "Station: Hexley; Year: 1985; Discharge: 12\nStation: Oxholm; Year: 1985; Discharge: 31"
    found = passages_of({0: f"{talk}\n\n{rows}\n\nLamps\nThe lamps of the harbour were lit by night."})
    assert [(each.speaker, each.heading) for each in found] == [
        ("Ann", "9 May 2023"), ("Ben", "9 May 2023"), ("Station", ""), ("Station", ""), ("", "Lamps")
    ]  # fmt: skip
    assert [each.text.strip() for each in found[2:4]] == rows.split("\n")


@pytest.mark.parametrize(
    ("question", "one", "other", "both"),
    [
        ("When was the bell cast?", "The bell was cast in 1820.", "The bell was cast in 1822.", True),
        ("Who built the mill?", "Marta Weber built the mill in May.", "Jonas Holm built the mill in May.", True),
        ("Is smoking allowed?", "Smoking is allowed there.", "Smoking is not allowed there.", True),
        ("When was the bell cast?", "The bell was cast in 1820. Dogs bark.", "The bell was cast in 1820.", False),
    ],
)
async def test_what_another_document_says_otherwise_is_quoted_too(
    library: Library, question: str, one: str, other: str, both: bool
) -> None:
    documents = [
        await library.pages.add_document(text, title=title) for text, title in ((one, "Chronicle"), (other, "Letters"))
    ]
    answer = await ask(library, question, documents=documents, method="read-agent", context=ReaderContext(model=""))
    places = [citation["place"] for citation in answer.output["citations"]]
    assert {*places} == {"Chronicle", "Letters"} if both else len(places) == 1
