"""Each fault of a model's server at a tenth, at a third and at all of its calls, over all methods.

`READGRAPH_FAULTS=all pytest -n 0 -m slow tests/models/test_faulty_shares.py` tries every fault alone with every method.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from readgraph.graphs.methods import METHODS
from readgraph.state.errors import ModelUnavailable
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.models.test_faulty_readings import FAILING, Faults, find
from tests.models.transport.test_transport import DAMAGED, FLAWED, USABLE

pytestmark = pytest.mark.slow

UNUSABLE = {
    **{name: fault for name, fault in FLAWED.items() if name != "half a character"},
    "cut off": Fault.truncated(9),
    "empty": Fault.empty(),
    "in prose": Fault.not_json(),
    "of another form": Fault.wrong_schema(),
}
"""Replies that arrive whole and can't be used."""

MENDED = ("half a character", "arguments that are a list")
"""Faults after which a reply can be used, or which don't come in the form that these readings ask for."""

FAILED = {name: fault for name, fault in (FAILING | DAMAGED).items() if name not in (*UNUSABLE, *MENDED)}
HANGS = {"hangs": Fault.hang()}
"""The server takes the call, and says nothing."""

PASSING = {**FAILED, **FAILING, **DAMAGED, **FLAWED, **UNUSABLE, **USABLE, "drips": Fault.dripping(0.0001), **HANGS}
FOREVER = {
    **FAILED,
    **UNUSABLE,
    **HANGS,
    "503": Fault.server_error(503),
    "401": Fault.unauthorized(),
    "404": Fault("not found", status=404),
}
CAUSES = {
    "429": "takes no more calls for now",
    "429 with a pause": "takes no more calls for now",
    "an error": "takes no more calls for now",  # it says that it is overloaded
    "500": r"failed \d+ times in a row \(500\)",
    "503": r"failed \d+ times in a row \(503\)",
    "breaks off": "broke its answer off",
    "401": "refused the key",
    "404": "does not know the model",
    "hangs": r"did not answer in time \(1 s, \d+ times in a row\)",
}
"""What the line says where every call has this fault."""

PROTOCOL = "(doesn't speak its provider's protocol|sent no usable reply)"
MOST_CALLS = 150
"""A failing server is asked for a time: with pauses of some seconds, for a minute."""

ALL = os.environ.get("READGRAPH_FAULTS") == "all"
ONE_BY_ONE = {"concurrency": 1, "retry_seconds": 60.0, "timeout": 1.0}


def every(share: int, faults: Mapping[str, Fault], first: int = 0) -> Faults:
    """Each of the faults in turn, from the first on, for one call of so many: the first call, and so on."""
    wanted = [*faults.items()]

    def fault_for(request: ChatRequest, call: int) -> Fault | None:
        name, fault = wanted[(first + call // share) % len(wanted)]
        said = name in ("in prose", "of another form") and not (request.schema_name or request.tool)
        return None if call % share != 1 % share or said else fault  # a note may say anything

    return fault_for


@pytest.mark.parametrize("method", METHODS)
async def test_with_a_tenth_or_a_third_of_the_calls_faulty_it_ends_the_same(
    server: ModelServer, tmp_path: Path, story: str, method: str
) -> None:
    clean = await find(story[:5000], tmp_path / "clean", method, **ONE_BY_ONE)
    for share in (10, 3):
        for name in [*PASSING] if ALL else ["all"]:
            server.reset()
            server.fault_for = every(share, {name: PASSING[name]} if ALL else PASSING, 7 * [*METHODS].index(method))
            ended = await find(story[:5000], tmp_path / f"{share} {name}", method, **ONE_BY_ONE)
            assert ended == clean, (share, name)


PAIRS = [
    (fault, method)
    for number, method in enumerate(METHODS)
    for place, fault in enumerate(FOREVER)
    if ALL or place == number % len(FOREVER)
]


@pytest.mark.parametrize(("fault", "method"), PAIRS)
async def test_where_every_call_is_faulty_it_ends_and_says_why(
    server: ModelServer, tmp_path: Path, story: str, fault: str, method: str
) -> None:
    server.fault_for = every(1, {fault: FOREVER[fault]})
    try:
        ended = await find(story[:5000], tmp_path / "library", method, **ONE_BY_ONE)
    except ModelUnavailable as problem:
        assert fault not in UNUSABLE
        assert re.fullmatch(rf"The model server at http://127\S+ .*{CAUSES.get(fault, PROTOCOL)}.*", str(problem))
        assert server.calls <= MOST_CALLS
    else:
        assert fault in UNUSABLE and ended["fallbacks"]
        assert ended["by_rule"] or ended["status"] == "no_answer", ended
