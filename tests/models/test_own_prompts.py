"""Prompts in the user's own words: exported, changed, checked, sent, and known by their memories."""

import os
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from readgraph import ReaderContext
from readgraph.features.agents import mem_gpt
from readgraph.graphs import mem_walker, read_agent
from readgraph.models.prompt import apply_own_words, export_words, places_in, replacement_digests
from readgraph.nodes.building.notes import gist_prompt
from readgraph.nodes.prompts import every_wording
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ModelServer
from tests.models.names.test_model_tables import ASKED, TEXT
from tests.support.command import DOUBLE, Command, assert_refused, finished, process
from tests.support.development_server import REPOSITORY
from tests.support.packages import install


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with the exported prompts."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    for words in every_wording():
        export_words(words, folder / f"{words.name}.toml")
    return folder


def change(folder: Path, name: str, before: str, after: str) -> None:
    file = folder / f"{name}.toml"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


async def ask(graph: Any, folder: Path | str, store: InMemoryStore, **settings: Any) -> dict[str, Any]:
    context = ReaderContext(model="openai:double", prompts=str(folder), **settings)
    return dict(await graph.build().compile(store=store).ainvoke(ASKED, context=context))


@pytest.mark.parametrize("graph", [read_agent, mem_walker, mem_gpt], ids=lambda graph: graph.__name__)
async def test_exported_prompts_are_ours_word_by_word(server: ModelServer, own: Path, graph: Any) -> None:
    store = InMemoryStore()
    first, paid = await ask(graph, "", store), server.calls
    second = await ask(graph, own, store)
    assert (second["memory"], second["answer"], server.calls) == (first["memory"], first["answer"], paid)


async def test_changed_words_are_sent_and_make_another_memory_if_built_so(server: ModelServer, own: Path) -> None:
    store = InMemoryStore()
    first = await ask(read_agent, own, store)
    change(own, "answer", "Answer the question, and quote", "Say it in rhyme, and quote")
    second = await ask(read_agent, own, store)
    assert second["memory"] == first["memory"] and "Say it in rhyme" in server.requests[-1].last
    change(own, "gist", "Shorten the passage above", "Kürze den Abschnitt")
    change(own, "gist", " to at most {most_words} words", " auf {most_words} Wörter")
    change(own, "gist", "You shorten passages", "Du kürzt {Texte}, Abschnitte")
    with pytest.raises(BadInput, match=r"unknown \{Texte\} in 'system', which has no places"):
        await ask(read_agent, own, store)
    change(own, "gist", "{Texte}, ", "")
    third = await ask(read_agent, own, store, gist_words=40)
    fourth = await ask(read_agent, "", store, gist_words=40)
    assert len({each["memory"] for each in (first, third, fourth)}) == 3
    sent = [request for request in server.requests if "Kürze den Abschnitt auf 40 Wörter." in request.last]
    assert sent and all(request.text.startswith("Du kürzt Abschnitte") for request in sent)


def test_what_is_put_in_is_not_looked_at(own: Path) -> None:
    change(own, "gist", "Shorten", "Abridge")
    prompt = gist_prompt("{limit} {known} The lamp.", 40, "{keep}").adding("Write in {known}.")
    changed = apply_own_words(prompt, str(own))
    assert changed.user == prompt.user.replace("Shorten the", "Abridge the") and changed.system == prompt.system
    assert apply_own_words(changed, str(own)) == changed


@pytest.mark.parametrize(
    ("name", "before", "after", "told"),
    [
        ("gist", "{limit}", "", "lacks {limit} in 'task': put it where it belongs."),
        ("gist", "passage above", "passage {above}", "has an unknown {above} in 'task', which has {keep}, {known}"),
        ("gist", "version = 1", "version = 0", "is of version 0 of its prompt, which is now 1: export it anew."),
        ("gist", "[parts]", "[parts]\nmore = 'x'", "has 'more', which this prompt has not: it has system, task"),
        ("gist", "version = 1", "version = 1\ntask = 2", "can't be read: Cannot overwrite a value"),
        ("pause", "system = '''", "system = 7\nother = '''", "has a 'system' that is no text"),
        ("answer", "{letters}", "", "lacks {letters} in 'choose': put it where it belongs."),
    ],
)
def test_a_wrong_file_is_refused_before_anything_is_asked(
    readgraph: Command, server: ModelServer, own: Path, tmp_path: Path, name: str, before: str, after: str, told: str
) -> None:
    change(own, name, before, after)
    (tmp_path / "text.txt").write_text(TEXT)
    refused = readgraph("ask", "Who?", tmp_path / "text.txt", *DOUBLE, "--prompts", own)
    assert_refused(refused, told)
    assert server.calls == 0


def test_the_command_exports_prompts_and_takes_them(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    folder, text = tmp_path / "words", tmp_path / "text.txt"
    text.write_text(TEXT)
    exported = readgraph("prompts", "export", folder).text.strip()
    assert exported == f"Exported {len(every_wording())} prompts to {folder}."
    assert_refused(readgraph("prompts", "export", folder), "exists already: name another folder.")
    change(folder, "look_up_pages", "Name at most", "Choose at most")
    (folder / "gits.toml").write_text("version = 1")
    line = ["ask", "Who stood?", text, "--method", "read-agent", *DOUBLE, "--prompts", folder]
    assert_refused(readgraph(*line), "gits.toml replaces no prompt: 'readgraph prompts export' shows their names.")
    (folder / "gits.toml").unlink()
    assert readgraph(*line, "--json").json["status"] == "answered"
    assert any("Choose at most" in request.last for request in server.requests)
    assert_refused(readgraph(*line[:-1], tmp_path / "none"), "There is no folder")


def test_what_is_exported_is_read_as_it_was(own: Path) -> None:
    assert not replacement_digests(str(own), frozenset(words.prompt for words in every_wording()))


def test_every_part_of_a_prompt_stands_somewhere() -> None:
    for words in every_wording():
        places = frozenset[str]().union(*map(places_in, words.texts.values()))
        assert words.parts.keys() <= places, words.name


PLUGIN = """
from readgraph.plugins import hookimpl


@hookimpl
def prompts():
    return ["lamps_prompts", "no_such_module"]
"""


@pytest.mark.slow
def test_prompts_of_packages_are_exported_with_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    declared = (
        "from readgraph.models.prompt import declare_wording\ndeclare_wording('lamps', 'You.', 'Count the lamps.')"
    )
    install(tmp_path / "installed", "lamps", lamps_plugin=PLUGIN, lamps_prompts=declared)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "installed"), str(REPOSITORY)]))
    exported = finished(process("prompts", "export", tmp_path / "words")).text.strip()
    assert exported.startswith(f"Exported {len(every_wording()) + 1} prompts")
    assert "Count the lamps." in (tmp_path / "words" / "lamps.toml").read_text()
    assert "lamps can't be used: its prompts in 'no_such_module'" in finished(process("doctor")).out
