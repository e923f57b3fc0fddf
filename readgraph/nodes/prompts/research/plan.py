"""Planning: what to search a memory for, and with which tools (GAM, section 2.2.2)."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, ClassVar

from pydantic import Field, create_model

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.replies.lenient_fields import LenientReply, Numbers, Texts
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import question_part

_SYSTEM = (
    "You plan a search through a long text of which you can't see the pages, only your memory of them: a memo of "
    "each. What your plan finds will be read later, by somebody who answers the question. " + DATA_RULE
)

TOOLS = {
    "keyword": (
        "finds pages that hold given words. Give names, numbers and rare words that should stand there; a few words a "
        "query, no sentences."
    ),
    "vector": "finds pages by what they mean. Give each query as a short sentence, with full names.",
    "page": "opens pages by their number. Give numbers that stand in the memory; never guess one.",
}
"""What each tool does, for the model."""

PLAN = wording(
    "plan",
    "plan",
    2,
    _SYSTEM,
    "These tools search the text:\n{tools}\n"
    "{think}{at_once} the next search: at most {most} entries for each tool, no two alike.{after} "
    "Use several tools where that helps. Don't answer the question yet.",
    think="Think about what the answer needs, and where the text may say it. Then plan",
    at_once="Plan",
    after=" Look for what is still missing; search otherwise than before.",
)


class SearchPlan(LenientReply):
    """What to look for, and with which queries."""

    DECIDES: ClassVar[tuple[str, ...]] = ("keyword", "vector", "needs")

    needs: Annotated[Texts, Field(description="What has to be found out to answer: one short question for each fact.")]


_FIELDS = {
    "keyword": (Annotated[Texts, Field(description="Queries for the keyword tool; may be empty.")], ...),
    "vector": (Annotated[Texts, Field(description="Queries for the vector tool; may be empty.")], ...),
    "page": (Annotated[Numbers, Field(description="Numbers for the page tool; may be empty.")], ...),
}


@cache
def plan_reply(tools: tuple[str, ...]) -> type[SearchPlan]:
    """The reply's type with a field for each tool that is there: others can't be asked for."""
    return create_model("SearchPlan", __base__=SearchPlan, **{tool: _FIELDS[tool] for tool in tools})  # type: ignore[call-overload,no-any-return]


def plan_prompt(
    memory: str,
    question: str,
    choices: dict[str, str],
    tools: Sequence[str],
    most: int,
    *,
    requests: Sequence[str] = (),
    notes: str = "",
    searched: Sequence[str] = (),
    read: Sequence[int] = (),
    reasoning: bool = True,
) -> Prompt:
    """Ask for queries, at most `most` for each tool.

    In later rounds `requests` says what is still missing and `notes` what is known; `searched` and `read` hold the
    queries and pages of earlier rounds. An empty memory is left out (research without memory).
    """
    offered = "\n".join(f"- {tool}: {TOOLS[tool]}" for tool in tools)
    missing = "\n".join(f"- {request}" for request in requests)
    done = [f"Searched before: {'; '.join(searched)}."] if searched else []
    done += [f"Pages read before: {', '.join(map(str, read))}."] if read else []
    parts = [fenced("memory", memory) if memory else "", fenced("notes", notes) if notes else ""]
    parts += [fenced("earlier", "\n".join(done)) if done else "", question_part(question, choices)]
    parts += [fenced("missing", missing) if missing else ""]
    values = {"tools": offered, "most": most, "after": bool(requests or done)}
    return PLAN.ask(*parts, think=reasoning, at_once=not reasoning, **values)
