"""What rules left open is asked of the model; then each claim gets its verdict, its quotes and their places."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal, NotRequired

from pydantic import Field

from readgraph.features.verify.absence import prove_claims
from readgraph.features.verify.claims import ClaimsUpdate
from readgraph.features.verify.finding import FindState, texts_of
from readgraph.features.verify.state import Claim
from readgraph.language.compare import SLOTS, Difference, Verdict, account, is_equal
from readgraph.language.detection import language_of
from readgraph.language.excerpts import cut_to_passages
from readgraph.library.page_store import page_store
from readgraph.library.search.okapi import rank
from readgraph.models.asking import ask_reply, can_ask, say_budget_spent
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import DATA_RULE, declare_wording
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply
from readgraph.nodes.answering.absence import describe_absence
from readgraph.nodes.answering.citations import find_quote
from readgraph.nodes.answering.in_view import Quotes
from readgraph.nodes.answering.verdicts import Batch, SentenceToCheck, check_sentences_prompt, in_batches, make_sentence
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.evidence import PageText
from readgraph.nodes.memory import format_pages
from readgraph.nodes.step import node
from readgraph.state.apart import apart, compute
from readgraph.state.errors import BudgetSpent, NoUsableReply
from readgraph.state.loops import all_finished
from readgraph.state.reading import Citation, Sentence, Status
from readgraph.state.settings import Proving
from readgraph.state.words import format_count

MOST_SHOWN = 3  # passages that the model sees of a claim
MOST_QUOTED = 2  # quotes that are shown for a claim

CHECK_CLAIMS = declare_wording(
    "check_claims",
    "You check claims against passages of documents. You trust nothing but what these passages say. " + DATA_RULE,
    "Say of each numbered claim what the passages above, each after its page tag, say of it. It is supported if they "
    "say all of it, in whatever words; contradicted if they say something that can't be true together with it; "
    "otherwise it is not found. Quote the words that show it, and for a contradiction say in a few words what they "
    "have instead.",
)


class ClaimVerdict(LenientReply):
    """What the passages say of a claim."""

    claim: int = Field(description="The number of the claim.")
    quotes: Quotes = Field(description="One or two quotes that show it; empty if it is not found.")
    verdict: Literal["supported", "contradicted", "not found"]
    instead: str = Field(default="", description="For a contradiction: what the passages say instead, in a few words.")


class ClaimVerdicts(LenientReply):
    """What is to be said of each claim."""

    claims: list[ClaimVerdict] = Field(description="One for each claim.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """One for each."""
        quotes = reply.quotes(1, of_pages=True)
        return {"claims": [{"claim": n, "quotes": quotes, "verdict": "supported"} for n in reply.numbered("sentences")]}


@node(settings=(Proving,))
async def decide_claims(state: FindState, runtime: ReaderRuntime) -> ClaimsUpdate:
    """Ask the model of the claims that rules left open; a verdict counts if it has a quote that stands in the text.

    If the settings want it, each part is judged for the claims that were not found.
    """
    decided = await _decide(state, runtime)
    if not runtime.context.prove_absence:
        return decided
    return await prove_claims({**state, **decided}, runtime, partial(_decide, whole=True))  # type: ignore[typeddict-unknown-key]


async def _decide(state: FindState, runtime: ReaderRuntime, *, whole: bool = False) -> ClaimsUpdate:
    """The claims, with the model's verdicts on those that are left open and have pages near, which it sees `whole`."""
    claims = [*state["claims"]]
    left = [number for number, claim in enumerate(claims) if not claim["by"] and claim["pages"]]
    unasked: ClaimsUpdate = {"claims": claims, "step_summary": "asked no model"}
    if not left:
        return unasked
    if not can_ask(runtime):
        say_budget_spent(runtime)
        return unasked
    pieces, shown = await _choose_passages(state, left, runtime, whole=whole)
    texts = {number: piece.text for number, piece in enumerate(pieces)}
    checks = {number: SentenceToCheck(claims[number]["text"], shown[number]) for number in left if shown[number]}
    batches = in_batches(checks, texts, content_room(runtime.context, ""))
    replies = await all_finished(ask_of_claims(batch, texts, runtime) for batch in batches)
    for number, verdict in {number: verdict for reply in replies for number, verdict in reply.items()}.items():
        claims[number] = _with_verdict(claims[number], verdict, [pieces[each] for each in shown[number]])
    for number in checks:
        if not claims[number]["by"]:
            claims[number]["verdict"] = "not decided"  # it was asked, and there is no verdict that counts
    decided = sum(claims[number]["by"] == "model" for number in left)
    return {"claims": claims, "step_summary": f"the model decided {decided} of {len(left)} claims"}


async def _choose_passages(
    state: FindState, left: Sequence[int], runtime: ReaderRuntime, *, whole: bool
) -> tuple[list[PageText], dict[int, list[int]]]:
    """The passages of the pages near these claims, and for each claim those with which it shares most words, or all."""
    texts, pieces = await texts_of(state, runtime), dict[tuple[int, int], PageText]()
    shown = dict[int, list[int]]()
    for number in left:
        claim, near = state["claims"][number], list[tuple[tuple[int, int], PageText]]()
        for page in texts.read(claim["pages"]):
            for start, end in cut_to_passages(page.text):
                moved = replace(page.page, start=page.page.start + start)
                near.append(((moved.start, end - start), PageText(moved, page.text[start:end], page.following)))
        ranked = [] if whole else await compute(rank, claim["text"], [piece.text for _, piece in near])
        chosen = near if whole else [near[each] for each, _ in ranked[:MOST_SHOWN]]
        pieces.update(chosen)
        keys = [*pieces]
        shown[number] = sorted({keys.index(key) for key, _ in chosen})
    return [*pieces.values()], shown


async def ask_of_claims(batch: Batch, texts: Mapping[int, str], runtime: ReaderRuntime) -> dict[int, ClaimVerdict]:
    """The model's verdicts on these claims; none without a usable reply, which is counted, or a budget."""
    shown = {piece: texts[piece] for piece in sorted({piece for claim in batch.values() for piece in claim.pages})}
    prompt = check_sentences_prompt(CHECK_CLAIMS, format_pages(shown), [check.text for check in batch.values()])

    def complaint(reply: ClaimVerdicts) -> str | None:
        missing = {*range(1, len(batch) + 1)} - {claim_verdict.claim for claim_verdict in reply.claims}
        return f"there is no verdict on claim {min(missing)}" if missing else None

    try:
        reply = await ask_reply(runtime, prompt, ClaimVerdicts, complaint)
    except NoUsableReply:
        count_fallback("check")
        return {}
    except BudgetSpent:
        return {}
    verdicts = {claim_verdict.claim: claim_verdict for claim_verdict in reply.claims}
    opposed = {
        claim_verdict.claim
        for claim_verdict in reply.claims
        if claim_verdict.verdict != verdicts[claim_verdict.claim].verdict
    }
    if opposed:
        count_fallback("opposed_verdicts", len(opposed))
    return {number: verdicts[place] for place, number in enumerate(batch, 1) if place not in opposed}


def holds_claim(claim: str, quotes: Sequence[str], verdict: Verdict) -> bool:
    """Whether quotes hold what a claim says: its names, numbers and dates, and its words in whatever form.

    To contradict it they may lack one of these, and say another thing there; to support it, they deny if it denies.
    """
    language = language_of(" ".join([claim, *quotes]))
    ours, theirs = account(claim, language), [token for quote in quotes for token in account(quote, language)]
    values = {str(token.value) for token in theirs if token.kind in ("word", "name")}
    telling = [token for token in ours if token.kind in (*SLOTS, "word")]
    held = [
        str(token.value) in values
        if token.kind in ("word", "name")
        else any(is_equal(token, other) for other in theirs)
        for token in telling
    ]
    denied = [any(token.kind == "denial" for token in side) for side in (ours, theirs)]
    if verdict == "supported":
        return all(held) and denied[0] == denied[1]
    names = [token.kind == "name" and not has for token, has in zip(telling, held, strict=True)]
    lacking = held.count(False) - sum(map(all, pairwise(names)))  # names in a row are one
    return lacking <= 1 and any(has and token.kind == "word" for token, has in zip(telling, held, strict=True))


def _with_verdict(claim: Claim, reply: ClaimVerdict, pieces: Sequence[PageText]) -> Claim:
    """The claim as the model decided it; as it was where no quote of what was shown holds what it says."""
    if reply.verdict == "not found":
        return {**claim, "verdict": "not found", "by": "model"}
    quotes = list[Citation]()
    for quoted in reply.quotes:
        spans = ((piece, find_quote(quoted.quote.strip(), piece.text, 0, len(piece.text))) for piece in pieces)
        quotes += [piece.cite(*span) for piece, span in spans if span][:1]
    if not quotes or not holds_claim(claim["text"], [citation["quote"] for citation in quotes], reply.verdict):
        count_fallback("quote_says_less" if quotes else "quote_not_found")
        return claim
    difference = Difference(kind="meaning", draft="", text=reply.instead.strip())
    differs = [difference] if reply.verdict == "contradicted" else []
    return {**claim, "verdict": reply.verdict, "by": "model", "differs": differs, "evidence": quotes, "missing": []}


class VerdictsState(FindState):
    draft: str
    status: NotRequired[Status]


class VerdictsUpdate(ClaimsUpdate):
    answer: str
    status: Status
    by_rule: bool
    citations: list[Citation]
    sentences: list[Sentence]
    unsupported: int
    unchecked: int
    pages_read: list[int]


@node
@apart
async def cite_claims(state: VerdictsState, runtime: ReaderRuntime) -> VerdictsUpdate:
    """Give each quote its document and place, and the draft its marks: quotes, and what is said of each claim."""
    store = page_store(runtime)
    document = await store.document(state["document"])
    shown = [citation for claim in state["claims"] for citation in claim["evidence"][:MOST_QUOTED]]
    starts = sorted({citation["start"] for citation in shown})
    places = dict(zip(starts, await store.place_names(document, starts), strict=True))
    claims, citations, sentences = list[Claim](), list[Citation](), list[Sentence]()
    for claim in state["claims"]:
        evidence = [
            Citation(**{**citation, "place": places[citation["start"]]}) for citation in claim["evidence"][:MOST_QUOTED]
        ]
        differs = claim["differs"]
        if evidence:  # of places, the one where it stands
            stands = evidence[0]["place"] or f"part {evidence[0]['page']}"
            differs = [
                {**difference, "text": stands} if difference["kind"] in ("place", "source") else difference
                for difference in differs
            ]
        claim = {**claim, "evidence": evidence, "differs": differs}
        claims.append(claim)
        citations += [Citation(**{**citation, "mark_at": claim["end"]}) for citation in evidence]
        supported = {"supported": True, "not decided": None}.get(claim["verdict"], False)
        doubt = "" if supported else describe_claim(claim)
        sentence = make_sentence(claim["text"], [])
        sentences.append({**sentence, "supported": supported, "end": claim["end"], "doubt": doubt})
    wrong = sum(claim["verdict"] == "contradicted" for claim in claims)
    unchecked = sum(claim["verdict"] == "not decided" for claim in claims)
    held = sum(claim["verdict"] == "supported" for claim in claims)
    return {
        "claims": claims,
        "answer": state["draft"],
        "status": "answered",
        "by_rule": all(claim["by"] != "model" for claim in claims),
        "citations": citations,
        "sentences": sentences,
        "unsupported": len(claims) - held - unchecked,
        "unchecked": unchecked,
        "pages_read": [*dict.fromkeys(page for claim in claims for page in claim["pages"])],
        "step_summary": f"{held} of {len(claims)} claims supported, {wrong} contradicted",
    }


def describe_claim(claim: Claim) -> str:
    """A claim's verdict in a few words, with what differs: "contradicted: 250 tons, the text has 240 tons"."""
    remarks = list[str]()
    for difference in claim["differs"]:
        draft, text = (f"“{' '.join(difference[of].split())}”" if difference[of] else "" for of in ("draft", "text"))
        by_kind = {
            "negation": f"the draft has {draft or 'no negation'}, the text {text or 'none'}",
            "place": f"it stands in {difference['text']}, not in {difference['draft']}",
            "source": f"it stands in {difference['text']}, and no document that was read is called {draft}",
            "quote": f"the text has {text}",
            "meaning": text or "by what the text says",
        }
        remarks.append(by_kind.get(difference["kind"], f"{draft}, the text has {text}"))
    if claim["verdict"] == "not found":
        where = format_count(claim["searched"], "document")
        near = "nothing of it in the nearest passages" if claim["by"] else f"no sentence near it in {where}"
        absence = claim.get("absence")
        proof = describe_absence(absence).rstrip(".") if absence else ""
        if not absence or not absence["proven"]:
            remarks.append(near)
            proof = proof.replace("N", "n", 1)
        remarks += [proof] if proof else []
    elif claim["verdict"] == "not decided" and claim["evidence"] and not remarks:
        lacks = f"the nearest passage lacks {', '.join(f'“{word}”' for word in claim['missing'][:4])}"
        remarks.append(lacks if claim["missing"] else "the nearest passage has its words, but doesn't say just that")
    verdict = claim["verdict"].replace("not found", "")  # it is called what it is: all that was looked for is said
    return ": ".join(filter(None, [verdict, "; ".join(remarks)]))
