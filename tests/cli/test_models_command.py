"""Which model is used where no option names one: kept once, shown with where it comes from, and never a key."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readgraph.models.chat_models import check_no_key, model_meant
from readgraph.state.errors import BadInput
from readgraph.state.settings.settings_file import keep_in_file
from tests.doubles.model_server import ModelServer
from tests.support.command import SECRET, STORY, Command, assert_refused


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("READGRAPH_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("READGRAPH_SETTINGS", str(tmp_path / "own" / "settings.toml"))
    return tmp_path / "own" / "settings.toml"


def test_a_model_is_set_once_and_then_used(
    readgraph: Command, server: ModelServer, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "readgraph models use openai:" in readgraph("models").text
    assert "OPENAI_API_KEY, which is not set" in readgraph("models", "use", "openai:double").text
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert readgraph("ask", "Who took the log book?", STORY, "--json").json["model"] == "openai:double"
    assert server.calls
    assert f"openai:double, from {settings}" in readgraph("models").text
    monkeypatch.setenv("READGRAPH_MODEL", "openai:other")
    shown = readgraph("models").text
    assert "openai:other, from READGRAPH_MODEL." in shown and f"Not used: openai:double, from {settings}" in shown
    assert readgraph("ask", "Who?", STORY, "-m", "openai:third", "--json").json["model"] == "openai:third"
    assert "But READGRAPH_MODEL is set to openai:other" in readgraph("models", "use", "openai:double").text
    assert readgraph("models", "--json").json == {
        **{"model": "openai:other", "from": "READGRAPH_MODEL", "in_settings_file": "openai:double", "own": []},
        **{"settings_file": str(settings), "key_from": "OPENAI_API_KEY", "key_is_set": False},
    }
    assert "No model any more" in readgraph("models", "use", "--none").text
    assert tomllib.loads(settings.read_text()) == {}


def test_where_the_key_comes_from_is_kept_and_not_the_key(
    readgraph: Command, server: ModelServer, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_KEY", SECRET)
    ran = readgraph("models", "use", "openai:qwen3:8b", "--key-env", "DESK_KEY", "--base-url", server.url)
    assert "Its key is in DESK_KEY." in ran.text
    assert SECRET not in settings.read_text() + ran.out + readgraph("models", "--json").out
    assert readgraph("ask", "Who took the log book?", STORY).code == 0
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
    assert server.requests[0].body["model"] == "qwen3:8b"
    before = settings.read_text()
    assert_refused(readgraph("models", "use", "openai:qwen3:8b", "--key-env", "OTHER"), "There is a table [models.qwen")
    assert settings.read_text() == before


@pytest.mark.parametrize(
    "given",
    [
        (SECRET,),
        (f"openai:{SECRET}",),
        ("AIzaSyA1234567890abcdefghijklmnopqrstu",),
        ("aB3" * 12,),
        ("0123456789abcdef" * 2,),
        ("openai:small", "--key-env", SECRET),
        ("openai:small", "--key-env", SECRET.replace("-", "_")),
        ("openai:small", "--base-url", f"https://user:{SECRET}@desk/v1"),
    ],
)
def test_a_key_in_the_wrong_place_is_neither_kept_nor_shown(
    readgraph: Command, settings: Path, given: tuple[str, ...]
) -> None:
    ran = readgraph("models", "use", *given)
    assert_refused(ran, "key")
    assert given[-1].rpartition(":")[2] not in ran.err and not settings.exists()
    for option in ("--model", "--reading-model", "--embeddings") if len(given) == 1 else ():
        ran = readgraph("ask", "Who?", STORY, option, *given, "--method", "gam")
        assert_refused(ran, "looks like a key")
        assert given[0].rpartition(":")[2] not in ran.err


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("nobody:small", "'nobody' is not a known provider"),
        ("opena:gpt-5.4", "do you mean openai:gpt-5.4?"),
        ("gpt-5.4-mini", "do you mean openai:gpt-5.4-mini?"),
        ("", "PROVIDER:NAME is empty"),
        ("openai:", "is not the name of a model"),
        ("local:C:\\models\\small.gguf", "C:\\models\\small.gguf can't be read"),
        ("ollama:llama3.2", "OLLAMA_HOST"),
    ],
)
@pytest.mark.usefixtures("local_double")
def test_what_can_be_no_model_is_not_kept(readgraph: Command, settings: Path, model: str, told: str) -> None:
    assert_refused(readgraph("models", "use", model), told)
    assert not settings.exists()


def test_a_file_of_the_users_own_is_found_from_every_folder(
    readgraph: Command, settings: Path, local_double: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(local_double.parent)
    assert "It needs no key." in readgraph("models", "use", f"local:{local_double.name}").text
    assert tomllib.loads(settings.read_text())["model"] == f"local:{local_double}"


@pytest.mark.parametrize("held", ["model = ", "[models", 'model = """\n[x]\n"""\n'])
def test_a_file_that_can_not_be_changed_is_left_alone(readgraph: Command, settings: Path, held: str) -> None:
    settings.parent.mkdir()
    settings.write_text(held)
    assert_refused(readgraph("models", "use", "openai:small"), str(settings))
    assert settings.read_text() == held


def test_a_file_that_is_read_only_is_left_alone(readgraph: Command, settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_text("# mine\n")
    settings.chmod(0o444)
    assert_refused(readgraph("models", "use", "openai:small"), "it is read-only")
    assert settings.read_text() == "# mine\n"
    settings.chmod(0o644)


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20)
LINES = st.lists(
    st.sampled_from(["# a note", "", "concurrency = 3", 'method = "gam" # why', "  model='old'", 'purpose = "[x"']),
    unique=True,
)
TABLES = st.sampled_from(["", "[models.desk]\nmodel = 'm'\n", '# two\n[models]\n[models.a]\nmodel = "model = 1"'])


@given(lines=LINES, tables=TABLES, model=NAMES | st.none())
@example(lines=[], tables="", model="\x7f")
def test_all_else_in_the_file_stays_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], tables: str, model: str | None
) -> None:
    path = tmp_path_factory.mktemp("kept") / "settings.toml"
    path.write_text("\n".join([*lines, tables]), encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("READGRAPH_SETTINGS", str(path))
        keep_in_file("model", model)
        after = path.read_text(encoding="utf-8")
        keep_in_file("model", model)
    assert path.read_text(encoding="utf-8") == after
    wanted = {key: value for key, value in tomllib.loads(before).items() if key != "model"}
    assert tomllib.loads(after) == wanted | ({"model": model} if model else {})
    others = [line for line in before.splitlines() if line.strip() and not line.lstrip().startswith("model='old'")]
    assert [line for line in after.splitlines() if line in others] == others


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gpt-5.4-mini", "openai:gpt-5.4-mini"),
        ("o4-mini", "openai:o4-mini"),
        ("claude-sonnet-5", "anthropic:claude-sonnet-5"),
        ("gemini-3-flash", "google_genai:gemini-3-flash"),
        ("llama3.2", "ollama:llama3.2"),
        ("qwen3:8b", "ollama:qwen3:8b"),
        ("gpt-oss:20b", "ollama:gpt-oss:20b"),
        ("mistral-large-latest", "mistralai:mistral-large-latest"),
        ("openai/gpt-5.4", "openai:gpt-5.4"),
        ("OpenAI:gpt-5.4", "openai:gpt-5.4"),
        ("google:gemini-3", "google_genai:gemini-3"),
        ("lokal", "local"),
        ("dsek", "desk"),
        ("nonsense", ""),
        ("nobody:small", ""),
    ],
)
def test_which_model_was_meant(settings: Path, name: str, meant: str) -> None:
    settings.parent.mkdir()
    settings.write_text('[models.desk]\nmodel = "small"\n')
    assert model_meant(name) == meant
    assert model_meant(meant) in ("", meant)


@pytest.mark.parametrize(
    "name", ["openai:gpt-5.4-mini", "together:meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo", "desk"]
)
def test_names_are_no_keys(name: str) -> None:
    check_no_key(name)
    with pytest.raises(BadInput):
        check_no_key(SECRET)


def test_lines_break_between_words_on_a_terminal(readgraph: Command) -> None:
    given = ("ask", "Who?", STORY, "--method", "none")
    whole = readgraph(*given).err
    assert whole.count("\n") == 1, "where it is no terminal, an error stays one line"
    ours, terminal = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-m", "readgraph", *map(str, given)]
    subprocess.run(command, stderr=terminal, env={**os.environ, "COLUMNS": "60", "TERM": "dumb"}, check=False)
    narrow = os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(terminal)
    assert narrow.split() == whole.split(), "no word is cut"
    assert max(map(len, narrow.splitlines())) <= 60


def test_an_ollama_elsewhere_has_an_address(readgraph: Command) -> None:
    ran = readgraph("ask", "Who?", STORY, "-m", "ollama:llama3.2")
    assert_refused(ran, "openai:llama3.2, with OPENAI_BASE_URL=http://HOST:11434/v1")


def test_the_first_choices_come_first(readgraph: Command) -> None:
    listed = readgraph("methods", "--json").json
    assert {method["name"] for method in listed[:4]} == {"auto", "read-agent", "mem-walker", "gam"}
    for said in (readgraph("methods").out, readgraph("ask", "Who?", STORY, "--method", "none").err):
        assert said.index("auto") < said.index("read-agent") < said.index("gam") < said.index("mem-gpt")
