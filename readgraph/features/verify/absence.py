"""Claims near which nothing was found: each part of the documents is judged, and those that speak of one are shown."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from pydantic import Field

from readgraph.features.verify.claims import ClaimsUpdate
from readgraph.features.verify.finding import FindState
from readgraph.models.asking import ask_reply, can_ask
from readgraph.models.metering import current_meter
from readgraph.models.prompt import DATA_RULE, declare_wording
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply, Numbers, current_stand_in
from readgraph.nodes.answering.absence import Piece, Proof, pieces_of
from readgraph.nodes.answering.verdicts import check_sentences_prompt
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.memory import format_pages, load_memory

MOST_CLAIMS = 20  # of which a part is judged in one call
MOST_PIECES = 4  # that are shown of those that speak of a claim, the likeliest

PART_SPEAKS = declare_wording(
    "part_speaks",
    "You look through one part of a document for what statements are about. You trust nothing but what this part says. "
    + DATA_RULE,
    "Of which of the numbered statements does the part above say anything, so that it helps to tell whether they are "
    "true? Where you are not sure of one, name it too.",
)


class StatementsNamed(LenientReply):
    """The statements of which a part says something."""

    NAMED: ClassVar[tuple[str, ...]] = ("numbers",)
    numbers: Numbers = Field(description="The numbers of these statements; empty if there is none.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """Of none; for the most, of all."""
        return {"numbers": reply.numbered("sentences") if reply.longest else []}


Decide = Callable[[FindState, ReaderRuntime], Awaitable[ClaimsUpdate]]


async def prove_claims(state: FindState, runtime: ReaderRuntime, decide: Decide) -> ClaimsUpdate:
    """Judge all parts for the claims that were not found, and `decide` of those of which a part says something."""
    claims = [*state["claims"]]
    lost = [number for number, claim in enumerate(claims) if claim["verdict"] == "not found" or current_stand_in()]
    memory = await load_memory(runtime, state)
    meter = current_meter()
    spent_before, named = meter.budget.spent, 0
    for first in range(0, len(lost), MOST_CLAIMS):
        numbers, proof = lost[first : first + MOST_CLAIMS], Proof(memory, ())
        statements, spoken = [claims[number]["text"] for number in numbers], dict[int, list[Piece]]()
        room = content_room(runtime.context, "\n".join(statements))

        async def ask(piece: Piece, statements: list[str] = statements) -> StatementsNamed | None:
            prompt = check_sentences_prompt(PART_SPEAKS, format_pages(piece), statements)
            return await ask_reply(runtime, prompt, StatementsNamed, fallback="part_speaks")

        pieces = await pieces_of(memory, proof.left, room, " ".join(statements)) if can_ask(runtime) else []
        async for judged in proof.judge(pieces, ask):
            for piece, reply in judged:
                for place in {*reply.numbers} & {*range(1, len(numbers) + 1)}:
                    spoken.setdefault(numbers[place - 1], []).append(piece)
        absence = proof.result(can_judge=bool(runtime.context.model))
        for number, held in spoken.items():
            shown = sorted({page for piece in held[:MOST_PIECES] for page in piece})
            claims[number] = {**claims[number], "pages": shown, "by": ""}
        asked: Any = {**state, "claims": [claims[number] for number in spoken]}
        decided = (await decide(asked, runtime))["claims"] if spoken else ()
        for number, claim in zip(spoken, decided, strict=True):
            claims[number] = claim
        for number in numbers:
            if claims[number]["verdict"] == "not found":
                claims[number] = {**claims[number], "absence": absence}
        named += len(spoken)
    meter.budget.spent = spent_before  # what was decided is within the budget; what was not judged says so itself
    return {"claims": claims, "step_summary": f"looked in all parts for {len(lost)} claims: some speak of {named}"}
