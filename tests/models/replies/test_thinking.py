"""What a model thinks, in any mark, is no part of what it replies; a source's own marks can be quoted."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk
from pydantic import BaseModel

from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.models.replies.forms import ReplyRefusal, parse_reply, plain_text
from readgraph.models.reply import reply_of
from readgraph.models.streaming import StreamedReply
from readgraph.nodes.answering.in_view import AnswerAlone
from readgraph.state.context import ReaderContext
from tests.doubles.lifelike import lifelike
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.support.command import DOUBLE, Command

FORMS = {
    "a tag": "<think>{}</think>\n\n",
    "a tag with an attribute": '< Think mode="deep" >{}</ THINK >',
    "a tag with a prefix": "<seed:think>{}</seed:think>",
    "a thought": "<thought>\n{}\n</thought>\n",
    "a tag of another name": "<antThinking>{}</antThinking>",
    "nested": "<thinking>{0}<reflection>{0}</reflection>{0}</thinking>",
    "opened twice": "<think>\n<think>{}</think>",
    "only closed": "{}\n</think>\n",
    "channels": "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
    "channels without marks": "analysisWe see: {}assistantfinal",
    "a channel of Gemma": "<|channel>thought\n{}<channel|>",
    "brackets": "[THINK]{}[/THINK]",
    "triangles": "◁think▷{}◁/think▷",
    "tokens": "<|START_THINKING|>{}<|END_THINKING|><|START_RESPONSE|>",
    "prefixes": "<|inner_prefix|>{}<|inner_suffix|>",
    "numbered tokens": "<unused94>thought\n{}<unused95>",
    "full-width bars": "<｜Assistant｜><think>{}</think>",
    "sentences": "Here is my thought process:\n{}\nHere is my response:\n",
    "headings": "**Reasoning:** {}\n\n**Answer:** ",
    "another language": "<思考>{}</思考>",
    "details with a heading": "<details>\n<summary>Thought for 3 seconds</summary>\n{}\n</details>\n\n",
    "steps": "Here are my reasoning steps:\n{}\n[BEGIN FINAL RESPONSE]\n",
    "details": '<details type="reasoning"><summary>Thought</summary>{}</details>',
    "turns": "<|im_start|>assistant\n<think>{}</think>",
}
DRAFT = 'Let me see. It was {"answer": "dark"}, or not }'
ENDS = [
    *["", "<|im_end|>", "<|eot_id|>", "</s>", "<end_of_turn>\n"],
    *["<｜end▁of▁sentence｜>", "<|return|>", "<|endoftext|>Human: On"],
]
TEXTS = st.text(alphabet="abz ÄÖ字.,:;!?()\n\"'0123456789").map(str.strip).filter(bool)
SOURCE = "R1 thinks between <think> and </think>. A turn ends with <|im_end|>. I sit [think] and dream."


class Said(BaseModel):
    answer: str


@given(TEXTS, st.sampled_from([*FORMS.values()]), st.sampled_from(ENDS))
def test_any_text_comes_back_from_any_form(text: str, form: str, end: str) -> None:
    text = f"The {text}"
    assert plain_text(form.format(DRAFT) + text + end) == text
    said = form.format(DRAFT) + json.dumps({"answer": text}) + end
    assert parse_reply(said, Said) == Said(answer=text)
    inside = json.dumps({"answer": form.format("Let me see.") + text + end})
    assert parse_reply(inside, Said) == Said(answer=text)


@pytest.mark.parametrize(
    "reply",
    [
        "[INST] It was dark. [/INST] Seven.",
        "[SYSTEM_PROMPT] It was dark. [/SYSTEM_PROMPT] Seven.",
        "[TOOL_RESULTS] It was dark. [/TOOL_RESULTS] Seven.",
        "[TOOL_CALLS] It was dark. [/TOOL_CALLS] Seven.",
        'Seven. [TOOL_CALLS][{"name": "look"}]',
    ],
)
def test_what_stands_in_brackets_of_others_is_no_reply(reply: str) -> None:
    assert plain_text(reply) == "Seven."


@pytest.mark.parametrize("form", [form for form in FORMS.values() if not form.startswith(("{}", "**"))])
def test_a_thought_without_end_is_no_reply(form: str) -> None:
    begun = form.partition("{")[0]
    with pytest.raises(ReplyRefusal, match="thinking"):
        plain_text(begun + "Let me see. ")


@pytest.mark.parametrize("form", [*FORMS.values()])
def test_a_draft_is_no_decision(form: str) -> None:
    with pytest.raises(ReplyRefusal):
        parse_reply(form.format(DRAFT), Said)


@pytest.mark.parametrize(
    "said", ["<plan>Hm.</plan>It was lit.", "<!-- thinking: hm --> It was lit.", "94>thought It was lit."]
)
def test_what_looks_like_thinking_is_refused(said: str) -> None:
    with pytest.raises(ReplyRefusal, match="seems to hold thinking"):
        plain_text(said)


@pytest.mark.parametrize(
    "said",
    [
        "It explains that <think> and </think> stand around thinking.",
        "<think> and </think> enclose it.",
        "Turns end with <|im_end|>",
        "`<think>` begins it.",
        "I sit [think] and dream.",
        "R1 writes <think>its thoughts</think> first.",
    ],
)
def test_marks_of_the_source_can_be_quoted(said: str) -> None:
    assert plain_text(said, SOURCE) == said
    assert parse_reply(json.dumps({"answer": said}), Said, SOURCE).answer == said


def test_the_frame_goes_where_the_source_has_its_marks_too() -> None:
    text = "It explains that <think> and </think> stand around thinking."
    for said in (
        "<think>It has <think> tags.\nHm.</think>\n\n{}",
        "It has <think> tags.\n</think>\n\n{}",
        "{}<|im_end|>",
    ):
        assert plain_text(said.format(text), SOURCE) == text


@pytest.mark.parametrize("unit", ["<think>", "</think>", "[think]", "<|im_start|>", "<", "[", "Thinking:\n"])
def test_a_text_of_marks_takes_no_more_than_its_length(unit: str) -> None:
    with pytest.raises(ReplyRefusal):
        plain_text(unit * (100_000 // len(unit)), SOURCE)


@pytest.mark.parametrize("form", [*FORMS.values()])
def test_no_thought_is_streamed_wherever_it_is_split(form: str) -> None:
    answers = (
        form.format(DRAFT) + '{"answer": "The lamp was lit. [1]"}',
        json.dumps({"answer": form.format("Hm.") + "The lamp was lit. [1]"}),
    )
    for said, size in product(answers, (1, 3, 7)):
        if form.startswith("{}") and said.startswith('{"answer": "Hm.'):
            continue  # nothing says that it is a thought before it ends
        reply = StreamedReply(AnswerAlone)
        pieces = [said[at : at + size] for at in range(0, len(said), size)]
        streamed = "".join(reply.grow(AIMessageChunk(content=piece))[1] for piece in pieces) + reply.end()[1]
        assert streamed.strip() in ("The lamp was lit. [1]", ""), said


def test_parts_that_are_thoughts_are_no_text() -> None:
    parts: list[Any] = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "reasoning", "text": "hm"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "hm", "thought": True},
        {"type": "text", "text": "It was lit."},
    ]
    assert reply_of(AIMessage(content=parts, response_metadata={"finish_reason": "stop"})).text == "It was lit."


def think_aloud(form: str) -> Callable[[ChatRequest], str]:
    """What answers like a model, behind a thought in this form."""

    def say(request: ChatRequest) -> str:
        said = lifelike(request)
        return FORMS[form].format("WELL, I think.") + (said if isinstance(said, str) else json.dumps(said))

    return say


def thought_in_field(thought: str) -> Fault:
    return Fault.changed(lambda whole: whole["choices"][0]["message"].update(reasoning_content=thought))


@pytest.mark.parametrize(
    ("method", "form"),
    [
        ("read-agent", "channels"),
        pytest.param("gam", "brackets", marks=pytest.mark.slow),
        ("mem-walker", "only closed"),
        pytest.param("mem-gpt", "channels", marks=pytest.mark.slow),
    ],
)
async def test_methods_read_the_rest(server: ModelServer, library: Library, story: str, method: str, form: str) -> None:
    server.respond = think_aloud(form)
    graph = METHODS[method].build().compile(store=library.store)
    context = ReaderContext(model="openai:double", embeddings="openai:double-embeddings", segment_words=200)
    found = await graph.ainvoke({"text": story[:6000], "question": "Who took the log book?"}, context=context)
    assert found["usage"]["refused"] == 0
    assert "WELL" not in str(found["answer"]) + str(found["citations"])


def test_the_check_of_a_model_says_how_it_thinks(server: ModelServer, readgraph: Command) -> None:
    server.respond = lambda request: {"count": 3}
    assert "no thinking seen" in readgraph("models", "openai:double").out
    server.faults.append(thought_in_field("Hm."))
    assert "it thinks in the field reasoning_content" in readgraph("models", "openai:double").out
    server.respond = lambda request: '[THINK]Hm.[/THINK]{"count": 3}'
    assert "it thinks in its text, with [THINK]" in readgraph("models", "openai:double").out


async def test_a_field_of_thinking_is_no_reply(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: ""
    server.fault_for = lambda request, call: thought_in_field("WELL, it was Ada.")
    graph = METHODS["first-words"].build().compile(store=library.store)
    asks = {"text": "The keeper took the log book.", "question": "Who took it?"}
    found = await graph.ainvoke(asks, context=ReaderContext(model="openai:double"))
    assert "WELL" not in str(found["answer"]) and found["usage"]["refused"] == 3


@pytest.mark.parametrize("form", ["channels", "brackets"])
def test_summaries_hold_none(server: ModelServer, readgraph: Command, story: str, tmp_path: Path, form: str) -> None:
    server.respond = think_aloud(form)
    book, claims = tmp_path / "book.txt", tmp_path / "claims.txt"
    book.write_text(story[:6000], encoding="utf-8")
    claims.write_text("The keeper took the log book.", encoding="utf-8")
    for line in (("summarise", str(book)), ("verify", str(claims), str(book))):
        ran = readgraph(*line, *DOUBLE)
        assert ran.out and not any(mark in ran.out for mark in ("WELL", "<|", "[THINK]", "[/THINK]"))
