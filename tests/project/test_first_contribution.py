"""The worked example of `docs/guides/first-contribution.md`: its files are put into a copy of the project, and work."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guides" / "first-contribution.md"
FILE = re.compile(r'^```\w+ title="(.*?)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
FILES = dict(FILE.findall(PAGE.read_text(encoding="utf-8")))
DECLARED, DESCRIBED = "readgraph/graphs/declared.py", "docs/methods/hybrids.md"
UNDRAWN = "<!-- drawing of read_on -->\n```mermaid\n```\n"


def run(project: Path, *arguments: str, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(project), **variables}
    command = [sys.executable, "-m", *arguments]
    ran = subprocess.run(command, cwd=project, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the page's changes."""
    project = tmp_path_factory.mktemp("contributed")
    for folder in ("readgraph", "tests", "docs"):
        shutil.copytree(ROOT / folder, project / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("evaluation", "examples", "notebooks", "README.md", "CONTRIBUTING.md"):
        (project / name).symlink_to(ROOT / name)
    for name in ("conftest.py", "pyproject.toml", "langgraph.json"):
        shutil.copy(ROOT / name, project)
    for name, text in FILES.items():
        if name == DECLARED:
            declared = (project / name).read_text(encoding="utf-8")
            before, correct, after = declared.partition('    Method(\n        name="correct",')
            assert correct, "the page says before which entry the new one stands"
            entry = indent(text.rstrip() + ",\n", " " * 4)
            text = f"{before}{entry}{correct}{after}"
        elif name == DESCRIBED:
            text = "\n".join([(project / name).read_text(encoding="utf-8"), text, UNDRAWN])
        (project / name).write_text(text, encoding="utf-8")
    return project


@pytest.mark.slow
def test_the_method_is_listed_and_its_test_passes(project: Path) -> None:
    assert "read-on" in [method["name"] for method in json.loads(run(project, "readgraph", "methods", "--json"))]
    assert "1 passed" in run(project, "pytest", "-n", "0", "-q", "tests/graphs/test_read_on.py")


@pytest.mark.slow
def test_what_is_made_from_code_is_renewed_as_the_page_says(project: Path) -> None:
    files = ("tests/cli/serving/test_studio.py", "tests/project/test_docs.py")
    run(project, "pytest", "-n", "0", "-q", *files, "-k", "drawings or repository", READGRAPH_RENEW_SNAPSHOTS="1")
    assert "read_on" in json.loads((project / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
    described = (project / DESCRIBED).read_text(encoding="utf-8")
    assert "look_up -.-> answer" in described.partition("<!-- drawing of read_on -->")[2]


def test_the_code_is_as_ruff_wants_it(project: Path) -> None:
    new = [name for name in FILES if name.endswith(".py")]
    run(project, "ruff", "check", *new)
    run(project, "ruff", "format", "--check", *new)
