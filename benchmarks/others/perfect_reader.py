"""A double of a model that answers a question of the board just when all of its evidence stands in the prompt.

So what is measured is whether a system brings the evidence before the model, and not how well a model reads. It takes
no guess: where evidence is missing, it declines. What it writes while a text is read knows nothing of the questions:

- readgraph: a note, or a summary of summaries, is every fifth line of what it is about. Parts are chosen by the words
  that they share with the question; notes on a question take over the evidence that they are shown.
- mem0: each line, with the day of its session, is a memory, word by word; nothing is linked or left out.
- LightRAG: each name is an entity, described by the first line of a chunk that names it, and two that a line names
  have a relation, which that line describes. One description of many is every fifth of them.
"""

import json
import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from readgraph.language.terms import content_words
from tests.doubles.lifelike import lifelike
from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, between, pages_shown, passage

DECLINED = "The text does not say."
NAME = re.compile(r"(?:^|(?<=[a-z,] ))[A-Z][a-z]+")
"""A word with a capital, at the beginning of a line, where a speaker stands, or within a sentence."""

Reply = str | dict[str, Any]


def shorten(text: str) -> str:
    """Every fifth line."""
    return "\n".join(text.strip().splitlines()[::5])


def names_in(line: str) -> list[str]:
    """The names in a line, each once."""
    return [*dict.fromkeys(NAME.findall(line))]


def entities_in(chunk: str, most: int, most_rows: int) -> str:
    """LightRAG's rows: names with the first line that names each, and pairs with the first that names both."""
    told, pairs = dict[str, str](), dict[tuple[str, str], str]()
    for line in chunk.splitlines():
        told |= {name: line for name in names_in(line)[: most - len(told)] if name not in told}
        for pair in combinations(sorted(told.keys() & names_in(line)), 2):
            pairs.setdefault(pair, line)
    rows = [f"entity<|#|>{name}<|#|>Other<|#|>{line}" for name, line in told.items()]
    rows += [f"relation<|#|>{one}<|#|>{other}<|#|>talk<|#|>{line}" for (one, other), line in pairs.items()]
    return "\n".join([*rows[:most_rows], "<|COMPLETE|>"])


class PerfectReader:
    """Replies to the prompts of readgraph, LightRAG, mem0 and `examples/others`, for the questions of a board."""

    def __init__(self, board: dict[str, Any]) -> None:
        turns = [turn for session in board["sessions"] for turn in session["turns"]]
        said = {turn["id"]: turn["text"] for turn in turns if "id" in turn}
        self.asked = {
            each["question"]: (each["answer"], [said[turn] for turn in each.get("evidence", ())])
            for each in board["questions"]
        }

    def __call__(self, request: ChatRequest) -> Reply:
        """The reply to a prompt."""
        text = request.text
        if "## New Messages" in text:
            return self._remember(text)
        if "---Input Text---" in request.last:
            chunk = request.last.rpartition("---Input Text---")[2].partition("\n```\n")[2].rpartition("\n```")[0]
            most_rows, most = map(int, re.findall(r"at most (\d+)", request.last)[:2])
            return entities_in(chunk, most, most_rows)
        if "Description List:" in text:
            described = text.rpartition("Description List:")[2]
            return shorten("\n".join(json.loads(line)["Description"] for line in described.splitlines() if "{" in line))
        question = next((each for each in self.asked if each in text), "")
        if "high_level_keywords" in text:
            return json.dumps({"high_level_keywords": [question], "low_level_keywords": names_in(question)})
        answer, evidence = self.asked.get(question, ("", []))
        found = [turn for turn in evidence if turn in text]
        whole = answer if evidence and len(found) == len(evidence) else None
        if f"reply: {DECLINED}" in text:
            return whole or DECLINED
        return self._read(request, question, found, whole)

    def _remember(self, text: str) -> str:
        """mem0's memories: the lines of the new messages, each with the day that stands above them."""
        new = text.rpartition("## New Messages\n")[2].partition("\n\n## Observation Date")[0]
        day, *lines = new.removeprefix("user: ").splitlines()
        memories = [f"{day}: {line}" for line in lines if line.strip()]
        return json.dumps(
            {"memory": [{"id": f"{n}", "text": each, "attributed_to": "user"} for n, each in enumerate(memories)]}
        )

    def _read(self, request: ChatRequest, question: str, found: Sequence[str], answer: str | None) -> Reply:
        """What readgraph's prompts ask for."""
        wanted, reply = asked_for(request), lifelike(request)
        if not isinstance(reply, dict):
            return shorten(between(request, "(?:passage|piece)") or passage(request)) or reply
        if wanted == "MemoAndHeader":
            return reply | {"memo": shorten(between(request, "passage") or passage(request))}
        if wanted == "PagesToRead":
            most = int((re.findall(r"at most (\d+) pages", request.text) or ["5"])[-1])
            return reply | {"pages": nearest(question, pages_shown(request))[:most]}
        if wanted.endswith(("ChildChoice", "ChildOrRevert")):
            tag = passage(request).split(" ")[0]
            _, *parts = re.split(rf"^{tag} (\d+)>$", passage(request), flags=re.MULTILINE)
            been = re.findall(r"\d+", request.last.partition("can't be chosen: ")[2].partition(".")[0])
            left = {int(n): said for n, said in zip(parts[::2], parts[1::2], strict=True) if n not in been}
            return reply | {"part": next(iter(nearest(question, left)), None)}
        if wanted.endswith("LeafVerdict"):
            keeps = "keep" if found and "keep:" in request.text else "revert"
            said = answer or ("\n".join(found) if keeps == "keep" else None)
            return reply | {"action": "answer" if answer else keeps, "found": said, "quotes": found if said else []}
        quotes = [{"page": -1, "quote": turn} for turn in found]
        known: dict[str, dict[str, Any]] = {
            "SearchPlan": {"needs": [question], "keyword": [question], "vector": [question], "page": []},
            "Integrated": {"content": "\n".join(found), "sources": holding(request, found), "quotes": quotes},
            "Verdict": {"enough": bool(answer), "missing": [] if answer else [question]},
            "Enough": {"enough": bool(answer)},
            "Missing": {"missing": [question]},
            "FreeAnswer": {"answer": answer, "quotes": quotes},
            "AnswerAlone": {"answer": answer},
        }
        return reply | known.get(wanted, {})


def holding(request: ChatRequest, found: Sequence[str]) -> list[int]:
    """The numbers of the pages shown that hold what was found."""
    pages = re.split(r"^<page (\d+)>$", between(request, "pages"), flags=re.MULTILINE)[1:]
    return [int(n) for n, said in zip(pages[::2], pages[1::2], strict=True) if any(turn in said for turn in found)]


def nearest(question: str, shown: dict[int, str]) -> list[int]:
    """The numbers of what is shown, those first that share most words with the question."""
    asked = {*content_words(question)}
    return sorted(shown, key=lambda number: -len(asked & {*content_words(shown[number])}))
