"""The shortest programs: a question about files, and a reading of them, in one call."""

import inspect
import os
import signal
import subprocess
import sys
import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import readgraph
from readgraph.api.results import Answer, Reading
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader

pytestmark = pytest.mark.quick

GERMAN = (
    "Der Leuchtturmwärter ging am Morgen zum Hafen und kaufte Öl für die Lampe.\n\n"
    "Am Abend sah er eine weiße Ziege auf der Treppe. Er schrieb es in das Buch.\n"
)


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    """A file in German."""
    path = tmp_path / "Die Wärterin.txt"
    path.write_text(GERMAN, encoding="utf-8")
    return path


def test_a_file_is_asked_in_one_call_without_a_model(tale: Path) -> None:
    answer = readgraph.ask("Was sah der Wärter auf der Treppe?", str(tale))
    assert isinstance(answer, Answer) and (answer.status, answer.model, answer.title) == ("nearest", None, tale.stem)
    assert any("Ziege auf der Treppe" in citation.quote for citation in answer.citations)
    assert all(GERMAN[cited.start : cited.end] == cited.quote for cited in answer.citations)
    assert readgraph.ask("Was kaufte der Wärter am Hafen?", tale.stem).document == answer.document, "it was kept"
    assert readgraph.ask("Was kaufte der Wärter am Hafen?").document == answer.document, "and is picked"


def test_a_model_answers_and_settings_are_keywords(server: ModelServer, tale: Path) -> None:
    reading = readgraph.read(tale, model="openai:double", concurrency=1)
    assert isinstance(reading, Reading) and (reading.complete, reading.method) == (True, "read-agent")
    answer = readgraph.ask("Was sah der Wärter?", tale, model="openai:double", method="read-agent")
    assert (answer.model, answer.memory, answer.document) == ("openai:double", reading.memory, reading.document)
    assert server.calls > 0
    with pytest.raises(readgraph.BadInput, match="There is no setting 'modell': do you mean 'model'"):
        readgraph.ask("Was sah der Wärter?", tale, modell="openai:double")


def test_what_was_left_out_of_a_file_is_in_each_answer(tmp_path: Path) -> None:
    file = tmp_path / "keep.rtf"
    file.write_bytes(rb"{\rtf1 Agnes keeps the lamp at Sarn Head.{\v secret}\par}")
    told = "keep.rtf: left out: 1 passage that is hidden and not printed."
    for _ in range(2):
        with pytest.warns(UserWarning, match=told):
            assert readgraph.ask("Who keeps the lamp?", file).notices[0] == told
    assert readgraph.ask("Who keeps the lamp?").notices[0] == told and readgraph.read("keep").notices == [told]


async def test_a_file_is_added_before_any_question(tale: Path, tmp_path: Path) -> None:
    async with readgraph.open_library() as library:
        document = await library.add(tale)
        assert (document.title, document.words) == (tale.stem, 29) and await library.pages.text(document) == GERMAN
        assert await library.add(str(tale)) == document and await library.pages.memories(document.id) == []
        for given, told in ((tmp_path, "is a folder"), (tmp_path / "none.txt", "no file")):
            with pytest.raises(readgraph.BadInput, match=told):
                await library.add(given)
    assert (await readgraph.aask("Was kaufte der Wärter?", tale.stem)).document == document.id


def test_a_file_is_added_without_an_event_loop(tale: Path) -> None:
    with readgraph.open_library_in_background() as library:
        assert library.add(tale).title == tale.stem and [each.title for each in [library.add(tale)]] == [tale.stem]


def test_several_are_read_as_one(tale: Path, tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    for number, line in enumerate(["The goat ate the rope.", "The keeper sold the goat."], 1):
        (folder / f"{number}.md").write_text(line, encoding="utf-8")
    answer = readgraph.ask("Who sold the goat?", [tale, folder], text="Nobody saw the goat again.")
    assert [each["title"] for each in answer.documents][:3] == [tale.stem, "1", "2"] and len(answer.documents) == 4
    assert any(citation.quote == "The keeper sold the goat." for citation in answer.citations)
    chosen = readgraph.ask("Who sold the goat?", folder, options=["the goat", "the keeper"])
    assert chosen.choice in ("A", "B")
    for known in ({"up_to": "1"}, {"up_to": "1, 50%"}):
        assert "sold" not in str(readgraph.ask("Who sold the goat?", folder, **known).output)


def test_a_library_is_named(tale: Path, tmp_path: Path) -> None:
    readgraph.read(tale, library=tmp_path / "another")
    assert readgraph.ask("Was sah der Wärter?", tale.stem, library=str(tmp_path / "another")).title == tale.stem
    with pytest.raises(readgraph.BadInput, match="There is nothing to read"):
        readgraph.ask("Was sah der Wärter?")


def test_a_namespace_holds_what_it_was_given(tale: Path) -> None:
    readgraph.read(tale, namespace="tenant")
    assert readgraph.ask("Was sah der Wärter?", namespace="tenant").title == tale.stem
    with pytest.raises(readgraph.BadInput, match="There is nothing to read"):
        readgraph.ask("Was sah der Wärter?")


def test_what_can_t_be_used_is_said_in_one_line(tale: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "broken.pdf").write_bytes(b"no PDF")
    refused: list[tuple[Any, str]] = [
        (tmp_path / "empty.txt", "empty.txt is empty"),
        (tmp_path / "broken.pdf", "broken.pdf"),
        (tmp_path / "missing.txt", "There is no file .*missing.txt, and no document"),
        (GERMAN, "A text is no name of a file or document"),
        (5, "must be a string or a path, or a list of these, not int"),
    ]
    for source, said in refused:
        with pytest.raises(readgraph.BadInput, match=said) as raised:
            readgraph.ask("Was sah der Wärter?", source)
        assert "\n" not in str(raised.value)
    for question in ("", "  "):
        with pytest.raises(readgraph.BadInput, match="question"):
            readgraph.ask(question, tale)
    with pytest.raises(readgraph.BadInput, match="A question must be a string, not NoneType"):
        readgraph.ask(None, tale)  # type: ignore[arg-type]
    with pytest.raises(readgraph.BadInput, match="options of a multiple choice as a list"):
        readgraph.ask("Was sah der Wärter?", tale, options="AB")
    for named in ({"up_to": "line 1"}, {"sources": tale, "collection": "tales"}):
        with pytest.raises(readgraph.BadInput, match="name"):
            readgraph.ask("Was sah der Wärter?", **named)
    with pytest.raises(readgraph.BadInput, match="method"):
        readgraph.ask("Was sah der Wärter?", tale, method="gamm")
    with pytest.raises(readgraph.BadInput, match="There is nothing to read"):
        readgraph.read()


@pytest.mark.parametrize("as_folder", [False, True])
def test_a_file_among_several_that_can_t_be_read_is_left_out_with_a_warning(tmp_path: Path, as_folder: bool) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(b"no PDF")
    (folder / "b.txt").touch()
    (folder / "c.txt").write_text("Olwen hid the compass under the stairs.")
    with pytest.warns(UserWarning, match=r"Left out: .*(a\.pdf is no PDF|b\.txt is empty)") as warned:
        answer = readgraph.ask("Who hid the compass?", folder if as_folder else [*folder.iterdir()])
    assert len(warned) == 2 and {each.filename for each in warned} == {__file__}, "at the caller's line"
    assert answer.title == "c" and answer.citations
    with pytest.raises(readgraph.BadInput, match=r"There is no file .*d\.txt"):
        readgraph.ask("Who hid the compass?", [folder / "c.txt", folder / "d.txt"])


async def test_coroutines_and_a_running_loop_do_it_too(tale: Path) -> None:
    (tale.parent / "empty.txt").touch()
    with pytest.warns(UserWarning, match="Left out") as warned:
        reading = await readgraph.aread([tale, tale.parent / "empty.txt"])
    assert [each.filename for each in warned] == [__file__]
    answer = await readgraph.aask("Was sah der Wärter auf der Treppe?", tale)
    assert answer.memory == reading.memory
    assert readgraph.ask("Was sah der Wärter auf der Treppe?", tale).citations == answer.citations, "as in a notebook"


def test_ctrl_c_ends_it_and_what_was_read_is_kept(server: ModelServer, story: str) -> None:
    server.latency = 0.02

    def respond(request: ChatRequest) -> Any:
        if any(request is each for each in server.requests[2:3]):
            os.kill(os.getpid(), signal.SIGINT)
        return reader(request)

    server.respond = respond
    with pytest.raises(KeyboardInterrupt):
        readgraph.read(text=story, model="openai:double")
    left = server.calls
    reading = readgraph.read(text=story, model="openai:double")
    assert reading.complete and left < server.calls / 2, "it went on until the whole text was read"


def test_no_setting_has_the_name_of_an_argument() -> None:
    settings = {field.name for field in fields(readgraph.ReaderContext)}
    for function in (readgraph.ask, readgraph.read):
        assert not settings & {*inspect.signature(function).parameters}


def test_the_synchronous_and_the_asynchronous_take_the_same() -> None:
    assert inspect.signature(readgraph.ask) == inspect.signature(readgraph.aask)
    assert inspect.signature(readgraph.read) == inspect.signature(readgraph.aread)


@pytest.mark.slow
def test_a_program_that_asks_ends_in_silence(tmp_path: Path) -> None:
    program = "import readgraph; print(readgraph.ask('Which goat?', text='A goat came.', library=r'{}').status)"
    command = [sys.executable, "-c", program.format(tmp_path / "kept")]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("nearest\n", "")


def test_a_warning_that_is_an_error_comes_before_a_model_is_asked(server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A goat came.")
    (tmp_path / "b.txt").write_text("")
    with warnings.catch_warnings(), pytest.raises(UserWarning, match=r"b\.txt is empty"):
        warnings.simplefilter("error")
        readgraph.ask("Which goat?", [tmp_path / "a.txt", tmp_path / "b.txt"], model="openai:double")
    assert not server.requests
