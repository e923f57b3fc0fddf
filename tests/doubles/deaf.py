"""A model double that obeys nothing: what it replies depends on the type that is asked for, and on no text."""

import json

from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, survey
from tests.doubles.summariser import verdicts

ANSWER = "It says so."

_WALKED: dict[str, object] = {
    "reasoning": "it says so",
    "action": "answer",
    "found": ANSWER,
    "choice": "B",
    "quotes": [],
}
_REPLIES: dict[str, dict[str, object]] = {
    "PausePoint": {"reason": "a scene ends", "label": 1},
    "BeginAnew": {"begin_anew": []},
    "MemoAndHeader": {"memo": "A scene.", "header": "A header."},
    "PagesToRead": {"reason": "it may stand there", "pages": [0]},
    "NextPage": {"reason": "none", "page": None},
    "FreeAnswer": {"quotes": [], "answer": ANSWER},
    "AnswerAlone": {"answer": ANSWER},
    "SearchPlan": {"needs": ["who"], "keyword": ["who"], "vector": ["who"], "page": []},
    "Integrated": {"content": "A scene.", "sources": [0], "quotes": []},
    "Verdict": {"enough": True, "missing": []},
    "NextStep": {
        "inner_thoughts": "as it was asked",
        "function": "answer",
        "arguments": [{"name": "answer", "value": ANSWER}, {"name": "quotes", "value": ""}],
        "request_heartbeat": False,
    },
    "NewNotes": {"notes": ["A scene."], "look_back": []},
    "WrittenSummary": {"sentences": [{"text": "A scene.", "pages": [0]}]},
}


def deaf(request: ChatRequest) -> str | dict[str, object]:
    """The one reply for each type; a note is always the same."""
    wanted = asked_for(request)
    if "Write the next program" in request.text:
        return f"```js\nfinish({json.dumps(ANSWER)})\n```"
    if wanted.startswith(("Survey", "SameNames", "TableAnswer")):
        return survey(wanted, "")
    if wanted == "SentenceVerdicts":
        return verdicts(request)
    if wanted.startswith("Weighed"):
        return {"reason": "they agree", "pages": [0], "answer": ANSWER}
    if wanted.endswith(("ChildChoice", "ChildOrRevert")):
        return {"reasoning": "it comes first", "part": 0}
    return _WALKED if wanted.endswith("LeafVerdict") else _REPLIES[wanted] if wanted else "A scene."
