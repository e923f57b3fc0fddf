"""What a model meant is understood; what can't be used is refused with a reason, and nothing else is raised."""

import asyncio
import json
from contextlib import suppress
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from readgraph.models.replies.forms import (
    LONGEST,
    ReplyRefusal,
    parse_reply,
    plain_text,
    read_reply,
    reply_instructions,
    reply_schema,
)
from readgraph.models.reply import restrict_reply
from readgraph.nodes.building.paging import PausePoint
from readgraph.nodes.look_up import NextPage, PagesToRead
from readgraph.nodes.research.plan import plan_reply

pytestmark = pytest.mark.quick


class Quoted(BaseModel):
    page: int = Field(description="The page's number.")
    quote: str


class Found(BaseModel):
    """A reply with every kind of field that the prompts use."""

    reason: str = Field(description="A few words.")
    page: int | None
    pages: list[int] = Field(default=[], description="More pages.")
    quotes: list[Quoted] = []
    sure: Literal["yes", "no"] = "yes"


class Labelled(BaseModel):
    reason: str
    label: int


SEVEN = Found(reason="the lamp", page=7)
BARE = '{"reason": "the lamp", "page": 7}'
STYLES = ".a { color: red; margin: 0 auto; }\n"

TOKENS = [
    *"""{ } [ ] " ' : , \\ / // /* # page reason "page" "reason" 7 -1 1e999 NaN null true \\u \\ud800""".split(),
    *"<think> </think> ``` ```json “ ” … 字 😀 \0 \ufeff \ud83d pages quotes".split(),
    *" \n",
]
MARKS = st.text(alphabet=[*"{}[]\"':,\\/#<>.… \n\t\0aß字😀7“"], max_size=20)
founds = st.builds(
    Found,
    reason=MARKS,
    page=st.none() | st.integers(-1, 10**6),
    pages=st.lists(st.integers(0, 999), max_size=4),
    quotes=st.lists(st.builds(Quoted, page=st.integers(0, 99), quote=MARKS), max_size=3),
    sure=st.sampled_from(["yes", "no"]),
)
FRAMES = [
    *["{}", "  \n{}\n ", "```json\n{}\n```", "```\n{}\n```", "Here is my reply: {}", "{}\n\nThat is all I found."],
    "Sure! Here is my reply:\n\n```json\n{}\n```\n\nI hope that helps.",
    "<think>The user wants JSON, maybe a page?</think>\n{}",
    "<thinking>\nmaybe [this]\n</thinking>Reply: {}",
]
AMID_BRACES = ["With {{braces}} first: {}", "{} where {{x: 1}} holds", "```\n{}\n```\n```\n{{1: 2}}\n```"]


@pytest.mark.parametrize("frame", [*FRAMES, *AMID_BRACES])
def test_a_reply_is_found_in_its_frame(frame: str) -> None:
    assert parse_reply(frame.format(BARE), Found) == SEVEN


@given(founds, st.sampled_from(FRAMES), st.sampled_from([None, 2]), st.booleans())
def test_any_reply_comes_back_equal_from_any_frame(found: Found, frame: str, indent: int | None, ascii_: bool) -> None:
    said = frame.format(json.dumps(found.model_dump(), indent=indent, ensure_ascii=ascii_))
    assert parse_reply(said, Found) == found


@pytest.mark.parametrize(
    "said",
    [
        *['{"reason": "the lamp", "page": 7,}', "{'reason': 'the lamp', 'page': 7}", "{reason: 'the lamp', page: 7}"],
        *['{"reason": "the lamp", "page": "7"}', '{"reason": "the lamp", "page": 7.0}'],
        '{"reason": "the lamp", "page": 7, "extra": [1, {}]}',
        '{"page": 7, "pages": [], "quotes": [], "sure": "yes", "reason": "the lamp"',
        '{"reason": "the lamp", "page": 7, "sure": "yes", "quotes": [], "pages": []',
        '```json\n{"page": 7, "pages": [], "quotes": [], "sure": "yes", "reason": "the lamp"\n```',
        '[{"reason": "the lamp", "page": 7}]',
        '<think>{"reason": "the sea", "page": 1}</think>{"reason": "the lamp", "page": 7}',
        'I first thought of {"reason": "the sea", "page": 1}, but now: {"reason": "the lamp", "page": 7}',
        'First {"reason": "the sea", "page": 1,}, but now: {"reason": "the lamp", "page": 7,}',
        'no opening tag </think> {"reason": "the lamp", "page": 7}',
        '\ufeff{"reason": "the lamp", "page": 7}',
        STYLES * 60 + "```json\n" + BARE[:-1] + ",}\n```",  # behind braces that are hard to mend
    ],
)
def test_usual_slips_are_mended(said: str) -> None:
    assert parse_reply(said, Found) == SEVEN


def test_json_that_ends_in_a_string_is_cut_off_and_a_lacking_bracket_is_a_models_mistake() -> None:
    whole = BARE[:-1] + ', "quotes": [{"page": 3, "quote": "a"}, {"page": 4, "quote": "it \\" is"}]}'
    assert parse_reply(whole, Found).page == 7
    for end in range(whole.index("the lamp"), len(whole)):
        with suppress(ReplyRefusal):
            found = parse_reply(f"Here: {whole[:end]}", Found)
            assert found.reason == "the lamp" and "the lamp" in whole[: end - 1]
            assert [quote.quote for quote in found.quotes] in ([], ["a"], ["a", 'it " is']), whole[:end]
    for cut in (whole[:-8], '{"reason": "the lamp", "page": 7, "pages": [', '{"reason":'):
        with pytest.raises(ReplyRefusal, match="cut off"):
            parse_reply(cut, Found)


ALL = Found(reason='a "b" {c}, d', page=71, pages=[12, 134], quotes=[Quoted(page=3, quote="e: [f] 'g'")], sure="no")


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("frame", ["{}", "```json\n{}\n```", "So {{this}}: {}", "single quotes"])
def test_wherever_json_is_cut_no_part_of_it_counts(frame: str, indent: int | None, order: int) -> None:
    value = dict([*ALL.model_dump().items()][::order])
    whole = frame.format(json.dumps(value, indent=indent)) if "{" in frame else repr(value)
    for end in range(1, len(whole) + 1):
        with suppress(ReplyRefusal):
            assert parse_reply(whole[:end], Found) == ALL, whole[:end]


@pytest.mark.parametrize(
    ("said", "named"),
    [
        *[("", "empty"), (" \n\t", "empty"), ("<think>page 7</think>", "empty"), ("<think>never closed", "empty")],
        *[("Page 7.", "JSON"), ("[7]", "JSON"), ("7", "JSON"), ("{}", "JSON|reason")],
        *[('{"reason": "the lamp"}', "page"), ('{"page": 7}', "reason"), ('{"reason": "the lamp", "pag', "cut off")],
        *[('{"reason": null, "page": 7}', "reason"), ('{"reason": "the lamp", "page": "seven"}', "page")],
        *[('{"reason": "the lamp", "page": 7.5}', "page"), ('{"reason": "the lamp", "page": [7]}', "page")],
        ('{"reason": "the lamp", "page": 1e999}', "page"),
        ('{"reason": "the lamp", "page": 7, "pages": "all"}', "pages"),
        ('{"reason": "the lamp", "page": 7, "sure": "perhaps"}', "sure"),
        ('{"reason": "the lamp", "page": 7, "quotes": [{"page": 1, "quote": "a"}, {"page": 2}]}', "quotes.1.quote"),
    ],
)
def test_what_cant_be_used_is_refused_with_a_reason(said: str, named: str) -> None:
    with pytest.raises(ReplyRefusal, match=named) as refusal:
        parse_reply(said, Found)
    reason = str(refusal.value)
    assert reason and "\n" not in reason and "http" not in reason


@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(TOKENS), max_size=30).map("".join)))
def test_no_text_raises_anything_but_a_refusal(said: str) -> None:
    for reply in (Found, Labelled):
        try:
            assert isinstance(parse_reply(said, reply), reply)
        except ReplyRefusal as refusal:
            assert str(refusal)


ODD = ["{" * 500, '{"a":' * 5000, '{"page": ' + "[" * 5000, "{“```json\n{```json\n"]
ENDLESS = ['{"', "```json\n{\n", '{"quotes": [{(', STYLES, "<p style=\"{x: '1'}\">{{a}}</p>\n", '{"a": "x"y", ']


@pytest.mark.parametrize("said", [*ODD, *(pytest.param(unit * 500, marks=pytest.mark.slow) for unit in ENDLESS)])
def test_a_text_that_is_hard_to_mend_is_refused_soon(said: str) -> None:
    with pytest.raises(ReplyRefusal):
        parse_reply(said, Found)


@given(
    st.lists(st.sampled_from([*"{[\"\\(':,}] \n", '{"a":', "```", "//", STYLES]), min_size=1, max_size=5).map("".join),
    st.integers(1, 200),
)
@pytest.mark.slow
def test_what_repeats_is_parsed_or_refused(unit: str, times: int) -> None:
    try:
        assert isinstance(parse_reply(unit * times, Found), Found)
    except ReplyRefusal as refusal:
        assert str(refusal)


def test_what_is_mended_can_be_kept() -> None:
    mended = parse_reply("{'reason': 'the lamp', 'page': 7, 'quotes': [{'page': 3, 'quote': 'a \"b\" c'}]}", Found)
    assert {type(text) for text in (mended.reason, mended.quotes[0].quote)} == {str}


@pytest.mark.parametrize("frame", ["{}", "So:\n```json\n{}\n```\nDone.", "{}, and"])
async def test_half_a_character_in_an_escape_is_replaced(frame: str) -> None:
    said = frame.replace("{}", '{"reason": "a \\ud83d b", "page": 3, "quotes": [{"page": 1, "quote": "\\udfff"}]}')
    found = await read_reply(said, Found)
    assert (found.reason, found.page, found.quotes[0].quote) == ("a \ufffd b", 3, "\ufffd")
    mended = parse_reply(said.replace('"page"', "page"), Found).reason  # of a reply that is repaired
    assert mended in ("a \ufffd b", "a \\ud83d b"), "older versions of json-repair leave the escape as it is"


def test_faults_without_number_are_counted() -> None:
    with pytest.raises(ReplyRefusal, match="3,000 of its values"):
        parse_reply(json.dumps({"reason": "the lamp", "page": 7, "quotes": [1] * 3000}), Found)


def test_a_reply_that_is_far_too_long_is_refused() -> None:
    for said in ("{" * 500_000, json.dumps({"reason": "x" * LONGEST, "page": 7})):
        with pytest.raises(ReplyRefusal, match="longer than 64,000 characters"):
            parse_reply(said, Found)


@pytest.mark.parametrize(
    "said", [STYLES * 300, '{"' * 400, "{" * 500_000, BARE, f"{BARE[:-1]},}}"], ids=lambda said: said[:9]
)
async def test_an_event_loop_goes_on_while_a_reply_is_read(said: str) -> None:
    turns = 0

    async def goes_on() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(goes_on())
    try:
        assert await read_reply(said, Found) == SEVEN
    except ReplyRefusal:
        assert said.startswith((STYLES, "{{", '{"{"'))
    if len(said) < LONGEST and said is not BARE:
        assert turns > 1
    beside.cancel()


@pytest.mark.parametrize("words", ["<think>deep</think> water", "the <think> tag", "use ```y"])
def test_tags_and_fences_in_a_string_stay(words: str) -> None:
    for frame in FRAMES:
        said = frame.format(json.dumps({"reason": words, "page": 7}))
        assert parse_reply(said, Found, f"The source says: {words}.") == Found(reason=words, page=7)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("  A gist.\n", "A gist."),
        ("<THINKING>hm\nhm</THINKING>A gist.", "A gist."),
        ("A {gist} in ```fences```", "A {gist} in ```fences```"),
    ],
)
def test_a_note_is_the_text_without_thinking(said: str, text: str) -> None:
    assert plain_text(said) == text


@pytest.mark.parametrize("said", ["", " \n", "<think>only this</think> ", "<think>cut off"])
def test_an_empty_note_is_refused(said: str) -> None:
    with pytest.raises(ReplyRefusal, match="empty"):
        plain_text(said)


def test_instructions_name_every_field_and_its_kind() -> None:
    lines = reply_instructions(Found).splitlines()
    assert "JSON" in lines[0]
    assert [line.split(":")[0] for line in lines[1:]] == ["- reason", "- page", "- pages", "- quotes", "- sure"]
    assert "A few words." in lines[1] and "integer or null" in lines[2] and "list of integer" in lines[3]
    assert '"page": integer' in lines[4] and '"quote": string' in lines[4]
    assert "yes" in lines[5] and "no" in lines[5]


def test_what_is_offered_stands_in_the_schema_and_what_is_taken_is_as_wide_as_before() -> None:
    label = reply_schema(restrict_reply(PausePoint, label=range(1, 4)))["properties"]["label"]
    assert (label["enum"], "description" in label) == ([1, 2, 3], True)
    nothing_or_one = reply_schema(restrict_reply(NextPage, page=[2, 5]))["properties"]["page"]["anyOf"]
    assert [option.get("enum") for option in nothing_or_one] == [[2, 5], None]
    assert reply_schema(restrict_reply(PagesToRead, pages=[4]))["properties"]["pages"]["items"]["enum"] == [4]
    assert parse_reply(
        '{"needs": "who", "keyword": "lamp", "page": "page 9"}',
        restrict_reply(plan_reply(("keyword", "page")), page=[1]),
    ).model_dump()["page"] == [9]
    assert restrict_reply(PausePoint, label=range(1, 4)) is restrict_reply(PausePoint, label=[1, 2, 3])
    assert restrict_reply(PausePoint, label=range(1, 1000)) is PausePoint, "too many to name"
