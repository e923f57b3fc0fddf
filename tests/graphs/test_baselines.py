"""The baselines as graphs: the same input and output as ReadAgent, with a model and without."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from readgraph.graphs.methods import METHODS
from readgraph.language.terms import tokens
from readgraph.library.collections import add_collection
from readgraph.library.opening import Library
from readgraph.nodes.building.paging import even_ends
from readgraph.nodes.building.summaries import PIECE_WORDS, SUMMARY_WORDS
from readgraph.state.context import PROFILES, ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from readgraph.state.words import count_words
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader

CONTEXT = ReaderContext(model="openai:double", embeddings="openai:double-embeddings")
GOAT = "What did the keeper's Remarks for 19 January say about a goat?"


@pytest.fixture
async def document(library: Library, story: str) -> Document:
    return await library.pages.add_document(story, title="story")


@pytest.fixture
async def long(library: Library, whole_story: str) -> Document:
    return await library.pages.add_document(whole_story, title="the whole story")


async def run(
    method: str, library: Library, document: Document, context: ReaderContext = CONTEXT, **asked: Any
) -> dict[str, Any]:
    graph = METHODS[method].build().compile(store=library.store)
    return dict(await graph.ainvoke({"document": document.id, "question": GOAT, **asked}, context=context))


def prompts(server: ModelServer, *replies: str) -> list[str]:
    """What was sent where these replies were asked for."""
    return [request.text for request in server.requests if asked_for(request) in replies]


def shown_pages(prompt: str) -> dict[int, str]:
    memory = prompt.split("</memory>")[0]
    parts = re.split(r"^<page (\d+)(?: in full)?>$", memory, flags=re.MULTILINE)[1:]
    return {int(number): text.strip() for number, text in zip(parts[::2], parts[1::2], strict=True)}


@pytest.mark.parametrize("method", [name for name in METHODS if ".baselines:" in METHODS[name].graph])
@pytest.mark.slow
async def test_what_the_text_does_not_say_is_no_answer(
    server: ModelServer, library: Library, document: Document, method: str
) -> None:
    server.respond = lambda request: (
        {"quotes": [], "answer": None} if asked_for(request) == "FreeAnswer" else reader(request)
    )
    found = await run(method, library, document, replace(CONTEXT, window_words=2000))
    assert (found["status"], found["answer"], found["citations"]) == ("no_answer", None, [])


async def test_a_text_that_fits_is_read_in_one_call(
    server: ModelServer, library: Library, document: Document, story: str
) -> None:
    found = await run("full-text", library, document)
    assert (server.calls, found["pages_read"], found["compression_rate"]) == (1, [0], 0)
    assert shown_pages(server.requests[0].text) == {0: story.strip()}


async def test_chunks_are_answered_by_themselves_and_weighed(
    server: ModelServer, library: Library, long: Document
) -> None:
    def answers(request: ChatRequest) -> Any:
        (page, *others) = shown_pages(request.text)
        if asked_for(request) == "WeighedAnswer":
            return {"reason": "", "pages": [others[0]], "answer": "The second."}
        quote = {"page": page, "quote": " ".join(shown_pages(request.text)[page].split()[:6])}
        return {"quotes": [quote], "answer": f"Answer {page}." if page else None}

    server.respond = answers
    found = await run("full-text", library, long, replace(CONTEXT, window_words=4000))
    chunks = [shown_pages(prompt) for prompt in prompts(server, "FreeAnswer")]
    assert sorted(page for chunk in chunks for page in chunk) == found["pages_read"] == [0, 1, 2, 3]
    assert all(len(chunk) == 1 and count_words(text) <= 4000 for chunk in chunks for text in chunk.values())
    (weighed,) = prompts(server, "WeighedAnswer")
    assert shown_pages(weighed).keys() == {1, 2, 3} and "Answer 3." in weighed
    assert (found["answer"], [citation["page"] for citation in found["citations"]]) == ("The second.", [2])
    assert found["compression_rate"] == 0


async def test_the_chunks_answers_may_be_left_unweighed_for_the_best_to_count(
    server: ModelServer, library: Library, long: Document
) -> None:
    def answers(request: ChatRequest) -> Any:
        (page,) = shown_pages(request.text)
        return {"quotes": [], "answer": f"Answer {page}." if page else None}

    server.respond = answers
    found = await run("full-text", library, long, replace(CONTEXT, window_words=4000, best_chunk=True))
    assert (server.calls, found["answer"], len(found["findings"])) == (4, "Answer 1.", 3)
    assert [finding["text"] for finding in found["findings"]] == ["Answer 1.", "Answer 2.", "Answer 3."]


async def test_answers_that_agree_are_not_weighed(server: ModelServer, library: Library, long: Document) -> None:
    found = await run("full-text", library, long, replace(CONTEXT, window_words=4000))
    assert (prompts(server, "WeighedAnswer"), server.calls, len(found["citations"])) == ([], 4, 4)


async def test_where_weighing_fails_the_first_answer_is_taken(
    server: ModelServer, library: Library, long: Document
) -> None:
    def disagree(request: ChatRequest) -> Any:
        if asked_for(request) == "WeighedChoice":
            return {"reason": "", "pages": [], "choice": "Z"}
        return {"quotes": [], "choice": "B" if 0 in shown_pages(request.text) else "A"}

    server.respond = disagree
    found = await run(
        "full-text", library, long, replace(CONTEXT, window_words=4000), options=["the boy", "the gander"]
    )
    assert (found["choice"], found["fallbacks"]) == ("B", {"weigh": 1})


@pytest.mark.parametrize(("method", "page", "kept"), [("first-words", 0, 500), ("last-words", 1, 500)])
async def test_a_truncated_text_keeps_so_many_words(
    server: ModelServer, library: Library, document: Document, story: str, method: str, page: int, kept: int
) -> None:
    found = await run(method, library, document, replace(CONTEXT, baseline_words=kept))
    ((number, shown),) = shown_pages(server.requests[-1].text).items()
    assert (number, count_words(shown), found["pages_read"]) == (page, kept, [page])
    assert story.strip().startswith(shown) if method == "first-words" else story.strip().endswith(shown)
    whole = await run(method, library, document, replace(CONTEXT, baseline_words=99_999))
    assert (whole["pages_read"], whole["compression_rate"]) == ([0], 0)


async def test_retrieved_segments_stand_in_the_documents_order(
    server: ModelServer, library: Library, long: Document, whole_story: str
) -> None:
    found = await run("bm25", library, long)
    shown = shown_pages(server.requests[-1].text)
    assert server.calls == 1 and [*shown] == found["pages_read"] == sorted(found["pages_read"])
    assert len(shown) == 5 and all(count_words(text) <= 1536 and text in whole_story for text in shown.values())
    assert any("Goat on gallery" in text for text in shown.values())
    assert 0 < found["compression_rate"] < 60


@pytest.mark.parametrize("method", ["bm25", "dense", "fused"])
async def test_segments_are_as_large_as_the_papers_pages_where_its_profile_is_taken(
    server: ModelServer, library: Library, long: Document, method: str
) -> None:
    found = await run(method, library, long, replace(CONTEXT, **PROFILES["quality"]))
    shown = shown_pages(server.requests[-1].text)
    assert [*shown] == found["pages_read"] and len(shown) == 5
    assert 300 < max(map(count_words, shown.values())) <= 600


@pytest.mark.parametrize(("method", "found_by"), [("dense", "embeddings"), ("fused", "keywords and embeddings")])
async def test_segments_are_retrieved_by_embeddings(
    server: ModelServer, library: Library, long: Document, method: str, found_by: str
) -> None:
    words = await run("bm25", library, long)
    found = await run(method, library, long)
    shown = shown_pages(server.requests[-1].text)
    assert found["memory"] == words["memory"], "the same segments"
    assert [*shown] == found["pages_read"] and len(shown) == 5
    assert next(step["summary"] for step in found["steps"] if step["node"] == "look_up").endswith(f"by {found_by}")
    assert server.embedding_calls > 0
    if method == "fused":
        assert any("Goat on gallery" in text for text in shown.values())
    before = server.embedding_calls
    assert (await run(method, library, long))["usage"]["calls"] == 0
    assert server.embedding_calls == before, "embeddings that were paid for are kept"
    with pytest.raises(BadInput, match="needs an embedding model"):
        await run(method, library, long, replace(CONTEXT, embeddings=""))


@pytest.mark.parametrize("question", ["goat" + 9 * " bell", "lamp" + 9 * " Marian", "auction" + 9 * " week"])
async def test_bm25_counts_a_word_as_often_as_the_question_has_it(
    server: ModelServer, library: Library, long: Document, question: str
) -> None:
    found = await run("bm25", library, long, replace(CONTEXT, max_pages=3), question=question)
    memory = await library.pages.memory(long.id, found["memory"])
    pages = await library.pages.pages(memory.id, range(memory.pages))
    texts = await library.pages.spans(long, [(page.start, page.end) for page in pages])
    scores = BM25Okapi([tokens(text, "en") for text in texts]).get_scores(tokens(question, "en"))
    assert found["pages_read"] == sorted(scores.argsort()[-3:])


async def test_a_frequent_word_counts_as_much_as_in_rank_bm25(server: ModelServer, library: Library) -> None:
    """Where most words are frequent, its floor is below zero: what has the word ranks behind what has not."""
    texts = [f"The lamp is {number} lit." if number != 2 else "A lamp is lit." for number in range(4)]
    parts = [" ".join([text] * 300) for text in texts]
    frequent = await library.pages.add_document("\n\n".join(parts), title="lamps")
    found = await run("bm25", library, frequent, replace(CONTEXT, max_pages=1), question="the")
    assert BM25Okapi([tokens(part, "en") for part in parts]).get_scores(["the"]).argmax() == 2
    assert found["pages_read"] == [2]


async def test_where_nothing_is_found_the_first_segments_are_read(
    server: ModelServer, library: Library, long: Document
) -> None:
    found = await run("bm25", library, long, question="Xyzzy?")
    assert found["pages_read"] == [0, 1, 2, 3, 4]


async def test_retrieval_keeps_within_the_window(server: ModelServer, library: Library, long: Document) -> None:
    await run("bm25", library, long, replace(CONTEXT, window_words=2000))
    assert sum(count_words(text) for text in shown_pages(server.requests[-1].text).values()) <= 2000


async def test_pages_that_a_person_chose_stay(server: ModelServer, library: Library, long: Document) -> None:
    built = METHODS["bm25"].build()
    graph = built.compile(checkpointer=library.checkpointer, store=library.store, interrupt_before=["look_up"])
    config: Any = {"configurable": {"thread_id": "1"}}
    await graph.ainvoke({"document": long.id, "question": GOAT}, config, context=replace(CONTEXT, max_pages=2))
    await graph.aupdate_state(config, {"pages_read": [8]})
    found = await graph.ainvoke(None, config, context=replace(CONTEXT, max_pages=2))
    assert found["pages_read"][0] == 8 and len(found["pages_read"]) == 2


async def test_one_memory_serves_readagent_and_its_variants(
    server: ModelServer, library: Library, document: Document
) -> None:
    read = await run("read-agent", library, document)
    before = len(server.requests)
    gists = await run("gists-only", library, document)
    retrieved = await run("retrieved-pages", library, document)
    assert read["memory"] == gists["memory"] == retrieved["memory"]
    assert [asked_for(request) for request in server.requests[before:]] == ["FreeAnswer", "FreeAnswer"]
    alone, beside = (shown_pages(request.text) for request in server.requests[before:])
    assert all(text.startswith("In short: ") for text in alone.values()) and gists["pages_read"] == []
    in_full = [page for page, text in beside.items() if not text.startswith("In short: ")]
    assert in_full == retrieved["pages_read"] and any("Goat on gallery" in beside[page] for page in in_full)
    assert retrieved["compression_rate"] < gists["compression_rate"]


async def test_readagent_s_pages_are_retrieved_as_the_settings_say(
    server: ModelServer, library: Library, document: Document
) -> None:
    """ReadAgent's rows of retrieval (tables 1 to 3) show pages alone; over NarrativeQA gists are ranked (4.3.2)."""
    beside = await run("retrieved-pages", library, document)
    alone, by_gist = {}, {}
    for ranking in ("keywords", "embeddings", "both"):
        context = replace(CONTEXT, show_gists=False, ranking=ranking, max_pages=2)
        alone[ranking] = await run("retrieved-pages", library, document, context)
        shown = [[*shown_pages(prompt)] for prompt in prompts(server, "FreeAnswer")]
        assert alone[ranking]["pages_read"] in shown, "pages, and no gists"
        by_gist[ranking] = await run("retrieved-pages", library, document, replace(context, rank_gists=True))
        for found, ranked in ((alone, "ranked by "), (by_gist, "the gists ranked by ")):
            summary = next(step["summary"] for step in found[ranking]["steps"] if step["node"] == "look_up")
            assert summary.split(": ")[1].startswith(ranked) and found[ranking]["memory"] == beside["memory"]
    assert alone["keywords"]["pages_read"] != by_gist["keywords"]["pages_read"], "gists hold other words"
    assert server.embedding_calls > 0
    with pytest.raises(BadInput, match="needs an embedding model"):
        await run("retrieved-pages", library, document, replace(CONTEXT, ranking="embeddings", embeddings=""))


async def test_segments_are_cut_so_that_all_of_them_fit(
    server: ModelServer, library: Library, long: Document, whole_story: str
) -> None:
    """MemGPT's figure 7: beyond the window, the same number of documents is shown, each of them cut."""
    some = await run("bm25", library, long, replace(CONTEXT, window_words=2000, max_pages=8, retrieval_words=600))
    cut = replace(CONTEXT, window_words=2000, max_pages=8, retrieval_words=600, cut_segments=True)
    every = await run("bm25", library, long, cut)
    assert len(some["pages_read"]) < len(every["pages_read"]) == 8
    shown = shown_pages(server.requests[-1].text)
    sizes = [count_words(text) for text in shown.values()]
    assert [*shown] == every["pages_read"] and all(text in whole_story for text in shown.values())
    assert 1500 < sum(sizes) <= 2000 and max(sizes) - min(sizes) <= 1, "each as long as the others"
    fitting = await run("bm25", library, long, replace(cut, max_pages=2))
    assert max(map(count_words, shown_pages(server.requests[-1].text).values())) > max(sizes)
    assert len(fitting["pages_read"]) == 2, "what fits is whole"


async def test_parts_of_even_length_need_no_pauses(server: ModelServer, library: Library, long: Document) -> None:
    """ReadAgent's table 5 compares pauses with pages of the same length on average."""
    paused = await run("read-agent", library, long)
    before = len(server.requests)
    even = await run("read-agent", library, long, replace(CONTEXT, paging="even"))
    assert "PausePoint" not in map(asked_for, server.requests[before:]) and even["memory"] != paused["memory"]
    pages = await library.pages.pages(
        even["memory"], range((await library.pages.memory(long.id, even["memory"])).pages)
    )
    assert all(220 <= page.words <= 440 for page in pages) and {page.ended_by for page in pages} == {"rule", "rest"}


async def test_the_running_summary_goes_from_piece_to_piece_and_answers_alone(
    server: ModelServer, library: Library, document: Document, story: str
) -> None:
    server.respond = lambda request: (
        reader(request) if asked_for(request) else f"Summary {len(server.requests)}. {'word ' * 999}"
    )
    found = await run("recurrent", library, document)
    asked = prompts(server, "")
    pieces = [prompt.split("<passage>\n")[1].split("\n</passage>")[0] for prompt in asked]
    assert all(piece in story and count_words(piece) <= PIECE_WORDS for piece in pieces)
    assert sum(map(count_words, pieces)) == document.words and len(pieces) == -(-document.words // PIECE_WORDS)
    before = [prompt.split("<summary>\n")[1].split("\n</summary>")[0] for prompt in asked[1:]]
    assert "<summary>" not in asked[0] and all(count_words(summary) == SUMMARY_WORDS for summary in before)
    assert [summary.split(".")[0] for summary in before] == [f"Summary {n}" for n in range(1, len(pieces))]
    (answered,) = prompts(server, "FreeAnswer")
    assert shown_pages(answered)[0].startswith(f"Summary {len(pieces)}.")
    assert found["pages_read"] == [] and found["compression_rate"] > 90
    again = await run("recurrent", library, document, question="Who?")
    assert again["usage"]["calls"] == 1


async def test_a_summary_that_was_stopped_goes_on_without_paying_twice(
    server: ModelServer, library: Library, long: Document
) -> None:
    found = await run("recurrent", library, long, replace(CONTEXT, max_calls=3))
    assert (found["status"], server.calls) == ("budget", 3)
    found = await run("recurrent", library, long)
    assert (found["status"], found["usage"]["cached_calls"]) == ("answered", 3)
    assert len(server.requests) == len({request.key for request in server.requests})


async def test_a_summary_that_is_never_usable_is_made_of_sentences(
    server: ModelServer, library: Library, document: Document, story: str
) -> None:
    server.respond = lambda request: reader(request) if asked_for(request) else ""
    found = await run("recurrent", library, document)
    (note,) = await library.pages.notes(found["memory"], [0])
    assert found["fallbacks"]["running_summary"] == -(-document.words // PIECE_WORDS)
    assert note.fallback and 0 < note.words <= SUMMARY_WORDS


async def test_a_collection_is_cut_as_one_text(server: ModelServer, library: Library, story: str) -> None:
    parts = [await library.pages.add_document(part) for part in (story[:9000], story[9000:18_000])]
    both = await add_collection(library.pages, parts)
    assert (await run("full-text", library, both))["pages_read"] == [0]
    assert (await run("first-words", library, both))["compression_rate"] == 0
    found = await run("bm25", library, both)
    pages = await library.pages.pages(found["memory"], range(99))
    assert 9000 in {page.start for page in pages}, "a segment belongs to one document"


@given(
    st.lists(st.sampled_from(["word", "Two words. ", "\n\n", "\n", " ", "字", "x" * 95]), max_size=80).map("".join),
    st.integers(1, 40),
)
def test_even_pages_tile_the_text_and_keep_their_size(text: str, most: int) -> None:
    ends = list(even_ends(text, 0, most))
    starts = [0, *(end for end, _ in ends)]
    assert starts[-1] == len(text) if text else ends == []
    for start, (end, words) in zip(starts, ends, strict=False):
        assert start < end and words == count_words(text[start:end]) <= most
