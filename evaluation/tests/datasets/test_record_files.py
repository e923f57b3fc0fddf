"""Files that hold datasets: they are recognised by what they hold, and read as lines, as one value, or as a table."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.tests.support import datasets as made
from readgraph.state.context import PROFILES
from readgraph.state.errors import BadInput
from readgraph_evaluation.datasets import FORMS, MADE, load_dataset, recognise_form
from readgraph_evaluation.datasets.assembling import SCORING

WRITTEN: dict[str, Callable[[Path], Path]] = {
    "readgraph": lambda at: made.lines(at / "x", {"doc_id": "a", "text": "b", "questions": [{"question": "c"}]}),
    "quality": lambda at: made.lines(at / "x", made.quality_line("one", made.quality_question(1, 1, 1))),
    "qmsum": lambda at: made.lines(at / "x", made.meeting()),
    "locomo": lambda at: made.array(at / "x", made.locomo_sample()),
    "longmemeval": lambda at: made.array(at / "x", made.long_mem_question("q")),
    "oolong": lambda at: made.lines(at / "x", made.oolong_row(1, "[2]")),
    "oolong-pairs": made.oolong_pairs,
    "longbench-v2": lambda at: made.array(at / "x", made.long_bench_item("1")),
    "beam": made.beam,
    "hotpotqa-long": lambda at: made.array(at / "x", {"input": "a", "context": "b", "answers": ["c"]}),
    "ruler": lambda at: made.lines(at / "x", made.made(0, made.RULER["vt"][0], ["7"])),
    "scrolls": lambda at: made.lines(at / "qasper.jsonl", {"id": 1, "pid": 2, "input": "a\n\nb", "output": "c"}),
    "nq-open": lambda at: made.lines(at / "x", {"question": "a", "answers": ["b"], "ctxs": made.passages(0, 1)}),
    "msc-retrieval": lambda at: made.lines(at / "x", {**made.chat(), "self_instruct": {"A": "a", "B": "b"}}),
    "msc-openers": lambda at: made.lines(at / "x", made.chat()),
    "mind2web": lambda at: made.array(at / "x", made.mind2web_task()),
    "squality": lambda at: made.lines(at / "x", made.squality_line("1", "Mara.")),
    "infinite-bench": lambda at: made.infinite(at, "passkey") / "passkey.jsonl",
    "browsecomp-plus": lambda at: made.lines(at / "x", made.browse_query(1, [1, 2], [1], [3])),
    "memory-agent-bench": lambda at: made.lines(at / "x", made.memory_agent_record("ruler_qa1_197K", ("a", ["b"]))),
    "financebench": made.finance_bench,
    "longmemeval-v2": made.long_mem_eval_v2,
    "ama-bench": lambda at: made.lines(at / "x", made.ama_episode(0)),
    "narrativeqa": lambda at: made.narrative_qa(at / "x", {"a": ("test", "movie", b"A lamp.")}),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_form_is_recognised_by_what_the_file_holds(tmp_path: Path, name: str) -> None:
    path = WRITTEN[name](tmp_path)
    form = recognise_form(path)
    assert form and form.name == name
    assert load_dataset(path).items == load_dataset(path, name).items


@pytest.mark.parametrize(
    "name", "readgraph quality qmsum longmemeval hotpotqa-long scrolls nq-open squality browsecomp-plus".split()
)
@pytest.mark.slow
def test_an_export_in_parquet_holds_the_same(tmp_path: Path, name: str) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = WRITTEN[name](tmp_path)
    written = path.read_text(encoding="utf-8")
    rows = json.loads(written) if written.startswith("[") else [*map(json.loads, written.splitlines())]
    table = tmp_path / "qasper" / "x.parquet"
    table.parent.mkdir()
    # A column that no other row fills: the hub's exports have such, as JSON has fields that are left out.
    parquet.write_table(arrow.Table.from_pylist([{**row, "split": "test", "title": None} for row in rows]), table)
    form = recognise_form(table)
    assert form and form.name == name
    asked, exported = load_dataset(path), load_dataset(table)
    assert [item.question for item in exported.items] == [item.question for item in asked.items]
    assert [item.references for item in exported.items] == [item.references for item in asked.items]
    assert [text.text for text in exported.texts] == [text.text for text in asked.texts]


def test_one_record_on_several_lines(tmp_path: Path) -> None:
    file = tmp_path / "covid_2.json"
    file.write_text(json.dumps(made.meeting(), indent=4), encoding="utf-8")
    dataset = load_dataset(file)
    assert (dataset.name, len(dataset.items)) == ("qmsum", 2)
    file.write_text(json.dumps(made.meeting(), indent=4)[:-2], encoding="utf-8")
    with pytest.raises(BadInput, match=r"There is no JSON in .*covid_2\.json"):
        load_dataset(file, "qmsum")


def test_a_parquet_file_that_cant_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    file = tmp_path / "x.parquet"
    file.write_bytes(b"PAR1 and no more")
    with pytest.raises(BadInput, match=r"x\.parquet can't be read as Parquet: [^\n]+$"):
        load_dataset(file)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(BadInput, match=r"x\.parquet needs one more package: pip install pyarrow\."):
        load_dataset(file)


def test_every_form_is_recognised_or_read_by_its_name() -> None:
    of_kinds = {"narrativeqa-gutenberg", "narrativeqa-movie"}
    named = {*of_kinds, *(f"{each}-valid" for each in of_kinds), "locomo-corrected"}
    assert FORMS.keys() - WRITTEN.keys() == named | {"msc-retrieval-persona", "msc-retrieval-last"}
    assert MADE.keys() == {"nested-keys"}
    assert {scoring.profile for scoring in SCORING.values()} <= {"", *PROFILES}
