"""Web pages as text: elements and controls stay, nothing in a page can look like one, and size does no harm."""

import time
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.features.web.elements import WebElement, elements_of, lines_of, problem_with
from readgraph.features.web.page import HIDDEN, web_page
from readgraph.state.errors import BadInput
from tests.support.web_pages import html, page

pytestmark = pytest.mark.quick


def elements(name: str) -> list[WebElement]:
    return [*elements_of(page(name).text).values()]


def test_a_form_keeps_its_controls_with_their_labels() -> None:
    title, text = page("booking-1")
    assert title == "Book an appointment: place"
    lines = text.splitlines()
    assert lines[lines.index("   <form>") :] == [
        "   <form>",
        "    <fieldset>",
        "     <legend>What is it for?",
        '     <input id="3" type="radio" name="service" value="new" label="A new passport">',
        '     <input id="4" type="radio" name="service" value="renewal" label="A renewal">',
        '    <select id="5" name="office" label="Post office">',
        "      <option>Choose one",
        "      <option>North Quay",
        "      <option>Mill Lane",
        "      <option disabled>Castle Road (closed)",
        '    <button id="6">Next step',
        "  <p>Opening hours: nine to five.",
    ]
    assert [element.description for element in elements("booking-1")][2:] == [
        "[3] input 'A new passport'",
        "[4] input 'A renewal'",
        "[5] select 'Post office'",
        "[6] button 'Next step'",
    ]


def test_the_indentation_says_what_stands_in_what() -> None:
    made = web_page(
        '<h1>Head</h1><div><div><a href="/a">deep</a></div></div><select><option>1</option></select>'
        '<div><label>Name <input></label></div><ul><li><b>x</b><span><a href="/b">y</a></span></li><li>z</li></ul>'
    )
    assert [(line.depth, line.tag or line.text) for line in lines_of(made.text)] == [
        *[(0, "body"), (2, "h1"), (2, "a"), (2, "select"), (3, "option"), (2, "input")],
        *[(2, "ul"), (3, "li"), (4, "a"), (3, "li")],
    ]
    assert elements_of(made.text)["2"].options == ("1",)


def test_only_what_can_be_done_is_no_problem() -> None:
    first, second, basket = (elements_of(page(name).text) for name in ("booking-1", "booking-2", "basket"))
    assert problem_with(first, "5", "select", " mill  LANE") is None
    assert problem_with(first, "6", "click", "") is None
    assert problem_with(second, "3", "type", "Ellen Walker") is None
    assert "offered" in str(problem_with(first, "5", "select", "Castle Road (closed)"))
    assert "takes no text" in str(problem_with(first, "6", "type", "x"))
    assert "no options" in str(problem_with(second, "3", "select", "x"))
    assert "needs a value" in str(problem_with(second, "3", "type", " "))
    assert "no element '77'" in str(problem_with(first, "77", "click", ""))
    (disabled,) = (element.id for element in basket.values() if element.disabled)
    assert "disabled" in str(problem_with(basket, disabled, "click", ""))


def test_a_text_of_the_page_never_becomes_an_element() -> None:
    labels = [element.label for element in elements("shop")]
    assert labels == ["The chandler's shop", "A better shop", "Search the shop", "Search", *["Add to basket"] * 3]


@given(st.text(), st.text(), st.text())
def test_whatever_stands_in_texts_and_values_the_elements_stay(said: str, label: str, option: str) -> None:
    text, more, quoted = (escape(f"{each} <a href=x>\n<b id='8'>") for each in (said, label, option))
    made = f"<p>{text}</p><input placeholder='{more}'><select><option>{quoted}</option></select><p>{text}"
    found = web_page(made).text
    assert [line.tag for line in lines_of(found) if "id" in line.attributes] == ["input", "select"]
    assert found.count("\n") == len([*lines_of(found)]) - 1 and len(found.splitlines()) == found.count("\n") + 1


def test_what_is_not_shown_is_left_out() -> None:
    hidden = ["hidden", 'style="display:none"', 'aria-hidden="true"', HIDDEN, "inert"]
    parts = "".join(f"<div {how}>secret <button>b</button></div>" for how in hidden)
    made = web_page(f"{parts}<script>secret</script><p>seen<template>secret</template><input type=hidden value=secret>")
    assert made.text.strip() == "<p>seen"
    filled = web_page('<input type="password" value="secret">')
    assert "secret" not in filled.text and "filled" in filled.text


def test_given_ids_name_whatever_has_one() -> None:
    made = web_page(
        '<div n="40"><span n="41">Size</span><svg n="42"><title>x</title></svg><a href="/">no</a><i n="41">twice</i>',
        id_attribute="n",
    )
    assert [*elements_of(made.text)] == ["40", "41", "42"]


def test_pages_that_were_recorded_with_other_names_keep_what_they_say() -> None:
    """Mind2Web's form: texts in elements of their own, and what the browser knew as attributes."""
    made = web_page(
        '<select n="1" aria_label="Size"><option n="2" option_selected="true"><text n="3">Small</text></option>'
        '<option n="4" option_selected="false"><text n="5">Large</text></option></select>'
        '<a n="6"><text n="7">Go on</text></a><input n="8" type="checkbox" input_checked="true" aria_label="Gift">',
        id_attribute="n",
    )
    assert made.text.splitlines()[1:] == [
        *['  <select id="1" label="Size">', "   <option selected>Small", "   <option>Large", '  <a id="6">Go on'],
        '  <input id="8" type="checkbox" checked label="Gift">',
    ]


def test_labels_come_from_wherever_the_page_ties_them() -> None:
    made = web_page(
        '<span id="a">Your</span> <b id="b">name</b><input aria-labelledby="a b"><input aria-label="City">'
        '<label>Agree to <a href="/t">terms</a><input type="checkbox"></label><input type="submit" value="Send">'
        '<label for="later">Later</label><p>text</p><textarea id="later">so far</textarea><input placeholder="Age">'
    )
    labels = [element.label for element in elements_of(made.text).values() if element.tag != "a"]
    assert labels == ["Your name", "City", "Agree to terms", "Send", "Later", "Age"]
    assert 'value="so far"' in made.text and made.text.count("Later") == 1


@pytest.mark.parametrize("made", ["", "  ", "<html><body><script>x</script></body></html>", "<!-- -->"])
def test_an_empty_page_is_an_error_of_one_line(made: str) -> None:
    with pytest.raises(BadInput, match="nothing to read"):
        web_page(made)


def test_bytes_are_read_in_the_encoding_that_they_declare() -> None:
    assert "Größe" in web_page("<meta charset=latin1><p>Größe".encode("latin1")).text


BOMBS = {
    "wide": "<div><a href=/>Details</a><span>text</span></div>" * 1500,
    "deep": "<div>" * 8_000 + "<a href=/>x",
    "deep with ids": "<button>x" * 4_000,
    "labels": "<label>x<input>" * 700,
    "labelled by": f"<p id=a>{'word ' * 10_000}</p>" + "<input aria-labelledby='a a a a'>" * 2000,
}


@pytest.mark.parametrize("made", BOMBS.values(), ids=BOMBS)
@pytest.mark.slow
def test_size_and_depth_do_no_harm(made: str) -> None:
    began = time.process_time()
    found = elements_of(web_page(made).text)
    assert found and time.process_time() - began < 3


@pytest.mark.slow
def test_five_megabytes_and_a_hundred_thousand_nodes_take_seconds() -> None:
    row = '<li class="item item-of-a-list with-many-classes"><span>Item %d</span><a href="/item/%d">Details</a></li>'
    made = f"<main><ul>{''.join(row % (i, i) for i in range(47_000))}</ul></main>"
    assert len(made) > 4_500_000
    began = time.process_time()
    assert len(elements_of(web_page(made).text)) == 47_000
    assert time.process_time() - began < 15


def test_the_pages_of_the_site_are_whole() -> None:
    assert "Never shown" not in page("shop").text and "Never shown" in html("shop")
