"""The fixture that compares what was seen with what is recorded."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "recorded"
RENEW = bool(os.environ.get("READGRAPH_RENEW_SNAPSHOTS"))
WHOLE = os.environ.get("READGRAPH_RECORD_WHOLE", "")

Compare = Callable[[str, Any], None]


def _digests(value: Any) -> list[str]:
    """A short digest of each part of a list, or of the whole value."""
    parts = value if isinstance(value, list) else [value]
    texts = [part if isinstance(part, str) else json.dumps(part, sort_keys=True, ensure_ascii=False) for part in parts]
    return [hashlib.sha256(text.encode()).hexdigest()[:8] for text in texts]


def _write_whole(name: str, label: str, value: Any) -> None:
    file = Path(WHOLE) / name / f"{label.replace('/', '_').replace(' ', '_')[:120]}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False), encoding="utf-8")


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Iterator[Compare]:
    """Takes a label and what was seen; at the end of the test everything is compared with the recorded digests.

    `READGRAPH_RENEW_SNAPSHOTS=1` records it anew; `READGRAPH_RECORD_WHOLE=FOLDER` also writes it whole, so that the
    folders of two checkouts can be compared with `diff -r`.
    """
    name = request.node.name.removeprefix("test_").replace("/", "_")
    seen: dict[str, str] = {}

    def compare(label: str, value: Any) -> None:
        assert label not in seen, f"{label} was recorded twice"
        seen[label] = " ".join(_digests(value))
        if WHOLE:
            _write_whole(name, label, value)

    yield compare
    file = FOLDER / f"{name}.json"
    if RENEW:
        FOLDER.mkdir(exist_ok=True)
        file.write_text(json.dumps(seen, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    recorded = json.loads(file.read_text(encoding="utf-8"))
    differing = sorted(label for label in seen.keys() | recorded.keys() if seen.get(label) != recorded.get(label))
    assert not differing, f"differs from what was recorded in {file.name}: {differing}"
