"""Models in tables of the settings file: what is sent to their servers, what is paid for again, and how often."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from readgraph import ReaderContext
from readgraph.graphs import read_agent
from readgraph.graphs.baselines import build_first_words
from readgraph.library.minute_ledger import LedgerInFile
from readgraph.library.opening import Library
from readgraph.models.names import find_model_entry
from readgraph.models.own.tables import model_table, model_tables
from readgraph.models.waiting import use_clock
from readgraph.state.errors import BadInput, LibraryError, ModelUnavailable
from tests.doubles.hurried import Hurried
from tests.doubles.model_server import Fault, ModelServer
from tests.support.command import Command, assert_refused

TEXT = "The keeper climbed to the lamp at nine. The goat stood on the gallery, and the lamp was out."
ASKED: Any = {"text": TEXT, "question": "Who stood on the gallery?"}


@pytest.fixture
def own(server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes the table of the model "desk", which stands on the model double."""
    monkeypatch.delenv("OPENAI_BASE_URL")

    def write(**settings: object) -> str:
        lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if key != "headers"]
        headers = [f"headers.{key} = {json.dumps(value)}" for key, value in dict(settings.get("headers", {})).items()]  # type: ignore[call-overload]
        table = ["[models.desk]", 'model = "double"', f'base_url = "{server.url}"', *lines, *headers]
        (tmp_path / "settings.toml").write_text("\n".join(table))
        return "desk"

    return write


async def ask(store: Any, **settings: Any) -> dict[str, Any]:
    graph = read_agent.build().compile(store=store)
    return dict(await graph.ainvoke(ASKED, context=ReaderContext(model="desk", **settings)))


async def test_a_table_says_what_is_sent(server: ModelServer, own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_KEY", "sk-of-the-team")
    monkeypatch.setenv("TEAM", "reading")
    sent = {"temperature": 0.3, "reasoning_effort": "low"}
    own(**sent, max_output_tokens=400, api_key_env="TEAM_KEY", headers={"X-Team": "$TEAM"})
    assert (await ask(InMemoryStore()))["status"] == "answered"
    body, headers = server.requests[-1].body, server.requests[-1].headers
    assert body.items() >= {"model": "double", **sent}.items()
    assert 400 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert (headers["authorization"], headers["x-team"]) == ("Bearer sk-of-the-team", "reading")


async def test_a_server_of_ones_own_gets_no_other_key(server: ModelServer, own: Any) -> None:
    own()
    await ask(InMemoryStore())
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer none"}


async def test_keys_are_named_and_used_at_once(server: ModelServer, own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own(api_key_env="TEAM_KEY")
    with pytest.raises(ModelUnavailable, match="The model 'desk' needs TEAM_KEY: set it"):
        await ask(InMemoryStore())
    monkeypatch.setenv("TEAM_KEY", "“sk-first”")
    with pytest.raises(BadInput, match="TEAM_KEY holds characters that no key or header has"):
        await ask(InMemoryStore())
    for key in ("sk-first", "sk-second"):
        monkeypatch.setenv("TEAM_KEY", key)
        await ask(InMemoryStore())
        assert server.requests[-1].headers["authorization"] == f"Bearer {key}"


@pytest.mark.parametrize(
    ("changed", "paid_again"),
    [
        ({"temperature": 0.5}, True),
        ({"max_output_tokens": 300}, True),
        ({"reasoning_effort": "high"}, True),
        ({"headers": {"X-Team": "other"}}, False),
        ({"price": "1/2", "window_words": 9000, "requests_per_minute": 900, "tokens_per_minute": 900000}, False),
    ],
)
async def test_what_changes_the_text_makes_another_memory_and_is_paid_for(
    server: ModelServer, own: Any, changed: dict[str, Any], paid_again: bool
) -> None:
    store = InMemoryStore()
    own()
    first, paid = await ask(store), server.calls
    own(**changed)
    second = await ask(store)
    assert (server.calls > paid) is paid_again
    assert (second["memory"] != first["memory"]) is paid_again


async def test_a_table_with_nothing_of_its_own_shares_what_the_model_itself_has_read(
    server: ModelServer, own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    own()
    store = InMemoryStore()
    first, paid = await ask(store), server.calls
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    graph = read_agent.build().compile(store=store)
    second = await graph.ainvoke(ASKED, context=ReaderContext(model="openai:double"))
    assert (second["memory"], server.calls) == (first["memory"], paid)


class Watched(Hurried):
    """A clock that begins at a round time and stands still but for pauses."""

    def now(self) -> float:
        return self.ahead

    def time(self) -> float:
        return 1_000_000 + self.ahead


async def ask_first_words(store: Any, *questions: int) -> list[dict[str, Any]]:
    """What each question is answered, with a call for each."""
    graph: Any = build_first_words().compile(store=store)
    context = ReaderContext(model="desk")
    return [await graph.ainvoke({**ASKED, "question": f"Who {each}?"}, context=context) for each in questions]


async def test_requests_a_minute_bound_what_is_tried_again(server: ModelServer, own: Any, library: Library) -> None:
    own(requests_per_minute=3)
    server.faults.append(Fault.empty())
    with use_clock(clock := Watched()):
        await ask_first_words(library.store, *range(7))
    assert (server.calls, clock.ahead) == (8, 120)
    assert (library.folder / "locks" / "minute.sqlite").exists()


async def test_a_reply_is_kept_before_its_tokens_are_counted(
    server: ModelServer, own: Any, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise LibraryError("the count is locked")

    own(requests_per_minute=900)
    with monkeypatch.context() as patched, pytest.raises(LibraryError, match="locked"):
        patched.setattr(LedgerInFile, "settle", busy)
        await ask_first_words(library.store, 1)
    assert server.calls == 1
    (found,) = await ask_first_words(library.store, 1)
    assert found["status"] == "answered"
    assert server.calls == 1, "it is not paid for again"


async def test_tokens_a_minute_are_kept_to(server: ModelServer, own: Any) -> None:
    own(tokens_per_minute=400)
    with use_clock(clock := Watched()):
        used = [found["usage"] for found in await ask_first_words(InMemoryStore(), *range(6))]
    tokens = sum(each["input_tokens"] + each["output_tokens"] for each in used)
    assert clock.ahead >= 60 * ((tokens - 1) // 400) > 0


def test_the_command_takes_a_table_with_its_price_and_window(
    readgraph: Command, server: ModelServer, own: Any, tmp_path: Path
) -> None:
    own(price="1000/1000", window_words=1200)
    (tmp_path / "text.txt").write_text(f"{TEXT}\n\n" * 300)
    line = ["ask", "Who stood?", tmp_path / "text.txt", "--method", "first-words", "--model", "desk"]
    estimate = json.loads(readgraph(*line, "--estimate", "--json").out)
    found = json.loads(readgraph(*line, "--json").out)
    assert found["model"] == "desk" and found["cost"] > 0.5 and estimate["cost"] > 0.5
    assert max(len(request.text.split()) for request in server.requests) <= 1200
    server.respond = lambda request: {"count": 3}
    assert "desk at http://127.0.0.1" in readgraph("models", "desk").out


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('[models.desk]\nprovider = "openai"', "[models.desk] in {file}: 'model' can't be used: Field required."),
        ('[models.desk]\nmodel = "double"\nkey = "sk-1"', "[models.desk] in {file}: 'key' is not known."),
        ('[models.desk]\nmodel = "m"\nprice = "cheap"', "'price' can't be used"),
        ('[models.desk]\nmodel = "m"\ntokens_per_minute = 0', "'tokens_per_minute' can't be used"),
        ('[models.local]\nmodel = "m"', "[models.local] can't be a model's name"),
        ('models = "desk"', "'models' that is no table"),
        ('[models.other]\nmodel = "m"', "'desk' is not the name of a model: write PROVIDER:NAME, or give it a table"),
        ('[models.desk]\nmodel = "m"\nprovider = "nobody"', "'nobody' is not a known provider."),
    ],
)
def test_a_wrong_table_is_refused_in_one_line(readgraph: Command, tmp_path: Path, table: str, told: str) -> None:
    (tmp_path / "settings.toml").write_text(table)
    (tmp_path / "text.txt").write_text(TEXT)
    refused = readgraph("ask", "Who?", tmp_path / "text.txt", "--model", "desk")
    assert_refused(refused, told.format(file=tmp_path / "settings.toml"))


def test_models_that_are_no_table_are_refused_for_one_name_as_for_all(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("models = 3")
    for look in (lambda: model_table("desk"), model_tables, lambda: find_model_entry("desk")):
        with pytest.raises(BadInput, match="'models' that is no table: write"):
            look()


async def test_a_key_that_a_provider_does_not_take_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("langchain_mistralai")
    (tmp_path / "settings.toml").write_text('[models.desk]\nprovider = "mistralai"\nmodel = "m"\nheaders.X = "y"')
    with pytest.raises((BadInput, ModelUnavailable)):
        await ask(InMemoryStore())
