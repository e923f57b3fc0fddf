"""Talk without a model: whom a question names, what says nothing, replies, and summaries."""

from typing import Any

import pytest

from readgraph.language.asked import widen_decided
from readgraph.language.passages import passages_of
from readgraph.language.sentences import LABEL
from readgraph.language.talk import find_named, is_filler, is_talk
from readgraph.nodes.extractive.quoting import quoted_answer
from readgraph.nodes.extractive.summaries import extract_summary

MEETING = """\
Project Manager: Good morning, everyone. Thanks for coming.
Designer: Morning.
Project Manager: The project plan was moved to June. The budget is forty thousand.
Engineer: Is that enough for the aluminium casing?
Designer: Um.
Project Manager: Not with the supplier in Lyon.
Designer: We chose recycled plastic, which survived a fall of two metres.
Project Manager: Who writes the manual?
Engineer: Not me, I wrote the last one.
Designer: I can do it by the fifth.
Project Manager: Perfect.
Engineer: The battery tests need six weeks.
Designer: Why so long?
Engineer: The lab in Ghent has one climate chamber.
Project Manager: When do we meet again? On Friday at ten, I think.
Engineer: Fine.
Project Manager: Take care!
Designer: Take care!
"""

CHAT = """\
[18:02] Ann: what time are we meeting
[18:03] Ben: at four in Elm Road
[18:04] Ann: can anyone bring a kettle
[18:05] Ben: I have a red one. It leaks. No, that was the old one.
[18:06] Ann: thx
[18:07] Ben: <Media omitted>
"""


def quotes_of(talk: str, question: str) -> list[str]:
    state: Any = {"question_text": question, "choices": {}}
    return [quote["quote"] for quote in quoted_answer(passages_of({0: talk}), state).quotes]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What is in the project plan?", set[str]()),
        ("What did the project manager say?", {"Project Manager"}),
        ("What did Miller say about the nets?", {"Ann Miller"}),
        ("What did ann miller say?", {"Ann Miller"}),
        ("小明说了什么？", {"小明"}),
    ],
)
def test_a_part_of_a_label_names_a_speaker_only_if_it_is_written_as_a_name(question: str, named: set[str]) -> None:
    assert find_named(question, ["Project Manager", "Ann Miller", "小明"], "en") == named


def test_a_label_is_no_match_for_the_words_of_a_question_that_names_nobody() -> None:
    assert quotes_of(MEETING, "What is in the project plan?") == [
        "Project Manager: The project plan was moved to June. The budget is forty thousand."
    ]


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Take care!", "en"),
        ("Yeah, okay. Thanks, Ann!", "en"),
        ("{vocalsound} Mm-hmm .", "en"),
        ("<Media omitted>", "en"),
        ("Waiting for this message. This may take a while.", "en"),
        ("null", "fr"),
        ("Warten auf diese Nachricht", "de"),
        ("Sticker weggelassen", "de"),
        ("En attente de ce message", "fr"),
        ("Esperando este mensaje. Esto puede tomar tiempo.", "es"),
        ("In attesa del messaggio", "it"),
        ("Aguardando mensagem", "pt"),
        ("Afbeelding weggelaten", "nl"),
        ("Без медиафайлов", "ru"),
        ("图片已省略", "zh"),
        ("Danke schön, bis morgen!", "de"),
        ("Merci beaucoup, à demain !", "fr"),
        ("Спасибо, до завтра!", "ru"),
        ("👍", "en"),
    ],
)
def test_politeness_and_noise_say_nothing(said: str, language: str) -> None:
    assert is_filler(said, language, ["Ann", "Ben"])


@pytest.mark.parametrize("said", ["I take care of it.", "Thanks to the rain it grew.", "At ten.", "In Oxholm, Ann."])
def test_what_says_something_is_no_filler(said: str) -> None:
    assert not is_filler(said, "en", ["Ann", "Ben"])


def test_nothing_is_shown_where_only_filler_shares_a_word() -> None:
    assert quotes_of(MEETING, "Who takes care of the garden?") == []


SPANISH = """\
Ana: ¿Qué pasó con la red?
Luis: Tuve que decir que no a un taller francés.
Ana: ¿Por qué les dijo que no?
Luis: Querían mil redes al mes, y aquí somos dos.
Ana: ¿Y usted está contento?
Luis: Muchísimo, con el sol.
"""


@pytest.mark.parametrize(
    ("talk", "question"),
    [
        (CHAT, "Which instrument does Ann play?"),
        (CHAT, "How old is Ann?"),
        (SPANISH, "¿Cómo se llama la abuela de Luis?"),
        (MEETING, "How many windows does the Designer want?"),
    ],
)
def test_turns_that_share_a_name_and_words_that_ask_show_nothing(talk: str, question: str) -> None:
    assert quotes_of(talk, question) == []


def test_what_a_named_speaker_says_is_shown_where_another_turn_has_what_is_asked() -> None:
    quotes = quotes_of(MEETING, "Why is the Engineer against the plastic?")
    assert any(quote.startswith("Engineer") for quote in quotes)


def test_who_speaks_once_in_a_talk_of_others_is_a_speaker() -> None:
    said = "Visitor: I brought the red folder with the drawings."
    assert quotes_of(f"{MEETING}{said}\n", "What did the Visitor say?") == [said]


def test_a_quote_of_turns_between_blank_lines_stands_as_in_the_text() -> None:
    talk = MEETING.replace("\n", "\n\n")
    assert quotes_of(talk, "Who writes the manual?")[0] in talk


@pytest.mark.parametrize(
    ("talk", "question", "quote"),
    [
        (MEETING, "Is it enough for the aluminium casing?", "Project Manager: Not with the supplier in Lyon."),
        (MEETING, "Who writes the manual?", "Designer: I can do it by the fifth."),
        (MEETING, "What do the battery tests need?", "Engineer: The lab in Ghent has one climate chamber."),
        (MEETING, "When do we meet again?", "On Friday at ten, I think."),
        (SPANISH, "¿Por qué rechazó al taller francés?", "Querían mil redes al mes"),
        (CHAT, "When do they meet?", "[18:03] Ben: at four in Elm Road"),
        (CHAT, "Who brings a kettle?", "[18:05] Ben: I have a red one. It leaks. No, that was the old one."),
        (
            "Why did I leave the sea? It had grown too cold for me.",
            "Why leave the sea?",
            "It had grown too cold for me.",
        ),
    ],
)
def test_a_question_stands_with_the_reply_that_says_something(talk: str, question: str, quote: str) -> None:
    assert quote in quotes_of(talk, question)[0]


def test_replies_end_where_somebody_asks_something_else() -> None:
    assert "battery" not in quotes_of(MEETING, "Who writes the manual?")[0]


def test_of_a_short_turn_what_it_takes_back_is_quoted_too() -> None:
    talk = f"{CHAT}[18:08] Ann: The list has fourteen members. It's forty-one."
    assert quotes_of(talk, "How many members has the list?")[0].endswith("It's forty-one.")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Dr. Ann Bell: Hello.", "Dr. Ann Bell"),
        ("Right Hon. Ann Bell (Minister of Roads, North): Hello.", "Right Hon. Ann Bell"),
        ("Ann B.: Hello.", "Ann B."),
        ("[19:40] Ann: Hello.", "Ann"),
        ("小明：Hello.", "小明"),
    ],
)
def test_a_label_may_have_a_title_an_initial_and_an_office(line: str, name: str) -> None:
    label = LABEL.match(line)
    assert label and label[1] == name and line[label.end() :] == "Hello."


def test_what_somebody_is_quoted_to_say_is_no_turn() -> None:
    assert not LABEL.match("他说：“好。”")


def test_a_summary_of_a_talk_consists_of_statements() -> None:
    filler = "Ann: Yeah, I mean, it's just, you know, okay, right.\nBen: Right, yeah, okay, I mean.\n"
    told = "Ann: The harbour wall broke in the storm and needs new stones from Oxholm.\n"
    asked = "Ben: Who pays for the new stones of the harbour wall after such a storm?\n"
    broken = "Ben: The harbour wall and its stones and the storm, as I was going to,\n"
    talk = filler * 6 + asked + told + broken + filler * 6 + "Ben: The town pays for the stones of the wall in May.\n"
    summary = " ".join(sentence["text"] for sentence in extract_summary({0: talk}, {}, 40))
    assert "needs new stones" in summary and "The town pays" in summary
    assert "Who pays" not in summary and "going to" not in summary and "I mean" not in summary


@pytest.mark.parametrize("talk", ["Ann: Hi!\nBen: Hello.\n", "Ann: Is it cold?\nBen: Is it?\n"])
def test_a_talk_without_statements_is_summarised_as_other_texts(talk: str) -> None:
    assert extract_summary({0: talk}, {}, 20)


@pytest.mark.parametrize(
    "notice",
    [
        "12/03/24, 18:02 - Messages and calls of this chat are encrypted from end to end. Nobody else can read them.",
        "12.03.24, 18:02 - Marta hat die Gruppe „Segeln im Juni auf der Adria“ erstellt und alle hinzugefügt.",
        "[12/03/24, 18:02:10] Sailing in June: \u200eMessages and calls of this chat are encrypted from end to end.",
    ],
)
def test_a_messengers_own_notices_are_not_in_a_summary(notice: str) -> None:
    said = [
        "12/03/24, 18:14 - Marta: We sail a Bavaria with three cabins from the harbour of Split.",
        "12/03/24, 18:20 - Karl: My radio licence ran out in January, and the club renews it in April.",
        "The club also lends charts of the coast.",
        "12/03/24, 18:31 - Marta: Fine for me.",
    ]
    summary = " ".join(sentence["text"] for sentence in extract_summary({0: "\n".join([notice, *said])}, {}, 60))
    assert "Bavaria" in summary and "charts of the coast" in summary
    short = ["12/03/24, 18:14 - Marta: The boat has three cabins.", "12/03/24, 18:15 - Karl: And where is it?"]
    (sentence,) = extract_summary({0: "\n".join([notice, *short])}, {}, 60)
    assert sentence["text"].endswith("The boat has three cabins.")
    assert "end to end" not in summary and "erstellt" not in summary


SPREAD = [("Ann", "The barrels leak badly."), ("Ben", "Then we order new barrels from Ghent."), ("Ann", "By May?")]


@pytest.mark.parametrize(
    ("head", "more"),
    [
        ("03/05/2024, 18:0{n} - {name}: ", "second line\n- an entry\n\nafter a blank line\n"),
        ("{name}: ", "second line\nthird line\n\n"),
    ],
)
def test_messages_of_many_lines_are_talk(head: str, more: str) -> None:
    said = [f"{head.format(n=n, name=name)}{words}\n{more}" for n, (name, words) in enumerate(SPREAD * 3)]
    assert is_talk(["".join(said)])


@pytest.mark.parametrize(
    "text",
    [
        "The inn was full.\n\nNobody slept.\n\n" * 30 + "".join(f"{n}/5/2024, 18:02 - Ann: Hi.\n" for n in range(1, 5)),
        "Rent: a sum\nthat is paid each month.\n\nTerm: the time\nfor which it runs.\n\nUse: what\nit is for.",
    ],
)
def test_a_book_with_a_few_messages_and_a_list_of_terms_are_no_talk(text: str) -> None:
    assert not is_talk([text])


DECIDED = """\
Ann: Do we buy the van?
Ben: Four thousand is too much.
Ann: Then we agreed to hire one. The made beds stay.
Ben: Lovely weather.
Ann: We settled on Friday for the move.
Ben: Good.
"""


@pytest.mark.parametrize("question", ["What was decided?", "What decisions were made?", "What did they agree on?"])
def test_what_was_decided_finds_what_was_agreed(question: str) -> None:
    quoted = quotes_of(DECIDED, question)
    assert any("agreed to hire" in quote for quote in quoted) and any("settled on Friday" in quote for quote in quoted)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Welche Entscheidungen wurden getroffen?", "vereinbart"),
        ("Qu'est-ce qui a été décidé ?", "convenu"),
        ("¿Qué se decidió?", "acordó"),
        ("Che cosa è stato deciso?", "stabilito"),
        ("O que foi decidido?", "combinado"),
        ("Wat is er besloten?", "afgesproken"),
    ],
)
def test_what_was_decided_is_asked_in_other_languages(question: str, word: str) -> None:
    assert word in widen_decided(question)


@pytest.mark.parametrize("question", ["What was made?", "What was decided about Lisbon?", "Was wurde gefasst?"])
def test_other_questions_are_not_about_decisions(question: str) -> None:
    assert widen_decided(question) == question


def test_a_turn_has_what_is_asked_in_a_language_whose_stems_are_not_stemmed_again() -> None:
    talk = "Rosa: Hola.\nLuis: Hemos decidido comprar vino.\n" * 3
    assert "decidido" in "".join(quotes_of(talk, "¿Qué se decidió?"))


DATED = """\
[03/05/2024, 18:01:00] Ann: Where do we sleep?
[03/05/2024, 18:02:00] Ben: My aunt has a flat.
It has a balcony.
She wants 60 a night.
[03/05/2024, 18:03:00] Ben: \u200eMissed voice call
[03/05/2024, 18:04:00] Ann: Why must Ben leave on Friday?
[03/05/2024, 18:05:00] Ben: My boat is sold on Friday.
[03/05/2024, 18:06:00] Ben: This message was deleted
[03/05/2024, 18:07:00] Ann: Fine.
"""


def test_a_message_of_several_lines_is_quoted_as_it_stands() -> None:
    (quote, *_) = quotes_of(DATED, "Where do we sleep?")
    assert quote == DATED[: len(quote)] and quote.endswith("60 a night.")


@pytest.mark.parametrize("question", ["What does Ben sell on Friday?", "Where do we sleep?", "Why must Ben leave?"])
def test_what_a_messenger_writes_for_somebody_is_not_what_they_say(question: str) -> None:
    quoted = "".join(quotes_of(DATED, question))
    assert quoted and "Missed" not in quoted and "deleted" not in quoted
