"""Conversations of many sessions: LongMemEval, Multi-Session Chat, BEAM, MemoryAgentBench.

LongMemEval (Wu et al., 2025): each question has a history of its own; of gigabytes only the wanted ones are read.
Multi-Session Chat (Xu et al., 2022; MemGPT, section 3.1): ParlAI's `session_N` files become the task to open the newest
session, MSC-Self-Instruct has a question of one speaker to the other. BEAM (Tavakoli et al., 2025): a conversation is a
folder with `chat.json` and its questions by ability. MemoryAgentBench (Hu et al., 2025): contexts of other benchmarks.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, AliasPath, Field, model_validator

from readgraph import BadInput
from readgraph.library.stored_items import replace_surrogates
from readgraph_evaluation.datasets.assembling import SessionTurns, Spans, SpeakerTurn, join_sessions
from readgraph_evaluation.datasets.forms import Asked, DatasetRecord, form, record, records
from readgraph_evaluation.records import AddressedMessage, Item, Text


class _LongMemEvalMessage(DatasetRecord):
    role: str
    content: str
    has_answer: bool | None = None  # it holds evidence


class _LongMemEvalQuestion(DatasetRecord):
    question_id: str
    question_type: str
    question: str
    answer: str
    question_date: str = ""
    haystack_dates: tuple[str, ...] = ()
    haystack_session_ids: tuple[str, ...] = ()
    haystack_sessions: list[list[_LongMemEvalMessage]] = Field(min_length=1)
    answer_session_ids: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _a_date_and_an_id_a_session(self) -> "_LongMemEvalQuestion":
        for name in ("haystack_dates", "haystack_session_ids"):
            if len(getattr(self, name)) != len(self.haystack_sessions):
                raise ValueError(f"{name} needs one entry for each of the {len(self.haystack_sessions)} sessions")
        return self


@form("longmemeval")
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


def _evidence(question: _LongMemEvalQuestion) -> list[str]:
    marked, of_answer = list[str](), list[str]()
    for number, session in enumerate(question.haystack_sessions):
        for place, turn in enumerate(session):
            if turn.has_answer:
                marked.append(f"{number}:{place}")
            if question.haystack_session_ids[number] in question.answer_session_ids:
                of_answer.append(f"{number}:{place}")
    return marked or of_answer


SPEAKERS = ("Speaker 1", "Speaker 2")  # the first, and the one who answers; turns of earlier sessions name no speaker


class _SpokenTurn(DatasetRecord):
    text: str
    id: str = ""  # names the speaker, in the newest session only


class _EarlierSession(DatasetRecord):
    dialog: list[_SpokenTurn]
    time_back: str = ""  # how long before the newest session it was


class _MscChat(DatasetRecord):
    dialog: list[_SpokenTurn] = Field(min_length=1)
    previous_dialogs: list[_EarlierSession] = Field(min_length=1)
    personas: tuple[list[str], ...] = ()  # the facts that each speaker has stated about themselves


class _ProbedChat(_MscChat):
    answer: str = Field(validation_alias=AliasPath("self_instruct", "A"))  # what speaker 1 should say
    question: str = Field(validation_alias=AliasPath("self_instruct", "B"))  # what speaker 2 asks


@form("msc-openers")
def msc_openers(path: Path) -> Iterator[Asked]:
    """For each chat, the task to open its newest session with regard to the facts about both speakers."""
    for number, (where, chat) in enumerate(records(path, _MscChat), 1):
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


def _ask_probes(path: Path, *, persona: bool = False, last: bool = False) -> Iterator[Asked]:
    """For each chat, the question about its sessions, with facts or the last session before it (MemGPT, table 2)."""
    one, other = SPEAKERS
    for number, (where, chat) in enumerate(records(path, _ProbedChat), 1):
        identity, newest, known = f"chat-{number}", _turns(chat.dialog), ("", "")
        if persona and len(chat.personas) < len(SPEAKERS):
            raise BadInput(f"In {where}, the speakers' facts ('personas') are missing: take another form.")
        text, _ = join_sessions(identity, f"Chat {number}", [*_before(chat), *([] if last else [newest])])
        question = f"{other} asks {one}: “{chat.question.strip()}” What does {one} answer?"
        if persona:
            known = (" ".join(chat.personas[0]), " ".join(chat.personas[1]))
            question = f"{one}: {known[0]}\n{other}: {known[1]}\n\n{question}"
        if last:
            said = "\n".join(f"{turn.speaker}: {turn.text}" for turn in newest.turns)
            question = f"What they said last:\n{said}\n\n{question}"
        addressed = AddressedMessage(one, other, chat.question.strip(), known)
        yield where, text, [Item(f"{identity}-q", identity, question, (chat.answer,), addressed=addressed)]


msc_retrieval = form("msc-retrieval")(_ask_probes)
msc_retrieval_persona = form("msc-retrieval-persona")(partial(_ask_probes, persona=True))
msc_retrieval_last = form("msc-retrieval-last")(partial(_ask_probes, last=True))


def _before(chat: _MscChat) -> list[SessionTurns]:
    return [_turns(session.dialog, session.time_back) for session in chat.previous_dialogs]


def _turns(dialog: Iterable[_SpokenTurn], time: str = "") -> SessionTurns:
    speakers = ((turn.id if turn.id in SPEAKERS else SPEAKERS[place % 2], turn) for place, turn in enumerate(dialog))
    return SessionTurns([SpeakerTurn(turn.text, speaker) for speaker, turn in speakers], time)


CHAT, QUESTIONS = "chat.json", Path("probing_questions", "probing_questions.json")


class _BeamMessage(DatasetRecord):
    role: str
    content: str
    id: str
    time_anchor: str = ""  # only the first of a batch has one


class _BeamBatch(DatasetRecord):
    turns: list[list[_BeamMessage]]


_BEAM_ANSWER = AliasChoices("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")


class _BeamProbe(DatasetRecord):
    question: str
    answer: str = Field("", validation_alias=_BEAM_ANSWER)  # of an instruction to follow, what is expected
    source_chat_ids: Any = ()  # turns, or groups of them by name
    rubric: tuple[str, ...] = ()


class _BeamProbes(DatasetRecord, extra="allow"):
    pass  # the questions of a conversation, by the ability that they test


def _conversations(path: Path) -> list[Path]:
    """The folders of conversations: this one, or those in it by their numbers."""
    folders = [each for each in path.iterdir() if each.is_dir()] if path.is_dir() else []
    folders.sort(key=lambda each: (int(each.name) if each.name.isdigit() else 0, each.name))
    folders = [path, *folders]
    return [folder for folder in folders if (folder / CHAT).is_file() and (folder / QUESTIONS).is_file()]


@form("beam", _conversations)
def beam(path: Path) -> Iterator[Asked]:
    """The questions of the conversations in a folder; evidence is the turns that they are made from."""
    for folder in beam.files(path):
        name = folder.resolve().name
        sessions = [_batch_session(batch) for _, batch in records(folder / CHAT, _BeamBatch)]
        text, turns = join_sessions(name, f"conversation {name}", sessions)
        for where, probes in records(folder / QUESTIONS, _BeamProbes):
            yield where, text, _probes(name, where, probes, turns)


def _batch_session(batch: _BeamBatch) -> SessionTurns:
    messages = [message for group in batch.turns for message in group]
    time = next((message.time_anchor for message in messages if message.time_anchor), "").replace("-", " ")
    # Behind a user's message stands "->->" and its number in the plan of the conversation.
    turns = [SpeakerTurn(message.content.partition("->->")[0], message.role, message.id) for message in messages]
    return SessionTurns(turns, time)


def _probes(name: str, where: str, probes: _BeamProbes, turns: Spans) -> Iterator[Item]:
    for ability, values in (probes.model_extra or {}).items():
        for number, value in enumerate(values if isinstance(values, list) else []):
            probe = record(value, _BeamProbe, where)
            named = dict.fromkeys(_turns_in(probe.source_chat_ids))
            yield Item(
                id=f"{name}-{ability}-{number}",
                text=name,
                question=probe.question,
                references=tuple(filter(str.strip, [probe.answer])),
                evidence=tuple(turns[turn] for turn in named if turn in turns),
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


class _MemoryAgentRecord(DatasetRecord):
    context: str
    questions: list[str] = Field(min_length=1)
    answers: list[list[str]]  # of each question those of which each is enough
    source: str = Field(validation_alias=AliasPath("metadata", "source"))
    qa_pair_ids: tuple[str, ...] = Field((), validation_alias=AliasPath("metadata", "qa_pair_ids"))
    question_ids: tuple[str, ...] = Field((), validation_alias=AliasPath("metadata", "question_ids"))


COMPETENCIES = {
    **dict.fromkeys(("ruler", "eventqa", "longmemeval"), "accurate retrieval"),
    "icl": "test-time learning",
    **dict.fromkeys(("infbench", "detective"), "long-range understanding"),
    "factconsolidation": "conflict resolution",
}  # the competency that a source of MemoryAgentBench tests, by how its name begins (Hu et al., 2025, table 1)


@form("memory-agent-bench")
def memory_agent_bench(path: Path) -> Iterator[Asked]:
    """The questions of a split; recommendations of films are left out, whose answers are numbers of another file."""
    for number, (where, read) in enumerate(records(path, _MemoryAgentRecord)):
        source, ids = read.source, read.qa_pair_ids or read.question_ids
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
