"""A judge that knows the pairs with known verdicts, and errs as it is told."""

from typing import Any

from readgraph_evaluation.judges.calibration import gold_pairs
from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, between, reader


class GoldJudge:
    """Gives the right verdict on each pair, but "yes" on kinds that it `likes`, and nothing useful on `silent` ones.

    Answers to other questions are right. What is no judge's prompt is replied to as any reader does.
    """

    def __init__(self, likes: tuple[str, ...] = (), silent: tuple[str, ...] = ()) -> None:
        self.likes, self.silent = likes, silent

    def __call__(self, request: ChatRequest) -> Any:
        """The reply to a request."""
        kind = asked_for(request)
        if not kind.startswith(("Agrees", "MeetsPoint", "EventsInOrder")):
            return reader(request)
        asked = between(request, "question"), between(request, "answer")
        pair = next((one for one in gold_pairs() if (one.item.question, one.answer) == asked), None)
        if pair and pair.kind in self.silent:
            return "hm"
        right = pair is None or pair.right or pair.kind in self.likes
        if kind == "EventsInOrder":
            return {"events": [1, 2, 3] if right else [3, 2, 1]}
        verdict = "meets" if kind == "MeetsPoint" else "agrees"
        return {"reason": "so it is", verdict: "yes" if right else "no"}
