"""The check that the nodes of a graph fit together: that every key that a node reads was written before, and so on.

What a loop, an edge or a reader lives on must be written by a node: else a run goes round and pays for nothing.
"""

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from langgraph.graph import END, START

from readgraph.graphs.wiring.declared import MODELS, NOTHING, NodeKeys, find_node_keys, settings_of_node, union
from readgraph.graphs.wiring.method_graph import Builder, builder_inside, check_names
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import settings_in
from readgraph.state.errors import BadInput


def check_wiring(builder: Builder) -> None:
    """Refuse a graph whose nodes may read what none wrote before, or write what the state lacks.

    It is also refused for what else `CHECKS` find. Reads and writes are those that nodes declare (see
    `readgraph.graphs.wiring.declared`), and those of the functions that choose between edges. The input, and channels
    with a reducer, exist from the start. A node that declares nothing is taken to need nothing and to write anything.
    Raises `BadInput`, which names the node, the key, and a path through the graph on which the key is missing.
    """
    declared = {name: find_node_keys(spec.runnable, builder.state_schema) for name, spec in builder.nodes.items()}
    for name, keys in declared.items():
        known = {*builder.channels, *builder.managed}
        check_names(f"The node '{name}' writes", dict.fromkeys(keys.may_write), known)
    choices = {}
    for name, branches in builder.branches.items():
        choosing = [find_node_keys(branch.path, builder.state_schema) for branch in branches.values()]
        choices[name] = NodeKeys(
            union(choice.reads for choice in choosing), decisive=union(choice.decisive for choice in choosing)
        )
    wiring = Wiring(builder, declared, choices)
    for check in CHECKS:
        for complaint in check(wiring):
            raise BadInput(complaint)


@dataclass(frozen=True)
class Wiring:
    """A graph, and what is declared by its nodes and by the functions that choose the edges after them."""

    builder: Builder
    declared: dict[str, NodeKeys]
    choices: dict[str, NodeKeys]

    @property
    def nodes(self) -> dict[str, Any]:
        """The nodes by their names."""
        return {name: spec.runnable for name, spec in self.builder.nodes.items()}

    def find_givers(self, key: str) -> set[str]:
        """The nodes that may write the key."""
        return {name for name, keys in self.declared.items() if keys.may_give(key)}


def _find_unknown_settings(wiring: Wiring) -> Iterator[str]:
    """Refuse a setting that the graph's context lacks. A graph without a context schema takes any."""
    if wiring.builder.context_schema is None:
        return
    known = settings_in(wiring.builder.context_schema)
    for name, node in wiring.nodes.items():
        for setting in settings_of_node(node):
            if setting not in known:
                yield (
                    f"The node '{name}' reads the setting '{setting}', which the graph's context does not have: give "
                    "the graph context_schema=ReaderContext, or call fit_context before the check."
                )


def _find_unused_notes(wiring: Wiring) -> Iterator[str]:
    """Refuse to pay for notes that nothing uses."""

    def pays_for_notes(node: Any) -> bool:
        if inside := builder_inside(node):
            return any(pays_for_notes(inner.runnable) for inner in inside.nodes.values())
        return isinstance(node, StepNode) and node.builds

    for writer in sorted(wiring.find_givers("memory")):
        after = find_nodes_after(wiring.builder, writer)
        after = {name for name in after if "memory" not in wiring.declared[name].may_write}
        if after and pays_for_notes(wiring.nodes[writer]) and not any(wiring.declared[name].notes for name in after):
            yield (
                f"The node '{writer}' has a model write notes, and no node after it uses them: take a node that only "
                "cuts the text into pages, such as readgraph.graphs.baselines.read_segments."
            )


def check_output(builder: Builder, usual: Builder) -> None:
    """Refuse a graph with swapped nodes where one no longer writes what the output of the `usual` graph hangs on."""
    output: frozenset[str] = getattr(usual.output_schema, "__required_keys__", NOTHING)
    written, before = _find_writers(builder), _find_writers(usual)
    for key in sorted(output & before.keys() - written.keys()):
        raise BadInput(
            f"The node '{before[key]}' must write '{key}', on which the graph's output hangs, and does not: take one "
            "that does."
        )


def _find_writers(builder: Builder) -> dict[str, str]:
    """A node for each key that some node writes, and not only resets."""
    declared = {name: find_node_keys(spec.runnable, builder.state_schema) for name, spec in builder.nodes.items()}
    return {
        key: name
        for name, keys in declared.items()
        for key in (builder.channels if keys.writes is None else keys.may_write - (keys.empty - keys.writes))
    }


def _find_unfit_recipes(wiring: Wiring) -> Iterator[str]:
    """Refuse a memory that lacks what a node needs of its recipe; one without a said recipe may hold anything."""
    writers = wiring.find_givers("memory")
    for name, node in wiring.nodes.items():
        needs = node.needs if isinstance(node, StepNode) else frozenset()
        for writer in sorted(writers - {name} if needs else ()):
            lacking = needs - _parameters(wiring.nodes[writer], needs)
            # Without any writer the graph is refused anyway: the memory comes from this one where no other ran.
            if lacking and path_avoiding(wiring.builder, writers - {writer, name}, name):
                yield (
                    f"The node '{name}' needs a memory whose recipe has '{min(lacking)}', and the node '{writer}' "
                    "builds one without: take a node that builds with it."
                )


def _parameters(node: Any, unknown: frozenset[str]) -> frozenset[str]:
    """The parameters of the recipe with which a node, or a graph's nodes, build; `unknown` where none is said."""
    if inside := builder_inside(node):
        nodes = [spec.runnable for spec in inside.nodes.values()]
        giving = [each for each in nodes if find_node_keys(each, inside.state_schema).may_give("memory")]
        return union(_parameters(each, unknown) for each in giving) if giving else unknown
    if not (isinstance(node, StepNode) and node.recipe):
        return unknown
    first, *others = (frozenset(node.recipe(ReaderContext(model=model)).parameters) for model in MODELS)
    return first.intersection(*others)


def _find_unreached(wiring: Wiring) -> Iterator[str]:
    for name in wiring.nodes:
        if not path_avoiding(wiring.builder, (), name):
            yield f"No path leads to the node '{name}': add an edge to it."


def _find_unwritten_reads(wiring: Wiring) -> Iterator[str]:
    """Refuse a node, or a choice, that reads what may not be written before."""
    builder = wiring.builder
    available = {name for name, channel in builder.channels.items() if channel.is_available()}
    available |= {*builder.managed, *builder.schemas[builder.input_schema]}
    readers = [(f"The node '{name}'", name, keys.reads, set[str]()) for name, keys in wiring.declared.items()]
    readers += [(f"The choice after '{name}'", name, keys.reads, {name}) for name, keys in wiring.choices.items()]
    for reader, name, reads, may_write in readers:
        for key in sorted(reads - available):
            writers = {each for each, keys in wiring.declared.items() if keys.writes is None or key in keys.writes}
            if not writers & may_write and (path := path_avoiding(builder, writers, name)):
                yield f"{reader} reads '{key}', which no earlier node writes on the path {' → '.join(path)}."


def _find_second_beginnings(wiring: Wiring) -> Iterator[str]:
    """A question begins once."""
    for name in wiring.nodes:
        for later in find_nodes_after(wiring.builder, name):
            node = wiring.nodes[later]
            if isinstance(node, StepNode) and node.starts_question:
                yield f"The node '{later}' begins a question anew: it can only be the first node."


def _find_stale_choices(wiring: Wiring) -> Iterator[str]:
    """No edge is chosen by what was decided before, or only begun. A key that no node fills decides nothing: it may."""
    builder = wiring.builder
    for name, choice in wiring.choices.items():
        for key in sorted(choice.decisive):
            writers = wiring.find_givers(key)
            fillers = {each for each, keys in wiring.declared.items() if keys.fills(key)}
            if not fillers or name in writers:
                continue
            decided = [each for each, other in wiring.choices.items() if key in other.decisive]
            again = any(name in find_nodes_after(builder, each, writers) for each in decided)
            if again or not any(name in find_nodes_after(builder, filler) for filler in fillers):
                yield (
                    f"The choice after '{name}' goes by '{key}', which the node '{name}' must write each time and does "
                    "not: take a node that does."
                )


def _find_unfilled(wiring: Wiring) -> Iterator[str]:
    """What begins empty and is read is filled by some node."""
    declared = wiring.declared.values()
    empty = union(keys.empty for keys in declared)
    for name, keys in wiring.declared.items():
        for key in sorted(keys.reads & empty):
            if not any(others.fills(key) for others in declared):
                yield f"The node '{name}' reads '{key}', which begins empty, and no node fills it."


def _find_idle_loops(wiring: Wiring) -> Iterator[str]:
    """What a loop's nodes read of a question is written in the loop, or each round would be as the one before."""
    declared = wiring.declared
    empty = union(keys.empty for keys in declared.values())
    for start in (name for name, choice in wiring.choices.items() if choice.decisive):
        after = find_nodes_after(wiring.builder, start)
        loop = sorted(name for name in after if start in find_nodes_after(wiring.builder, name))
        renewed = {key for key in empty if any(declared[name].fills(key) for name in loop)}
        for name in loop:
            if lacking := declared[name].reads & empty - renewed:
                yield (
                    f"The node '{name}' reads '{min(lacking)}' in each round, and no node of the loop writes it: "
                    f"{', '.join(loop)}."
                )


CHECKS = (
    _find_unknown_settings,
    _find_unfit_recipes,
    _find_unreached,
    _find_unwritten_reads,
    _find_second_beginnings,
    _find_stale_choices,
    _find_unfilled,
    _find_idle_loops,
    _find_unused_notes,
)
"""What is checked, in order; each yields what is wrong."""


Moment: TypeAlias = tuple[frozenset[str], frozenset[tuple[str, str]]]
"""What a run can be at: the nodes that run in one superstep, as LangGraph runs them; and (start, end) of the joins that
still wait for other starts."""


def path_avoiding(builder: Builder, avoided: Collection[str], to: str) -> list[str] | None:
    """The shortest path to a node on which none of the avoided ran, an entry for each superstep; None without one."""
    first: Moment = (frozenset({START}), frozenset())
    paths: dict[Moment, list[str]] = {first: []}
    waiting = deque([first])
    while waiting:
        moment = waiting.popleft()
        running, _ = moment
        if to in running:
            return [*paths[moment][:-1], to]
        if running.isdisjoint(avoided):
            for after in _next(builder, moment):
                if after not in paths:
                    paths[after] = [*paths[moment], " + ".join(sorted(after[0]))]
                    waiting.append(after)
    return None


def find_nodes_after(builder: Builder, start: str, avoided: Collection[str] = ()) -> set[str]:
    """The nodes that may run after a node, without one of the avoided nodes running between."""
    waiting, found = [start], set[str]()
    while waiting:
        node = waiting.pop()
        edges = {end for begin, end in builder.edges if begin == node}
        edges |= {end for begins, end in builder.waiting_edges if node in begins}
        new = edges.union(*_branches(builder, [node])) - found - {END}
        found |= new
        waiting += new - {*avoided}
    return found


def _next(builder: Builder, moment: Moment) -> Iterator[Moment]:
    """Every superstep that may follow: all edges are taken, and one choice of each branch."""
    running, arrived = moment
    edges = {end for start, end in builder.edges if start in running}
    arrived |= {(start, end) for starts, end in builder.waiting_edges for start in starts if start in running}
    for starts, end in builder.waiting_edges:
        if (all_of := {(start, end) for start in starts}) <= arrived:
            edges.add(end)
            arrived -= all_of
    for chosen in product(*_branches(builder, running)):
        yield frozenset({*edges, *chosen} - {END}), arrived


def _branches(builder: Builder, running: Collection[str]) -> Iterator[Collection[str]]:
    """The targets of each branch of the nodes; a branch without a path list may lead anywhere."""
    for node in running:
        for branch in builder.branches.get(node, {}).values():
            yield {*(branch.ends or {name: name for name in [*builder.nodes, END]}).values()}
        if node in builder.nodes and (ends := builder.nodes[node].ends):  # targets of a Command
            yield {*ends}
