"""A model double whose replies have the lengths of a real model's, and that searches as far as one does.

A note is a fifth of its page, or two thirds of what its prompt allows; reasons are a sentence or two; one to three
pages are looked up; a leaf in five turns a walk back; every third set of notes is not enough yet. A survey is planned
for its question, and a page gives one to three records. What is chosen depends on the prompt alone, so that the same
prompt gets the same reply.
"""

import re
from typing import Any

from readgraph.state.words import count_words, first_words, on_one_line, words_from
from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, between, pages_shown, passage, reader

NOTE_SHARE, LIMIT_SHARE = 1 / 5, 2 / 3
MEMO_WORDS, HEADER_WORDS, NOTES_WORDS = 80, 25, 120
THOUGHT = "This part tells what was asked for, since it names the people and the day, and the others do not."
REASONING = f"{THOUGHT} What stands before it leads up to that, and what comes after it is about something else."
QUOTE_WORDS, ANSWER_WORDS, SENTENCE_WORDS = 16, 15, 18

Reply = str | dict[str, Any]


def lifelike(request: ChatRequest) -> Reply:
    """A reply of the usual length to any prompt of the project."""
    wanted = asked_for(request)
    number = int(request.key[:6], 16)
    if wanted in ("", "MemoAndHeader"):
        return _note(request, wanted)
    if wanted.endswith(("ChildChoice", "ChildOrRevert", "LeafVerdict", "LeafChoice")):
        return _walking(request, wanted, number)
    if wanted in ("SearchPlan", "Integrated", "Verdict", "Enough", "Missing"):
        return _researching(request, wanted, number)
    if wanted == "NextStep":
        return _acting(request, number)
    if wanted in ("PagesToRead", "NextPage"):
        return _looking_up(request, wanted, number)
    if wanted in ("NotesAlone", "NewNotes"):
        return _taking_notes(request, wanted)
    if wanted in ("SurveyPlan", "SurveyRecords"):
        return _surveying(request, wanted, number)
    return _longer(reader(request), request)


def words_of(text: str, most: float) -> str:
    """So many words of a text, from its beginning and again if it is too short."""
    text = on_one_line(text) or "word"
    return first_words(" ".join([text] * (int(most) // count_words(text) + 1)), max(1, int(most)))


def _plain(request: ChatRequest) -> dict[str, Any]:
    reply = reader(request)
    assert isinstance(reply, dict)
    return reply


def _note(request: ChatRequest, wanted: str) -> Reply:
    text = between(request, "passage") or passage(request)
    limit = re.search(r"at most (\d+) words", request.text.rpartition("</")[2])
    if wanted:
        return {"memo": words_of(text, MEMO_WORDS), "header": words_of(text, HEADER_WORDS)}
    return words_of(text, int(limit[1]) * LIMIT_SHARE if limit else count_words(text) * NOTE_SHARE)


def _walking(request: ChatRequest, wanted: str, number: int) -> Reply:
    if wanted.endswith(("ChildChoice", "ChildOrRevert")):
        visited = re.findall(r"\d+", request.last.partition("can't be chosen: ")[2].partition(".")[0])
        tag = passage(request).split(" ")[0]
        parts = [part for part in re.findall(rf"^{tag} (\d+)>$", passage(request), re.MULTILINE) if part not in visited]
        reply: dict[str, Any] = {"part": int(parts[number % len(parts)]) if parts else None}
    else:
        turns = number % 5 == 0
        shown: dict[str, Any] = {
            "quotes": [words_of(passage(request), QUOTE_WORDS)],
            "action": "answer",
            "found": _answer(request),
        }
        reply = {"quotes": [], "action": "revert", "found": None} if turns else shown
        if wanted.endswith("Choice"):
            reply["choice"] = None if turns else "ABCD"[number % 2]
    return {"reasoning": REASONING, **reply} if wanted.startswith("Reasoned") else reply


def _researching(request: ChatRequest, wanted: str, number: int) -> Reply:
    question = between(request, "question")
    found = _plain(request)
    short = [words_of(question, most) for most in (3, 4, 5)]
    replies: dict[str, dict[str, Any]] = {
        "SearchPlan": {"needs": [question], "keyword": short, "vector": [question], "page": []},
        "Integrated": {
            **found,
            "content": words_of(between(request, "pages"), NOTES_WORDS),
            "quotes": found.get("quotes", [])[:2],
        },
        "Verdict": {"enough": bool(number % 3), "missing": [] if number % 3 else [f"What else of {short[0]}?"]},
        "Enough": {"enough": bool(number % 3)},
        "Missing": {"missing": [f"What else of {short[0]}?"]},
    }
    reasons = {"reasoning": REASONING} if "Think about" in request.last else {}
    return {**reasons, **replies[wanted]}


def _acting(request: ChatRequest, number: int) -> Reply:
    """Search two to four times in other words, then answer."""
    searched = len(re.findall(r"result: ", request.text))
    step = _plain(request)
    if searched > 3:
        step |= {"function": "answer", "arguments": [{"name": "answer", "value": THOUGHT}]}
    if step["function"] == "answer":
        given = {each["name"]: each["value"] for each in step["arguments"]} | {
            "answer": _answer(request),
            "option": "B",
        }
        step["arguments"] = [{"name": name, "value": value} for name, value in given.items()]
    if step["function"] == "answer" and searched < 2 + number % 3:
        question = re.search(r"<question>\n(.*?)\n", request.text)
        rarest = sorted((question[1] if question else "day").split(), key=len, reverse=True)
        query = " ".join(rarest[searched % 3 :][:3]) or "day"
        function = "keyword_search" if "- keyword_search(" in request.text else "archival_search"
        step |= {"function": function, "arguments": [{"name": "query", "value": query}]}
    return {**step, "inner_thoughts": THOUGHT}


def _looking_up(request: ChatRequest, wanted: str, number: int) -> Reply:
    shown = [*pages_shown(request)]
    if wanted == "PagesToRead":
        first = number % max(1, len(shown))
        return {"reason": words_of(THOUGHT, 12), "pages": (shown[first:] + shown[:first])[: 1 + number % 3]}
    read = re.search(r"again so far: ([\d, ]*)", request.text)
    done = [int(each) for each in re.findall(r"\d+", read[1])] if read else []
    open_pages = [page for page in shown if page not in done]
    more = bool(open_pages) and (not done or (len(done) < 3 and number % 2 == 0))
    return {"reason": words_of(THOUGHT, 12), "page": open_pages[number % len(open_pages)] if more else None}


def _taking_notes(request: ChatRequest, wanted: str) -> Reply:
    found = _plain(request)
    (page,) = re.findall(r"The passage is page (\d+)\.", request.text)
    added = f"{words_of(between(request, 'passage'), 25)} [{page}]"
    notes = [*between(request, "notes").splitlines(), added][-6:]
    return {**found, "notes": notes}


def _surveying(request: ChatRequest, wanted: str, number: int) -> Reply:
    """A plan of the question's own, with or without names to join; records with quotes from all over the passage."""
    if wanted == "SurveyPlan":
        what = words_of(between(request, "question"), 6)
        columns = [{"name": name, "kind": "text", "meaning": f"{name} of it"} for name in ("who", "what happens")]
        same_by, result = ["who"] * (number % 2), ("count", "table", "prose", "prose")[number % 4]
        return {**_plain(request), "record": what, "columns": columns, "same_by": same_by, "result": result}
    text, columns = (
        on_one_line(between(request, "passage")),
        re.findall(r"^- (column_\d+),", request.text, re.MULTILINE),
    )
    records = 1 + number % 3
    starts = [place * count_words(text) // records for place in range(records)]
    return {
        "records": [
            {
                **{column: words_from(text, at + 3 * n, 3) for n, column in enumerate(columns)},
                "quote": words_from(text, at, QUOTE_WORDS),
            }
            for at in starts
        ]
    }


def _longer(reply: Reply, request: ChatRequest) -> Reply:
    """The plain reader's reply with an answer, quotes and reasons as long as usual."""
    if not isinstance(reply, dict):
        return reply
    if reply.get("quotes") and isinstance(reply["quotes"][0], dict):
        page = reply["quotes"][0]["page"]
        shown = on_one_line(pages_shown(request).get(page, ""))
        quotes = [words_from(shown, at, QUOTE_WORDS) for at in (0, QUOTE_WORDS)]
        reply = {**reply, "quotes": [{"page": page, "quote": quote} for quote in quotes if quote]}
    if isinstance(reply.get("answer"), str):
        reply = {**reply, "answer": _answer(request)}
    return {**reply, "reason": words_of(THOUGHT, 12)} if "reason" in reply else reply


def _answer(request: ChatRequest) -> str:
    """Fifteen words; where so many words are asked for, as many sentences from all over what was shown."""
    asked = re.search(r"Give the answer in .*\babout (\d+) words\.", request.text)
    if not asked:
        return words_of(THOUGHT, ANSWER_WORDS)
    sentences = max(1, round(int(asked[1]) / SENTENCE_WORDS))
    words = re.sub(r"[^\w\s]", "", passage(request) or between(request, "notes") or THOUGHT).split()
    starts = range(0, len(words), max(1, len(words) // sentences))
    return " ".join(" ".join(words[at : at + SENTENCE_WORDS]).capitalize() + "." for at in starts[:sentences])
