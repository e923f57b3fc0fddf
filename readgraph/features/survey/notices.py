"""What a reader must know of a survey's table."""

from collections.abc import Mapping
from typing import Any

from readgraph.features.survey.patterns import columns_without_pattern
from readgraph.language.dates import find_ambiguous_date


def find_notices(output: Mapping[str, Any]) -> list[str]:
    """Columns that nothing fills, and how dates were read."""
    table, programme, notices = output["table"], output["programme"], list[str]()
    values = [*zip(*(row["values"] for row in table["rows"]), strict=True)] or [()] * len(table["columns"])
    blank = [name for name, column in zip(table["columns"], values, strict=True) if column and not any(column)]
    if output["by_pattern"] and programme:
        if empty := [*dict.fromkeys([*columns_without_pattern(programme["columns"]), *blank])]:
            notices.append(f"No pattern fills {', '.join(map(repr, empty))}: that needs a model.")
    elif output.get("by_table") and blank:
        notices.append(f"The tables of the text give nothing for {', '.join(map(repr, blank))}.")
    orders = dict[str, str]()
    for row in table["rows"]:
        for kind, value in zip(table["kinds"], row["values"], strict=True):
            quotes = (citation["quote"] for citation in row["citations"] if kind == "date")
            if ambiguous := next(filter(None, (find_ambiguous_date(quote, value) for quote in quotes)), None):
                orders.setdefault(ambiguous[1], ambiguous[0])
    return [*notices, *(f"{example} was read as {order}." for order, example in orders.items())]
