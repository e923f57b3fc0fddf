"""What is read and quoted where no model is configured."""

from typing import Any

import pytest

from readgraph.graphs.methods import METHODS
from readgraph.nodes.extractive import extract_gist, quoted_answer
from readgraph.state.context import ReaderContext
from readgraph.state.library import Library

FILLER = "\n\n".join(f"The goat of year {year} ate hay in the shed until the ferry came in." for year in range(1500))
NEEDLE = "The quartermaster Okonkwo paid 4,312 crowns for tarred rope."


def asked(question: str, **more: Any) -> Any:
    return {"question_text": question, "choices": {}, **more}


def test_a_further_passage_is_quoted_only_for_words_that_the_others_lack() -> None:
    pages = {0: "The lamp was red. The lamp was red again.\n\nThe lamp was lit by Ida in the tower."}
    said = quoted_answer(pages, asked("Who lit the red lamp?"))
    assert (said.status, len(said.quotes)) == ("nearest", 2)
    assert len(quoted_answer(pages, asked("What of the lamp?")).quotes) == 1
    assert quoted_answer(pages, asked("Xylophones?")).status == "no_answer"


@pytest.mark.parametrize("method", ["read-agent", "gam", "mem-walker", "walk-and-read", "walk-and-research"])
async def test_what_stands_in_a_text_beyond_the_window_is_found(library: Library, method: str) -> None:
    middle = FILLER.index("\n\n", len(FILLER) // 2)
    document = await library.pages.add_document(f"{FILLER[:middle]}\n\n{NEEDLE}{FILLER[middle:]}", title="long")
    graph = METHODS[method].build().compile(store=library.store)
    context = ReaderContext(model="", window_words=1000, segment_words=750)
    found = await graph.ainvoke(
        {"document": document.id, "question": "What did Okonkwo pay for rope?"}, context=context
    )
    assert found["status"] == "nearest" and NEEDLE in found["citations"][0]["quote"]


def test_a_gist_is_a_heading_and_what_says_most() -> None:
    chat = (
        "# Session 2\n\nMelanie: Thanks, Caroline! Wow, Caroline!\n"
        "Caroline: Hey Mel! Good to see you! On 7 May I paid 45 euros for the course with Professor Okonkwo.\n"
        "Melanie: Wow, Caroline! That is cool, Caroline!\nCaroline: Thanks, Melanie! So good to hear, Melanie!"
    )
    gist = extract_gist(chat, 25)
    assert gist.startswith("# Session 2 ") and "On 7 May I paid 45 euros for the course with Professor Okonkwo" in gist
    assert "Wow" not in gist


def test_headings_and_code_are_no_answers() -> None:
    page = {0: "# The red lamp\n\n```\nlamp = red\n```\n\nIt burned in the tower, and the lamp was red."}
    said = quoted_answer(page, asked("Which lamp was red?"))
    assert [quote["quote"] for quote in said.quotes] == ["It burned in the tower, and the lamp was red."]
