"""Conversations of many sessions: LongMemEval, Multi-Session Chat, BEAM, MemoryAgentBench.

LongMemEval (Wu et al., 2025): each question has a history of its own; of gigabytes only the wanted ones are read.
Multi-Session Chat (Xu et al., 2022; MemGPT, section 3.1): ParlAI's `session_N` files become the task to open the newest
session, MSC-Self-Instruct has a question of one speaker to the other. BEAM (Tavakoli et al., 2025): a conversation is a
folder with `chat.json` and its questions by ability. MemoryAgentBench (Hu et al., 2025): contexts of other benchmarks.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from readgraph.evaluation.datasets.assembling import SessionTurns, Spans, SpeakerTurn, join_sessions
from readgraph.evaluation.datasets.forms import Asked, folder_with, form
from readgraph.evaluation.datasets.record_files import DatasetRecord, record, records
from readgraph.evaluation.records import AddressedMessage, Item, Text
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput


class LongMemEvalMessage(DatasetRecord):
    """A turn; `has_answer` marks turns that hold evidence."""

    role: str
    content: str
    has_answer: bool | None = None


class _LongMemEvalQuestion(DatasetRecord):
    question_id: str
    question_type: str
    question: str
    answer: str
    question_date: str = ""
    haystack_dates: tuple[str, ...] = ()
    haystack_session_ids: tuple[str, ...] = ()
    haystack_sessions: list[list[LongMemEvalMessage]] = Field(min_length=1)
    answer_session_ids: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _a_date_and_an_id_a_session(self) -> "_LongMemEvalQuestion":
        for name in ("haystack_dates", "haystack_session_ids"):
            if len(getattr(self, name)) != len(self.haystack_sessions):
                raise ValueError(f"{name} needs one entry for each of the {len(self.haystack_sessions)} sessions")
        return self


@form(
    "longmemeval",
    "LongMemEval, such as longmemeval_s.json.",
    {"question_id", "question_type", "haystack_sessions"},
    licence="MIT",
)
def long_mem_eval(path: Path) -> Iterator[Asked]:
    """The questions of a file; evidence is the marked turns, or without marks all turns of the answer's sessions."""
    for where, asked in records(path, _LongMemEvalQuestion):
        sessions = list[SessionTurns]()
        # Only longmemeval_oracle does not have them in the order of time.
        for number in sorted(range(len(asked.haystack_dates)), key=asked.haystack_dates.__getitem__):
            said = enumerate(asked.haystack_sessions[number])
            turns = [SpeakerTurn(turn.content, turn.role, f"{number}:{place}") for place, turn in said]
            sessions.append(SessionTurns(turns, asked.haystack_dates[number]))
        text, spans = join_sessions(asked.question_id, asked.question_id, sessions)
        question = f"Today is {asked.question_date}. {asked.question}" if asked.question_date else asked.question
        abstains = asked.question_id.endswith("_abs")  # the history doesn't answer it
        item = Item(
            id=f"{asked.question_id}-q",
            text=asked.question_id,
            question=question,
            references=(asked.answer,),
            evidence=() if abstains else tuple(spans[name] for name in _evidence(asked) if name in spans),
            category="abstention" if abstains else asked.question_type,
            unanswerable=abstains,
            addressed=AddressedMessage("assistant", "user", question),
        )
        yield where, text, [item]


def _evidence(asked: _LongMemEvalQuestion) -> list[str]:
    marked, of_answer = list[str](), list[str]()
    for number, session in enumerate(asked.haystack_sessions):
        for place, turn in enumerate(session):
            if turn.has_answer:
                marked.append(f"{number}:{place}")
            if asked.haystack_session_ids[number] in asked.answer_session_ids:
                of_answer.append(f"{number}:{place}")
    return marked or of_answer


SPEAKERS = ("Speaker 1", "Speaker 2")
"""The first speaker, and the one who answers; turns of earlier sessions name no speaker."""


class SpokenTurn(DatasetRecord):
    """A turn; `id` names the speaker in the newest session only."""

    text: str
    id: str = ""


class EarlierSession(DatasetRecord):
    """An earlier session; `time_back` says how long before the newest one it was."""

    dialog: list[SpokenTurn]
    time_back: str = ""


class MscChat(DatasetRecord):
    """The newest session, the earlier ones, and the facts that each speaker has stated about themselves."""

    dialog: list[SpokenTurn] = Field(min_length=1)
    previous_dialogs: list[EarlierSession] = Field(min_length=1)
    personas: tuple[list[str], ...] = ()


class MscProbe(DatasetRecord):
    """What speaker 2 (B) asks, and what speaker 1 (A) should answer."""

    a: str = Field(alias="A")
    b: str = Field(alias="B")


class _ProbedChat(MscChat):
    self_instruct: MscProbe


@form("msc-openers", "Multi-Session Chat, such as session_5/test.txt.", {"dialog", "previous_dialogs", "personas"})
def msc_openers(path: Path) -> Iterator[Asked]:
    """For each chat, the task to open its newest session with regard to the facts about both speakers."""
    for number, (where, chat) in enumerate(records(path, MscChat), 1):
        identity = f"chat-{number}"
        text, _ = join_sessions(identity, f"Chat {number}", _before(chat))
        first = chat.dialog[0]
        opens = SPEAKERS[first.id == SPEAKERS[1]]
        other = SPEAKERS[opens == SPEAKERS[0]]
        question = (
            f"You are {opens} and meet {other} again. Write your first message of the new conversation, in one or two "
            "sentences: let it draw on what you know of each other."
        )
        facts = tuple(fact for persona in chat.personas for fact in persona if fact.strip())
        addressed = AddressedMessage(opens, other)
        item = Item(f"{identity}-opener", identity, question, (first.text,), about=facts, addressed=addressed)
        yield where, text, [item]


@form("msc-retrieval", "MSC-Self-Instruct, msc_self_instruct.jsonl.", {"dialog", "previous_dialogs", "self_instruct"})
def msc_retrieval(path: Path) -> Iterator[Asked]:
    """For each chat, the question about its five sessions."""
    return _ask_probes(path)


@form(
    "msc-retrieval-persona", "MSC-Self-Instruct with the facts that both speakers stated, which its authors wrote down."
)
def msc_retrieval_persona(path: Path) -> Iterator[Asked]:
    """The same, with both speakers' facts before the question (MemGPT, table 2, ‡)."""
    return _ask_probes(path, persona=True)


@form("msc-retrieval-last", "MSC-Self-Instruct whose fifth session stands before the question in full.")
def msc_retrieval_last(path: Path) -> Iterator[Asked]:
    """The same over the first four sessions, with the fifth one before the question (MemGPT, table 2)."""
    return _ask_probes(path, last=True)


def _ask_probes(path: Path, *, persona: bool = False, last: bool = False) -> Iterator[Asked]:
    one, other = SPEAKERS
    for number, (where, chat) in enumerate(records(path, _ProbedChat), 1):
        identity, probe = f"chat-{number}", chat.self_instruct
        newest, known = _turns(chat.dialog), ("", "")
        if persona and len(chat.personas) < len(SPEAKERS):
            raise BadInput(f"In {where}, the speakers' facts ('personas') are missing: take another form.")
        text, _ = join_sessions(identity, f"Chat {number}", [*_before(chat), *([] if last else [newest])])
        question = f"{other} asks {one}: “{probe.b.strip()}” What does {one} answer?"
        if persona:
            known = (" ".join(chat.personas[0]), " ".join(chat.personas[1]))
            question = f"{one}: {known[0]}\n{other}: {known[1]}\n\n{question}"
        if last:
            said = "\n".join(f"{turn.speaker}: {turn.text}" for turn in newest.turns)
            question = f"What they said last:\n{said}\n\n{question}"
        addressed = AddressedMessage(one, other, probe.b.strip(), known)
        yield where, text, [Item(f"{identity}-q", identity, question, (probe.a,), addressed=addressed)]


def _before(chat: MscChat) -> list[SessionTurns]:
    return [_turns(session.dialog, session.time_back) for session in chat.previous_dialogs]


def _turns(dialog: Iterable[SpokenTurn], time: str = "") -> SessionTurns:
    speakers = ((turn.id if turn.id in SPEAKERS else SPEAKERS[place % 2], turn) for place, turn in enumerate(dialog))
    return SessionTurns([SpeakerTurn(turn.text, speaker) for speaker, turn in speakers], time)


CHAT, QUESTIONS = "chat.json", Path("probing_questions", "probing_questions.json")


class BeamMessage(DatasetRecord):
    """A turn; only the first of a batch has a date."""

    role: str
    content: str
    id: str
    time_anchor: str = ""


class BeamBatch(DatasetRecord):
    """One session: groups of turns."""

    turns: list[list[BeamMessage]]


class BeamProbe(DatasetRecord):
    """A question; its reference has one of five names. `source_chat_ids` are turns, or groups of them by name."""

    question: str
    answer: str = ""
    ideal_answer: str = ""
    ideal_response: str = ""
    expected_compliance: str = ""
    ideal_summary: str = ""
    source_chat_ids: Any = ()
    rubric: tuple[str, ...] = ()

    @property
    def references(self) -> tuple[str, ...]:
        """The reference answer; an instruction to follow has what is expected instead."""
        given = (self.answer, self.ideal_answer, self.ideal_response, self.ideal_summary, self.expected_compliance)
        return next(((text,) for text in given if text.strip()), ())


class BeamProbes(DatasetRecord, extra="allow"):
    """The questions of a conversation, by the ability that they test."""


def _conversations(path: Path) -> list[Path]:
    """The folders of conversations: this one, or those in it by their numbers."""
    folders = [each for each in path.iterdir() if each.is_dir()] if path.is_dir() else []
    folders.sort(key=lambda each: (int(each.name) if each.name.isdigit() else 0, each.name))
    folders = [path, *folders]
    return [folder for folder in folders if (folder / CHAT).is_file() and (folder / QUESTIONS).is_file()]


@form("beam", "BEAM's folder of conversations, such as chats/100K.", recognise=folder_with(_conversations))
def beam(path: Path) -> Iterator[Asked]:
    """The questions of the conversations in a folder; evidence is the turns that they are made from."""
    folders = _conversations(path)
    if not folders:
        raise BadInput(
            f"{printable_path(path)} is no folder of BEAM: name one with {CHAT} and {QUESTIONS}, or one above it."
        )
    for folder in folders:
        name = folder.resolve().name
        sessions = [_batch_session(batch) for _, batch in records(folder / CHAT, BeamBatch)]
        text, turns = join_sessions(name, f"conversation {name}", sessions)
        where, given = next(
            iter(records(folder / QUESTIONS, BeamProbes)), (printable_path(folder / QUESTIONS), BeamProbes())
        )
        yield where, text, [*_probes(name, where, given, turns)]


def _batch_session(batch: BeamBatch) -> SessionTurns:
    messages = [message for group in batch.turns for message in group]
    time = next((message.time_anchor for message in messages if message.time_anchor), "").replace("-", " ")
    # Behind a user's message stands "->->" and its number in the plan of the conversation.
    turns = [SpeakerTurn(message.content.partition("->->")[0], message.role, message.id) for message in messages]
    return SessionTurns(turns, time)


def _probes(name: str, where: str, given: BeamProbes, turns: Spans) -> Iterator[Item]:
    for ability, probes in (given.model_extra or {}).items():
        for number, value in enumerate(probes if isinstance(probes, list) else []):
            probe = record(value, BeamProbe, where)
            said = [turn for turn in dict.fromkeys(_turns_in(probe.source_chat_ids)) if turn in turns]
            yield Item(
                id=f"{name}-{ability}-{number}",
                text=name,
                question=probe.question,
                references=probe.references,
                evidence=tuple(turns[turn] for turn in said),
                category=ability,
                unanswerable=ability == "abstention",
                rubric=tuple(filter(None, map(str.strip, probe.rubric))),
            )


def _turns_in(ids: Any) -> Iterator[str]:
    if isinstance(ids, dict):
        ids = [*ids.values()]
    if isinstance(ids, list | tuple):
        for each in ids:
            yield from _turns_in(each)
    else:
        yield str(ids)


class MemoryAgentSource(DatasetRecord):
    """Where a record comes from, and ids of its questions."""

    source: str
    qa_pair_ids: tuple[str, ...] = ()
    question_ids: tuple[str, ...] = ()
    question_types: tuple[str, ...] = ()


class MemoryAgentRecord(DatasetRecord):
    """One long context, and its questions with the answers of which each is enough."""

    context: str
    questions: list[str] = Field(min_length=1)
    answers: list[list[str]]
    metadata: MemoryAgentSource


COMPETENCIES = {
    **dict.fromkeys(("ruler", "eventqa", "longmemeval"), "accurate retrieval"),
    "icl": "test-time learning",
    **dict.fromkeys(("infbench", "detective"), "long-range understanding"),
    "factconsolidation": "conflict resolution",
}
"""The competency that a source of MemoryAgentBench tests, by how its name begins (Hu et al., 2025, table 1)."""


@form(
    "memory-agent-bench",
    "MemoryAgentBench's splits, such as Conflict_Resolution-00000-of-00001.parquet.",
    {"context", "questions", "answers", "metadata"},
    licence="MIT",
)
def memory_agent_bench(path: Path) -> Iterator[Asked]:
    """The questions of a split; recommendations of films are left out, whose answers are numbers of another file."""
    for number, (where, read) in enumerate(records(path, MemoryAgentRecord)):
        source, ids = read.metadata.source, read.metadata.qa_pair_ids or read.metadata.question_ids
        kind = source.split("_")[0]
        if kind not in COMPETENCIES:
            continue
        if len(read.answers) != len(read.questions):
            raise BadInput(f"In {where}, there are {len(read.questions)} questions and {len(read.answers)} answers.")
        identity = f"{source}-{number}"
        asked = zip(read.questions, read.answers, strict=True)
        items = [
            Item(
                id=ids[place] if len(ids) == len(read.questions) else f"{identity}-q{place}",
                text=identity,
                question=question.strip(),
                references=tuple(dict.fromkeys(filter(None, map(str.strip, answers)))),
                category=COMPETENCIES[kind],
                groups=(source,),
                summary=kind == "infbench",
            )
            for place, (question, answers) in enumerate(asked)
        ]
        yield where, Text(identity, identity, replace_surrogates(read.context)), items
