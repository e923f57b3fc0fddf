"""A scripted rater for the model double, and what it was asked."""

import json
from typing import Any

from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, between


class Rater:
    """Rates the answer beside each reference as told: `strict`, `permissive`, `consistent` by the reference.

    What isn't told gets a reply that can't be used.
    """

    def __init__(self, **told: dict[str, str]) -> None:
        self.told = told
        self.asked: list[tuple[str, str]] = []

    def __call__(self, request: ChatRequest) -> str | dict[str, Any]:
        """The verdict on the request's reference."""
        kind = "permissive" if asked_for(request) == "AgreesInPart" else "strict"
        kind = "consistent" if "judged by the reference" in request.text else kind
        reference = between(request, "reference")
        self.asked.append((kind, reference))
        verdict = self.told.get(kind, {}).get(reference)
        return {"reason": "as told", "agrees": verdict} if verdict else "hm"


def said(verdict: str) -> str:
    """What is kept of a verdict."""
    return json.dumps({"reason": "as told", "agrees": verdict}, separators=(",", ":"))
