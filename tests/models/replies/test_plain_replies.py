"""Typed replies in plain words: what is asked for, and what is taken from a line."""

import re
from dataclasses import replace
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.models.prompt import Messages
from readgraph.models.replies.forms import ReplyRefusal, decision_field, parse_plain, plain_messages, take_whole_part
from readgraph.models.reply import restrict_reply
from readgraph.nodes.answering.in_view import ChosenAnswer, FreeAnswer
from readgraph.nodes.building.paging import PausePoint
from readgraph.nodes.look_up import NextPage, PagesToRead
from readgraph.nodes.prompts import require_reasons
from readgraph.nodes.research.plan import plan_reply
from readgraph.nodes.research.reflect import Verdict
from readgraph.nodes.walk.steps import ChildOrRevert, LeafChoice, LeafVerdict
from tests.doubles.agent import Living
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.models.test_faulty_readings import CONTEXT as READING
from tests.support.some_methods import mostly_slow


class BeginsAnew(BaseModel):
    """A choice between words."""

    DECIDES: ClassVar[tuple[str, ...]] = ("begins_anew",)
    begins_anew: Literal["yes", "no", "not sure"] = Field(description="yes, no, or not sure.")


LABELS = restrict_reply(PausePoint, label=[1, 2, 3])
LETTERS = restrict_reply(ChosenAnswer, choice=["A", "B"])


@pytest.mark.parametrize(
    ("reply", "said", "field", "value"),
    [
        *[(LABELS, "2", "label", 2), (LABELS, "The label 7 is not there, so 3.", "label", 3)],
        (LABELS, "<think>2 or 3?</think>\n\n1\nbecause a scene ends", "label", 1),
        *[(PagesToRead, "Pages 4 and 11.", "pages", [4, 11]), (PagesToRead, "I need none.", "pages", [])],
        *[(NextPage, "none.", "page", None), (NextPage, "page 3", "page", 3), (LETTERS, "(B) a goat", "choice", "B")],
        *[(LETTERS, "The answer is A.", "choice", "A"), (LETTERS, "A or B", "choice", "A")],
        (FreeAnswer, "Marian took it.", "answer", "Marian took it."),
        (FreeAnswer, "None", "answer", None),
        (BeginsAnew, "Not sure, it may.", "begins_anew", "not sure"),
        *[(Verdict, "Yes, they hold it all.", "enough", True), (Verdict, "no", "enough", False)],
        (require_reasons(ChildOrRevert), "2", "part", 2),
        (plan_reply(("keyword", "page")), "goat gallery", "keyword", ["goat gallery"]),
        (plan_reply(("page",)), "Where is the goat?", "needs", ["Where is the goat?"]),
        (require_reasons(LeafVerdict), "On the gallery.", "action", "answer"),
        *[(LeafVerdict, "none", "action", "revert"), (LeafChoice, "B", "found", "B")],
    ],
)
def test_a_line_says_what_decides(reply: type[BaseModel], said: str, field: str, value: Any) -> None:
    assert getattr(parse_plain(said, reply), field) == value


@pytest.mark.parametrize(
    ("reply", "said", "reason"),
    [
        (LABELS, "the first", "no number"),
        (LETTERS, "the keeper", "names none of A, B"),
        (BeginsAnew, "perhaps", "names none of yes, no"),
        (FreeAnswer, "  \n ", "empty"),
    ],
)
def test_what_says_nothing_is_refused(reply: type[BaseModel], said: str, reason: str) -> None:
    with pytest.raises(ReplyRefusal, match=reason):
        parse_plain(said, reply)


@given(st.text())
def test_any_text_is_taken_or_refused(said: str) -> None:
    for reply in (LABELS, LETTERS, PagesToRead, FreeAnswer, BeginsAnew, Verdict, LeafVerdict):
        try:
            assert isinstance(parse_plain(said, reply), reply)
        except ReplyRefusal as refused:
            assert str(refused)


def asked(reply: type[BaseModel], tries: int = 1) -> Messages:
    earlier = [("ai", "Perhaps."), ("user", "That can't be used.")] * (tries - 1)
    return plain_messages([("system", "You read."), ("user", "Which?"), *earlier], reply)


def test_only_what_decides_is_asked_for() -> None:
    ((_, said),) = asked(FreeAnswer)[1:]
    assert said.startswith("Which?\n\n") and "concise answer" in said and "quotes" not in said
    last = asked(LABELS)[-1][1]
    assert "Choose one: 1, 2 or 3." in last and "label" not in last and "what ends there" not in last
    assert "2 or none." in asked(restrict_reply(require_reasons(ChildOrRevert), part=[0, 2]))[-1][1]
    assert decision_field(BaseModel) is None


@pytest.mark.parametrize(("reply", "labels"), [(LABELS, "789"), (LETTERS, "XYZ")])
def test_labels_stand_behind_an_example_that_changes(reply: type[BaseModel], labels: str) -> None:
    tries = [asked(reply, tries) for tries in (1, 2, 3)]
    for (_, listed), (_, label) in (each[1:3] for each in tries):
        assert f"{label}: a hammer" in listed and f"{labels[0]}, {labels[1]} or {labels[2]}" in listed
    assert {each[2][1] for each in tries} == {*labels}
    assert {each[3] for each in tries} == {tries[0][3]} and {len(each) for each in tries} == {4}


def test_what_has_no_label_is_asked_again_with_what_was_wrong() -> None:
    messages = asked(BeginsAnew, tries=2)
    assert messages[2] == ("ai", "Perhaps.") and messages[3][1].startswith("That can't be used.\n\nChoose one: yes")


# Over a server

CONTEXT = replace(READING, reply_form="plain")


def functions_in(request: ChatRequest) -> list[tuple[str, str]]:
    return re.findall(r"^(\d+): (\w+)$", request.last, re.MULTILINE)


def speaker(request: ChatRequest) -> str:
    """A model that says a sentence about what it is offered, or a line, and knows no JSON."""
    if "Which of them do you call?" in request.last:
        return next(f"I call {number}." for number, name in functions_in(request) if name == "answer")
    if offered := re.search(r"Choose one: (.+?)(?:,| or) ", request.last):
        return f"It is {offered[1]}."
    return "The keeper took it."


IN_LINES = [each for each in METHODS if each not in ("survey", "rlm")]  # records have columns, a program is no line


@pytest.mark.parametrize("method", mostly_slow(IN_LINES))
async def test_every_method_reads_plain_words(server: ModelServer, library: Library, story: str, method: str) -> None:
    server.respond = speaker
    graph = METHODS[method].build().compile(store=library.store)
    asks: Any = {"text": story[:9000], "question": "Who took the log book?"}
    found = await graph.ainvoke(asks, context=CONTEXT)
    assert (found["answer"], found["status"]) == ("The keeper took it.", "answered")
    assert found["usage"]["refused"] == 0 and found["usage"]["calls"] == server.calls
    assert not any(request.schema or request.tool or "JSON" in request.text for request in server.requests)


async def test_a_conversation_in_plain_words(server: ModelServer, library: Library) -> None:
    replies = iter(["memory_append", "human", "Likes goats.", "99", "send_message", "Noted."])

    def say(request: ChatRequest) -> str:
        said = next(replies)
        return next((number for number, name in functions_in(request) if name == said), said)

    server.respond = say
    ada = Living(library, context=replace(CONTEXT, window_words=4000))
    found = await ada.turn("I like goats.")
    assert (found["said"], found["status"], found["usage"]["refused"]) == (["Noted."], "answered", 1)
    assert await ada.block("human") == "Likes goats."
    assert server.calls == 6, "a message ends the turn"


@pytest.mark.parametrize(
    ("said", "whole", "calls"),
    [
        ("The keeper took it, and", "The keeper took it, and", 2),
        ("The keeper.\nHe took", "The keeper.", 1),
        ("Ada took it. She was late", "Ada took it.", 1),
        ("\n\nThe keep", "\n\nThe keep", 2),
    ],
)
async def test_of_a_cut_reply_whole_lines_count(
    server: ModelServer, library: Library, said: str, whole: str, calls: int
) -> None:
    server.respond = lambda request: said
    server.faults.append(Fault.truncated(18))
    graph = METHODS["first-words"].build().compile(store=library.store)
    asks: Any = {"text": "The keeper took the log book.", "question": "Who took it?"}
    found = await graph.ainvoke(asks, context=CONTEXT)
    assert (found["answer"], server.calls) == (whole.strip(), calls)


@pytest.mark.parametrize(("said", "kept"), [("3: because of", "3: because"), ("1", ""), ("12 is", "12"), ("", "")])
def test_of_a_choice_that_is_cut_only_whole_words_count(said: str, kept: str) -> None:
    assert take_whole_part(said, NextPage) == kept
