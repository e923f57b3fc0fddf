"""A scripted reader for the model double: plausible, deterministic replies to every prompt of the project."""

import re
import zlib

from tests.doubles import summariser
from tests.doubles.model_server import ChatRequest

_FIELDS = {
    "label": "PausePoint",
    "pages": "PagesToRead",
    "page": "NextPage",
    "answer": "FreeAnswer",
    "begin_anew": "BeginAnew",
    "choice": "ChosenAnswer",
    "part": "ReasonedChildOrRevert",
    "found": "ReasonedLeafVerdict",
    "header": "MemoAndHeader",
    "vector": "SearchPlan",
    "quotes": "Integrated",
    "missing": "Verdict",
    "enough": "Enough",
    "holds": "PartHolds",
    "numbers": "StatementsNamed",
    "request_heartbeat": "NextStep",
    "value": "NextAction",
    "result": "SurveyPlan",
    "records": "SurveyRecords",
    "groups": "SameNames",
    "rows": "TableAnswer",
    "kept": "PagesKept",
    "notes": "NotesAlone",
    "look_back": "NewNotes",
    "sentences": "WrittenSummary",
    "verdicts": "SentenceVerdicts",
    "claims": "ClaimVerdicts",
    "subjects": "NotedSubjects",
    "meets": "MeetsPoint",
    "events": "EventsInOrder",
    "needs": "TextAsked",
}


def asked_for(request: ChatRequest) -> str:
    """The name of the reply type that a request asks for, in any form of reply; "" for a note."""
    if request.schema_name:
        return request.schema_name
    if request.tool:
        return str(request.tool["name"])
    if "Its fields:" not in request.text:
        return ""
    fields = re.findall(r"^- (\w+):", request.text.rsplit("Its fields:", 1)[1], re.MULTILINE)
    alone = {"answer": "AnswerAlone", "choice": "ChoiceAlone"}.get(fields[0]) if len(fields) == 1 else None
    return alone or ("SearchPlan" if "needs" in fields else _FIELDS[fields[-1]])


def passage(request: ChatRequest) -> str:
    """The text between the prompt's tags."""
    return between(request, "(?:passage|memory)")


def between(request: ChatRequest, name: str) -> str:
    """The text between the tags with this name; "" if there are none."""
    found = re.search(rf"<({name}(?:-\d+)?)>\n(.*?)\n</\1>", request.text, re.DOTALL)
    return found.group(2) if found else ""


def pages_shown(request: ChatRequest) -> dict[int, str]:
    """The pages of a memory by their numbers, in full where they stand so, whatever the name of their tag."""
    text = passage(request)
    tag = text.split(" ")[0] if text.startswith("<page") else "<page"
    parts = re.split(
        rf"^(?:{tag} (?=\d+>)|<page(?:-\d+)? (?=\d+ in full>))(\d+)(?: in full)?>$", text, flags=re.MULTILINE
    )
    return {int(number): body for number, body in zip(parts[1::2], parts[2::2], strict=True)}


def next_step(request: ChatRequest) -> dict[str, object]:
    """An agent's step: search for the question, then quote a result; in a conversation, acknowledge the message."""
    arguments = {"message": "It says so."}
    function, question = "send_message", re.search(r"<question>\n(.*?)\n", request.text)
    if found := re.search(r"result: showing \d.*?\n- .*?: (.*)", request.text):
        function, arguments = "answer", {"answer": "It says so.", "quotes": " ".join(found[1].split()[:8])}
    elif question:
        function = "keyword_search" if "- keyword_search(" in request.text else "archival_search"
        arguments = {"query": question[1]}
    given = [{"name": name, "value": value} for name, value in arguments.items()]
    return {
        "inner_thoughts": "as it was asked",
        "function": function,
        "arguments": given,
        "request_heartbeat": bool(question),
    }


def reader(request: ChatRequest) -> str | dict[str, object]:
    """Pause at some label, gist by the first words, look up two pages, quote from the last one."""
    wanted, text = asked_for(request), passage(request)
    if not wanted and "Write the next program" in request.text:
        return program(request)
    if wanted in ("", "MemoAndHeader"):
        short = "In short: " + " ".join((between(request, "(?:passage|piece)") or text).split()[:25])
        return {"memo": short, "header": f"Of {between(request, 'place') or 'a text'}."} if wanted else short
    if wanted in ("WrittenSummary", "SentenceVerdicts"):
        return summariser.written(request) if wanted == "WrittenSummary" else summariser.verdicts(request)
    if wanted == "ClaimVerdicts":
        return summariser.claim_verdicts(request)
    if wanted in ("NotedSubjects", "WrittenPage"):
        return summariser.subjects(request) if wanted == "NotedSubjects" else summariser.page(request)
    if wanted == "PausePoint":
        labels = int(re.findall(r"to <pause(?:-\d+)? (\d+)>", request.text)[-1])
        return {"reason": "a scene ends", "label": 1 + zlib.crc32(text.encode()) % labels}
    if wanted in ("PartHolds", "StatementsNamed"):
        return {"holds": False} if wanted == "PartHolds" else {"numbers": []}
    if wanted == "MeetsPoint":
        return {"reason": "It does.", "meets": "yes"}
    if wanted == "EventsInOrder":
        return {"events": [1, 2, 3]}
    if wanted.startswith("Agrees"):
        return {"reason": "it says the same", "agrees": "yes"}
    if wanted == "TextAsked":
        return {"needs": "place"}
    if wanted == "BeginAnew":
        return {"begin_anew": []}
    if wanted.endswith(("ChildChoice", "ChildOrRevert", "LeafVerdict", "LeafChoice")):
        return walker(request, wanted)
    if wanted in ("SearchPlan", "Integrated", "Verdict", "Enough", "Missing", "AnswerAlone", "ChoiceAlone"):
        return research(request, wanted)
    if wanted == "NextStep":
        return next_step(request)
    if wanted == "NextAction":
        named = re.search(r'^ *<[a-z]+ id="([^"]+)"', text, re.MULTILINE)
        operation, element = ("click", named[1]) if named else ("stuck", None)
        return {"reason": "it is first", "operation": operation, "element": element, "value": None}
    if wanted in ("SurveyPlan", "SurveyRecords", "SameNames", "TableAnswer", "TableChoice"):
        return survey(wanted, text)
    if wanted in ("NotesAlone", "NewNotes"):
        return notes_on(request)
    shown = pages_shown(request)
    pages = [*shown]
    if wanted == "PagesToRead":
        return {"reason": "it may stand there", "pages": pages[1:3]}
    if wanted == "NextPage":
        read = re.search(r"again so far: ([\d, ]*)", request.text)
        done = [int(number) for number in re.findall(r"\d+", read.group(1))] if read else []
        return {"reason": "one more", "page": None if len(done) >= 2 else next(p for p in pages if p not in done)}
    if wanted.startswith("Weighed"):
        return {"reason": "they agree", "pages": pages[:1], "answer": "It says so.", "choice": "B"}
    number, body = max(shown.items(), key=lambda page: len(page[1]))
    quote = {"page": number, "quote": " ".join(body.split()[:8])}
    return (
        {"quotes": [quote], "choice": "B"} if wanted == "ChosenAnswer" else {"quotes": [quote], "answer": "It says so."}
    )


def program(request: ChatRequest) -> str:
    """First ask about some pieces and keep the replies; then finish, with the first words of the text as a quote."""
    if not between(request, "programs"):
        asking = 'await Promise.all(cut(text, 300).slice(0, 3).map(piece => ask("What happens?", piece)))'
        return f"I look first.\n```js\nkept.notes = {asking};\nshow(kept.notes);\n```"
    said = '"B"' if "the letter of an option" in request.text else '"It says so."'
    return f"```js\nfinish({said}, [text.trim().split(/\\s+/).slice(0, 8).join(' ')])\n```"


def notes_on(request: ChatRequest) -> dict[str, object]:
    """The notes before, and the first words of the page in quotation marks with its number; nothing is missed."""
    (page,) = re.findall(r"The passage is page (\d+)\.", request.text)
    quote = " ".join(between(request, "passage").split()[:8])
    return {"notes": [*between(request, "notes").splitlines(), f'It says "{quote}" [{page}]'][-12:], "look_back": []}


def walker(request: ChatRequest, wanted: str) -> dict[str, object]:
    """Walk down to the first unvisited part, and answer there with its first words."""
    if wanted.endswith(("ChildChoice", "ChildOrRevert")):
        done = request.last.partition("can't be chosen: ")[2]
        tag = passage(request).split(" ")[0]
        parts = re.findall(rf"^{tag} (\d+)>$", passage(request), re.MULTILINE)
        return {"reasoning": "it comes first", "part": next((int(part) for part in parts if part not in done), None)}
    verdict = {"reasoning": "it says so", "action": "answer", "found": "It says so.", "choice": "B"}
    return {**verdict, "quotes": [" ".join(passage(request).split()[:8])]}


def survey(wanted: str, passage: str) -> dict[str, object]:
    """Take the first words of each passage, and answer from the first row."""
    column = {"name": "event", "kind": "text", "meaning": "what happens"}
    nothing = dict.fromkeys(("sought", "group_by", "total", "sort_by", "first"))
    quote = " ".join(passage.split()[:8])
    replies: dict[str, dict[str, object]] = {
        "SurveyPlan": {
            **nothing,
            **{"record": "an event", "columns": [column], "extent": "all", "same_by": ["event"]},
            **{"order": "ascending", "compare": False, "result": "prose"},
        },
        "SurveyRecords": {"records": [{"column_1": quote, "quote": quote}]},
        "SameNames": {"groups": []},
        "TableAnswer": {"answer": "It says so.", "rows": [1]},
        "TableChoice": {"choice": "B", "rows": [1]},
    }
    return replies[wanted]


def research(request: ChatRequest, wanted: str) -> dict[str, object]:
    """Search for the question's words, note the first words of each page found, and find that enough."""
    question = between(request, "question")
    pages = re.findall(r"^<page (\d+)>\n(.*?)(?=^<page |\Z)", between(request, "pages"), re.MULTILINE | re.DOTALL)
    begun = {int(number): " ".join((text.partition("]\n")[2] or text).split()[:8]) for number, text in pages}
    replies: dict[str, dict[str, object]] = {
        "SearchPlan": {"needs": [question], "keyword": [question], "vector": [question], "page": []},
        "Integrated": {
            "content": "\n".join(begun.values()),
            "sources": list(begun),
            "quotes": [{"page": number, "quote": text} for number, text in begun.items()],
        },
        "Verdict": {"enough": True, "missing": []},
        "Enough": {"enough": True},
        "Missing": {"missing": []},
        "AnswerAlone": {"answer": "It says so."},
        "ChoiceAlone": {"choice": "B"},
    }
    return replies[wanted]
