"""The file of an answer: it repeats by itself, holds no text and no key, and shows what was forged."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.api import replay_answer, save_answer
from readgraph.api.documents import store_each
from readgraph.api.functions import ask, remember
from readgraph.api.running import RunThread
from readgraph.graphs.methods import METHODS, method_typed
from readgraph.library.corrections import correct
from readgraph.library.histories import SessionText
from readgraph.library.opening import Library
from readgraph.models.own.functions import function_model
from readgraph.nodes.meaning import meaning_model
from readgraph.sources.loading import read_file
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import digest
from readgraph.state.words import first_words
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import Command
from tests.support.examples import EXAMPLES
from tests.support.some_methods import mostly_slow
from tests.support.source_files import TWO_CHATS

QUESTION = "Who took the log book from the lamp room?"
MODEL, QUOTES = (ReaderContext(model=model, embeddings="openai:double") for model in ("openai:double", ""))


async def check_repeats(server: ModelServer, library: Library, context: ReaderContext = MODEL, **asked: Any) -> bytes:
    """Ask, save and replay; no request is sent for the last two."""
    answer = await ask(library, QUESTION, context=context, **asked)
    before, method = len(server.requests), asked.get("method")
    saved = await save_answer(library, answer)
    replayed = await replay_answer(saved, library=library, method=None if isinstance(method, str) else method)
    assert (replayed.differences, len(server.requests)) == ([], before)
    assert replayed.output["answer"] == answer.answer and len(replayed.output["citations"]) == len(answer.citations)
    assert bool(replayed.replies) == bool(context.model)
    return saved


@pytest.mark.parametrize("method", mostly_slow(METHODS))
@pytest.mark.parametrize("context", [MODEL, pytest.param(QUOTES, marks=pytest.mark.slow)], ids=["model", "quotes"])
async def test_answers_of_every_method_repeat(
    server: ModelServer, library: Library, story: str, method: str, context: ReaderContext
) -> None:
    await library.pages.add_document(first_words(story, 1500), title="the story")
    await check_repeats(server, library, context, method=method)


async def test_options_collections_follow_ups_histories_and_own_methods_repeat(
    server: ModelServer, library: Library, story: str, tmp_path: Path
) -> None:
    texts = [story[:3000], story[3000:6000]]
    files = [tmp_path / f"{number}.txt" for number in range(2)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    both = [await library.pages.add_document(text, title=f"part {number}") for number, text in enumerate(texts)]
    export = tmp_path / "result.json"
    export.write_text(json.dumps(TWO_CHATS), encoding="utf-8")
    chats = await check_repeats(server, library, documents=await store_each(library.pages, read_file(export)))
    assert not (await replay_answer(chats, [export])).differences
    of_both = await check_repeats(server, library, documents=both, options=["Desmond", "Elen"])
    assert not (await replay_answer(of_both, files[::-1])).differences
    thread = RunThread(saver=library.checkpointer, id="one")
    await ask(library, "Who is Elen?", documents=both[:1], context=MODEL, thread=thread)
    followed = await check_repeats(server, library, documents=both[:1], thread=replace(thread, follow_up=True))
    assert json.loads(followed)["earlier"][0]["question"] == "Who is Elen?"
    await remember(library, "Chat", [SessionText("Ana: Elen took the log book from the lamp room.")], context=MODEL)
    saved = await check_repeats(server, library, documents=["Chat"])
    await remember(library, "Chat", [SessionText("Bo: No.")], context=MODEL)
    assert not (await replay_answer(saved, library=library)).differences  # as the history was
    own = await check_repeats(server, library, documents=both[:1], method=method_typed("readgraph.graphs.gam:build"))
    with pytest.raises(BadInput, match=r"add --method readgraph\.graphs\.gam:build"):
        await replay_answer(own, library=library)


CHOOSING = "What is the plot?", QUESTION, "How many goats are there?", "Tell about towers"


@pytest.mark.parametrize("question", mostly_slow(CHOOSING, CHOOSING[:1]))
async def test_an_answer_repeats_by_the_method_that_was_chosen(
    server: ModelServer, library: Library, story: str, question: str
) -> None:
    document = await library.pages.add_document(story[:6000], title="the story")
    for context in (MODEL, replace(MODEL, window_words=1000)):
        answer = await ask(library, question, documents=[document], context=context)
        replayed = await replay_answer(await save_answer(library, answer), library=library)
        assert answer.way and answer.why and replayed.differences == []
        assert (replayed.output["method"], replayed.output["answer"]) == (answer.method, answer.answer)


@pytest.mark.parametrize("method", mostly_slow([None, "read-agent", "gam"], [None]))
async def test_what_was_known_up_to_a_place_or_a_day_repeats(
    server: ModelServer, library: Library, story: str, method: str | None, tmp_path: Path
) -> None:
    days = [SessionText(f"Ana: {story[at : at + 1000]}", "", f"2024-0{at // 1000 + 1}-01") for at in (0, 1000, 2000)]
    await remember(library, "Chat", days, context=MODEL)
    for known in ({"up_to": "session 2"}, {"as_of": "2024-02-10"}):
        await check_repeats(server, library, MODEL, documents=["Chat"], method=method, **known)
    files = [tmp_path / "one.txt", tmp_path / "two.md"]
    files[0].write_text(story[:3000], encoding="utf-8")
    files[1].write_text(f"# Hearth\n\n{story[3000:6000]}\n\n# Well\n\n{story[6000:9000]}", encoding="utf-8")
    one, two = [(await store_each(library.pages, read_file(file)))[0] for file in files]
    await check_repeats(server, library, documents=[two], method=method, up_to="Hearth")
    both = await check_repeats(server, library, documents=[one, two], method=method, up_to="Hearth")
    files[1].write_text(files[1].read_text(encoding="utf-8") + "It grew.", encoding="utf-8")
    assert not (await replay_answer(both, files)).differences  # what follows the place may change


@pytest.mark.parametrize("method", mostly_slow([None, "read-agent"], ["read-agent"]))
async def test_a_proof_of_absence_repeats(
    server: ModelServer, library: Library, story: str, method: str | None
) -> None:
    def respond(request: ChatRequest) -> Any:
        said = {
            "PartHolds": {"holds": False},
            "FreeAnswer": {"quotes": [], "answer": None},
            "PagesToRead": {"pages": []},
        }
        return said.get(asked_for(request)) or reader(request)

    server.respond = respond
    await library.pages.add_document(story[:6000], title="the story")
    for window in (1000, 60_000):
        context = replace(MODEL, prove_absence=True, window_words=window)
        saved = await check_repeats(server, library, context, method=method)
        assert json.loads(saved)["answer"]["absence"]["proven"]


async def test_answers_of_functions_repeat(server: ModelServer, library: Library, story: str) -> None:
    await library.pages.add_document(story[:3000], title="the story")
    await check_repeats(server, library, ReaderContext(model=function_model(lambda prompt: "It was Desmond.")))


async def test_corrected_notes_are_saved_and_what_cannot_be_repeated_is_not(
    server: ModelServer, library: Library, story: str
) -> None:
    document = await library.pages.add_document(first_words(story, 1500), title="the story")
    first = await ask(library, QUESTION, method="read-agent", context=MODEL)
    await correct(library.pages, await library.pages.memory(document.id, first.memory), 0, "Nothing happens.")
    assert "Nothing happens." in (await check_repeats(server, library, method="read-agent")).decode()
    spent = await ask(library, QUESTION, method="gam", context=replace(MODEL, max_calls=1))
    await library.pages.forget_paid(document.id)
    for each, reason in ((spent, "a budget ended it"), (first, "holds no reply to this prompt")):
        with pytest.raises(BadInput, match=f"is not saved, since it can't be repeated from what is kept: .*{reason}"):
            await save_answer(library, each)


def edit(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    """A change of one value in the file."""

    def change(saved: Any) -> None:
        for step in path[:-1]:
            saved = saved[step]
        saved[path[-1]] = to

    return change


def seal_again(saved: dict[str, Any]) -> None:
    """What a forger does who knows how seals are made."""
    parts = [(name, part) for name, part in saved.items() if name != "seals"]
    parts += [(f"{name} {at}", each) for name, of in parts if isinstance(of, list) for at, each in enumerate(of, 1)]
    saved["seals"] = {name: digest(part) for name, part in parts}


FORGED: dict[str, Callable[[dict[str, Any]], None]] = {
    "replies 1": edit("replies", 0, "reply", to="A gist of something else."),
    "replies 2": edit("replies", 1, "prompt", to="0" * 40),
    "citations 1": edit("answer", "citations", 0, "quote", to="the keeper took it"),
    "answer": edit("answer", "answer", to="Nobody."),
    "steps 1": edit("answer", "steps", 0, "summary", to="opened another"),
    "settings": edit("settings", "max_page_words", to=300),
    "question": edit("question", to="Who did not?"),
    "nothing": edit("seals", "nothing", to="0" * 16),
    "document": lambda saved: saved["document"].update(
        parts=[{"document": saved["document"]["id"], "start": 1, "end": saved["document"]["characters"]}]
    ),
}


SAVED: list[bytes] = []
"""The answer that tests change, each in a file of its own."""


@pytest.fixture
async def saved(server: ModelServer, library: Library, story: str, tmp_path: Path) -> Path:
    """A saved answer, and beside it the text; its server's address has a password."""
    (tmp_path / "story.txt").write_text(first_words(story, 1500), encoding="utf-8")
    text = (tmp_path / "story.txt").read_text(encoding="utf-8")
    file = tmp_path / "answer.readgraph.json"
    if not SAVED:
        await library.pages.add_document(text, title="story", source=str(tmp_path / "story.txt"))
        SAVED.append(await check_repeats(server, library, method="read-agent"))
    file.write_bytes(SAVED[0])
    return file


@pytest.mark.parametrize("part", FORGED)
async def test_what_is_forged_shows(saved: Path, part: str) -> None:
    value = json.loads(saved.read_text())
    FORGED[part](value)
    saved.write_text(json.dumps(value))
    edited = (await replay_answer(saved)).differences
    assert any(line.startswith((f"{part}: edited", f"{part.split()[0]}: edited", "answer: edited")) for line in edited)
    seal_again(value)
    saved.write_text(json.dumps(value))
    assert (await replay_answer(saved)).differences or part == "nothing"  # what does not follow from the rest


async def test_a_changed_text_is_named_by_its_place(saved: Path) -> None:
    text = saved.with_name("story.txt").read_text(encoding="utf-8")
    other = saved.with_name("other.txt")
    other.write_text(text[:4500] + "X" + text[4501:], encoding="utf-8")
    (line,) = (await replay_answer(saved, [other])).differences
    assert line.startswith("'story' is not the text that was read: it differs between characters 4,000 and 6,000")
    saved.with_name("story.txt").unlink()
    with pytest.raises(BadInput, match=r"The text 'story' \(story.txt, 1,500 words\) is needed"):
        await replay_answer(saved)
    other.write_bytes(text.replace("\n", "\r\n").encode())  # a copy with other ends of lines is the same text
    assert not (await replay_answer(saved, [other, other])).differences
    longer = saved.with_name("longer.txt")
    longer.write_text(f"{text}More.", encoding="utf-8")
    (line,) = (await replay_answer(saved, [longer])).differences
    assert line.endswith(f"it differs only behind what was read, {len(text):,} characters")
    with pytest.raises(BadInput, match="is from 1 text, and the files hold 2: leave some out"):
        await replay_answer(saved, [other, longer])


@pytest.mark.parametrize("name", ["{folder}/story.txt", "../{folder}/story.txt", "x" * 5000])
async def test_only_a_file_beside_is_looked_for(saved: Path, name: str) -> None:
    elsewhere = saved.with_name("elsewhere") / saved.name
    elsewhere.parent.mkdir()
    value = json.loads(saved.read_text())
    value["texts"][0]["file"] = name.format(folder=saved.parent)
    elsewhere.write_text(json.dumps(value))
    with pytest.raises(BadInput, match="is needed, and not in the library"):
        await replay_answer(elsewhere)


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda data: data[: len(data) // 2],
    "is no saved answer": lambda data: b'{"readgraph": "run"}',
    "no JSON": lambda data: b"\x00\xff",
    "by a newer version": lambda data: data.replace(b'"format": 1', b'"format": 2'),
    "recursion limit": lambda data: b'{"readgraph": "answer", "answer": ' + b"[" * 100_000,
    r"Field required \(method\)": lambda data: b'{"readgraph": "answer"}',
    "the setting 'prompts', which is never saved": lambda data: data.replace(
        b'"settings": {', b'"settings": {"prompts": "/",'
    ),
    "Do you mean 'read-agent'": lambda data: data.replace(b'"method": "read-agent"', b'"method": "read-agents"', 1),
}


@pytest.mark.parametrize("problem", BROKEN)
async def test_what_is_no_whole_file_is_told_in_one_line(saved: Path, problem: str) -> None:
    with pytest.raises(BadInput, match=problem) as told:
        await replay_answer(BROKEN[problem](saved.read_bytes()), [saved.with_name("story.txt")])
    assert "\n" not in str(told.value) and len(str(told.value)) < 300


@pytest.mark.parametrize("method", ["read-agent", "mem-walker", "gam"])
async def test_the_examples_repeat(method: str) -> None:
    file = EXAMPLES / f"the-lamp-at-sarn-head.{method}.readgraph.json"
    assert not (await replay_answer(file)).differences, "python -m docs.making.answers makes them again"
    assert file.stat().st_size < 100_000


def test_the_command_saves_and_repeats_without_a_key_and_holds_no_secret(
    readgraph: Command, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, story: str
) -> None:
    text, file = tmp_path / "story.txt", tmp_path / "answer.readgraph.json"
    text.write_text(first_words(story, 1500), encoding="utf-8")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("//", "//ana:hush-hush@"))
    asked = ("ask", QUESTION, text, "--model", "openai:double", "--embeddings", "openai:double", "--save", file)
    assert readgraph(*asked, "--method", "gam").code == 0
    held = file.read_text()
    assert not any(each in held for each in ("hush-hush", "not-a-real-key", "127.0.0.1", str(tmp_path), story[200:300]))
    assert readgraph(*asked).code == 2  # nothing is overwritten
    before = server.calls
    assert "no folder" in readgraph(*asked[:-1], tmp_path / "none" / "a.json").err and server.calls == before
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("READGRAPH_LIBRARY", str(tmp_path / "elsewhere"))
    told = readgraph("replay", file, text)
    assert "All is alike" in told.text and "Round 1" in told.text and "part 0:" in told.text
    assert readgraph("replay", file, "--json").json["alike"]  # the text is beside it
    file.write_text(held.replace('"rounds": 3', '"rounds": 2').replace(QUESTION, "Who?"))
    forged = readgraph("replay", file, text, "-q")
    assert forged.code == 1 and "not alike: question: edited since it was saved" in forged.out
    file.write_text(held[:1000])
    assert readgraph("replay", file).code == 2


def test_notes_that_an_earlier_version_left_are_held_by_the_file_which_says_so(
    readgraph: Command, server: ModelServer, tmp_path: Path, story: str
) -> None:
    text, file = tmp_path / "story.txt", tmp_path / "answer.readgraph.json"
    text.write_text(first_words(story, 3000), encoding="utf-8")
    given = ("--model", "openai:double", "--method", "read-agent")
    readgraph("read", text, *given)
    text.write_text(f"{first_words(story, 3000)}\n\nSixteen men came with a boat.", encoding="utf-8")
    before = server.calls
    assert readgraph("ask", "Who came?", text, *given, "--save", file).code == 0
    assert server.calls - before < len(json.loads(file.read_text())["kept"]["notes"])
    told = readgraph("replay", file, text, "-q")
    assert "as kept, without their replies: these weren't repeated" in told.text
    value = json.loads(file.read_text())
    value["kept"]["notes"][next(iter(value["kept"]["notes"]))]["text"] = "Nobody came."
    file.write_text(json.dumps(value))
    assert "not alike: kept: edited since it was saved" in readgraph("replay", file, text).out


def test_an_answer_that_cannot_be_saved_is_shown_before_that_is_said(
    readgraph: Command, server: ModelServer, tmp_path: Path, story: str
) -> None:
    text, file = tmp_path / "story.txt", tmp_path / "answer.readgraph.json"
    text.write_text(first_words(story, 1500), encoding="utf-8")
    asked = ("ask", QUESTION, text, "--model", "openai:double", "--method", "gam", "--max-calls", "1", "--save", file)
    told = readgraph(*asked)
    assert told.code == 2 and "The budget ran out first." in told.out and "a budget ended it" in told.err
    assert not file.exists()


@pytest.mark.skipif(meaning_model() is not None, reason="readgraph[meaning] is installed")
async def test_what_was_found_by_meaning_names_the_packages_that_it_needs(saved: Path) -> None:
    value = json.loads(saved.read_text())
    value["answer"]["searched_by"] = ["words", "meaning"]
    saved.write_text(json.dumps(value))
    with pytest.raises(BadInput, match=r"To repeat it: pip install 'readgraph\[meaning\]'"):
        await replay_answer(saved)
