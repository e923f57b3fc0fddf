"""Actions on web pages, as Mind2Web scores them (Deng et al., 2023, section 4.1; ReadAgent, appendix E.2)."""

from readgraph.evaluation.records import Item, Outcome


def element_accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 if one of the right elements was chosen, else 0, also where the page holds none; None if it is no step."""
    if item.step is None:
        return None
    return 100.0 * (outcome.action is not None and outcome.action.element in item.step.elements)


def operation_f1(item: Item, outcome: Outcome) -> float | None:
    """Token F1 (in percent) of operation and value, such as "TYPE Ellen Walker"; None if it is no step.

    As in the official script, each token counts once, and case matters.
    """
    if item.step is None:
        return None
    action = outcome.action
    chosen = _tokens(action.operation, action.value) if action else set[str]()
    shared = len(chosen & (right := _tokens(item.step.operation, item.step.value)))
    return 200 * shared / (len(chosen) + len(right))


def step_success(item: Item, outcome: Outcome) -> float | None:
    """100 if element, operation and value are right, else 0; None if it is no step."""
    if item.step is None:
        return None
    return 100.0 * (element_accuracy(item, outcome) == operation_f1(item, outcome) == 100)


def _tokens(operation: str, value: str) -> set[str]:
    """What is compared: of a click, the operation alone."""
    return {operation.upper(), *(value.split() if operation.upper() != "CLICK" else ())}
