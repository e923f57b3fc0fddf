"""A scripted rater for the model double, with a record of its requests."""

import json
from typing import Any

from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, between


class Rater:
    """Rates answers by a script: for `strict`, `permissive` and `consistent`, the verdict for each reference.

    Anything not in the script gets an unusable reply.
    """

    def __init__(self, **verdicts: dict[str, str]) -> None:
        self.verdicts = verdicts
        self.asked: list[tuple[str, str]] = []

    def __call__(self, request: ChatRequest) -> str | dict[str, Any]:
        """The verdict on the request's reference."""
        kind = "permissive" if asked_for(request) == "AgreesInPart" else "strict"
        kind = "consistent" if "judged by the reference" in request.text else kind
        reference = between(request, "reference")
        self.asked.append((kind, reference))
        verdict = self.verdicts.get(kind, {}).get(reference)
        return {"reason": "as told", "agrees": verdict} if verdict else "hm"


def said(verdict: str) -> str:
    """The part of a verdict that is kept."""
    return json.dumps({"reason": "as told", "agrees": verdict}, separators=(",", ":"))
