"""Rubrics: points that are met become BEAM's scores, and events are scored by their order."""

import pytest
from langgraph.store.memory import InMemoryStore

from readgraph.models.metering import Meter, start_meter
from readgraph.state.context import ReaderContext
from readgraph_evaluation.judges.judging import judge, order_score
from readgraph_evaluation.plan import estimate_rating
from readgraph_evaluation.records import EVENT_ORDERING, Item, Judgement, Outcome
from tests.doubles.model_server import ModelServer
from tests.doubles.rater import Rater

CONTEXT = ReaderContext(model="openai:double")
BEAM = ("beam_score", "nuggets", "event_order")
POINTS = ("names the lamp", "names the oil", "has no goat", "gives a date")
SAID = "The lamp, and nearly the oil."


def asked(category: str = "summarization", rubric: tuple[str, ...] = POINTS, unanswerable: bool = False) -> Item:
    return Item("q1", "text", "What was there?", category=category, rubric=rubric, unanswerable=unanswerable)


async def judged(item: Item, answer: str | None = SAID, status: str = "answered") -> Judgement | None:
    outcome = Outcome("q1", "read-agent", 0, status, answer)
    return await judge(item, outcome, BEAM, CONTEXT, InMemoryStore())


async def test_points_met_in_part_count_half_but_not_in_the_official_score(server: ModelServer) -> None:
    rater = Rater(point=dict(zip(POINTS, ("yes", "Partially.", "yes", "no"), strict=True)))
    server.respond = rater
    found = await judged(asked())
    assert found and found.scores == {"nuggets": 62.5, "beam_score": 50}
    assert [about for _, about in rater.asked] == [*POINTS], "each point is asked about"
    assert found.said["judge_point 2"] == '{"reason":"as told","meets":"partially"}'


async def test_the_order_of_events_is_the_official_score_of_its_questions(server: ModelServer) -> None:
    events = POINTS[:3]
    server.respond = Rater(point=dict.fromkeys(events, "yes"), order={SAID: "2 1 3"})
    found = await judged(asked(EVENT_ORDERING, events))
    assert found and found.scores == pytest.approx({"nuggets": 100, "event_order": 200 / 3, "beam_score": 200 / 3})
    assert found.said["judge_order"] == '{"events":[2,1,3]}'


async def test_without_a_usable_reply_there_is_no_score_that_needs_it(server: ModelServer) -> None:
    server.respond = Rater(point=dict.fromkeys(POINTS[:3], "yes"))
    start_meter(meter := Meter(CONTEXT))
    found = await judged(asked())
    assert found and found.scores == {} and "No usable reply" in found.said["judge_point 4"]
    assert meter.fallbacks == {"judge_point": 1}
    found = await judged(asked(EVENT_ORDERING, POINTS[:3]))
    assert found and found.scores == {"nuggets": 100} and "No usable reply" in found.said["judge_order"]


async def test_what_was_not_answered_scores_0_and_a_right_refusal_100_without_a_call(server: ModelServer) -> None:
    found = await judged(asked(), None)
    assert found and found.scores == {"beam_score": 0, "nuggets": 0}
    found = await judged(asked("abstention", POINTS[:1], unanswerable=True), None, "no_answer")
    assert found and found.scores == {"beam_score": 100, "nuggets": 100}
    assert await judged(asked(rubric=())) is None, "without a rubric there is nothing to judge"
    assert server.calls == 0


def test_every_point_is_in_the_estimate() -> None:
    foreseen = estimate_rating([asked()], BEAM)
    assert foreseen.calls.expected == len(POINTS)
    ordered = estimate_rating([asked(EVENT_ORDERING)], BEAM)
    assert ordered.calls.expected == pytest.approx(len(POINTS) + 1) and ordered.input_words.expected > 0
    assert estimate_rating([asked(rubric=())], BEAM).calls.high == 0
    assert estimate_rating([asked()], ("f1", "judged_accuracy")).calls.high == 0


@pytest.mark.parametrize(
    ("listed", "events", "expected"),
    [
        ([1, 2, 3], 3, 1),
        ([3, 2, 1], 3, 0),
        ([2, 1, 3], 3, 2 / 3),
        ([1], 3, (1 + (2 / 3) ** 0.5) / 2),  # those that lack are a tie, which is no wrong order
        ([], 3, 0),
        ([1], 1, 1),
        ([], 1, 0),
        ([1, 2, 7, 3], 3, 5 / 6),  # 7 is none of the events
        ([1, 2, 0, 3], 3, 5 / 6),
        ([1, 1, 2], 2, 2 / 3),  # what comes again is something else
    ],
)
def test_events_are_scored_by_their_order(listed: list[int], events: int, expected: float) -> None:
    assert order_score(listed, events) == pytest.approx(expected)
