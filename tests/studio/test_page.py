"""The page of `studio --local`, as its script uses it: graphs are drawn, runs stop, go on from any step, and change."""

from typing import Any

import pytest

from tests.doubles.model_server import ModelServer
from tests.studio.conftest import OWN
from tests.support.examples import STORY
from tests.support.reading_room import OpenRoom

NODES = ["open", "read", "merge", "look_up", "answer", "cite"]
QUESTION = "Who took the log book?"


@pytest.fixture
def document(room: OpenRoom) -> str:
    return str(room.added("lamp.txt", STORY.read_bytes()[:6_000])["id"])


def begin(room: OpenRoom, document: str, **wanted: Any) -> str:
    """The thread of a run that has ended, or that waits."""
    wanted = {"documents": [document], "question": QUESTION, "method": "read-agent", **wanted}
    run = room.post("/api/runs", **wanted)
    last = room.until(run["id"], "end", "paused")[-1]
    assert last["type"] == "paused" or last["run"]["state"] == "done", last
    return str(run["thread"])


def go_on(room: OpenRoom, thread: str, checkpoint: str, **wanted: Any) -> list[dict[str, Any]]:
    run = room.post(f"/api/studio/threads/{thread}/go-on", checkpoint=checkpoint, **wanted)
    return room.until(run["id"], "end", "paused")


def steps_of(room: OpenRoom, thread: str) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = room.get(f"/api/studio/threads/{thread}")["steps"]
    return steps


def problem(room: OpenRoom, path: str, **body: Any) -> str:
    answer = room.client.post(path, json=body)
    assert answer.status_code == 400, answer.text
    return str(answer.json()["problem"])


def test_graphs_are_drawn_with_what_each_node_does(room: OpenRoom) -> None:
    listed = [graph["method"] for graph in room.get("/api/studio/graphs")]
    assert listed[:5] == [OWN, "auto", "read-agent", "mem-walker", "gam"], "one's own comes first"
    for method in listed:
        graph = room.get("/api/studio/graph", method=method)
        assert graph["drawing"].startswith("<svg ")
        assert all(f'data-node="{name}"' in graph["drawing"] for name in graph["nodes"])
        assert any(graph["nodes"][name] for name in ("open", "answer", "route") if name in graph["nodes"]), (
            "its docstring"
        )
    answer = room.client.get("/api/studio/graph", params={"method": "tests.studio.own_graph:other"})
    assert answer.status_code == 400, "only who starts the server names code to import"


def test_each_step_has_the_state_before_and_after_it(room: OpenRoom, document: str) -> None:
    thread = begin(room, document)
    steps = steps_of(room, thread)
    assert [step["ran"] for step in steps] == [[], *([name] for name in NODES)]
    assert [step["parent"] for step in steps[1:]] == [step["checkpoint"] for step in steps[:-1]]
    look_up = steps[4]
    around = room.get(f"/api/studio/threads/{thread}/steps/{look_up['checkpoint']}")
    assert around["before"]["pages_read"] == [] and around["after"]["pages_read"]
    assert "pages_read" in look_up["changed"] and "question_text" not in look_up["changed"]
    assert look_up["next"] == ["answer"] and steps[-1]["next"] == []


def test_a_run_goes_on_one_step_at_a_time(room: OpenRoom, document: str) -> None:
    thread = begin(room, document, pause_before=NODES)
    for done in range(len(NODES)):
        newest = steps_of(room, thread)[-1]
        assert newest["next"] == [NODES[done]]
        last = go_on(room, thread, newest["checkpoint"], pause_before=NODES)[-1]
        assert last["type"] == ("end" if done + 1 == len(NODES) else "paused")
    steps = steps_of(room, thread)
    assert [step["ran"] for step in steps] == [[], *([name] for name in NODES)], "and no step stands there twice"


def test_a_changed_state_is_a_step_of_its_own_from_which_the_run_goes_on(
    room: OpenRoom, document: str, server: ModelServer
) -> None:
    thread = begin(room, document)
    before = steps_of(room, thread)
    look_up = before[4]
    path = f"/api/studio/threads/{thread}/change"
    values = {"pages_read": [0], "question_text": "Who wept?"}
    changed = room.post(path, checkpoint=look_up["checkpoint"], values=values)["checkpoint"]
    (step,) = [step for step in steps_of(room, thread) if step["checkpoint"] == changed]
    assert step["by_hand"] and step["parent"] == look_up["checkpoint"] and step["next"] == ["answer"]
    assert sorted(step["changed"]) == ["pages_read", "question_text"]
    asked = len(server.requests)
    assert go_on(room, thread, changed)[-1]["run"]["state"] == "done"
    assert any("Who wept?" in str(request) for request in server.requests[asked:])
    steps = steps_of(room, thread)
    assert steps[: len(before)] == before, "the old line stays"
    assert [step["ran"] for step in steps[len(before) + 1 :]] == [["answer"], ["cite"]]
    assert steps[len(before) + 1]["parent"] == changed


def test_what_a_channel_adds_up_is_replaced_by_what_a_person_wrote(room: OpenRoom, document: str) -> None:
    thread = begin(room, document)
    checkpoint = steps_of(room, thread)[4]["checkpoint"]
    changed = room.post(f"/api/studio/threads/{thread}/change", checkpoint=checkpoint, values={"steps": []})[
        "checkpoint"
    ]
    assert room.get(f"/api/studio/threads/{thread}/steps/{changed}")["after"]["steps"] == []


def test_the_question_can_be_changed_before_the_first_step(room: OpenRoom, document: str, server: ModelServer) -> None:
    thread = begin(room, document, pause_before=["open"])
    (first,) = steps_of(room, thread)
    path = f"/api/studio/threads/{thread}/change"
    changed = room.post(path, checkpoint=first["checkpoint"], values={"question": "Who wept?"})["checkpoint"]
    assert room.get(f"/api/studio/threads/{thread}/steps/{changed}")["after"]["question"] == "Who wept?"
    assert go_on(room, thread, changed)[-1]["run"]["state"] == "done"
    asked = [str(request) for request in server.requests]
    assert any("Who wept?" in text for text in asked) and not any(QUESTION in text for text in asked)


def test_a_graph_of_ones_own_is_run_and_steered_as_ours_are(room: OpenRoom, document: str) -> None:
    thread = begin(room, document, method=OWN, pause_before=["answer"])
    newest = steps_of(room, thread)[-1]
    read = room.get(f"/api/studio/threads/{thread}/steps/{newest['checkpoint']}")["after"]["pages_read"]
    room.post(f"/api/studio/threads/{thread}/change", checkpoint=newest["checkpoint"], values={"pages_read": [1, 2]})
    told = go_on(room, thread, newest["checkpoint"])
    answers = [event["update"].get("answer") for event in told if event["type"] == "step" and event["node"] == "answer"]
    assert answers == [f"See parts {read}."], "from this step, not from the changed one"
    assert room.get(f"/api/studio/threads/{thread}")["method"] == OWN


def test_what_cant_be_done_is_told_in_a_line(room: OpenRoom, document: str) -> None:
    thread = begin(room, document)
    steps = steps_of(room, thread)
    path, last, first = f"/api/studio/threads/{thread}", steps[-1]["checkpoint"], steps[1]["checkpoint"]
    assert "comes behind" in problem(room, f"{path}/go-on", checkpoint=last)
    assert "no such step" in problem(room, f"{path}/go-on", checkpoint="0")
    assert "'nowhere'" in problem(room, f"{path}/go-on", checkpoint=first, pause_before=["nowhere"])
    assert "'pages_raed'" in problem(room, f"{path}/change", checkpoint=first, values={"pages_raed": []})
    assert "'pages_read'" in problem(room, f"{path}/change", checkpoint=first, values={"pages_read": "all"})
    assert "no such run" in problem(room, "/api/studio/threads/none/go-on", checkpoint=first)
    assert len(steps_of(room, thread)) == len(steps), "nothing of it is kept"


def test_a_run_that_is_at_work_is_left_alone(room: OpenRoom, document: str, server: ModelServer) -> None:
    thread = begin(room, document, pause_before=["look_up"])
    newest = steps_of(room, thread)[-1]["checkpoint"]
    server.latency = 0.5
    run = room.post(f"/api/studio/threads/{thread}/go-on", checkpoint=newest)
    assert "at work" in problem(room, f"/api/studio/threads/{thread}/go-on", checkpoint=newest)
    assert "at work" in problem(room, f"/api/studio/threads/{thread}/change", checkpoint=newest, values={})
    room.post(f"/api/runs/{run['id']}/stop")
    assert room.until(run["id"], "end")[-1]["run"]["state"] == "stopped"
    server.latency = 0.0
    assert go_on(room, thread, newest)[-1]["run"]["state"] == "done", "and it goes on from where it was stopped"


def test_the_address_of_the_page_lets_in_once(room: OpenRoom) -> None:
    room.client.headers.pop("authorization")
    answer = room.client.get("/studio")
    assert answer.status_code == 401 and "Open the address" in answer.text
    answer = room.client.get("/studio", params={"token": room.guard.token})
    assert answer.status_code == 303 and answer.headers["location"] == "/studio"
    page = room.client.get("/studio")
    assert page.status_code == 200 and "script-src 'self'" in page.headers["content-security-policy"]
    assert room.client.get("/studio", params={"token": "wrong"}).status_code == 401
