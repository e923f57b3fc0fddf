"""Datasets in their official file forms, each loaded by its own module, and recognised by the file's contents."""

from collections.abc import Callable, Set
from pathlib import Path
from typing import NamedTuple

from readgraph.evaluation.datasets import (
    beam,
    browse_comp,
    locomo,
    long_context,
    long_mem_eval,
    mind2web,
    msc,
    narrative_qa,
    own,
    passages,
    qmsum,
    quality,
    scrolls,
    synthetic,
)
from readgraph.evaluation.datasets.record_files import check_begins, first_value
from readgraph.evaluation.records import Dataset
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

__all__ = ["load_dataset"]


class Form(NamedTuple):
    """A file form: its name, a line about it, the keys by which its first record is recognised, and its loader.

    A form without keys is recognised by other means, or must be named.
    """

    name: str
    line: str
    keys: Set[str]
    load: Callable[[Path, int | None], Dataset]


NARRATIVE_QA = Form(
    "narrativeqa", "NarrativeQA's folder, of which the test set is taken.", frozenset(), narrative_qa.load
)

BEAM = Form("beam", "BEAM's folder of conversations, such as chats/100K.", frozenset(), beam.load)

MIND2WEB = Form("mind2web", "Mind2Web, such as test_task_0.json, or its folder.", mind2web.KEYS, mind2web.load)

RULER = Form(
    "ruler",
    "RULER, such as niah_multikey_1/validation.jsonl, or its folder.",
    synthetic.RULER_KEYS,
    synthetic.load_ruler,
)

BROWSE_COMP = Form(
    "browsecomp-plus",
    "BrowseComp-Plus, browsecomp_plus_decrypted.jsonl, or a folder with it and the corpus.",
    browse_comp.KEYS,
    browse_comp.load,
)

INFINITE_BENCH = Form(
    "infinite-bench",
    "∞Bench, such as passkey.jsonl, or its folder.",
    long_context.INFINITE_BENCH_KEYS,
    long_context.load_infinite_bench,
)

FORMS = {
    form.name: form
    for form in (
        Form("readgraph", "A document with its questions on each line.", own.KEYS, own.load),
        Form("quality", "QuALITY, such as QuALITY.v1.0.1.htmlstripped.dev.", quality.KEYS, quality.load),
        Form("squality", "SQuALITY, such as v1-3/txt/dev.jsonl.", quality.SQUALITY_KEYS, quality.load_squality),
        Form("qmsum", "QMSum, such as data/ALL/jsonl/test.jsonl.", qmsum.KEYS, qmsum.load),
        NARRATIVE_QA,
        Form("narrativeqa-gutenberg", "The same, books only.", frozenset(), narrative_qa.load_books),
        Form("narrativeqa-movie", "The same, film scripts only.", frozenset(), narrative_qa.load_scripts),
        Form("locomo", "LoCoMo, locomo10.json.", locomo.KEYS, locomo.load),
        Form("locomo-corrected", "The same with the errors.json beside it.", frozenset(), locomo.load_corrected),
        Form("longmemeval", "LongMemEval, such as longmemeval_s.json.", long_mem_eval.KEYS, long_mem_eval.load),
        Form("hotpotqa-long", "HotpotQA in long form, such as eval_50.json.",
             passages.HOTPOT_KEYS, passages.load_hotpot),
        RULER,
        Form("scrolls", "SCROLLS, such as summ_screen_fd/validation.jsonl.", scrolls.KEYS, scrolls.load),
        Form("nq-open", "NaturalQuestions over passages, nq-open-….jsonl.gz.", passages.NATURAL_QUESTIONS_KEYS,
             passages.load_natural_questions),
        MIND2WEB,
        Form("oolong", "OOLONG, synthetic or real, such as test.jsonl.",
             long_context.OOLONG_KEYS, long_context.load_oolong),
        Form("longbench-v2", "LongBench v2, data.json.", long_context.LONG_BENCH_KEYS, long_context.load_long_bench),
        INFINITE_BENCH,
        BROWSE_COMP,
        BEAM,
        Form("msc-retrieval", "MSC-Self-Instruct, msc_self_instruct.jsonl.", msc.RETRIEVAL_KEYS, msc.load_retrieval),
        Form("msc-openers", "Multi-Session Chat, such as session_5/test.txt.", msc.OPENER_KEYS, msc.load_openers),
    )
}  # fmt: skip

BY_THEIR_FILES: tuple[tuple[Callable[[Path], bool], Form], ...] = (
    (narrative_qa.recognise, NARRATIVE_QA),
    (mind2web.recognise, MIND2WEB),
    (beam.recognise, BEAM),
    (synthetic.recognise_ruler, RULER),
    (long_context.recognise_infinite_bench, INFINITE_BENCH),
    (browse_comp.recognise, BROWSE_COMP),
)
"""The forms that may be a folder, with what recognises it."""

MADE = {synthetic.NESTED_KEYS: synthetic.make_nested_keys}
"""Datasets that are generated and have no file."""

NAMES = (*FORMS, *MADE)
"""All names of datasets."""


def load_dataset(path: Path | None = None, name: str | None = None, items: int | None = None) -> Dataset:
    """The dataset in a file or folder, in the form of this name, or else in the form that is recognised.

    Args:
        path: The file or folder; generated datasets need none.
        name: The form's name.
        items: Most questions; the file is read no further.

    Raises:
        BadInput: If the form is unknown, or for a record (which the message names) that is not in this form.
    """
    if name is not None and name not in NAMES:
        raise BadInput(f"There is no dataset form '{name}': choose one of {', '.join(NAMES)}.")
    if path is None:
        if name not in MADE:
            raise BadInput(f"Name the dataset's file: only {' and '.join(MADE)} needs none.")
        return MADE[name](items)
    if name in MADE:
        raise BadInput(f"{name} is generated and has no file: leave {printable_path(path)} out.")
    if not path.exists():
        raise BadInput(f"There is no file {printable_path(path)}.")
    form = FORMS[name] if name else recognise_form(path)
    if form is None:
        check_begins(path)
        raise BadInput(
            f"{printable_path(path)} is not in a known form ({', '.join(FORMS)}): name its form with --dataset."
        )
    return form.load(path, items)


def recognise_form(path: Path) -> Form | None:
    """The form of a file or folder, by the keys of its first record; None if it is unknown."""
    for recognise, form in BY_THEIR_FILES:
        if recognise(path):
            return form
    value = first_value(path)
    keys = value.keys() if isinstance(value, dict) else set()
    return next((form for form in FORMS.values() if form.keys and form.keys <= keys), None)
