"""Small files in the official formats of the datasets, with content of our own."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.source_files import write_pdf

STORY = "The lamp at the head went out.\n\nMara climbed the stair with oil.\n\nBy dawn it burned again."


def lines(file: Path, *values: Any) -> Path:
    """A file of JSON lines; compressed where its name says so."""
    data = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
    return file


def array(file: Path, *values: Any) -> Path:
    """A file of one JSON array."""
    file.write_text(json.dumps(values, indent=2, ensure_ascii=False), encoding="utf-8")
    return file


def quality_line(writer: str, *questions: dict[str, Any], article: str = STORY) -> dict[str, Any]:
    return {
        "article_id": "11111",
        "set_unique_id": f"11111_{writer}",
        "batch_num": "11",
        "writer_id": writer,
        "source": "made",
        "title": "The Lamp",
        "author": "nobody",
        "url": "none",
        "license": "none",
        "article": article,
        "questions": list(questions),
    }


def quality_question(number: int, gold: int, difficult: int) -> dict[str, Any]:
    return {
        "question": f"What was it, {number}?",
        "options": [" oil", "dawn ", "a stair", "a lamp"],
        "gold_label": gold,
        "writer_label": gold,
        "question_unique_id": f"11111_W_{number}",
        "difficult": difficult,
        "validation": [{"untimed_answer": 1}],
    }


def meeting() -> dict[str, Any]:
    said = [("Chair", "We begin ."), ("Clerk", "The lamp\nis out ."), ("Chair", "Get oil ."), ("Clerk", "Done .")]
    return {
        "topic_list": [{"topic": "Oil", "relevant_text_span": [["1", "2"]]}],
        "general_query_list": [{"query": "Sum it up.", "answer": "Oil was got."}],
        "specific_query_list": [
            {
                "query": "Who got oil?",
                "answer": "The clerk.",
                "relevant_text_span": [["1", "2"], ["3", "3"], ["3", "9"]],
            }
        ],
        "meeting_transcripts": [{"speaker": speaker, "content": content} for speaker, content in said],
    }


def locomo_sample() -> dict[str, Any]:
    conversation = {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I lit the lamp yesterday."},
            {
                "speaker": "Ben",
                "dia_id": "D1:2",
                "text": "Look!",
                "img_url": ["x"],
                "blip_caption": "a photo of a boat",
            },
        ],
        "session_10_date_time": "2 pm on 1 June, 2023",
        "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "The boat sank."}],
        "session_2_date_time": "3 pm on 9 May, 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "I bought oil."}],
        "session_3_date_time": "3 pm on 10 May, 2023",
    }
    asked = [
        ("When did Ann light the lamp?", 2022, ["D1:1"], 2),
        ("What did Ben share and buy?", "a boat, oil", ["D1:2; D2:1", "D9:99"], 1),
        ("Would Ann sail?", "No; it sank", [], 3),
        ("What sank?", "The boat", ["D10:1"], 4),
    ]
    qa: list[dict[str, Any]] = [
        {"question": question, "answer": answer, "evidence": evidence, "category": category}
        for question, answer, evidence, category in asked
    ]
    adversarial = {"question": "What did Ann buy?", "evidence": ["D2:1"], "category": 5, "adversarial_answer": "oil"}
    return {
        "sample_id": "conv-1",
        "conversation": conversation,
        "qa": [*qa, adversarial],
        "event_summary": {},
        "observation": {},
        "session_summary": {},
    }


def long_mem_question(identity: str, marked: bool = True) -> dict[str, Any]:
    def said(role: str, content: str, has_answer: bool) -> dict[str, Any]:
        return {"role": role, "content": content} | ({"has_answer": True} if has_answer and marked else {})

    return {
        "question_id": identity,
        "question_type": "single-session-user",
        "question": "Where is my oil?",
        "answer": 7,
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_dates": ["2023/05/30 (Tue) 23:40", "2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["b", "a"],
        "haystack_sessions": [
            [said("user", "My oil is in shed 7.", True), said("assistant", "Noted:\n\n1. oil\n2. shed", False)],
            [said("user", "Hello.", False), said("assistant", "Hello!", False)],
        ],
        "answer_session_ids": ["b"],
    }


def chat(opener: str = "Speaker 1") -> dict[str, Any]:
    def session(*said: str, back: str) -> dict[str, Any]:
        return {
            "dialog": [{"text": text} for text in said],
            "personas": [["I keep a lamp."], ["I row."]],
            "time_num": 2,
            "time_unit": "days",
            "time_back": back,
        }

    return {
        "personas": [["I keep a lamp.", "I sleep by day."], ["I row a boat."]],
        "dialog": [
            {"text": "Did you row today?", "id": opener, "convai2_id": "x"},
            {"text": "No, it blew.", "id": "Speaker 2" if opener == "Speaker 1" else "Speaker 1"},
        ],
        "metadata": {"initial_data_id": "test_1", "session_id": 4},
        "previous_dialogs": [
            session("Hello, I keep a lamp.", "Hello, I row.", back="9 days ago"),
            session("Still rowing?", "Yes.", back="2 days ago"),
        ],
        "init_personas": [["I keep a lamp."], ["I row."]],
    }


def narrative_qa(folder: Path, stories: dict[str, tuple[str, str, bytes | None]]) -> Path:
    """The repository's folder with these stories: id to (set, kind, content)."""
    folder.mkdir()
    documents = [
        "document_id,set,kind,story_url,story_file_size,wiki_url,wiki_title,story_word_count,story_start,story_end"
    ]
    questions = ["document_id,set,question,answer1,answer2,question_tokenized,answer1_tokenized,answer2_tokenized"]
    (folder / "tmp").mkdir()
    for identity, (subset, kind, content) in stories.items():
        documents.append(
            f'{identity},{subset},{kind},http://nowhere,9,http://nowhere,"Lamp, The",9,The lamp,burned again'
        )
        for number in (1, 2):
            asked = f'{identity},{subset},"Who climbed, {number}?",Mara,Mara the keeper,Who,Mara,Mara'
            questions.append(asked)
        if content is not None:
            (folder / "tmp" / f"{identity}.content").write_bytes(content)
    (folder / "documents.csv").write_text("\n".join(documents) + "\n", encoding="utf-8")
    (folder / "qaps.csv").write_text("\n".join(questions) + "\n", encoding="utf-8")
    return folder


def passages(gold: int, count: int) -> list[dict[str, Any]]:
    return [
        {"id": str(n), "title": f"Title {n}", "text": f"Text {n}.", "score": "1.0", "hasanswer": n in (gold, 0),
         "original_retrieval_index": n, "isgold": n == gold}
        for n in range(count)
    ]  # fmt: skip


def made(index: int, text: str, outputs: Sequence[str]) -> dict[str, Any]:
    return {"index": index, "input": text, "outputs": list(outputs), "length": len(text.split())}


NEEDLE = "What are all the special magic numbers for lamp and oil mentioned in the provided text?"
TRACK = "Track. chain(s) of variable assignment hidden in the following text."
FIND = "Find all variables that are assigned the value {} in the text above."
WORDS = "Numbered words. Memorize the ones that appear most often."
COMMON = "What are the 10 most common words in the above list?"
ANSWER = "Answer the question based on the given documents. Be brief."
CODED = "Do not provide any explanation. Dots are nothing. What are the three in the above coded text?"

RULER = {
    "niah_multiquery": (
        f"[INST] I will quiz you about the numbers afterwards.\nSo afterwards. It is 7.\n{NEEDLE} [/INST] They are",
        "So afterwards. It is 7.",
        NEEDLE,
    ),
    "vt": (
        f"{TRACK}\n\nVAR A = 1 \nQuestion: {FIND.format(1)} Answer: A\n\n"
        f"{TRACK}\n\nVAR B = 2 C.\nQuestion: {FIND.format(2)}",
        "VAR B = 2 C.",
        FIND.format(2),
    ),
    "cwe": (
        f"{WORDS}\n1. oil\nQuestion: {COMMON} Answer: 1. oil\n"
        f"{WORDS}\n1. lamp 2. sea\nQuestion: {COMMON} Answer: They are",
        "1. lamp 2. sea",
        COMMON,
    ),
    "fwe": (
        f"Read. Find the three most frequently appeared coded words. .... abc abc\nQuestion: {CODED} Answer:",
        ".... abc abc",
        CODED,
    ),
    "qa_1": (
        f"{ANSWER}\n\nThe following are given documents.\n\nDocument 1:\nOil. Question: none.\n\n"
        f"{ANSWER}\n\nQuestion: Who lit it?\n Answer:",
        "Document 1:\nOil. Question: none.",
        "Who lit it?",
    ),
}
"""A task: a prompt, the text in it, and the question."""


def mind2web_task(number: int = 1) -> dict[str, Any]:
    """A task of Mind2Web's form with three steps in a shop: type, select, click; the last page has no right element."""
    form = (
        '<html backend_node_id="1"><body backend_node_id="2"><input backend_node_id="7" type="search" '
        'placeholder="Search"><select backend_node_id="8"><option backend_node_id="9">Brass</option>'
        '<option backend_node_id="10">Tin</option></select><button backend_node_id="11">Order</button></body></html>'
    )
    steps = [("TYPE", "storm lantern", ["7"]), ("SELECT", "Brass", ["8"]), ("CLICK", "", [] if number == 2 else ["11"])]
    return {
        "annotation_id": f"task{number}",
        "website": "chandler",
        "domain": "Shopping",
        "subdomain": "Speciality",
        "confirmed_task": f"Order a storm lantern of brass, {number}.",
        "action_reprs": [f"[input]  Search -> {op}: {value}" for op, value, _ in steps],
        "actions": [
            {
                "action_uid": f"task{number}-{place}",
                "operation": {"op": op, "original_op": op, "value": value},
                "pos_candidates": [{"tag": "input", "backend_node_id": element} for element in right],
                "neg_candidates": [{"tag": "body", "backend_node_id": "2"}],
                "cleaned_html": form,
                "raw_html": form,
            }
            for place, (op, value, right) in enumerate(steps)
        ],
    }


def oolong_row(number: int, answer: str) -> dict[str, Any]:
    return {
        "id": number,
        "context_window_id": 7,
        "context_window_text": "Date: Apr 5 || spam\nDate: Apr 6 || ham",
        "dataset": "spam",
        "task_group": "counting",
        "question": "Which label is the most common?",
        "answer": answer,
    }


def oolong_pairs(folder: Path) -> Path:
    """A folder with OOLONG-Pairs' questions of one length, and OOLONG's rows beside them."""
    window = "\n".join(
        f"Date: Jan 0{day}, 2023 || User: {user} || Instance: What is it?" for day, user in ((1, 22), (2, 35))
    )
    rows = [{**oolong_row(1, "[2]"), "dataset": name, "context_len": 1024} for name in ("spam", "trec_coarse")]
    lines(folder / "validation.jsonl", rows[0], {**rows[1], "context_window_text": window})
    asked = [{"id": "1", "question": "List all pairs of users.", "answer": ["(22, 35)"], "type": "list_of_answers"}]
    array(folder / "oolong-pairs-1024.json", *asked)
    return folder


def long_bench_item(identity: str) -> dict[str, Any]:
    options = {f"choice_{letter}": f"the {letter}" for letter in "ABCD"}
    asked = {"question": "What was out?", **options, "answer": "C", "context": "The lamp was out."}
    return {"_id": identity, "domain": "Novel", "difficulty": "hard", "length": "long", **asked}


def beam(folder: Path) -> Path:
    """The folder of one conversation of two sessions."""
    said = [("user", "I keep the lamp. ->-> 1,1"), ("helper", "Noted."), ("user", "No oil.")]
    turns = [[{"role": role, "content": content, "id": number}] for number, (role, content) in enumerate(said)]
    turns[0][0]["time_anchor"] = "March-15-2024"
    array(folder / "chat.json", {"batch_number": 1, "turns": turns[:2]}, {"batch_number": 2, "turns": turns[2:]})
    probes = {
        "abstention": [{"question": "Who is the cook?", "ideal_response": "Not said.", "rubric": ["Says it isn't."]}],
        "knowledge_update": [{"question": "Oil?", "answer": "None.", "source_chat_ids": {"first": [0], "then": [2]}}],
    }
    questions = folder / "probing_questions" / "probing_questions.json"
    lines(questions, {})
    questions.write_text(json.dumps(probes, indent=4), encoding="utf-8")
    return folder


def squality_line(identity: str, *summaries: str, story: str = STORY) -> dict[str, Any]:
    """A story with two questions, each answered by these writers."""
    responses = [{"worker_id": str(n), "uid": f"u{n}", "response_text": text} for n, text in enumerate(summaries)]
    asked = ["What is the plot of the story?", "Who is Mara?"]
    return {
        "metadata": {"passage_id": identity, "uid": f"uid-{identity}", "license": "none"},
        "document": story,
        "questions": [
            {"question_text": question, "question_number": number, "responses": responses}
            for number, question in enumerate(asked, 1)
        ],
    }


INFINITE: dict[str, tuple[str, Any, list[str]]] = {
    "passkey": ("What is the pass key?", ["71432"], []),
    "kv_retrieval": ('Key: "a-b"\nThe value is:', "c-d", []),
    "longdialogue_qa_eng": ("", ["MARA"], []),
    "longbook_qa_chn": ("谁？", ["灯塔"], []),
    "longbook_choice_eng": ("Who lit it?", ["Mara"], ["Ben", "Mara", "Ann", "no one"]),
    "longbook_sum_eng": ("", ["Mara lit the lamp."], []),
    "math_find": ("The largest number of the list is:", [9], []),
    "math_calc": ("", [1, 4, 8], []),
    "code_run": ("Give me the return value of func_1(2).", [-7], []),
    "code_debug": ("", ["light", "B"], ["row", "light ", "climb", "burn"]),
}
"""A task of ∞Bench: the input, the answer, and the options."""


def infinite(folder: Path, *tasks: str) -> Path:
    """A folder with these tasks of ∞Bench, or all of them, with a record each."""
    for number, (task, (asked, answer, options)) in enumerate(INFINITE.items()):
        if not tasks or task in tasks:
            record = {"id": number, "context": f"{task}\n{STORY}", "input": asked, "answer": answer, "options": options}
            lines(folder / f"{task}.jsonl", record)
    return folder


def browse_query(number: int, evidence: Sequence[int], gold: Sequence[int], negative: Sequence[int]) -> dict[str, Any]:
    """A question with its pages, which are named by their numbers."""

    def pages(numbers: Sequence[int]) -> list[dict[str, str]]:
        return [page(each) for each in numbers]

    return {
        "query_id": str(number),
        "query": f"Who lit lamp {number}?",
        "answer": "Mara",
        "evidence_docs": pages(evidence),
        "gold_docs": pages(gold),
        "negative_docs": pages(negative),
    }


def page(number: int) -> dict[str, str]:
    """A page of the corpus."""
    return {"docid": str(number), "text": f"---\ntitle: Page {number}\n---\nLamp {number}.", "url": "https://none"}


def publish_all(folder: Path) -> Path:
    """A folder with the files of all datasets of the papers' experiments, laid out as their authors publish them."""
    question = quality_line("1", quality_question(1, 1, 0))
    for name in ("train", "dev", "htmlstripped.train", "htmlstripped.dev"):
        lines(folder / "quality" / "data" / "v1.0.1" / f"QuALITY.v1.0.1.{name}", question)
    for part in ("ALL", "Academic", "Product"):
        for name in ("train", "val", "test"):
            lines(folder / "QMSum" / "data" / part / "jsonl" / f"{name}.jsonl", meeting())
    stories = {
        f"{part}-{kind}": (part, kind, STORY.encode()) for part in ("test", "valid") for kind in ("gutenberg", "movie")
    }
    narrative_qa(folder / "narrativeqa", {**stories, "early": ("train", "movie", STORY.encode())})
    for name in ("summscreenfd-who", "govreport-who"):
        asked = {"doc_id": "log", "text": STORY, "dataset": name, "questions": [{"question": "Who?", "answer": "Mara"}]}
        lines(
            folder
            / "scrolls"
            / {"summscreenfd-who": "summ_screen_fd_who", "govreport-who": "gov_report_who"}[name]
            / "who.jsonl",
            asked,
        )
    (folder / "locomo" / "data").mkdir(parents=True)
    array(folder / "locomo" / "data" / "locomo10.json", locomo_sample())
    (folder / "hotpotqa").mkdir()
    for count in (50, 100, 200, 400, 800, 1600, 3200, 6400):
        context = f"Document 1:\n{STORY}\n\nDocument 2:\n{STORY} No."
        record = {"index": 0, "input": "Who climbed?", "answers": ["Mara"], "context": context, "num_docs": count}
        array(folder / "hotpotqa" / f"eval_{count}.json", record)
    for length in (4096, 131072):
        for task, (prompt, *_) in RULER.items():
            kept = folder / "RULER" / "scripts" / "benchmark_root" / "model" / "synthetic" / str(length) / "data" / task
            lines(kept / "validation.jsonl", made(0, prompt, ["7"]))
    lines(
        folder / "MSC-Self-Instruct" / "msc_self_instruct.jsonl",
        {**chat(), "self_instruct": {"A": "A lamp.", "B": "What?"}},
    )
    for number in (2, 3, 4, 5):
        for name in ("train", "valid", "test"):
            lines(folder / "msc" / "msc_dialogue" / f"session_{number}" / f"{name}.txt", chat())
    for count in (10, 20, 30):
        record = {"question": "who?", "answers": ["Mara"], "ctxs": passages(0, count), "nq_annotated_gold": {}}
        name = f"nq-open-{count}_total_documents_gold_at_0.jsonl.gz"
        lines(folder / "lost-in-the-middle" / "qa_data" / f"{count}_total_documents" / name, record)
    for number, part in enumerate(("task", "website", "domain"), 1):
        (folder / "Mind2Web" / "data" / f"test_{part}").mkdir(parents=True)
        array(folder / "Mind2Web" / "data" / f"test_{part}" / f"test_{part}_0.json", mind2web_task(number))
    return folder


def memory_agent_record(source: str, *asked: tuple[str, list[str]]) -> dict[str, Any]:
    """A record of MemoryAgentBench, with the fields that other sources have as null."""
    questions, answers = [question for question, _ in asked], [answers for _, answers in asked]
    nulls = dict.fromkeys(("demo", "haystack_sessions", "keypoints", "previous_events", "question_dates"))
    ids = {"qa_pair_ids": [f"{source}_no{number}" for number in range(len(asked))]}
    metadata = {**nulls, **ids, "source": source}
    return {"context": STORY, "questions": questions, "answers": answers, "metadata": metadata}


def finance_bench(folder: Path) -> Path:
    """A question about the second page of a report, which lies in the folder of PDFs as the authors publish them."""
    (folder / "pdfs").mkdir(parents=True)
    write_pdf(folder / "pdfs" / "LAMPS_2022_10K.pdf", [["Lamps Ltd."], ["Oil cost 412 crowns."], ["Notes."]])
    shown = {"evidence_text": "Oil cost 412 crowns.", "doc_name": "LAMPS_2022_10K", "evidence_page_num": 1}
    about = {"company": "Lamps", "doc_name": "LAMPS_2022_10K", "question_type": "metrics-generated"}
    asked = {"financebench_id": "financebench_id_00001", "question": "What did oil cost?", "answer": "412 crowns"}
    line = {**about, **asked, "evidence": [{**shown, "evidence_text_full_page": "Oil cost 412 crowns."}]}
    return lines(folder / "data" / "financebench_open_source.jsonl", line)


def long_mem_eval_v2(folder: Path) -> Path:
    """Questions with each scorer about two trajectories in the small haystacks, and one in the medium ones."""

    def asked(name: str, answer: str, scorer: str, kind: str = "static-environment", image: str | None = None) -> Any:
        about = {"id": name, "domain": "web", "environment": "lamps", "question_type": kind, "image": image}
        return {**about, "question": f"What of {name}?", "answer": answer, "eval_function": scorer}

    phrases = "|lower=true|normalize_hyphen=true|strip_punct=true|separators=,;|require_non_empty=true"
    questions = [
        asked("all", "Oil, Sign-in", f"norm_phrase_set_match{phrases}"),
        asked("order", "a, b; c", "norm_phrase_set_match_ordered|separators=;", "procedure"),
        asked("letter", "B", "mc_choice_match|require_non_empty=true"),
        asked("letters", "AC", "mc_choice_set_match|require_non_empty=true"),
        asked("flaw", "There is no gate.", "llm_abstention_checker|require_non_empty=true", "procedure-abs"),
        asked("gotcha", "Oil first.", "llm_gotchas_checker|require_non_empty=true", "errors-gotchas"),
        asked("seen", "Red", f"norm_phrase_set_match{phrases}", image="question_screenshots/seen.png"),
    ]
    state = {"state_index": 0, "step": 0, "url": "http://lamps/", "screenshot": "screenshots/t1/0.png"}
    states = [
        {**state, "action": "click('1')", "thought": "To the lamps.", "accessibility_tree": "[1] link 'Lamps'"},
        {**state, "action": None, "thought": None, "accessibility_tree": "[2] button 'Oil'"},
    ]
    about = {"domain": "web", "environment": "lamps", "outcome": "success", "start_url": "http://lamps/"}
    lines(folder / "questions.jsonl", *questions)
    trajectories = [{"id": name, "goal": f"Light {name}", **about, "states": states} for name in ("t1", "t2", "t3")]
    lines(folder / "trajectories.jsonl", *trajectories)
    for tier, names in (("small", ["t2", "t1"]), ("medium", ["t1"])):
        lines(folder / "haystacks" / f"lme_v2_{tier}.json", {each["id"]: names for each in questions})
    return folder


def ama_episode(number: int) -> dict[str, Any]:
    """An episode of AMA-Bench: a trajectory of two steps, and a question about it."""
    steps = [("light the lamp", "It burns."), ("go north", "A gate.")]
    trajectory = [{"turn_idx": at, "action": did, "observation": saw} for at, (did, saw) in enumerate(steps)]
    asked = [{"question": "What did the agent light?", "answer": "The lamp.", "type": "A"}]
    about = {"task": "Find the gate.", "task_type": "textworld", "domain": "GAME"}
    return {"episode_id": number, **about, "trajectory": trajectory, "qa_pairs": asked}
