"""Datasets in their official file forms, each loaded by its own module, and recognised by the file's contents."""

from pathlib import Path

from readgraph.evaluation.datasets.conversations import (
    beam,
    long_mem_eval,
    memory_agent_bench,
    msc_openers,
    msc_retrieval,
    msc_retrieval_last,
    msc_retrieval_persona,
)
from readgraph.evaluation.datasets.forms import Form
from readgraph.evaluation.datasets.locomo import corrected, locomo
from readgraph.evaluation.datasets.long_context import (
    ama_bench,
    infinite_bench,
    long_bench,
    oolong,
    oolong_pairs,
    scrolls,
)
from readgraph.evaluation.datasets.mind2web import mind2web
from readgraph.evaluation.datasets.own import own
from readgraph.evaluation.datasets.passages import browse_comp, finance_bench, hotpot, natural_questions
from readgraph.evaluation.datasets.record_files import check_begins, first_value
from readgraph.evaluation.datasets.stories import (
    books,
    books_to_validate,
    narrative_qa,
    qmsum,
    quality,
    scripts,
    scripts_to_validate,
    squality,
)
from readgraph.evaluation.datasets.synthetic import NESTED_KEYS, make_nested_keys, ruler
from readgraph.evaluation.records import Dataset
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

__all__ = ["load_dataset"]


FORMS = {
    form.name: form
    for form in (
        *(own, quality, squality, qmsum, narrative_qa, books, scripts, locomo, corrected, long_mem_eval, hotpot),
        *(ruler, scrolls, natural_questions, mind2web, oolong, long_bench, infinite_bench, browse_comp, beam),
        *(memory_agent_bench, finance_bench, ama_bench),
        *(
            msc_retrieval,
            msc_retrieval_persona,
            msc_retrieval_last,
            msc_openers,
            books_to_validate,
            scripts_to_validate,
            oolong_pairs,
        ),
    )
}

MADE = {NESTED_KEYS: make_nested_keys}  # datasets that are generated and have no file
NAMES = (*FORMS, *MADE)


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
    for form in FORMS.values():
        if form.recognise and form.recognise(path):
            return form
    value = first_value(path)
    keys = value.keys() if isinstance(value, dict) else set()
    return next((form for form in FORMS.values() if form.keys and form.keys <= keys), None)
