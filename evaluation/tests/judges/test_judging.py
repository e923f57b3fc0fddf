"""Raters: verdicts become scores by the papers' rules, are never guessed, and are not paid for twice."""

from dataclasses import replace

import pytest
from langgraph.store.memory import InMemoryStore

from readgraph.models.metering import Meter, start_meter
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, BudgetSpent
from readgraph_evaluation.judges.judging import judge
from readgraph_evaluation.metrics import METRICS, check_raters
from readgraph_evaluation.records import Dataset, Item, Judgement, Outcome, Rule
from readgraph_evaluation.results import scores_of
from tests.doubles.model_server import ModelServer
from tests.doubles.rater import Rater, said

MODEL = "openai:double"
CONTEXT = ReaderContext(model=MODEL, embeddings=MODEL)
BOTH = ("lr_1", "lr_2")


def item(*references: str, about: tuple[str, ...] = (), unanswerable: bool = False) -> Item:
    return Item("q1", "text", "What was found?", references, about=about, unanswerable=unanswerable)


def outcome(answer: str | None, run: int = 0) -> Outcome:
    return Outcome("q1", "read-agent", run, "answered" if answer else "no_answer", answer)


async def judged(
    asked: Item,
    answer: str | None = "a goat on the stair",
    metrics: tuple[str, ...] = BOTH,
    store: InMemoryStore | None = None,
    run: int = 0,
) -> Judgement:
    found = await judge(asked, outcome(answer, run), metrics, CONTEXT, store or InMemoryStore())
    assert found and found.key == ("read-agent", run, "q1")
    return found


@pytest.mark.parametrize(
    ("strict", "permissive", "lr_1", "lr_2"),
    [
        ("yes", None, 100, 100),  # the permissive rater isn't asked: it could change nothing
        ("no", "yes", 100, 100),
        ("no", "partially", 0, 100),
        ("no", "no", 0, 0),
        ("Yes.", None, 100, 100),
        ("NO", "Partially", 0, 100),
    ],
)
async def test_two_raters_make_a_match_exact_or_partial(
    server: ModelServer, strict: str, permissive: str | None, lr_1: float, lr_2: float
) -> None:
    rater = Rater(strict={"a goat": strict}, permissive={"a goat": permissive or ""})
    server.respond = rater
    found = await judged(item("a goat"))
    assert found.scores == {"lr_1": lr_1, "lr_2": lr_2}
    assert found.rater == MODEL
    assert [kind for kind, _ in rater.asked] == (["strict", "permissive"] if permissive else ["strict"])
    assert found.said["rate_strict"] == said(strict.lower().strip("."))


async def test_the_best_of_several_references_counts(server: ModelServer) -> None:
    strict = {"a goat": "no", "a bell": "no", "goats": "yes", "an oar": "yes"}
    rater = Rater(strict=strict, permissive={"a goat": "partially", "a bell": "no"})
    server.respond = rater
    found = await judged(item("a goat", "a bell", "goats", "an oar"))
    assert found.scores == {"lr_1": 100, "lr_2": 100}
    assert [reference for _, reference in rater.asked] == ["a goat", "a goat", "a bell", "a bell", "goats"]
    assert found.said["rate_permissive 1"] == said("partially") and found.said["rate_strict 3"] == said("yes")
    partial = await judged(item("a goat", "a bell"), metrics=("lr_2",))
    assert partial.scores == {"lr_2": 100}


async def test_the_judge_of_deep_memory_retrieval(server: ModelServer) -> None:
    server.respond = Rater(consistent={"a goat": "no", "goats": "yes"})
    found = await judged(item("a goat", "goats"), metrics=("dmr_accuracy", "f1"))
    assert found.scores == {"dmr_accuracy": 100}
    assert [*found.said] == ["rate_consistent 1", "rate_consistent 2"]
    assert (await judged(item("a goat"), metrics=("dmr_accuracy",))).scores == {"dmr_accuracy": 0}


async def test_without_a_usable_reply_there_is_no_score_and_it_is_counted(server: ModelServer) -> None:
    server.respond = Rater(strict={"a goat": "no"}, consistent={"a goat": "yes"})
    start_meter(meter := Meter(CONTEXT))
    found = await judged(item("a goat"), metrics=(*BOTH, "dmr_accuracy"))
    assert found.scores == {"dmr_accuracy": 100}
    assert found.said["rate_strict"] == said("no")
    assert found.said["rate_permissive"].startswith("No usable reply to 'rate_permissive' in 3 tries")
    assert meter.fallbacks == {"rate_permissive": 1}
    assert (meter.used["calls"], meter.used["refused"]) == (5, 3)


async def test_judging_again_is_free(server: ModelServer) -> None:
    server.respond = Rater(strict={"a goat": "no"}, permissive={"a goat": "yes"})
    store, asked = InMemoryStore(), item("a goat", about=("I keep goats.",))
    metrics = (*BOTH, "csim_1", "csim_h")
    first = await judged(asked, metrics=metrics, store=store)
    calls, embeddings = server.calls, server.embedding_calls
    start_meter(meter := Meter(CONTEXT))
    again = await judged(asked, metrics=metrics, store=store, run=1)
    assert (server.calls, server.embedding_calls) == (calls, embeddings) == (2, 1)
    assert (again.scores, again.said) == (first.scores, first.said)
    assert (meter.used["calls"], meter.used["cached_calls"]) == (0, 2)


async def test_a_budget_ends_the_judging(server: ModelServer) -> None:
    server.respond = Rater(strict={"a goat": "yes", "a bell": "no"})
    start_meter(Meter(ReaderContext(model=MODEL, max_calls=1)))
    await judged(item("a goat"))
    with pytest.raises(BudgetSpent):
        await judged(item("a bell"))


@pytest.mark.parametrize(
    ("rule", "verdict", "score"),
    [
        ("right", "yes", 100),
        ("steps", "No.", 0),
        ("temporal", "yes", 100),
        ("update", "no", 0),
        ("preference", "yes", 100),
        ("generous", "yes", 100),
    ],
)
async def test_each_rule_has_its_own_prompt(server: ModelServer, rule: Rule, verdict: str, score: float) -> None:
    server.respond = rater = Rater(**{rule: {"a goat": verdict}})
    found = await judged(replace(item("a goat"), rule=rule), metrics=("judged_accuracy",))
    assert found.scores == {"judged_accuracy": score} and [*found.said] == [f"judge_{rule}"]
    assert rater.asked == [(rule, "a goat")]


async def test_an_unanswerable_question_is_judged_by_the_reason_why_it_is(server: ModelServer) -> None:
    asked, metrics = item("The log names no goat.", unanswerable=True), ("judged_accuracy", "lr_1")
    server.respond = rater = Rater(abstention={"The log names no goat.": "yes"})
    assert (await judged(asked, "It isn't said.", metrics)).scores == {"judged_accuracy": 100}
    assert rater.asked == [("abstention", "The log names no goat.")]
    assert (await judged(asked, None, metrics)).scores == {"judged_accuracy": 100}, "the method says so without a call"
    silent = await judge(asked, replace(outcome(None), status="nearest"), metrics, CONTEXT, InMemoryStore())
    assert silent and silent.scores == {"judged_accuracy": 0} and len(rater.asked) == 1
    assert await judge(item(unanswerable=True), outcome("a goat"), metrics, CONTEXT, InMemoryStore()) is None


async def test_what_was_not_answered_scores_0_without_a_call(server: ModelServer) -> None:
    for answer in (None, " \n"):
        found = await judged(item("a goat", about=("I keep goats.",)), answer, (*BOTH, "dmr_accuracy", "csim_3"))
        assert found.scores == {"csim_3": 0, "dmr_accuracy": 0, "lr_1": 0, "lr_2": 0}
    assert server.calls == server.embedding_calls == 0


async def test_nothing_is_asked_where_no_rater_applies(server: ModelServer) -> None:
    async def asked_of(one: Item, *metrics: str) -> Judgement | None:
        return await judge(one, outcome("a goat"), metrics, CONTEXT, InMemoryStore())

    assert await asked_of(item("a goat"), "f1", "accuracy") is None
    assert await asked_of(item(), *METRICS) is None
    others = [name for name in METRICS if name != "judged_accuracy"]
    assert await asked_of(item("a goat", unanswerable=True), *others) is None
    assert await asked_of(replace(item("a goat"), options=("a goat", "a bell")), "judged_accuracy") is None
    assert await asked_of(item("a goat"), "csim_1", "csim_3") is None
    assert server.calls == server.embedding_calls == 0


@pytest.mark.parametrize(
    ("metric", "line"),
    [
        ("lr_1", "lr_1 needs a model as judge: name one with --judge."),
        ("dmr_accuracy", "dmr_accuracy needs a model as judge: name one with --judge."),
        ("csim_h", "csim_h needs an embedding model: name one with --embeddings."),
    ],
)
async def test_a_rater_that_is_not_named_is_one_line(metric: str, line: str) -> None:
    check_raters(("f1", "accuracy"), ReaderContext(model=""))
    with pytest.raises(BadInput) as refused:
        await judge(item("a goat"), outcome("a goat"), ("f1", metric), ReaderContext(model=""), InMemoryStore())
    assert str(refused.value) == line


async def test_openers_are_compared_with_the_facts_and_with_the_openers_of_people(server: ModelServer) -> None:
    # The double's vectors count words: the cosine is shared words by the root of both lengths.
    facts = ("lamp oil", "lamp goat", "lamp bell anchor barrel", "mackerel")
    names = ("csim_1", "csim_3", "csim_h")
    found = await judged(item("gander", "lamp oil stair plaque", about=facts), "Lamp oil!", names)
    expected = {"csim_1": 100, "csim_3": (100 + 50 + 100 / 8**0.5) / 3, "csim_h": 200 / 8**0.5}
    assert found.scores == pytest.approx(expected, abs=1e-4)
    assert (found.said, server.calls, server.embedding_calls) == ({}, 0, 1)
    two = await judged(item(about=facts[::3]), "lamp oil", names)
    assert two.scores == pytest.approx({"csim_1": 100, "csim_3": 50}, abs=1e-4)


def test_a_failed_reading_scores_0_only_by_judges_of_its_question() -> None:
    items = [item("a goat"), replace(item("a goat"), id="q2", options=("a goat", "a bell"), correct=0)]
    dataset = Dataset("own", (), tuple(items), ("judged_accuracy", "accuracy"))
    failed = [replace(outcome(None), item="q2", status="failed", run=run) for run in (0, 1)]
    judged_one = Judgement("q1", "read-agent", 0, MODEL, {"judged_accuracy": 100.0})
    scores = scores_of(dataset, [outcome("a goat"), *failed], [judged_one], MODEL)
    assert scores["judged_accuracy"] == {0: {"q1": 100}}
    assert scores["accuracy"] == {0: {"q2": 0}, 1: {"q2": 0}}


async def test_a_judge_and_an_embedding_model_are_both_named(server: ModelServer) -> None:
    server.respond = Rater(strict={"a goat": "yes"})
    context = ReaderContext(model=MODEL, embeddings="openai:other")
    found = await judge(item("a goat"), outcome("a goat"), ("csim_h", "lr_1"), context, InMemoryStore())
    assert found and found.rater == "openai:double, openai:other"
    assert found.scores == pytest.approx({"csim_h": 100, "lr_1": 100}, abs=1e-4)
