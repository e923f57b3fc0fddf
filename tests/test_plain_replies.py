"""Typed replies in plain words: what is asked for, and what is taken from a line."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from readgraph.nodes.plain_replies import deciding_field, parse_plain, plain_instructions
from readgraph.nodes.prompts.answer import ChosenAnswer, FreeAnswer
from readgraph.nodes.prompts.leaf import LeafChoice, LeafVerdict, ReasonedLeafVerdict
from readgraph.nodes.prompts.look_up import NextPage, PagesToRead
from readgraph.nodes.prompts.merge import BeginsAnew
from readgraph.nodes.prompts.offered import offering
from readgraph.nodes.prompts.pause import PausePoint
from readgraph.nodes.prompts.plan import plan_reply
from readgraph.nodes.prompts.reflect import Verdict
from readgraph.nodes.prompts.triage import ReasonedChildOrRevert
from readgraph.nodes.reply_parsing import Refused

LABELS = offering(PausePoint, label=[1, 2, 3])
LETTERS = offering(ChosenAnswer, choice=["A", "B"])


@pytest.mark.parametrize(
    ("reply", "said", "field", "value"),
    [
        (LABELS, "2", "label", 2),
        (LABELS, "The label 7 is not there, so 3.", "label", 3),
        (LABELS, "<think>2 or 3?</think>\n\n1\nbecause a scene ends", "label", 1),
        (PagesToRead, "Pages 4 and 11.", "pages", [4, 11]),
        (PagesToRead, "I need none.", "pages", []),
        (NextPage, "none.", "page", None),
        (NextPage, "page 3", "page", 3),
        (LETTERS, "(B) a goat", "choice", "B"),
        (LETTERS, "The answer is A.", "choice", "A"),
        (LETTERS, "A or B", "choice", "A"),
        (FreeAnswer, "Marian took it.", "answer", "Marian took it."),
        (FreeAnswer, "None", "answer", None),
        (BeginsAnew, "Not sure, it may.", "begins_anew", "not sure"),
        (Verdict, "Yes, they hold it all.", "enough", True),
        (Verdict, "no", "enough", False),
        (ReasonedChildOrRevert, "2", "part", 2),
        (plan_reply(("keyword", "page")), "goat gallery", "keyword", ["goat gallery"]),
        (plan_reply(("page",)), "Where is the goat?", "needs", ["Where is the goat?"]),
        (ReasonedLeafVerdict, "On the gallery.", "action", "answer"),
        (LeafVerdict, "none", "action", "revert"),
        (LeafChoice, "B", "found", "B"),
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
    with pytest.raises(Refused, match=reason):
        parse_plain(said, reply)


@given(st.text())
def test_any_text_is_taken_or_refused(said: str) -> None:
    for reply in (LABELS, LETTERS, PagesToRead, FreeAnswer, BeginsAnew, Verdict, LeafVerdict):
        try:
            assert isinstance(parse_plain(said, reply), reply)
        except Refused as refused:
            assert str(refused)


def test_only_what_decides_is_asked_for() -> None:
    assert "Choose one: 1, 2 or 3." in plain_instructions(LABELS)
    assert "number of the label" in plain_instructions(LABELS) and "what ends there" not in plain_instructions(LABELS)
    assert "2 or none." in plain_instructions(offering(ReasonedChildOrRevert, part=[0, 2]))
    assert deciding_field(BaseModel) is None
