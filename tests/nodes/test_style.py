"""How long answers are, and in which language: by the settings, else by the question."""

import pytest
from langgraph.runtime import Runtime

from readgraph.language.detection import certain_language, sample_spans
from readgraph.models.replies.forms import reply_schema
from readgraph.nodes.answering.in_view import AnswerAlone, ChosenAnswer, FreeAnswer, WeighedAnswer, answer_style
from readgraph.nodes.contracts import AskedQuestion
from readgraph.nodes.prompts import at_length, length_by_question, require_reasons
from readgraph.nodes.walk.steps import LeafVerdict
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.language_names import NAMES, language_code


def line(question: str, choices: dict[str, str] | None = None, **settings: object) -> str:
    asked = AskedQuestion(question_text=question, choices=choices or {})
    return answer_style(asked, Runtime(context=ReaderContext(**settings))).line  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "length"),
    [
        ("Summarise the report.", "paragraph"),
        ("Please summarize what the keeper did", "paragraph"),
        ("Can you explain why the lamp went out?", "paragraph"),
        ("There are two keepers. Compare them.", "paragraph"),
        ("Give me a short summary of chapter 2", "paragraph"),
        ("List all keepers.", "free"),
        ("Describe the lamp in detail.", "free"),
        ("Tell me in great detail how the lamp works", "free"),
        ("Bitte fasse den Bericht zusammen.", "paragraph"),
        ("Erklären Sie, warum die Lampe ausging", "paragraph"),
        ("Résumez le rapport", "paragraph"),
        ("Resume el informe", "paragraph"),
        ("Объясните, почему погасла лампа", "paragraph"),
        ("لخص التقرير", "paragraph"),
        ("请总结这份报告", "paragraph"),
        ("報告を要約してください", "paragraph"),
        ("Resume of the keeper?", None),
        ("Wer fasste den Dieb?", None),
        ("Why did the keeper climb?", None),
        ("Which list did Ida keep?", None),
        ("How does the text explain the fire?", None),
        ("Was the storm described in detail?", None),
        ("Describe the lamp.", None),
        ("What is in the summary of chapter 2?", None),
    ],
)
def test_a_question_says_how_long_its_answer_is(question: str, length: str | None) -> None:
    assert length_by_question(question) == length


def test_nothing_is_said_of_the_answer_to_an_ordinary_question() -> None:
    assert line("Why did the keeper climb?") == ""
    assert line("Warum?") == line("Melanie, Zermatt 1985?") == ""
    assert line("Why did he climb?", {"A": "x", "B": "y"}, answer_length="free", language="de") == ""


def test_settings_go_before_what_the_question_wants() -> None:
    assert line("Summarise it.").startswith("Give the answer in one paragraph of about 75 words.")
    assert line("Summarise it.", answer_length="sentence") == "Give the answer in one sentence."
    assert line("Why did he climb?", answer_words=200) == "Give the answer in about 200 words."
    german = "Write the answer in German; quotes stay as they stand in the text."
    assert line("Warum stieg der Wärter auf den Turm?") == line("Why did he climb?", language="German") == german
    assert line("Warum stieg der Wärter auf den Turm?", language="en").startswith("Write the answer in English;")
    assert line("When?", answer_dates="7 May 2023") == "Write dates in the answer like this: 7 May 2023."


@pytest.mark.parametrize("reply", [FreeAnswer, AnswerAlone, WeighedAnswer, LeafVerdict, require_reasons(LeafVerdict)])
def test_where_an_answer_may_be_long_its_field_does_not_ask_for_a_short_one(reply: type[FreeAnswer]) -> None:
    short, long = str(reply_schema(reply)), str(reply_schema(at_length(reply)))
    assert "short" in short and "short" not in long and "as long as it is asked for" in long
    assert issubclass(at_length(reply), reply)
    assert str(reply_schema(reply)) == short


def test_a_reply_without_such_a_field_stays_as_it_is() -> None:
    assert reply_schema(at_length(ChosenAnswer)) == reply_schema(ChosenAnswer)


def test_a_language_is_given_by_its_code_or_its_name() -> None:
    assert ReaderContext(language=" German ").language == ReaderContext(language="DE").language == "de"
    assert (language_code("pt-BR"), language_code("zh_Hans"), language_code("Luba-Katanga")) == ("pt", "zh", "lu")
    assert all(language_code(name) == code for code, name in NAMES.items())
    with pytest.raises(BadInput, match="There is no language 'Germn': do you mean 'German'"):
        ReaderContext(language="Germn")
    with pytest.raises(BadInput, match="There is no language 'qq': give an ISO 639-1 code"):
        ReaderContext(language="qq")


GERMAN = "Der Wärter zündete die Lampe an und ging hinunter zum Ufer. " * 10
ENGLISH = "The keeper lit the lamp and went down to the shore, where the goat was. " * 10


@pytest.mark.parametrize("more", range(4))
def test_a_long_text_is_seen_by_three_samples(more: int) -> None:
    text = GERMAN * 50 + "x" * more
    samples = [text[start:end] for start, end in sample_spans(len(text))]
    assert [len(sample) for sample in samples] == [700, 700, 700]
    assert certain_language(samples) == "de"


def test_a_mixed_text_or_too_short_a_one_is_in_no_certain_language() -> None:
    assert certain_language([GERMAN, GERMAN]) == "de" and certain_language([ENGLISH]) == "en"
    assert certain_language([GERMAN, ENGLISH]) == certain_language(["Lampe"]) == certain_language([]) == ""
    assert certain_language(["灯台守は階段を上った。"]) == "ja"
    assert certain_language(["灯台守 went up the 階段を上った"]) == ""
