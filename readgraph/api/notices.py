"""What a reader must know of an answer: what the text lacks, why quotes stand for it, what other versions have."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from readgraph.graphs.method import Method
from readgraph.language.compare import Difference
from readgraph.language.dates import date_in
from readgraph.language.hints import MEANT, find_hints, share_no_word
from readgraph.library.document_languages import document_languages
from readgraph.library.documents import names_apart
from readgraph.library.page_store import PageStore
from readgraph.library.search.passages import search_documents
from readgraph.library.versions import earlier_versions, latest_version
from readgraph.nodes.answering.absence import describe_absence
from readgraph.nodes.evidence import find_difference
from readgraph.state.reading import Question
from readgraph.state.records import Document

LANGUAGES_OF = 20  # documents of a collection whose languages are looked at for a hint: each takes two fetches
MOST_QUOTES = 5  # that are compared with other versions, and passages of these for each


async def answer_notices(
    pages: PageStore,
    method: Method,
    document: Document,
    asked: Question,
    output: Mapping[str, Any],
    as_of: str = "",
    up_to: str = "",
) -> list[str]:
    """What a reader must know of a method's answer from this document; `as_of`, `up_to`: as in the question."""
    quoted = output["citations"][:MOST_QUOTES]
    hints = await _hints(pages, document, asked, output)
    others = [] if up_to else await _other_versions(pages, document, quoted, as_of)
    proof = [describe_absence(absence)] if (absence := output.get("absence")) else []
    return [*output["notices"], *proof, *hints, *others, *method.notices_of(output)]


async def _hints(pages: PageStore, document: Document, question: Question, output: Mapping[str, Any]) -> list[str]:
    """What a reader must know of quotes that stand for an answer; nothing where a model or a table gave it."""
    by_model = output["steps"][-1]["model"] or output["status"] not in ("nearest", "no_answer")
    if by_model or question["options"] or "table" in output:
        return []
    spoken = await document_languages(pages, replace(document, parts=document.parts[:LANGUAGES_OF]))
    asked, quotes = question["question"], [citation["quote"] for citation in output["citations"]]
    meant = any(step.get("by_meaning") for step in output["steps"])
    if meant and share_no_word(asked, quotes, spoken.languages[0]):
        return [MEANT]
    places = [citation["place"] for citation in output["citations"] if date_in(citation["place"] or "")]
    return find_hints(asked, quotes, spoken.languages, places)


async def _other_versions(
    pages: PageStore, document: Document, citations: Sequence[Mapping[str, Any]], as_of: str
) -> list[str]:
    """What other versions have in place of what is quoted: "Mill report (2023): 400 tons; now: 450 tons"."""
    lines, newest = list[str](), dict[str, Document | None]()
    for citation in citations:
        of = await pages.document(document.part_at(citation["start"]).document) if document.parts else document
        async for earlier in earlier_versions(pages, of):
            if difference := await _difference(pages, citation["quote"], earlier):
                lines.append(f"{names_apart([earlier])[0]}: {difference['text']}; now: {difference['draft']}")
        if of.id not in newest:
            newest[of.id] = None if as_of else await latest_version(pages, of)
        if (latest := newest[of.id]) and (difference := await _difference(pages, citation["quote"], latest)):
            lines.append(f"{names_apart([of])[0]}: {difference['draft']}; now: {difference['text']}")
    return [*dict.fromkeys(lines)]


async def _difference(pages: PageStore, quote: str, other: Document) -> Difference | None:
    near = (await search_documents(pages, [other], quote))[:MOST_QUOTES]
    texts = await pages.spans(other, [(passage.start, passage.end) for passage in near])
    return find_difference(quote, "\n\n".join(texts))
