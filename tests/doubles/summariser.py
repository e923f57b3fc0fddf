"""A summary's replies for the model double: a sentence of each page shown, as long as asked for, all supported."""

import re

from tests.doubles.model_server import ChatRequest

_ITEM = re.compile(r"^<page(?:-\d+)? (\d+)(?:, \d+)*>\n(.*?)(?=^<page(?:-\d+)? |^</|\Z)", re.MULTILINE | re.DOTALL)


def shown(request: ChatRequest) -> dict[int, str]:
    """What is shown of each page, by its number."""
    return {int(number): body for number, body in _ITEM.findall(request.text)}


def written(request: ChatRequest) -> dict[str, object]:
    """The beginning of each page as a sentence, with as many words as are allowed for all of them."""
    pages = shown(request)
    asked = re.search(r"of (?:\d+ to|at most) (\d+) words", request.text)
    most = int(asked[1]) if asked else 0
    each = max(most // max(len(pages), 1), 4)
    sentences, room = list[dict[str, object]](), most
    for number, body in pages.items():
        words = re.sub(r"[.!?]", ",", body).split()[: min(each, room)]
        room -= len(words)
        if words:
            sentences.append({"text": " ".join(words).strip(",") + ".", "pages": [number]})
    return {"sentences": sentences}


def numbered(request: ChatRequest, fence: str = "sentences") -> dict[int, str]:
    """The sentences to check, or of a passage, by their numbers."""
    listed = request.text.rpartition(f"<{fence}>\n")[2].partition(f"\n</{fence}>")[0]
    return {int(number): text for number, text in re.findall(r"^(\d+)\. (.*)$", listed, re.MULTILINE)}


def verdicts(request: ChatRequest) -> dict[str, object]:
    """Each sentence is supported, by the first words of the first page."""
    page, body = next(iter(shown(request).items()))
    quote = {"page": page, "quote": " ".join(body.split()[:8])}
    return {"verdicts": [{"sentence": each, "quotes": [quote], "supported": True} for each in numbered(request)]}


def claim_verdicts(request: ChatRequest) -> dict[str, object]:
    """Each claim is supported, by the first words of the first passage."""
    page, body = next(iter(shown(request).items()))
    quote = {"page": page, "quote": " ".join(body.split()[:8])}
    given = [{"claim": each, "quotes": [quote], "verdict": "supported", "instead": ""} for each in numbered(request)]
    return {"claims": given}


def subjects(request: ChatRequest) -> dict[str, object]:
    """Each word of a passage that is written large is a thing, told of by the sentences that have it."""
    sentences = numbered(request, "passage")
    names = dict.fromkeys(name for text in sentences.values() for name in re.findall(r"(?<=\w )[A-Z]\w+", text))
    having = {name: [number for number, text in sentences.items() if name in text] for name in names}
    given = [{"name": each, "kind": "thing", "also": [], "sentences": having[each]} for each in names]
    return {"subjects": given}


def page(request: ChatRequest) -> dict[str, object]:
    """Each sentence, as it stands, after "Here"."""
    return {"sentences": [{"text": f"Here, {text}", "sources": [each]} for each, text in numbered(request).items()]}
