"""`readgraph skill`: what tells a coding agent how to use the command, in the form of agents' skills."""

import re
from pathlib import Path

import pytest

from tests.support.command import Command, assert_refused

pytestmark = pytest.mark.quick


def test_it_is_put_where_agents_look_for_it(readgraph: Command, tmp_path: Path) -> None:
    for to in (tmp_path / "skills", tmp_path / "skills" / "readgraph"):  # the second time it is replaced
        assert "Put the skill into" in readgraph("skill", "--to", to).out
    (written,) = tmp_path.rglob("SKILL.md")
    head = re.match(r"---\nname: ([a-z-]+)\ndescription: ([^\n]{1,1024})\n---\n", written.read_text())
    assert head and head[1] == written.parent.name and written.read_text() == readgraph("skill").out


def test_another_skill_is_never_overwritten(readgraph: Command, tmp_path: Path) -> None:
    own = tmp_path / "readgraph" / "SKILL.md"
    own.parent.mkdir()
    own.write_text("---\nname: mine\n---\n")
    assert_refused(readgraph("skill", "--to", tmp_path), "is another skill")
    assert_refused(readgraph("skill", "--to", own), "is a file: name the folder")
    assert own.read_text() == "---\nname: mine\n---\n"
