"""What a person sees of a conversation on a terminal."""

import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk

from readgraph.cli.terminal.safe_text import Console
from readgraph.features.agents.chat import ChatView
from readgraph.features.agents.prompts import NextStep
from readgraph.features.agents.state import IncomingEvent
from readgraph.features.agents.store import Event
from readgraph.models.streaming import THOUGHTS, StreamedReply, partial_thoughts_and_text
from tests.doubles.agent import Step, call, say


class Terminal(ChatView):
    """A view whose terminal is a text."""

    def __init__(self) -> None:
        super().__init__("ada")
        self.console = Console(file=io.StringIO(), width=80)

    @property
    def shown(self) -> str:
        file = self.console.file
        assert isinstance(file, io.StringIO)
        return file.getvalue()


def pieces(step: Step, reply: str = "r1", size: int = 5) -> list[AIMessageChunk]:
    """A step as the model says it, a few characters at a time."""
    said, coming = json.dumps(step), StreamedReply(NextStep)
    grown = [coming.grow(AIMessageChunk(content=said[at : at + size])) for at in range(0, len(said), size)]
    return [AIMessageChunk(content=text, additional_kwargs={THOUGHTS: thoughts}, id=reply) for thoughts, text in grown]


def called(step: Step, result: str | None) -> Event:
    """The event of a step, before or after it was run."""
    given = {each["name"]: each["value"] for each in step["arguments"]}  # type: ignore[attr-defined]
    return Event(1, "call", "", str(step["inner_thoughts"]), str(step["function"]), given, result=result)


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


def test_a_message_is_shown_while_the_model_says_it(terminal: Terminal) -> None:
    step, told = say("Many happy returns of the day!"), list[str]()
    for piece in pieces(step):
        terminal.show_piece(piece)
        told.append(terminal.shown)
    assert any("hm\nMany" in shown and "day" not in shown for shown in told)
    terminal.event(called(step, None))
    terminal.event(called(step, "Sent."))
    assert terminal.shown == "hm\nMany happy returns of the day!\n"


def test_what_was_not_heard_is_shown_whole(terminal: Terminal) -> None:
    step = say("Good morning.")
    terminal.event(called(step, None))
    terminal.event(called(step, "Sent."))
    assert terminal.shown == "(thinks: hm)\nGood morning.\n"


def test_who_reads_no_terminal_gets_lines_as_they_were_said(terminal: Terminal) -> None:
    message = "The wind stood in the north. " * 9 + "So it did."
    terminal.event(called(say(message), "Sent."))
    assert terminal.shown == f"{message}\n"


def test_a_call_is_one_line_behind_its_thoughts(terminal: Terminal) -> None:
    step = call("recall_search", thoughts="Who was it?", words="goats")
    for piece in pieces(step):
        terminal.show_piece(piece)
    terminal.event(called(step, None))
    terminal.event(called(step, "showing 0 of 0"))
    assert terminal.shown == 'Who was it?\nrecall_search(words="goats") → showing 0 of 0\n'


def test_a_long_call_is_one_line_too_but_not_what_went_wrong(terminal: Terminal) -> None:
    terminal.console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    words = " ".join(f"word{number}" for number in range(30))
    found = called(call("recall_search", words=words), f"showing 5 of 9\n{words}")
    terminal.event(found)
    (line,) = terminal.shown.splitlines()
    assert line.startswith('recall_search(words="word0') and line.endswith("…") and len(line) == 80
    terminal.event(replace(found, failed=True, result="Turn to page 1 of these results: there is no other."))
    assert " ".join(terminal.shown.splitlines()[1:]).endswith("there is no other.")


def test_a_reply_that_is_asked_for_again_begins_a_line(terminal: Terminal) -> None:
    for piece in [*pieces(say("Wro"), "r1")[:-3], *pieces(say("Right."), "r2")]:
        terminal.show_piece(piece)
    terminal.event(called(say("Right."), None))
    terminal.event(called(say("Right."), "Sent."))
    assert terminal.shown.endswith("\nhm\nRight.\n")


def test_a_timer_leaves_what_is_being_typed(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.features.agents.chat.current_line", lambda: "half a sen")
    with terminal.prompt_user():
        terminal.event(Event(0, "timer", "", "Look after the lamp."))
        terminal.event(called(say("It burns."), "Sent."))
        terminal.note_timer_end()
    assert terminal.shown == "\n[timer] Look after the lamp.\nIt burns.\n> half a sen"
    terminal.note_timer_end()
    assert terminal.shown.endswith("> half a sen"), "nobody is asked"


def test_who_said_what(terminal: Terminal) -> None:
    events = [Event(0, "user", "", "Hello."), called(say("Well?"), "Sent."), Event(2, "timer", "", "Look.")]
    terminal.show_opening(events)
    assert terminal.shown == "you: Hello.\nada: Well?\ntimer: Look.\n"


def test_undo_says_what_it_took_back(terminal: Terminal) -> None:
    timer = IncomingEvent(kind="timer", text="Look.")
    terminal.show_undone([])
    terminal.show_undone([IncomingEvent(kind="user", text="Hello.")])
    terminal.show_undone([IncomingEvent(kind="user", text="Hello."), timer, timer])
    terminal.show_undone([IncomingEvent(kind="upload", document="d1")])
    assert terminal.shown.splitlines() == [
        "There is nothing to undo.",
        "Undone: Hello.",
        "Undone: Hello., and the turns since: 2 (timer)",
        "Undone: the upload",
    ]


@given(st.text(max_size=30), st.text(max_size=30), st.booleans(), st.integers(1, 9))
def test_what_is_shown_of_a_step_only_grows(thoughts: str, message: str, ascii_only: bool, size: int) -> None:
    said = json.dumps(call("send_message", thoughts=thoughts, message=message), ensure_ascii=ascii_only)
    coming, grown = StreamedReply(NextStep), [("", "")]
    for at in range(0, len(said), size):
        grown.append(coming.grow(AIMessageChunk(content=said[at : at + size])))
    grown.append(coming.end())
    assert tuple("".join(parts) for parts in zip(*grown, strict=True)) == (thoughts, message)


@pytest.mark.parametrize("said", ["", "Well, ", "[1", "null", '{"function": "send_message", "arguments": 3', "{]"])
def test_what_is_no_step(said: str) -> None:
    assert partial_thoughts_and_text(NextStep, said) == ("", "")


@pytest.mark.parametrize(
    "said",
    [
        'I think so. ```json\n{"inner_thoughts": "hm", "function": "send_message", "arguments": {"message": "Yes.',
        '{"inner_thoughts": "hm", "function": "send_message", "arguments": [{"name": "message", "value": "Yes."}]}',
    ],
)
def test_steps_as_models_write_them(said: str) -> None:
    assert partial_thoughts_and_text(NextStep, said) == ("hm", "Yes.")


def test_a_line_break_as_models_write_it_is_shown() -> None:
    assert partial_thoughts_and_text(NextStep, '{"inner_thoughts": "a\nb\tc\\nd", "function"') == ("a\nb\tc\nd", "")


@pytest.mark.parametrize("unit", ["{", '"', "字"])
def test_a_long_step_is_looked_through_soon(unit: str) -> None:
    coming, said = StreamedReply(NextStep), json.dumps(say(unit * 40_000), ensure_ascii=False)
    told = [coming.grow(AIMessageChunk(content=said[at : at + 200])) for at in range(0, len(said), 200)]
    assert (unit * 40_000).startswith("".join(message for _, message in told)), "as far as it is looked through"
