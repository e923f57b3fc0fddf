"""The method that answers a question, where the one that was named, or is the default, only chooses it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from langgraph.graph import StateGraph

from readgraph.api.running import builder_for, run_method
from readgraph.graphs.estimate import Estimate, Range
from readgraph.graphs.method import Method
from readgraph.graphs.methods import method_for, method_kept
from readgraph.graphs.rehearsal import Rehearsal, rehearse_method
from readgraph.language.hints import find_extent
from readgraph.library.page_store import PageStore
from readgraph.nodes.building.recipes import with_question
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.reading import Question, Usage, add_counts, add_usage
from readgraph.state.records import Document

NOT_JUDGED = "Not proven: the method '{}' judges no part. The method 'read-agent' judges each."


class Routed(NamedTuple):
    """The method that answers a question, the settings with what is left of the budget, and the router's output."""

    method: Method
    context: ReaderContext | None
    chosen: Mapping[str, Any] = {}

    def add_to(self, output: dict[str, Any]) -> dict[str, Any]:
        """The method's output with the way, if there is a reason for it, what choosing it used, and a proof's lack."""
        if not (chosen := self.chosen).get("why"):
            return output
        usage = add_usage(chosen["usage"], output["usage"])
        told: dict[str, Any] = {"way": chosen["way"], "why": chosen["why"]}
        counts = {"usage": usage, "fallbacks": add_counts(chosen["fallbacks"], output["fallbacks"])}
        steps = [*chosen["steps"], *output["steps"]]
        is_unjudged = output["status"] == "no_answer" and not output.get("absence")
        if is_unjudged and self.context and self.context.prove_absence:
            told["notices"] = [*output["notices"], NOT_JUDGED.format(self.method.name)]
        return {**output, **told, "steps": steps, **counts}


async def route_question(
    pages: PageStore,
    method: Method,
    document: Document,
    asked: Question,
    context: ReaderContext | None,
    listen: Listen | None = None,
) -> Routed:
    """The method that answers a question about a document: the one given, or the one that its router chooses."""
    if not method.router:
        return Routed(method, context)
    if not (context or ReaderContext()).model and find_extent(asked["question"]) != "summary":
        return Routed(method_for(document), context)  # places are quoted, which waits for no other run
    given = Question(question=asked["question"], options=asked.get("options", []))
    chosen = await run_method(pages, router_of(method), method.name, document, given, context, listen)
    return Routed(method_kept(chosen["method"]), left_of(context, chosen["usage"]), chosen)


def router_of(method: Method) -> StateGraph[Any, ReaderContext, Any, Any]:
    """The graph that chooses the method of a question."""
    return builder_for(replace(method, graph=method.router))


def left_of(context: ReaderContext | None, used: Usage) -> ReaderContext | None:
    """The settings with what is left of the budget."""
    if context is None or not used["calls"]:
        return context
    words = used["input_words"] + used["output_words"]
    spent = (("max_calls", used["calls"]), ("max_words", words), ("max_seconds", used["seconds"]))
    limits = ((name, getattr(context, name), part) for name, part in spent)
    left: dict[str, Any] = {name: max(int(most - part), 0) for name, most, part in limits if most is not None}
    return replace(context, **left)


async def estimate_with_question(
    pages: PageStore,
    method: Method,
    document: Document,
    context: ReaderContext,
    question: str | None,
    options: Sequence[str] = (),
) -> Estimate:
    """What reading the document will use, with the answer to a question and its options if one is asked."""
    if question is None:
        return await rehearse_method(method, pages, document, context, {})
    given, way = Question(question=question, options=[*options]), Estimate()
    if method.router:
        chosen = await Rehearsal(router_of(method), pages, document, context).find_output(given)
        used = [chosen["usage"][name] for name in ("calls", "input_words", "output_words")]
        said = f"{chosen['way']}, since {chosen['why']}" if chosen["why"] else ""
        method, way = method_kept(chosen["method"]), Estimate(*(Range(count, count) for count in used), way=said)
    return way + await rehearse_method(method, pages, document, with_question(context, question, options), given)
