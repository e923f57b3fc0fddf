"""The example of a server that knows its users: each has documents and threads of their own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("langgraph_api", reason="needs pip install 'readgraph[studio]'")
from langgraph_sdk import get_client
from langgraph_sdk.errors import APIStatusError

from tests.support.development_server import REPOSITORY, DevelopmentServer, development_server

pytestmark = pytest.mark.slow

TEXT = "In spring a lantern was found beneath the stair by the youngest of the children."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevelopmentServer]:
    folder = tmp_path_factory.mktemp("server-with-users")
    told = json.loads((REPOSITORY / "langgraph.json").read_text(encoding="utf-8"))
    told["graphs"] = {"bm25": told["graphs"]["bm25"]}
    told["auth"] = {"path": f"{REPOSITORY / 'examples' / 'server_auth.py'}:auth", "disable_studio_auth": True}
    config: Path = folder / "langgraph.json"
    config.write_text(json.dumps(told), encoding="utf-8")
    users = json.dumps({"one": "ada@example.com", "two": "eve@example.com"})
    with development_server(folder, config, READGRAPH_USERS=users) as running:
        yield running


async def test_users_see_only_what_is_theirs(server: DevelopmentServer) -> None:
    ada, eve, nobody = (
        get_client(url=server.url, api_key=None, headers={"authorization": f"Bearer {token}"})
        for token in ("one", "two", "three")
    )
    thread = (await ada.threads.create())["thread_id"]
    found = await ada.runs.wait(thread, "bm25", input={"text": TEXT, "question": "What was found?"})
    assert isinstance(found, dict) and found["citations"]
    asked = {"document": found["document"], "question": "What was found?"}
    again = await ada.runs.wait((await ada.threads.create())["thread_id"], "bm25", input=asked)
    assert isinstance(again, dict) and again["citations"]
    own = (await eve.threads.create())["thread_id"]
    for context in ({}, {"namespace": "ada@example.com"}):  # what a client says of the namespace counts for nothing
        refused = await eve.runs.wait(own, "bm25", input=asked, context=context, raise_error=False)
        assert "__error__" in str(refused) and "document" in str(refused)
    with pytest.raises(APIStatusError):
        await eve.threads.get(thread)
    assert [each["thread_id"] for each in await eve.threads.search()] == [own]
    with pytest.raises(APIStatusError):
        await eve.store.search_items(())
    with pytest.raises(APIStatusError):
        await nobody.threads.search()
