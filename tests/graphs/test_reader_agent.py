"""The plain agentic reader: it searches in three ways, opens a page once, and answers from what it sees."""

import re
from typing import Any

import pytest

from readgraph import ReaderContext
from readgraph.features.agents import evict as evicting
from readgraph.features.agents.reader_agent import build
from readgraph.library.collections import add_collection
from readgraph.library.opening import Library
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words
from tests.doubles.agent import Script, call, queue
from tests.doubles.model_server import ChatRequest, ModelServer

CONTEXT = ReaderContext(model="openai:double", window_words=4000, min_page_words=40, max_page_words=60)
QUESTION = "Who keeps the third key of the granary?"
FACT = "The third key of the granary is kept by Ysolde Brandt, who counts the sacks."


def paragraphs(number: int, facts: dict[int, str]) -> str:
    """A text whose part `n` is a paragraph of 50 words about barn n, or of a fact among such words."""
    filler = "the boards were dry and the wind came from the east all day long " * 3
    return "\n\n".join(f"Barn {n} is here. {facts.get(n, '')} So {filler.strip()}." for n in range(number))


@pytest.fixture
async def barns(library: Library) -> str:
    return (await library.pages.add_document(paragraphs(30, {17: FACT}), title="Barns")).id


async def read(library: Library, document: str, context: ReaderContext = CONTEXT, **given: Any) -> Any:
    graph = build().compile(store=library.store)
    asked: Any = {"document": document, "question": QUESTION, **given}
    return await graph.ainvoke(asked, context=context)


def shown(request: ChatRequest) -> str:
    """The outcome of the newest call that a request shows."""
    return re.split(r"\n(?:result|error): ", queue(request))[-1]


async def test_it_searches_opens_and_answers_with_a_quote(library: Library, server: ModelServer, barns: str) -> None:
    server.respond = script = Script(
        call("keyword_search", query="granary key"),
        call("open_page", page=17),
        call("answer", answer="Ysolde Brandt.", quotes=FACT),
    )
    found = await read(library, barns)
    assert (found["answer"], found["status"], found["fallbacks"]) == ("Ysolde Brandt.", "answered", {})
    (citation,) = found["citations"]
    assert (citation["quote"], citation["page"]) == (FACT, 17)
    assert found["pages_read"] == [17] and found["usage"]["calls"] == 3
    one, two, three = script.requests
    assert "document 1, 'Barns'" in one.text and "on pages 0 to 29." in one.text
    assert re.match(r"showing 1 of 1 \(page 1 of 1\)\n- document 1, page 17 \(Barns\): .*Ysolde", shown(two))
    assert shown(three).startswith("document 1, page 17 (Barns)\nBarn 17 is here.")
    for unknown in ("archival", "recall", "working-context", "working context", "document_open"):
        assert unknown not in script.requests[-1].text, "it has no memory of its own"


async def test_what_is_in_view_is_not_opened_again(library: Library, server: ModelServer, barns: str) -> None:
    server.respond = script = Script(
        call("open_page", page=3),
        call("open_page", page="3"),
        call("open_page", page=3, document=1, part=1),
        call("open_page", page=4),
        call("answer", answer=""),
    )
    found = await read(library, barns)
    assert (found["answer"], found["status"], found["fallbacks"]) == (None, "no_answer", {"opened_again": 2})
    _, once, again, third, last = script.requests
    assert "Barn 3 is here." in shown(once) and "Barn 4 is here." in shown(last)
    for request in (again, third):
        assert shown(request).startswith("Page 3 is in your view already: read it there.")
        assert queue(request).count("Barn 3 is here.") == 1
    assert [step["summary"] for step in found["steps"] if "failed" in step["summary"]] == [
        "open_page failed: Page 3 is in your view already: read it there."
    ] * 2


async def test_a_text_with_a_thousand_hits_is_counted_not_shown(library: Library, server: ModelServer) -> None:
    facts = dict.fromkeys(range(250), "A rat. A RAT! a  rat in it. a\nrat.")
    document = await library.pages.add_document(paragraphs(250, facts), title="Rats")
    server.respond = script = Script(
        call("text_search", text="a rat"),
        call("text_search", text="a rat", page=50),
        call("text_search", text="a rat", page=51),
        call("text_search", text="Barn 1*9 is"),
        call("text_search", text=" ** "),
        call("text_search", text="(a|a)*+$["),
        call("answer", answer="Many.", quotes="A RAT!"),
    )
    found = await read(library, document.id)
    first, last, none, wild, empty, pattern = map(shown, script.requests[1:])
    assert first.startswith("showing 5 of 250 (page 1 of 50); it stands there 1,000 times in all\n")
    assert "- document 1, page 0 (Rats): 4 times: Barn 0 is here. A rat. A RAT! a rat in it." in first
    assert "page 249 (Rats): 4 times: " in last and count_words(first) < 500
    assert none.startswith("There is no page 51 of these results: their pages are 1 to 50.")
    assert "page 19 (Rats): 1 time: " in wild and wild.startswith("showing 5 of 11 (page 1 of 3)")
    assert empty.startswith("There is no text to look for") and pattern.startswith("showing 0 of 0 ")
    assert (found["answer"], found["citations"][0]["quote"]) == ("Many.", "A RAT!")
    assert found["pages_read"] == [], "a page that was only found is not read"


@pytest.mark.parametrize(("word", "gap"), [("sack ", " "), ("袋", "")])
async def test_a_result_shows_little_of_each_page(library: Library, server: ModelServer, word: str, gap: str) -> None:
    filler, facts = word * 90, f"{gap.join(['the north gate', word * 40, 'was shut'])}. "
    text = "\n\n".join(f"{filler}{facts}{filler}{facts}{filler}" for _ in range(6))
    document = await library.pages.add_document(text, title="Gates")
    server.respond = script = Script(
        call("text_search", text="north gate*was shut"), call("text_search", text="north"), call("answer", answer="")
    )
    context = ReaderContext(**{**vars(CONTEXT), "min_page_words": 300, "max_page_words": 500})
    await read(library, document.id, context)
    for request, match in zip(script.requests[1:], ("north gate", "north"), strict=True):
        rows = re.findall(r"^- document .*?: (?:\d times?: )(.*)", shown(request), re.MULTILINE)
        assert rows and all(match in row and 10 < count_words(row) <= 60 + 5 for row in rows)
    assert "was shut" in shown(script.requests[1])


async def test_meaning_is_searched_where_there_is_an_embedding_model(
    library: Library, server: ModelServer, barns: str
) -> None:
    server.respond = script = Script(
        call("meaning_search", query="granary key"),
        call("answer", answer=""),
        call("meaning_search", query="granary"),
        call("answer", answer=""),
    )
    context = ReaderContext(**{**vars(CONTEXT), "embeddings": "openai:double-embeddings"})
    await read(library, barns, context)
    await read(library, barns, question="Which key?")
    asked, searched, without, refused = script.requests
    assert "- meaning_search(query: " in asked.text and "- meaning_search(" not in without.text
    assert shown(searched).startswith("showing 5 of 10 (page 1 of 2)\n- document 1, page ")
    assert shown(refused).startswith("There is no function 'meaning_search': call one of keyword_search, text_search,")


@pytest.mark.parametrize(
    ("settings", "status", "fallbacks"),
    [
        ({"max_chain": 3}, "nearest", {"answer": 1}),
        ({"max_calls": 2}, "budget", {"answer": 1}),
        ({"model": ""}, "nearest", {}),
    ],
)
async def test_a_substitute_is_never_its_own_answer(
    library: Library, server: ModelServer, barns: str, settings: dict[str, Any], status: str, fallbacks: dict[str, int]
) -> None:
    server.respond = Script(*(call("keyword_search", query="granary key", page=1) for _ in range(9)))
    found = await read(library, barns, ReaderContext(**{**vars(CONTEXT), **settings}))
    assert (found["status"], found["fallbacks"]) == (status, fallbacks)
    assert found["answer"] == found["citations"][0]["quote"] and FACT in found["answer"]
    assert found["pages_read"] == [17]
    assert found["usage"]["calls"] == (0 if "model" in settings else min(settings.values()))


async def test_a_function_that_does_not_exist_goes_back_to_the_model(
    library: Library, server: ModelServer, barns: str
) -> None:
    server.respond = script = Script(
        call("archival_search", query="key"),
        call("open_page", page=30),
        call("open_page", page="seventeen"),
        call("open_page", page=1, document=2),
        call("open_page", page=1, chapter=2),
        call("answer", answer="Nobody knows."),
    )
    found = await read(library, barns)
    outcomes = [shown(request) for request in script.requests[1:]]
    assert outcomes[0].startswith("There is no function 'archival_search': call one of keyword_search, text_search,")
    assert outcomes[1].startswith("Document 1 has no page 30: its pages are 0 to 29.")
    assert outcomes[2].startswith("open_page takes page, document, part.")
    assert outcomes[3].startswith("There is no document 2: there are 1; the first is 1.")
    assert outcomes[4].startswith("open_page takes page, document, part; it has no argument 'chapter'.")
    assert (found["answer"], found["status"]) == ("Nobody knows.", "answered") and not found["citations"]


@pytest.mark.slow
async def test_five_thousand_pages(library: Library, server: ModelServer) -> None:
    facts = {4711: FACT, 20: "Mill 20-B has three doors."}
    text = "\n\n".join(f"Barn {n} is dry. {facts.get(n, '')}" for n in range(5000))
    document = await library.pages.add_document(text, title="Barns")
    server.respond = script = Script(
        call("keyword_search", query="third key"),
        call("text_search", text="mill 20‑b*doors"),
        lambda request: call("open_page", page=re.findall(r"page (\d+) \(Barns\)", queue(request))[0]),
        call("answer", answer="Ysolde Brandt.", quotes=FACT),
    )
    context = ReaderContext(model="openai:double", window_words=4000, min_page_words=2, max_page_words=4)
    found = await read(library, document.id, context)
    memory = await library.pages.memory(document.id, found["memory"])
    assert memory.pages >= 5000 and found["answer"] == "Ysolde Brandt." and len(found["citations"]) == 1
    assert max(count_words(request.text) for request in script.requests) < 1200


async def test_the_oldest_results_leave_the_view_with_a_line(
    library: Library, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(evicting, "certain_language")  # a line of page numbers is in no language
    document = await library.pages.add_document(paragraphs(30, {17: FACT}), title="Barns")
    server.respond = script = Script(
        call("text_search", text="Barn 2"),
        *(call("open_page", page=page) for page in range(20)),
        call("open_page", page=1),
        call("open_page", page=1),
        call("answer", answer="Ysolde Brandt.", quotes=FACT),
    )
    context = ReaderContext(**{**vars(CONTEXT), "window_words": 1500})
    found = await read(library, document.id, context)
    assert (found["answer"], found["status"], found["fallbacks"]) == ("Ysolde Brandt.", "answered", {"opened_again": 1})
    assert shown(script.requests[-2]).startswith("document 1, page 1 (Barns)\nBarn 1 is here."), "it had left the view"
    assert shown(script.requests[-1]).startswith("Page 1 is in your view already: read it there.")
    assert all(count_words(request.text) <= 1500 for request in script.requests) and not script.summaries
    assert found["usage"]["calls"] == len(script.requests) == 24, "what leaves the view costs no call"
    gone = [re.findall(r"<summary>\n(.*?)\n</summary>", request.text, re.DOTALL) for request in script.requests]
    assert gone[0] == [] and any(step["summary"].startswith("took out of view ") for step in found["steps"])
    (line,) = gone[-1]
    assert line.startswith("Left your view: opened page 0, page 1, page 2, ") and "\n" not in line
    assert "; found page 2, page 20, page 21" in line
    numbers = {int(number) for number in re.findall(r"page (\d+)", line.partition(";")[0])}
    again = queue(script.requests[-1])
    assert all((f"Barn {page} is here." in again) == (page == 1 or page not in numbers) for page in range(20))
    assert not any("Save what matters" in request.text for request in script.requests)


async def test_a_window_that_is_too_small_is_refused(library: Library, server: ModelServer, barns: str) -> None:
    with pytest.raises(BadInput, match=r"The window of 1,000 words is too small: \d+ of them"):
        await read(library, barns, ReaderContext(model="openai:double", window_words=1000))
    assert server.calls == 0


async def test_a_collection_names_the_document_of_each_page(library: Library, server: ModelServer, barns: str) -> None:
    other = await library.pages.add_document("The granary has no fourth key. " * 9, title="Keys")
    both = await add_collection(library.pages, [await library.pages.document(barns), other])
    server.respond = script = Script(
        call("text_search", text="fourth key"), call("answer", answer="None.", quotes="The granary has no fourth key.")
    )
    found = await read(library, both.id)
    assert "document 1, page 30 (Keys): 9 times: " in shown(script.requests[1])
    assert found["citations"][0]["place"] == "Keys"


async def test_the_same_question_finds_its_replies(library: Library, server: ModelServer, barns: str) -> None:
    steps = [call("open_page", page=17), call("answer", answer="Ysolde Brandt.", quotes=FACT)]
    server.respond = Script(*steps)
    first = await read(library, barns)
    calls = server.calls
    again = await read(library, barns)
    assert (again["answer"], again["fallbacks"], server.calls) == (first["answer"], {}, calls)
