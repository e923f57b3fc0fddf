"""Datasets in their official file forms, each loaded by its own module, and recognised by the file's contents."""

from pathlib import Path

from readgraph import BadInput
from readgraph.sources.loading import fault_of, printable_path
from readgraph_evaluation.datasets import agents, conversations, locomo, long_context, passages, stories, synthetic
from readgraph_evaluation.datasets.forms import Form, check_begins, first_value
from readgraph_evaluation.datasets.own import own
from readgraph_evaluation.records import Dataset

__all__ = ["load_dataset"]

FORMS = {
    form.name: form
    for form in (
        *(own, stories.quality, stories.squality, stories.qmsum, *stories.narrative_qa),
        *(locomo.locomo, locomo.corrected, conversations.long_mem_eval, passages.hotpot, synthetic.ruler),
        *(long_context.scrolls, passages.natural_questions, agents.mind2web, long_context.oolong),
        *(long_context.long_bench, long_context.infinite_bench, passages.browse_comp, conversations.beam),
        *(conversations.memory_agent_bench, passages.finance_bench, agents.ama_bench, agents.long_mem_eval_v2),
        *(conversations.msc_retrieval, conversations.msc_retrieval_persona, conversations.msc_retrieval_last),
        *(conversations.msc_openers, long_context.oolong_pairs),
    )
}
MADE = {synthetic.NESTED_KEYS: synthetic.make_nested_keys}  # datasets that are generated and have no file
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
        raise fault_of(path, f"is not in a known form ({', '.join(FORMS)}): name its form with --dataset.")
    return form.load(path, items)


def recognise_form(path: Path) -> Form | None:
    """The form of a file or folder, by the keys of its first record; None if it is unknown."""
    if found := next((form for form in FORMS.values() if form.recognises(path)), None):
        return found
    value = first_value(path)
    keys = value.keys() if isinstance(value, dict) else set()
    return next((form for form in FORMS.values() if form.keys and form.keys <= keys), None)
