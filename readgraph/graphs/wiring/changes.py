"""What a loop, an edge or a reader lives on must be written by a node: else a run goes round and pays for nothing."""

from collections.abc import Mapping

from readgraph.graphs.wiring.declared import Declared
from readgraph.graphs.wiring.paths import Builder, reached_from
from readgraph.nodes.step import StepNode
from readgraph.state.errors import BadInput


def check_changes(builder: Builder, declared: Mapping[str, Declared], choices: Mapping[str, Declared]) -> None:
    """Refuse a graph whose nodes leave as it was what its edges or other nodes wait for.

    `choices`: what is declared by the functions that choose the edge after a node. Raises `BadInput`, which names the
    node and the key.
    """
    _check_beginnings(builder)
    _check_choices(builder, declared, choices)
    _check_filled(builder, declared)
    _check_loops(builder, declared, choices)


def _check_beginnings(builder: Builder) -> None:
    """A question begins once."""
    for name in builder.nodes:
        for later in reached_from(builder, name):
            node = builder.nodes[later].runnable
            if isinstance(node, StepNode) and node.starts_question:
                raise BadInput(f"The node '{later}' begins a question anew: it can only be the first node.")


def _check_choices(builder: Builder, declared: Mapping[str, Declared], choices: Mapping[str, Declared]) -> None:
    """No edge is chosen by what was decided before, or only begun. A key that no node fills decides nothing: it may."""
    for name, choice in choices.items():
        for key in sorted(choice.decisive):
            writers = {each for each, keys in declared.items() if keys.may_give(key)}
            fillers = {each for each, keys in declared.items() if keys.fills(key)}
            if not fillers or name in writers:
                continue
            decided = [each for each, other in choices.items() if key in other.decisive]
            again = any(name in reached_from(builder, each, writers) for each in decided)
            if again or not any(name in reached_from(builder, each) for each in fillers):
                raise BadInput(
                    f"The choice after '{name}' goes by '{key}', which the node '{name}' must write each time and does "
                    "not: take a node that does."
                )


def _check_loops(builder: Builder, declared: Mapping[str, Declared], choices: Mapping[str, Declared]) -> None:
    """What a loop's nodes read of a question is written in the loop, or each round would be as the one before."""
    empty = frozenset().union(*(keys.empty for keys in declared.values()))
    for start in (name for name, choice in choices.items() if choice.decisive):
        loop = [name for name in reached_from(builder, start) if start in reached_from(builder, name)]
        renewed = {key for key in empty if any(declared[name].fills(key) for name in loop)}
        for name in sorted(loop):
            if lacking := declared[name].reads & empty - renewed:
                raise BadInput(
                    f"The node '{name}' reads '{min(lacking)}' in each round, and no node of the loop writes it: "
                    f"{', '.join(sorted(loop))}."
                )


def _check_filled(builder: Builder, declared: Mapping[str, Declared]) -> None:
    """What begins empty and is read is filled by some node."""
    filled = {key for key in builder.channels if any(keys.fills(key) for keys in declared.values())}
    for name, keys in declared.items():
        for key in sorted(keys.reads - filled):
            if any(key in others.empty for others in declared.values()):
                raise BadInput(f"The node '{name}' reads '{key}', which begins empty, and no node fills it.")
