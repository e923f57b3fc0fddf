"""Files of questions: what is read of them, what is refused, and where evidence stands."""

import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from evaluation.tests.support import datasets as made
from readgraph import ReaderContext
from readgraph.library.histories import append_sessions
from readgraph.library.page_store import PageStore
from readgraph.state.errors import BadInput
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.datasets.assembling import (
    MemberDocument,
    SessionTurns,
    SpeakerTurn,
    format_turn,
    join_documents,
    join_sessions,
    line_spans,
)
from readgraph_evaluation.datasets.forms import CHUNK, DatasetRecord, first_value, records
from readgraph_evaluation.records import Dataset, Item, Text
from readgraph_evaluation.who_questions import who_questions
from tests.doubles.model_server import ChatRequest, ModelServer

SAMPLES = Path(__file__).parents[4] / "shared" / "data"

OWN: dict[str, Any] = {
    "doc_id": "log",
    "text": made.STORY,
    "questions": [{"question": "Who climbed?", "answer": "Mara"}],
}


def own(file: Path, **changes: Any) -> Path:
    return made.lines(file, {**OWN, **changes})


def asked(**changes: Any) -> list[dict[str, Any]]:
    return [{**OWN["questions"][0], **changes}]


def evidence(dataset: Dataset) -> list[str]:
    return [dataset.text(item.text).text[start:end] for item in dataset.items for start, end in item.evidence]


def test_ones_own_questions_over_a_text(tmp_path: Path) -> None:
    questions = asked(evidence=[[2, 2], "By dawn", "not there", [3, 99]], category=3)
    dataset = load_dataset(own(tmp_path / "mine.jsonl", title="The log", license="CC0", questions=questions))
    assert (dataset.name, dataset.licence, dataset.metrics[0], dataset.profile) == ("mine", "CC0", "f1", "")
    assert dataset.items == (
        Item("log-q0", "log", "Who climbed?", ("Mara",), evidence=dataset.items[0].evidence, category="3"),
    )
    assert evidence(dataset) == ["Mara climbed the stair with oil.", "By dawn"]


def test_ones_own_questions_over_documents_and_sessions(tmp_path: Path) -> None:
    documents = [{"id": 1, "title": "Lamp", "text": "It is out."}, {"id": 2, "text": "Oil burns."}]
    sessions = [{"date_time": "1 May", "turns": [{"id": "D1:1", "speaker": "Ann", "text": "The lamp is out."}]}]
    by_documents = {
        **OWN,
        "text": None,
        "documents": documents,
        "questions": asked(evidence=[{"doc": 1}, {"doc": "9"}]),
    }
    by_sessions = {
        **OWN,
        "text": None,
        "doc_id": "chat",
        "sessions": sessions,
        "questions": asked(evidence=["D1:1", "x"]),
    }
    dataset = load_dataset(made.lines(tmp_path / "mine.jsonl", by_documents, by_sessions))
    assert [text.text for text in dataset.texts] == [
        "Lamp\nIt is out.\n\nOil burns.",
        "1 May\nAnn: The lamp is out.\n\n",
    ]
    assert evidence(dataset) == ["Lamp\nIt is out.", "Ann: The lamp is out."]


def test_ones_own_multiple_choice(tmp_path: Path) -> None:
    questions = asked(options=["Mara", "Ben"], answer_index=0)
    dataset = load_dataset(own(tmp_path / "mine.jsonl", dataset="quality", questions=questions))
    assert (dataset.metrics, dataset.profile, dataset.items[0].correct) == (("accuracy",), "quality", 0)


def test_the_form_is_as_the_guide_shows_it(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```json\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    dataset = load_dataset(made.lines(tmp_path / "log.jsonl", json.loads(shown)))
    named, chosen, unknown = dataset.items
    assert evidence(dataset) == ["Mara climbed the stair with oil."]
    assert (named.references, chosen.correct) == (("Mara", "Mara, the keeper"), 0)
    assert (unknown.unanswerable, unknown.references, unknown.category) == (True, (), "prices")


WRONG: dict[str, tuple[Any, str]] = {
    "no JSON": ("{", "line 2 of .*no.jsonl"),
    "another value": (["x"], "line 2 .* the value can't be used"),
    "no question": ({"doc_id": "b", "text": "x"}, "line 2 .* questions can't be used: Field required"),
    "an empty question": ({**OWN, "doc_id": "b", "questions": [{"question": ""}]}, r"questions\.0\.question"),
    "no such option": ({**OWN, "doc_id": "b", "questions": asked(options=["x"], answer_index=1)}, "answer_index"),
    "two texts": ({**OWN, "doc_id": "b", "documents": [{"text": "x"}]}, "one of 'text', 'text_file', 'documents'"),
    "no text": ({**OWN, "doc_id": "b", "text": ""}, "one of 'text'"),
    "a blank text": ({**OWN, "doc_id": "b", "text": " \n"}, "line 2 .* is empty"),
    "another text of this id": ({**OWN, "text": "x", "questions": asked(id="2")}, "line 2 .*'log' is of another text"),
    "a question's id": ({**OWN, "questions": asked(id="log-q0")}, "line 2 .*'log-q0' is used twice"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_line_that_cant_be_used_is_named(tmp_path: Path, what: str) -> None:
    value, says = WRONG[what]
    file = own(tmp_path / "no.jsonl")
    with file.open("a", encoding="utf-8") as lines:
        lines.write(value if isinstance(value, str) else json.dumps(value))
    with pytest.raises(BadInput, match=says) as refused:
        load_dataset(file, "readgraph")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("bytes.jsonl", b"\xff\xfe\x00", "UTF-8"),
        ("nothing.jsonl", b"", "holds no question"),
        ("blank.jsonl", b" \n\n", "holds no question"),
        ("empty.json", b" [ ] ", "holds no question"),
        ("plain.jsonl.gz", b'{"a": 1}', "not compressed"),
        ("one-field.csv", b"question,answer\n" + b"a" * 140_000, "can't be read as comma-separated values"),
        ("cut.jsonl.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "cut off"),
        ("cut.json", json.dumps([OWN]).encode()[:-1], "item 2 of"),
        ("half.json", json.dumps([OWN]).encode()[:-9], "item 1 of"),
        ("odd.json", b"[,]", "item 1 of"),
    ],
)
@pytest.mark.parametrize("form", ["readgraph", None])
def test_a_file_that_cant_be_used_is_named(tmp_path: Path, name: str, data: bytes, says: str, form: str | None) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInput, match=says) as refused:
        load_dataset(tmp_path / name, form)
    assert name in str(refused.value) and "\n" not in str(refused.value)


def test_what_has_no_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"not in a known form \(readgraph, quality"):
        load_dataset(made.lines(tmp_path / "other.jsonl", {"some": "thing"}))
    with pytest.raises(BadInput, match="not in a known form"):
        load_dataset(tmp_path)
    with pytest.raises(BadInput, match="There is no file"):
        load_dataset(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="There is no dataset form 'x': choose one of readgraph"):
        load_dataset(tmp_path, "x")


def test_a_file_is_read_no_further_than_is_wanted(tmp_path: Path) -> None:
    file = own(tmp_path / "mine.jsonl")
    with file.open("a", encoding="utf-8") as lines:
        lines.write("no JSON")
    assert len(load_dataset(file, items=1).items) == 1
    array = tmp_path / "mine.json"
    array.write_text(f"[{json.dumps(OWN)}, no JSON", encoding="utf-8")
    assert len(load_dataset(array, items=1).items) == 1
    assert first_value(array) == OWN


class Valued(DatasetRecord):
    """Any record."""

    value: str


words = st.text(st.sampled_from('ab \n"\\,[]{}é漢🙂\ud800'), max_size=12)


@given(st.lists(words, max_size=8), st.sampled_from([None, 1]), st.booleans(), st.integers(1, 40))
def test_arrays_and_lines_hold_the_same(values: list[str], indent: int | None, escaped: bool, chunk: int) -> None:
    written = [{"value": value.replace("\ud800", "")} for value in values]
    array = json.dumps(written, indent=indent, ensure_ascii=escaped)
    lines = "\n\n".join(json.dumps(value, ensure_ascii=escaped) for value in written)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("readgraph_evaluation.datasets.forms.CHUNK", chunk)
        for number, text in enumerate([array, f"\n {array}\n", lines]):
            file = Path(folder, str(number))
            file.write_text(text, encoding="utf-8", newline="")
            assert [{"value": found.value} for _, found in records(file, Valued)] == written


def test_items_larger_than_what_is_read_at_a_time(tmp_path: Path) -> None:
    values = ["x" * (CHUNK + 7), "y", "z" * (3 * CHUNK)]
    file = made.array(tmp_path / "large.json", *({"value": value} for value in values))
    assert [found.value for _, found in records(file, Valued)] == values


turns = st.lists(st.builds(SpeakerTurn, words, words), max_size=4)
sessions = st.lists(st.builds(SessionTurns, turns, words), max_size=5)


def named(told: list[SessionTurns]) -> list[SessionTurns]:
    return [
        SessionTurns([replace(turn, id=f"{n}:{m}") for m, turn in enumerate(session.turns)], session.time)
        for n, session in enumerate(told)
    ]


@given(sessions)
async def test_turns_stand_in_a_history_where_their_spans_say(told: list[SessionTurns]) -> None:
    told = named(told)
    text, spans = join_sessions("chat", "Chat", told)
    for name, (start, end) in spans.items():
        session, turn = map(int, name.split(":"))
        said = told[session].turns[turn]
        assert text.text[start:end] == format_turn(said.speaker, said.text)
    assert {format_turn(turn.speaker, turn.text) for session in told for turn in session.turns} <= {
        text.text[start:end] for start, end in spans.values()
    } | {""}
    if text.sessions:  # a library keeps the same text, so that offsets are those of its pages
        pages = PageStore(InMemoryStore())
        appended = await append_sessions(pages, "Chat", text.sessions)
        assert len(appended.added) == len(text.sessions)
        assert (await pages.spans(appended.document, [(0, appended.document.characters)])) == [text.text]


@given(st.lists(st.tuples(words, words), max_size=5))
def test_documents_stand_where_their_spans_say(parts: list[tuple[str, str]]) -> None:
    text, spans = join_documents(
        "some", "Some", [MemberDocument(body, title, str(n)) for n, (title, body) in enumerate(parts)]
    )
    assert len(spans) == len(parts)
    for n, (title, body) in enumerate(parts):
        start, end = spans[str(n)]
        assert text.text[start:end] == f"{title}\n{body}".strip().replace("\ud800", "?")


@given(words)
def test_lines_stand_where_their_spans_say(text: str) -> None:
    assert [text[start:end] for start, end in line_spans(text)] == text.split("\n")


def sample(name: str) -> Dataset:
    file = SAMPLES / f"{name}.jsonl"
    if not file.exists():
        pytest.skip(f"{file.name} is not beside the checkout, in ../shared/data")
    return load_dataset(file)


@pytest.mark.parametrize(
    ("name", "texts", "items", "pieces", "lost"),
    [
        ("quality_dev_mini", 12, 213, 0, 0),
        ("qmsum_mini", 5, 38, 39, 0),
        ("locomo_mini", 2, 304, 382, 0),
        ("hotpot_long_mini", 12, 12, 24, 0),
        ("squality_mini", 4, 20, 0, 0),
    ],
)
def test_real_questions(name: str, texts: int, items: int, pieces: int, lost: int) -> None:
    dataset = sample(name)
    assert (len(dataset.texts), len(dataset.items)) == (texts, items)
    assert len(evidence(dataset)) == pieces
    with (SAMPLES / f"{name}.jsonl").open(encoding="utf-8") as lines:
        written = [json.loads(line) for line in lines]
    assert sum(len(one.get("evidence", [])) for line in written for one in line["questions"]) == pieces + lost
    whole = {one.id: line for line, one in zip(written, dataset.texts, strict=True)}
    for item in dataset.items:
        check_evidence(dataset, item, whole[item.text])


def check_evidence(dataset: Dataset, item: Item, line: dict[str, Any]) -> None:
    """Each piece is a turn, some lines, or a document, as a whole."""
    found = [dataset.text(item.text).text[start:end] for start, end in item.evidence]
    if "sessions" in line:
        turns = {
            format_turn(turn["speaker"], turn["text"]) for session in line["sessions"] for turn in session["turns"]
        }
        assert set(found) <= turns
    elif "documents" in line:
        assert set(found) <= {f"{part['title']}\n{part['text']}".strip() for part in line["documents"]}
    else:
        every = line["text"].split("\n")
        assert all(set(piece.split("\n")) <= set(every) for piece in found)


async def test_questions_are_made_of_summaries(server: ModelServer, tmp_path: Path) -> None:
    made_of: dict[str, dict[str, object]] = {
        "Mara lit it.": {"question": "Who lit the lamp?", "answer": "Mara"},
        "Ben rowed.": {"question": "When did Ben row?", "answer": "Ben"},
    }

    def respond(request: ChatRequest) -> dict[str, object]:
        return next(reply for summary, reply in made_of.items() if summary in request.text)

    server.respond = respond
    texts = (Text("a", "A", "The lamp."), Text("b", "B", "The boat."))
    items = tuple(Item(f"{text.id}-s", text.id, "Sum it up.", (one,)) for text, one in zip(texts, made_of, strict=True))
    dataset = Dataset("summscreenfd", texts, items, ("rouge_l",))
    runtime = Runtime(context=ReaderContext(model="openai:double"), store=InMemoryStore())
    lines = await who_questions(dataset, runtime)
    found = load_dataset(made.lines(tmp_path / "who.jsonl", *lines))
    assert [(text.id, text.text) for text in found.texts] == [("a", "The lamp.")]
    assert [(item.question, item.references, item.category) for item in found.items] == [
        ("Who lit the lamp?", ("Mara",), "who")
    ]
    assert (found.name, found.profile, found.metrics[0]) == ("summscreenfd-who", "screenplay", "f1")
