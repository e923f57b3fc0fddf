"""Each dataset in its official file form: what its texts, questions and evidence become."""

import re
from pathlib import Path

import pytest

from evaluation.tests.support import datasets as made
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.judges.judging import rule_of
from readgraph_evaluation.metrics import METRICS, metrics_for_question
from readgraph_evaluation.plan import with_papers_settings
from readgraph_evaluation.records import Dataset, Item, Outcome
from readgraph_evaluation.reproducing import figures_of_papers
from tests.support.examples import EXAMPLES


def evidence(dataset: Dataset, item: Item) -> list[str]:
    text = dataset.text(item.text).text
    return [text[start:end] for start, end in item.evidence]


def questions(dataset: Dataset) -> list[str]:
    return [item.question for item in dataset.items]


def test_quality(tmp_path: Path) -> None:
    one = made.quality_line("one", made.quality_question(1, 4, 1), made.quality_question(2, 1, 0))
    two = made.quality_line("two", made.quality_question(3, 2, 1))
    dataset = load_dataset(made.lines(tmp_path / "QuALITY.v1.0.1.htmlstripped.dev", one, two))
    assert [text.text for text in dataset.texts] == [made.STORY]
    assert dataset.texts[0].title == "The Lamp"
    assert [item.id for item in dataset.items] == ["11111_W_1", "11111_W_2", "11111_W_3"]
    assert [item.correct for item in dataset.items] == [3, 0, 1]
    assert [item.category for item in dataset.items] == ["hard", "easy", "hard"]
    assert dataset.items[0].options == ("oil", "dawn", "a stair", "a lamp")
    assert (dataset.name, dataset.metrics, dataset.profile) == ("quality", ("accuracy",), "quality")


def test_quality_with_its_html(tmp_path: Path) -> None:
    article = "<html><body><p>The lamp <i>went</i> out.</p><p>It burned again.</p></body></html>"
    line = made.quality_line("one", made.quality_question(1, 4, 1), article=article)
    dataset = load_dataset(made.lines(tmp_path / "QuALITY.v1.0.1.dev", line))
    assert dataset.texts[0].text == "The lamp went out.\n\nIt burned again."


def test_qmsum(tmp_path: Path) -> None:
    dataset = load_dataset(made.lines(tmp_path / "test.jsonl", made.meeting(), made.meeting()))
    assert [text.id for text in dataset.texts] == ["test-1", "test-2"]
    turns = ["Chair: We begin .", "Clerk: The lamp is out .", "Chair: Get oil .", "Clerk: Done ."]
    assert dataset.texts[0].text == "\n".join(turns)
    general, specific = dataset.items[:2]
    assert (general.category, general.evidence) == ("general", ())
    assert specific.references == ("The clerk.",)
    assert evidence(dataset, specific) == ["Clerk: The lamp is out .\nChair: Get oil .", "Clerk: Done ."]
    assert dataset.profile == "qmsum"
    context = with_papers_settings(dataset, ReaderContext())
    assert (context.answer_length, context.answer_words, context.max_pages) == ("paragraph", 75, 6)
    context = with_papers_settings(dataset, ReaderContext(answer_length="sentence"))
    assert (context.answer_length, context.answer_words) == ("sentence", None)
    assert context.stretches == 1, "a text is read in the paper's order"


def test_locomo(tmp_path: Path) -> None:
    dataset = load_dataset(made.array(tmp_path / "locomo10.json", made.locomo_sample()))
    assert (dataset.answers.answer_length, dataset.answers.answer_dates) == ("phrase", "7 May 2023")
    (text,) = dataset.texts
    assert text.title == "Ann & Ben"
    times = ["1:56 pm on 8 May, 2023", "3 pm on 9 May, 2023", "2 pm on 1 June, 2023"]
    assert [session.time for session in text.sessions] == times, "by their numbers, without those that have no turns"
    assert text.sessions[0].text.endswith("Ann: I lit the lamp yesterday.\nBen: Look! [shares a photo of a boat]")
    temporal, several, opinion, single, adversarial = dataset.items
    categories = ["temporal", "multi-hop", "open-domain", "single-hop", "adversarial"]
    assert [item.category for item in dataset.items] == categories
    assert temporal.references == ("2022",)
    assert evidence(dataset, several) == ["Ben: Look! [shares a photo of a boat]", "Ben: I bought oil."]
    assert opinion.references == ("No; it sank",) and not opinion.evidence
    assert evidence(dataset, single) == ["Ann: The boat sank."]
    assert adversarial.unanswerable and not adversarial.references
    assert not any(item.unanswerable for item in dataset.items[:4])
    assert {item.rule for item in dataset.items} == {"generous"}
    assert metrics_for_question(["judged_accuracy"], single) and not metrics_for_question(
        ["judged_accuracy"], adversarial
    )


@pytest.mark.parametrize("marked", [True, False])
def test_long_mem_eval(tmp_path: Path, marked: bool) -> None:
    asked = [made.long_mem_question("q1", marked), made.long_mem_question("q2_abs", marked)]
    dataset = load_dataset(made.array(tmp_path / "longmemeval_oracle.json", *asked))
    text = dataset.texts[0]
    assert [session.time for session in text.sessions] == ["2023/05/20 (Sat) 02:21", "2023/05/30 (Tue) 23:40"]
    known, unknown = dataset.items
    assert known.question == "Today is 2023/06/01 (Thu) 10:00. Where is my oil?"
    assert (known.references, known.category, known.unanswerable) == (("7",), "single-session-user", False)
    assert known.addressed and known.addressed[:3] == ("assistant", "user", known.question)
    rest = [] if marked else ["assistant: Noted:\n\n1. oil\n2. shed"]
    assert evidence(dataset, known) == ["user: My oil is in shed 7.", *rest]
    assert (unknown.category, unknown.unanswerable, unknown.evidence) == ("abstention", True, ())
    assert [rule_of(item) for item in dataset.items] == ["steps", "abstention"]


def test_long_mem_eval_is_judged_by_the_type_of_the_question(tmp_path: Path) -> None:
    rules = {"temporal-reasoning": "temporal", "knowledge-update": "update", "single-session-preference": "preference"}
    rules |= dict.fromkeys(["multi-session", "single-session-assistant"], "steps")
    asked = [made.long_mem_question(kind) | {"question_type": kind} for kind in rules]
    dataset = load_dataset(made.array(tmp_path / "longmemeval_s.json", *asked))
    assert {item.category: rule_of(item) for item in dataset.items} == rules
    assert dataset.metrics[0] == "judged_accuracy"


def test_hotpot_long(tmp_path: Path) -> None:
    asked = {
        "index": 3,
        "input": "Who lit it?",
        "context": "Document 1:\nLamp\nMara lit it.\n\nDocument 2:\nOil\nOil burns.",
        "answers": ["Mara"],
        "num_docs": 2,
    }
    dataset = load_dataset(made.array(tmp_path / "eval_50.json", asked))
    assert dataset.texts[0].text == asked["context"]
    (item,) = dataset.items
    assert (item.question, item.references, item.category) == ("Who lit it?", ("Mara",), "2 documents")
    assert dataset.metrics[0] == "f1"


def test_natural_questions(tmp_path: Path) -> None:
    asked = {"question": "who lit it", "answers": ["Mara", "Mara K."]}
    file = tmp_path / "nq-open-3_total_documents_gold_at_1.jsonl.gz"
    dataset = load_dataset(
        made.lines(
            file,
            {**asked, "ctxs": made.passages(gold=1, count=3), "nq_annotated_gold": {}},
            {**asked, "ctxs": made.passages(gold=9, count=2)},
        )
    )
    text = dataset.texts[0]
    assert text.text.rstrip() == "Title 0\nText 0.\n\nTitle 1\nText 1.\n\nTitle 2\nText 2."
    assert [text.text[start:end].split("\n")[0] for start, end in text.parts] == ["Title 0", "Title 1", "Title 2"]
    gold, retrieved = dataset.items
    assert evidence(dataset, gold) == ["Title 1\nText 1."]
    assert evidence(dataset, retrieved) == ["Title 0\nText 0."], "none is gold: those that hold an answer"
    assert (gold.references, gold.category, gold.together) == (("Mara", "Mara K."), "3 documents", False)


@pytest.mark.parametrize("task", made.RULER)
@pytest.mark.parametrize("newlines", [True, False])
def test_ruler(tmp_path: Path, task: str, newlines: bool) -> None:
    prompt, text, question = (part if newlines else " ".join(part.split()) for part in made.RULER[task])
    dataset = load_dataset(made.lines(tmp_path / task / "validation.jsonl", made.made(4, prompt, ["7", "8", "7"])))
    (item,) = dataset.items
    assert (dataset.text(item.text).text, item.question) == (text, question)
    group = {"cwe": "cwe and fwe", "fwe": "cwe and fwe"}.get(task, task.partition("_")[0])
    assert (item.id, item.category, item.references) == (f"{task}-4-q", group, ("7", "8"))
    assert item.together == (task != "qa_1"), "of question answering each output is right, of the others all together"
    assert load_dataset(made.lines(tmp_path / "mine.jsonl", made.made(4, prompt, ["7"]))).items[0].category == group


def test_ruler_s_tasks_together(tmp_path: Path) -> None:
    for task, (prompt, *_) in made.RULER.items():
        made.lines(tmp_path / "ruler" / task / "validation.jsonl", *(made.made(each, prompt, ["7"]) for each in (0, 1)))
    dataset = load_dataset(tmp_path / "ruler")
    assert dataset.name == "ruler" and len(dataset.items) == len(dataset.texts) == 2 * len(made.RULER)
    assert {item.category for item in dataset.items} <= {str(one["category"]) for one in figures_of_papers("ruler")}
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="holds no tasks of RULER"):
        load_dataset(tmp_path / "empty", "ruler")


def test_ruler_with_other_templates(tmp_path: Path) -> None:
    file = made.lines(tmp_path / "vt.jsonl", made.made(0, "Which lamp?", ["7"]))
    with pytest.raises(BadInput, match=r"line 1 of .*vt\.jsonl.*RULER"):
        load_dataset(file)


def test_summaries_of_scrolls(tmp_path: Path) -> None:
    line = {"id": "fd_1", "pid": "fd_1_0", "input": made.STORY, "output": "Mara lit it."}
    again = {**line, "pid": "fd_1_1", "output": "It was lit."}
    dataset = load_dataset(made.lines(tmp_path / "summ_screen_fd" / "validation.jsonl", line, again))
    (item,) = dataset.items
    assert dataset.text(item.text).text == made.STORY
    assert item.references == ("Mara lit it.", "It was lit.")
    assert (dataset.name, dataset.profile) == ("summscreenfd", "screenplay")
    report = load_dataset(made.lines(tmp_path / "gov_report" / "test.jsonl", line))
    assert (report.name, report.profile) == ("govreport", "report")


def test_questions_of_scrolls(tmp_path: Path) -> None:
    asked = [("Who lit it?", "Mara"), ("Who sank?", "unanswerable")]
    rows = [
        {"id": f"q{n}", "pid": f"q{n}_0", "input": f"{question}\n\n{made.STORY}", "output": answer}
        for n, (question, answer) in enumerate(asked)
    ]
    dataset = load_dataset(made.lines(tmp_path / "qasper" / "validation.jsonl", *rows))
    assert [text.text for text in dataset.texts] == [made.STORY], "one text, whatever it is asked"
    assert questions(dataset) == ["Who lit it?", "Who sank?"]
    assert [item.unanswerable for item in dataset.items] == [False, True]


def test_quality_of_scrolls(tmp_path: Path) -> None:
    asked = f"Who lit it?\n\n (A) Ben\n (B) Mara\n  K.\n (C) Ann (B)\n (D) no one\n\n\n{made.STORY}"
    row = {"id": "1", "pid": "1_0", "input": asked, "output": "Mara K."}
    dataset = load_dataset(made.lines(tmp_path / "quality" / "validation.jsonl", row))
    (item,) = dataset.items
    assert (item.question, item.correct, item.references) == ("Who lit it?", 1, ())
    assert item.options == ("Ben", "Mara K.", "Ann (B)", "no one")
    assert dataset.text(item.text).text == made.STORY
    file = made.lines(tmp_path / "quality" / "test.jsonl", {**row, "output": "Eve"})
    with pytest.raises(BadInput, match=r"line 1 .* not one of four options"):
        load_dataset(file)


def test_scrolls_without_the_name_of_its_set(tmp_path: Path) -> None:
    file = made.lines(tmp_path / "some.jsonl", {"id": "1", "pid": "1", "input": "x", "output": "y"})
    with pytest.raises(BadInput, match="summ_screen_fd"):
        load_dataset(file)


@pytest.mark.parametrize("opener", ["Speaker 1", "Speaker 2"])
def test_openers_of_multi_session_chat(tmp_path: Path, opener: str) -> None:
    dataset = load_dataset(made.lines(tmp_path / "session_3" / "test.txt", made.chat(opener)))
    (item,) = dataset.items
    (text,) = dataset.texts
    assert text.text.startswith(
        "9 days ago\nSpeaker 1: Hello, I keep a lamp.\nSpeaker 2: Hello, I row.\n\n2 days ago\n"
    )
    assert "Did you row" not in text.text
    assert item.question.startswith(f"You are {opener} ")
    assert item.references == ("Did you row today?",)
    assert item.about == ("I keep a lamp.", "I sleep by day.", "I row a boat.")
    assert dataset.metrics == ("csim_1", "csim_3", "csim_h")


def test_retrieval_of_multi_session_chat(tmp_path: Path) -> None:
    probed = {**made.chat(), "self_instruct": {"A": "A lamp!", "B": "What do you keep?"}, "summary_speaker_1": []}
    dataset = load_dataset(made.lines(tmp_path / "msc_self_instruct.jsonl", probed))
    (item,) = dataset.items
    assert dataset.name == "msc-retrieval"
    assert len(dataset.texts[0].sessions) == 3 and "Did you row today?" in dataset.texts[0].text
    assert "What do you keep?" in item.question and item.references == ("A lamp!",)
    (known,) = load_dataset(tmp_path / "msc_self_instruct.jsonl", "msc-retrieval-persona").items
    assert known.question == f"Speaker 1: I keep a lamp. I sleep by day.\nSpeaker 2: I row a boat.\n\n{item.question}"
    assert known.addressed and known.addressed.known == ("I keep a lamp. I sleep by day.", "I row a boat.")
    last = load_dataset(tmp_path / "msc_self_instruct.jsonl", "msc-retrieval-last")
    assert len(last.texts[0].sessions) == 2 and "Speaker 1: Did you row today?" in last.items[0].question
    without = {key: value for key, value in probed.items() if key != "personas"}
    with pytest.raises(BadInput, match="'personas'"):
        load_dataset(made.lines(tmp_path / "x.jsonl", without), "msc-retrieval-persona")


def test_narrative_qa(tmp_path: Path) -> None:
    stories = {
        "book": ("test", "gutenberg", made.STORY.encode()),
        "film": ("test", "movie", b"<html><title>Lamp</title><pre>INT. STAIR\n\nMara climbs.</pre></html>"),
        "gone": ("test", "movie", None),
        "early": ("train", "gutenberg", made.STORY.encode()),
    }
    folder = made.narrative_qa(tmp_path / "narrativeqa", stories)
    dataset = load_dataset(folder)
    assert [(text.id, text.title) for text in dataset.texts] == [("book", "Lamp, The"), ("film", "Lamp, The")]
    assert dataset.texts[0].text == made.STORY
    assert "INT. STAIR" in dataset.texts[1].text and "<pre>" not in dataset.texts[1].text
    assert [item.category for item in dataset.items] == ["gutenberg", "gutenberg", "movie", "movie"]
    assert dataset.items[0].references == ("Mara", "Mara the keeper")
    assert dataset.note == "1 of 3 stories are missing."
    assert load_dataset(folder / "qaps.csv").items == dataset.items
    books = load_dataset(folder, "narrativeqa-gutenberg")
    assert (books.name, books.profile, len(books.texts), books.note) == ("narrativeqa-gutenberg", "gutenberg", 1, "")
    assert load_dataset(folder, "narrativeqa-movie").profile == "movie"


def test_narrative_qa_without_its_stories(tmp_path: Path) -> None:
    folder = made.narrative_qa(tmp_path / "narrativeqa", {"gone": ("test", "movie", None)})
    with pytest.raises(BadInput, match=r"download_stories\.sh"):
        load_dataset(folder)


def test_nested_keys_need_no_file(tmp_path: Path) -> None:
    dataset = load_dataset(name="nested-keys")
    assert len(dataset.items) == len(dataset.texts) == 150
    for item in dataset.items:
        pairs = evidence(dataset, item)
        key, value = pairs[-1].removeprefix("Key: ").removesuffix(".").split(", value: ")
        assert item.references == (value,)
        assert f"Key: {value}" not in dataset.text(item.text).text
        assert item.question.count(pairs[0][5:41]) == 1 and (key in item.question) == (len(pairs) == 1)
    nestings = ["0 nestings", "1 nesting", "2 nestings", "3 nestings", "4 nestings"]
    assert [item.category for item in dataset.items[::30]] == nestings
    assert load_dataset(name="nested-keys", items=2).items == dataset.items[:2]
    with pytest.raises(BadInput, match="no file"):
        load_dataset(tmp_path, "nested-keys")
    with pytest.raises(BadInput, match="nested-keys"):
        load_dataset()


def test_oolong(tmp_path: Path) -> None:
    answers = ["['spam', 'ham']", "[2]", "[datetime.date(2023, 4, 5)]", "Vex, Keyleth"]
    rows = [made.oolong_row(number, answer) for number, answer in enumerate(answers)]
    rows[1] |= {"answer_type": "ANSWER_TYPE.MONTH_YEAR"}
    dataset = load_dataset(made.lines(tmp_path / "test.jsonl", *rows))
    assert [item.references for item in dataset.items] == [("spam",), ("2",), ("2023-04-05",), ("Vex; Keyleth",)]
    assert [item.groups for item in dataset.items] == [(), ("month year",), (), ()]
    assert [text.id for text in dataset.texts] == ["spam 7"] and dataset.items[0].category == "counting"
    assert (dataset.name, dataset.metrics[0]) == ("oolong", "aggregation")


def test_oolong_pairs(tmp_path: Path) -> None:
    dataset = load_dataset(made.oolong_pairs(tmp_path))
    assert (dataset.name, dataset.metrics, len(dataset.texts)) == ("oolong-pairs", ("pairs_f1",), 1)
    assert dataset.items[0].references == ("(22, 35)",) and "User: 22" in dataset.texts[0].text
    assert load_dataset(tmp_path / "oolong-pairs-1024.json").items == dataset.items
    (tmp_path / "validation.jsonl").unlink()
    with pytest.raises(BadInput, match="no window of trec_coarse of 1,024 tokens"):
        load_dataset(tmp_path)


def test_longbench_v2(tmp_path: Path) -> None:
    dataset = load_dataset(made.array(tmp_path / "data.json", made.long_bench_item("1"), made.long_bench_item("2")))
    assert [item.correct for item in dataset.items] == [2, 2] and len(dataset.texts) == 1
    assert (dataset.items[0].category, dataset.items[0].groups) == ("hard", ("long", "Novel"))
    assert dataset.metrics[0] == "accuracy"


def test_beam(tmp_path: Path) -> None:
    (tmp_path / "100K" / "1").mkdir(parents=True)
    folder = made.beam(tmp_path / "100K" / "1")
    for path in (folder, folder.parent):
        dataset = load_dataset(path)
        first, second = dataset.texts[0].text.strip().split("\n\n")
        assert (first, second) == ("March 15 2024\nuser: I keep the lamp.\nhelper: Noted.", "user: No oil.")
        declined, updated = dataset.items
        assert (declined.rubric, updated.rubric) == (("Says it isn't.",), ())
        assert declined.unanswerable and (updated.references, updated.category) == (("None.",), "knowledge_update")
        assert evidence(dataset, updated) == ["user: I keep the lamp.", "user: No oil."]
    with pytest.raises(BadInput, match="no folder of BEAM"):
        load_dataset(tmp_path, "beam")


def test_the_texts_of_own_questions_may_stand_in_files_beside_them(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("The lamp was out.", encoding="utf-8")
    line = {"doc_id": "log", "text_file": "log.txt", "questions": [{"question": "What was out?", "answer": "the lamp"}]}
    assert load_dataset(made.lines(tmp_path / "own.jsonl", line)).texts[0].text == "The lamp was out."
    for name in ("../own.jsonl", "missing.txt"):
        with pytest.raises(BadInput):
            load_dataset(made.lines(tmp_path / "own.jsonl", {**line, "text_file": name}))


def test_the_shipped_questions_about_whole_texts() -> None:
    dataset = load_dataset(EXAMPLES / "whole-text.jsonl")
    assert (dataset.name, len(dataset.items), len(dataset.texts)) == ("whole-text", 40, 3)
    for item in dataset.items:
        if word := re.search(r'(?:word|name) "(\w+)"', item.question):
            text = dataset.text(item.text).text
            assert item.references == (str(len(re.findall(rf"(?i)(?<!\w){word[1]}(?!\w)", text))),)


def test_memory_agent_bench(tmp_path: Path) -> None:
    kept = made.memory_agent_record(
        "factconsolidation_sh_6k", ("Who keeps it?", ["Mara", "Mara", " "]), ("Oil?", ["7"])
    )
    films = made.memory_agent_record("recsys_redial_full", ("A film?", ["2071"]))
    summed = made.memory_agent_record("infbench_sum_eng_shots2", ("Sum it up.", ["A lamp."]))
    dataset = load_dataset(made.lines(tmp_path / "x.jsonl", kept, films, summed))
    one, two, summary = dataset.items
    assert (one.id, one.references, one.category) == ("factconsolidation_sh_6k_no0", ("Mara",), "conflict resolution")
    assert one.groups == ("factconsolidation_sh_6k",) and two.text == one.text
    assert summary.summary and summary.category == "long-range understanding"
    assert dataset.metrics[0] == "subspan_accuracy" and len(dataset.texts) == 2
    uneven = kept | {"answers": [["Mara"]]}
    with pytest.raises(BadInput, match="there are 2 questions and 1 answers"):
        load_dataset(made.lines(tmp_path / "uneven.jsonl", uneven))


def test_finance_bench(tmp_path: Path) -> None:
    dataset = load_dataset(made.finance_bench(tmp_path))
    (item,) = dataset.items
    assert (item.references, item.category, dataset.licence) == (("412 crowns",), "metrics-generated", "CC BY-NC 4.0")
    assert [each.strip() for each in evidence(dataset, item)] == ["Oil cost 412 crowns."]
    (tmp_path / "pdfs" / "LAMPS_2022_10K.pdf").unlink()
    with pytest.raises(BadInput, match="put its PDFs into a folder 'pdfs' beside it"):
        load_dataset(tmp_path / "data" / "financebench_open_source.jsonl")


def test_ama_bench(tmp_path: Path) -> None:
    dataset = load_dataset(made.lines(tmp_path / "open_end_qa_set.jsonl", made.ama_episode(0), made.ama_episode(7)))
    one, other = dataset.items
    assert (one.references, one.category, one.groups) == (("The lamp.",), "A", ("GAME", "textworld"))
    assert other.text == "episode-7" and dataset.metrics[0] == "judged_accuracy"
    text = dataset.text("episode-7").text
    assert text == (
        "Find the gate.\n\nStep 0:\nAction: light the lamp\nObservation: It burns.\n\n"
        "Step 1:\nAction: go north\nObservation: A gate."
    )


def test_long_mem_eval_v2(tmp_path: Path) -> None:
    dataset = load_dataset(made.long_mem_eval_v2(tmp_path / "data"))
    assert dataset.note == "1 of 7 questions are about a picture and are left out."
    (text,) = dataset.texts
    assert [document.partition("\n")[0] for document in text.documents] == ["Goal: Light t2", "Goal: Light t1"]
    assert text.documents[1] == (
        "Goal: Light t1\nOutcome: success\n\nState 0\nPage: http://lamps/\n[1] link 'Lamps'\n"
        "Thought: To the lamps.\nAction: click('1')\n\nState 1\nPage: http://lamps/\n[2] button 'Oil'"
    )
    kinds = {item.id: (item.category, item.groups, item.rule) for item in dataset.items}
    assert kinds["all"] == ("static-environment", ("web", "norm_phrase_set_match"), "")
    assert kinds["gotcha"] == ("errors-gotchas", ("web", "llm_gotchas_checker"), "generous")
    medium = load_dataset(tmp_path / "data" / "haystacks" / "lme_v2_medium.json", items=2)
    assert (len(medium.items), len(medium.texts[0].documents)) == (2, 1)
    trajectories = tmp_path / "data" / "trajectories.jsonl"
    trajectories.write_text("".join(trajectories.read_text().splitlines(keepends=True)[1:]))
    with pytest.raises(BadInput, match="has no trajectory 't1': download it again"):
        load_dataset(tmp_path / "data")


@pytest.mark.parametrize(
    ("name", "answer", "score"),
    [
        ("all", "The sign in, and the oil.", 100),
        ("all", "Oil", 0),
        ("all", "Oils and sign-ins", 0),
        ("order", "first a b, then c", 100),
        ("order", "c, a b", 0),
        ("letter", "Option b.", 100),
        ("letter", "B or C", 0),
        ("letters", "I think so. \\boxed{C and A}", 100),
        ("letters", "A", 0),
        ("letters", "", 0),
        ("flaw", "There is no gate.", None),
        ("gotcha", "Oil first.", None),
    ],
)
def test_long_mem_eval_v2_is_scored_as_officially(tmp_path: Path, name: str, answer: str, score: float | None) -> None:
    item = load_dataset(made.long_mem_eval_v2(tmp_path)).by_id[name]
    assert METRICS["longmemeval_v2"].score_best(item, Outcome(name, "m", 0, "answered", answer)) == score
