"""Every option of every command has an effect, or is refused in one line.

What is a setting is captured where it reaches a graph (test_settings_as_options.py); each other option has a probe in
probes.py, which runs a command without it and with it, and compares what can be seen. An option without a probe fails
the first test. `--log-json`, which every command has, is tested in test_log.py.
"""

from pathlib import Path

import pytest

from readgraph.state.declaring import RENAMED
from tests.cli.probes import PROBES, ROWS, probed
from tests.doubles.model_server import ModelServer
from tests.support.command import Command, assert_refused
from tests.support.options import OPTIONS, each_option
from tests.support.probing import Prober

OF_TYPER = {"readgraph --install-completion", "readgraph --show-completion"}


def test_every_option_has_a_probe() -> None:
    assert len(ROWS) == len(PROBES), "each has one"
    plain = {name for name, option in each_option() if option.name not in {*OPTIONS, *RENAMED}}
    plain |= {"models check --timeout"}
    assert (
        probed().keys() == {name for name in plain if name not in OF_TYPER and not name.endswith(" --help-all")}
        and PROBES.keys() <= probed().keys()
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", probed())
def test_an_option_can_be_seen_to_do_something(
    readgraph: Command, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    without, with_it = Prober(readgraph, server, tmp_path, monkeypatch).see(probed()[name])
    assert without != with_it


@pytest.mark.parametrize("blank", ["", " \t"])
def test_a_blank_value_is_refused_as_a_variable_of_the_shell_leaves_it(readgraph: Command, blank: str) -> None:
    means_something = {"show --purpose"}  # as its help says
    taken = (
        {name for name, option in each_option() if not option.is_flag and option.nargs == 1}
        - OF_TYPER
        - means_something
    )
    for *command, option in map(str.split, sorted({*taken, "ask --log-json"})):
        assert_refused(readgraph(*command, option, blank), f"{option} is empty: give it a value")


@pytest.mark.parametrize("command", ["show", "methods", "prompts export", "wiki", "replay", "verify"])
def test_a_blank_argument_means_neither_all_nor_this_folder(readgraph: Command, command: str) -> None:
    assert_refused(readgraph(*command.split(), ""), " is empty: give it a value")
