"""The audit of `.ci/run`: what was not looked up is never called safe, and a bill that lacks a package fails."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def audit() -> ModuleType:
    spec = spec_from_file_location("audit", Path(__file__).parents[2] / ".ci" / "audit.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_was_not_looked_up_is_counted(audit: ModuleType) -> None:
    weak = {"id": "PYSEC-1", "fix_versions": ["2"]}
    packages: list[dict[str, Any]] = [
        {"name": "a", "skip_reason": "not found"},
        {"name": "b", "version": "1", "vulns": []},
        {"name": "c", "version": "1", "vulns": [weak, {"id": "PYSEC-2", "fix_versions": []}]},
    ]
    lines = ["c 1: PYSEC-1, mended in 2", "c 1: PYSEC-2, mended in no version yet"]
    assert audit.outcome({"dependencies": packages}) == (lines, 2, 3)
    assert audit.outcome({"dependencies": packages[:1]}) == ([], 0, 1)


def test_a_bill_of_materials_names_every_package_with_its_version(audit: ModuleType) -> None:
    bill = {"components": [{"name": "typing_extensions", "version": "4"}, {"name": "b", "version": "2"}]}
    assert audit.missing(bill, [["typing-extensions", "4"], ["b", "1"], ["c", "3"]]) == ["b 1", "c 3"]
