"""Datasets whose files are large, or hold more than one thing: summaries, tasks, corpora, corrected keys."""

import json
import tracemalloc
from pathlib import Path

import pytest

from evaluation.tests.support import datasets as made
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.plan import with_papers_settings
from readgraph_evaluation.records import Text


def test_squality(tmp_path: Path) -> None:
    file = made.lines(tmp_path / "dev.jsonl", made.squality_line("63833", "Mara lit it. ", "It was lit.", " "))
    dataset = load_dataset(file)
    plot, specific = dataset.items
    assert (plot.category, plot.summary, specific.category, specific.summary) == ("plot", True, "specific", False)
    assert plot.references == ("Mara lit it.", "It was lit.")
    assert (plot.id, specific.question) == ("63833-1", "Who is Mara?")
    assert [(text.id, text.title, text.text) for text in dataset.texts] == [
        ("63833", "The lamp at the head went out.", made.STORY)
    ]
    assert (dataset.name, dataset.profile, dataset.metrics[0]) == ("squality", "quality", "rouge_1")
    context = with_papers_settings(dataset, ReaderContext())
    assert (context.answer_length, context.answer_words) == ("free", 200)
    html = made.squality_line("1", "Lit.", story="<html><body><p>The lamp <i>went</i> out.</p></body></html>")
    assert load_dataset(made.lines(tmp_path / "html.jsonl", html)).texts[0].text == "The lamp went out."
    with pytest.raises(BadInput, match=r"line 1 of .*questions\.0\.responses"):
        load_dataset(made.lines(tmp_path / "test.jsonl", made.squality_line("1")))


def test_the_tasks_of_infinite_bench(tmp_path: Path) -> None:
    dataset = load_dataset(made.infinite(tmp_path))
    items = {item.category: item for item in dataset.items}
    assert items.keys() == made.INFINITE.keys() - {"longbook_sum_eng"}
    assert "longbook_sum_eng is left out" in dataset.note
    assert items["passkey"].question == "What is the pass key?"
    assert "$$MASK$$" in items["longdialogue_qa_eng"].question, "where a record has no question, the task has one"
    assert items["kv_retrieval"].references == ("c-d",) and items["code_run"].references == ("-7",)
    assert (items["math_calc"].references, items["math_calc"].together) == (("1", "4", "8"), True)
    assert [items[task].correct for task in ("longbook_choice_eng", "code_debug")] == [1, 1]
    assert items["code_debug"].options[1] == "light" and not items["code_debug"].references
    assert (dataset.metrics, dataset.answers.answer_length) == (("infinite_bench",), "phrase")
    assert load_dataset(tmp_path, items=2).items == dataset.items[:2]


def test_the_summaries_of_infinite_bench_are_a_dataset_of_their_own(tmp_path: Path) -> None:
    made.infinite(tmp_path, "longbook_sum_eng")
    for path in (tmp_path, tmp_path / "longbook_sum_eng.jsonl"):
        dataset = load_dataset(path)
        (item,) = dataset.items
        assert item.summary and item.references == ("Mara lit the lamp.",)
        assert (dataset.name, dataset.answers.answer_length, dataset.note) == ("infinite-bench-sum", "free", "")


def test_infinite_bench_without_its_names(tmp_path: Path) -> None:
    file = made.infinite(tmp_path, "passkey") / "passkey.jsonl"
    with pytest.raises(BadInput, match=r"x\.jsonl doesn't name its task"):
        load_dataset(file.rename(tmp_path / "x.jsonl"))
    with pytest.raises(BadInput, match="holds no tasks of ∞Bench"):
        load_dataset(tmp_path, "infinite-bench")
    record = {"context": "x", "input": "Which?", "answer": "E", "options": ["A", "B"]}
    with pytest.raises(BadInput, match=r"line 1 .*none of the options"):
        load_dataset(made.lines(tmp_path / "code_debug.jsonl", record))
    with pytest.raises(BadInput, match=r"line 1 .*there is no question"):
        load_dataset(made.lines(tmp_path / "math_find.jsonl", {**record, "input": ""}))


def audited(question_id: str, question: str, **correction: object) -> dict[str, object]:
    return {"question_id": question_id, "question": question, "golden_answer": "x", **correction}


CORRECTED = [
    audited("locomo_0_qa0", "When did Ann light the lamp?", error_type="TEMPORAL_ERROR",
            correct_answer="7 May 2023 (a Sunday)", correct_evidence=["D1:1"]),
    audited("locomo_0_qa9", "What did Ben share and buy?", error_type="WRONG_CITATION",
            correct_answer="all of it", correct_evidence=["D10:1"]),
    audited("locomo_0_qa3", "What  sank?", error_type="ATTRIBUTION_ERROR", correct_answer="It was Ben's boat."),
]  # fmt: skip


def test_locomo_with_a_corrected_key(tmp_path: Path) -> None:
    file = made.array(tmp_path / "locomo10.json", made.locomo_sample())
    made.array(tmp_path / "errors.json", *CORRECTED)
    for path in (file, tmp_path):
        dataset = load_dataset(path, "locomo-corrected")
        temporal, several, opinion, adversarial = dataset.items
        assert temporal.references == ("7 May 2023",), "a remark behind the answer is none of it"
        text = dataset.texts[0].text
        assert [text[slice(*span)] for span in several.evidence] == ["Ann: The boat sank."]
        assert several.references == ("a boat, oil",), "only the citation was wrong"
        assert [item.id for item in dataset.items] == ["conv-1-q0", "conv-1-q1", "conv-1-q2", "conv-1-q4"]
        assert opinion.references == ("No; it sank",) and adversarial.unanswerable
        assert dataset.note == "By errors.json: 1 answer and 1 citation corrected, 1 question left out, being at fault."
        assert (dataset.name, dataset.metrics) == ("locomo-corrected", load_dataset(file).metrics)
    assert load_dataset(file).items[0].references == ("2022",), "the official key stays"


def test_corrections_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    file = made.array(tmp_path / "locomo10.json", made.locomo_sample())
    with pytest.raises(BadInput, match=r"there is no errors\.json"):
        load_dataset(file, "locomo-corrected")
    made.array(tmp_path / "errors.json", audited("locomo_0_qa1", "Who rowed?"))
    with pytest.raises(BadInput, match=r"errors\.json corrects locomo_0_qa1, which is no question"):
        load_dataset(file, "locomo-corrected")
    made.array(tmp_path / "errors.json", audited("q1", "Who rowed?"))
    with pytest.raises(BadInput, match="question_id must be as in"):
        load_dataset(file, "locomo-corrected")


def browse(folder: Path) -> Path:
    asked = [made.browse_query(1, [1, 2], [1], [3]), made.browse_query(2, [4], [4], [3, 5])]
    return made.lines(folder / "browsecomp_plus_decrypted.jsonl", *asked)


def shown(text: Text, *spans: tuple[int, int]) -> list[str]:
    return [text.text[start:end][-len("Lamp 1.") :] for start, end in spans]


def test_browse_comp_over_its_whole_corpus(tmp_path: Path) -> None:
    file = browse(tmp_path)
    made.lines(tmp_path / "corpus" / "pages.jsonl", *(made.page(number) for number in (9, 4, 1, 2, 3, 5, 1)))
    dataset = load_dataset(tmp_path)
    (text,) = dataset.texts
    assert len(text.documents) == 6 and {item.text for item in dataset.items} == {text.id}
    first, second = dataset.items
    assert (first.id, first.question, first.references) == ("1", "Who lit lamp 1?", ("Mara",))
    assert shown(text, *first.evidence) == ["Lamp 1.", "Lamp 2."] and shown(text, *second.evidence) == ["Lamp 4."]
    assert dataset.note == "" and dataset.metrics[0] == "judged_accuracy"
    assert len(load_dataset(tmp_path, items=1).texts[0].documents) == 6, "the corpus stays whole"
    with pytest.raises(BadInput, match="needs one file of questions"):
        load_dataset(file.rename(tmp_path / "corpus" / "deeper.txt").parent, "browsecomp-plus")


def test_browse_comp_over_the_pages_of_the_questions(tmp_path: Path) -> None:
    dataset = load_dataset(browse(tmp_path), items=1)
    assert len(dataset.items) == 1 and len(dataset.texts[0].documents) == 3
    assert "their own 3 pages" in dataset.note


def test_encrypted_questions_are_named_so(tmp_path: Path) -> None:
    asked = {**made.browse_query(1, [1], [1], []), "query": "mQENXEQ8o3Adf/f2ZxQ+bUjX3g8VkAOqUFc="}
    with pytest.raises(BadInput, match=r"line 1 .*the question is encrypted"):
        load_dataset(made.lines(tmp_path / "test.jsonl", asked))


def test_several_documents_are_one_text_that_is_held_once() -> None:
    text = Text.of_documents("a", "A", ["One lamp.", "Two", "One lamp.", "lamps."])
    assert text.text == "".join(text.documents_to_store) == "One lamp.\n\nTwo\n\nlamps."
    assert ["".join(text.documents_to_store)[slice(*part)] for part in text.parts] == [*text.documents_to_store]
    assert (text.words, text.whole, text.is_empty) == (4, "", False)
    assert json.dumps(text.documents) == '["One lamp.", "Two", "lamps."]'


def test_a_corpus_is_in_memory_once_while_it_is_read(tmp_path: Path) -> None:
    pages = ({"docid": str(number), "text": f"{number} " + "lamp " * 4000} for number in range(150))
    made.lines(tmp_path / "corpus.jsonl", *pages)
    browse(tmp_path)
    load_dataset(tmp_path, items=1)  # what is imported, and patterns that are compiled, are there from now on
    tracemalloc.start()
    (text,) = load_dataset(tmp_path).texts
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * sum(map(len, text.documents))
