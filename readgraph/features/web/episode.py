"""An episode in a browser: an instruction is carried out step by step (ReadAgent, appendix E)."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from readgraph.features.web import graph as web_agent
from readgraph.features.web.driver import NUMBER, CannotAct, Driver
from readgraph.features.web.elements import WebElement, elements_of
from readgraph.features.web.page import web_page
from readgraph.features.web.state import WebAction
from readgraph.graphs.wiring.method_graph import run_and_listen
from readgraph.library.opening import Library
from readgraph.library.store import mark_in_use
from readgraph.models.names import HOW_TO_NAME
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import Listen
from readgraph.state.reading import NOTHING_USED, Step, Usage, add_usage

__all__ = ["Episode"]

Ending = Literal["finished", "stuck", "steps", "budget", "stopped"]
"""How an episode ended: the agent says that it is done, or that it can't go on; the steps, or the budget of calls and
words, are used up; or it was stopped before."""


@dataclass(frozen=True)
class Proposed:
    """An action that the agent wants to do, with the page as it saw it; `element` is what it acts on."""

    url: str
    title: str
    action: WebAction
    element: WebElement

    @property
    def wants_password(self) -> bool:
        """Whether a password is to be typed, which the model does not know."""
        return self.element.secret and self.action["operation"] == "type"


class EpisodeStep(TypedDict):
    """A step: the page's address and title, what was to be done, and what came of it."""

    url: str
    title: str
    said: str
    reason: str
    came: Literal["done", "refused", "failed"]
    notes: list[str]  # what else happened, in words


def check_can_begin(context: ReaderContext, instruction: str) -> None:
    """Raise `BadInput` where no model is named, or nothing is to be done."""
    if not context.model:
        raise BadInput(f"Browsing needs a model. Give --model, or set READGRAPH_MODEL: {HOW_TO_NAME}")
    if not instruction.strip():
        raise BadInput("The instruction is empty: say what is to be done on the site.")


@dataclass
class Episode:
    """An instruction on the site that a driver shows; its pages and gists are kept in the library."""

    driver: Driver
    library: Library
    context: ReaderContext
    instruction: str
    max_steps: int = 20
    steps: list[EpisodeStep] = field(default_factory=list)
    history: list[str] = field(default_factory=list)  # what was done, in words; no password is in it
    usage: Usage = field(default_factory=lambda: Usage(**NOTHING_USED))
    fallbacks: Counter[str] = field(default_factory=Counter)
    trajectory: list[Step] = field(default_factory=list)
    ending: Ending | None = None  # None while it goes on
    reason: str = ""
    graph: CompiledStateGraph[Any, ReaderContext, Any, Any] = field(init=False)

    def __post_init__(self) -> None:
        check_can_begin(self.context, self.instruction)
        self.graph = web_agent.build().compile(store=self.library.store)

    async def propose(self, listen: Listen | None = None) -> Proposed | None:
        """Read the page that is shown, and say what to do next; None where the episode has ended."""
        if self.ending is None and len(self.steps) >= self.max_steps:
            self.ending = "steps"
        if self.ending is not None:
            return None
        try:
            page_seen = await self.driver.look()
            page = web_page(page_seen.html, id_attribute=NUMBER, name=page_seen.url)
        except (CannotAct, BadInput) as problem:  # what was done so far is to be told all the same
            if not self.steps:
                raise
            self.ending, self.reason = "stuck", str(problem)
            return None
        document = await self.library.pages.add_document(
            page.text, title=page.title or page_seen.url, source=page_seen.url
        )
        async with mark_in_use(self.library.store, document.id):
            output = await self._run_graph(document.id, listen)
        action: WebAction = output["action"]
        element = elements_of(page.text).get(action["element"] or "")
        if action["outcome"] != "act" or element is None or output["by_rule"]:
            if output["status"] == "budget":
                self.ending = "budget"
            else:
                self.ending = "finished" if action["outcome"] == "finished" and not output["by_rule"] else "stuck"
            self.reason = action["reason"]
            return None
        proposed = Proposed(page_seen.url, page.title, action, element)
        try:
            await self.driver.show(element.id)
        except CannotAct as problem:  # the page changed while the agent thought about it
            self._keep(proposed, "failed", [str(problem)])
            return await self.propose(listen)
        return proposed

    async def do(self, proposed: Proposed, password: str = "") -> EpisodeStep:
        """Do what was proposed. Where `wants_password`, this is what is typed, and no word of the model's."""
        action, element = proposed.action, proposed.element
        value = password if proposed.wants_password else action["value"] or ""
        if proposed.wants_password and not password:
            return self._keep(proposed, "failed", ["No password was given."])
        try:
            notes = await self.driver.act(element.id, action["operation"] or "", value, secret=proposed.wants_password)
        except CannotAct as problem:
            return self._keep(proposed, "failed", [str(problem)])
        return self._keep(proposed, "done", notes)

    def refuse(self, proposed: Proposed) -> EpisodeStep:
        """Leave undone what was proposed; the agent learns that the person refused it."""
        return self._keep(proposed, "refused", [])

    def summary(self) -> dict[str, Any]:
        """The episode as a plain JSON value; `blocked` counts the requests to other origins."""
        return {
            "instruction": self.instruction,
            "outcome": self.ending or "stopped",
            "reason": self.reason,
            "url": self.driver.url,
            "steps": self.steps,
            "actions": sum(step["came"] == "done" for step in self.steps),
            "blocked": dict(self.driver.blocked.most_common()),
            "usage": self.usage,
            "fallbacks": dict(self.fallbacks),
        }

    async def _run_graph(self, document: str, listen: Listen | None) -> dict[str, Any]:
        """One run of the graph over the page; what it used is added up."""
        sequences = {"document": document, "question": self.instruction, "history": self.history}
        spent = {
            "max_calls": self.usage["calls"],
            "max_words": self.usage["input_words"] + self.usage["output_words"],
            "max_seconds": round(self.usage["seconds"]),
        }
        most = {name: getattr(self.context, name) for name in spent}
        left = {name: max(1, most[name] - spent[name]) for name in spent if most[name]}
        output = await run_and_listen(self.graph, sequences, context=replace(self.context, **left), listen=listen)
        self.usage = add_usage(self.usage, output["usage"])
        self.fallbacks.update(output["fallbacks"])
        self.trajectory += output["steps"]
        return output

    def _keep(self, proposed: Proposed, came: Literal["done", "refused", "failed"], notes: list[str]) -> EpisodeStep:
        action = proposed.action
        step: EpisodeStep = {
            "url": proposed.url,
            "title": proposed.title,
            "said": action["said"],
            "reason": action["reason"],
            "came": came,
            "notes": notes,
        }
        self.steps.append(step)
        self.history.append(" ".join([action["said"] + AFTER[came], *notes]))
        return step


AFTER = {"done": ".", "refused": ": the person refused it.", "failed": ": it could not be done."}  # for the agent
