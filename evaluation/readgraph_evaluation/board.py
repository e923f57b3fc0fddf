"""The board: seeded histories whose facts are known, since they were put there, and questions of ten abilities.

Ten people talk over three years. Every ability is asked once of each of them. Words, people, places and wordings are
drawn by a seed from `board.toml`, whose questions share few words with what answers them; the rest of the talk has the
same things and names. The file is in the form of one's own questions, so that any system can be asked (see
`readgraph_evaluation.datasets.own`), and the same for a seed and a size, to the byte.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from readgraph.language.dates import WEEKDAYS, day_name
from readgraph.state.files import read_package_toml, replace_file
from readgraph.state.words import count_words

__all__ = ["Board", "write_board"]

SESSION_WORDS = 800
BEGIN, DAYS = date(2021, 1, 4), 1_095
APART = 8  # days between two things of which the order or the time between is asked: more than a time word reaches back

FEWEST_SESSIONS = 60
WORDS = read_package_toml(__package__, "board.toml")
ABILITIES: list[str] = WORDS["abilities"]


@dataclass
class Board:
    """The history of a seed and about so many words; `planted` are a session's turns that are asked about."""

    words: int
    seed: int
    name: str = ""
    random: Random = field(init=False)
    planted: dict[int, list[tuple[str, str, str]]] = field(default_factory=lambda: defaultdict(list))
    questions: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = Random(f"board {self.words} {self.seed}")
        self.things = {name: self._shuffled(kind["things"]) for name, kind in WORDS["kinds"].items()}
        self.strangers = self._shuffled(WORDS["others"])
        kinds = {who: self._shuffled(WORDS["kinds"]) for who in WORDS["speakers"]}
        for number, who in enumerate(WORDS["speakers"]):
            events = self._shuffled(WORDS["events"])
            self._ask_single_fact(who, kinds[who], events.pop(), dated=number % 2 == 1)
            self._ask_two_facts(who, number)
            self._ask_town(who)
            self._ask_contradiction(who, number)
            self._ask_two_events(who, events)
            self._ask_count(who)
            self._ask_speaker(who, kinds[who])
        for who in WORDS["speakers"]:
            self._ask_nothing(who, kinds[who])
        self.questions.sort(key=lambda question: ABILITIES.index(question["category"]))

    @property
    def sessions(self) -> int:
        """How many sessions there are."""
        return max(FEWEST_SESSIONS, round(self.words / SESSION_WORDS))

    def day(self, session: int) -> date:
        """The day of a session."""
        return BEGIN + timedelta(session * DAYS // self.sessions)

    @cached_property
    def line(self) -> dict[str, Any]:
        """The history with its questions, as a line of one's own questions."""
        dates = (day_name(self.day(number)) for number in range(self.sessions))
        sessions = [{"date_time": date, "turns": [*self._turns(number)]} for number, date in enumerate(dates)]
        name = self.name or f"board-{self.words}-{self.seed}"
        questions = [{"id": f"{name}-q{number}", **each} for number, each in enumerate(self.questions)]
        about = {"dataset": "board", "doc_id": name, "title": "Ten people", "license": "MIT"}
        return {**about, "sessions": sessions, "questions": questions}

    def _ask(self, ability: str, question: str, answer: str, evidence: Sequence[str]) -> None:
        sequences = {"answer": answer, "evidence": [*evidence]} if answer else {"answer": "", "unanswerable": True}
        self.questions.append({"category": ability, "question": question, **sequences})

    def _ask_single_fact(self, who: str, kinds: list[str], event: str, *, dated: bool) -> None:
        """What somebody has or does, or the day of an event."""
        if dated:
            day, turn = self._plant_event(who, event, *self._draw_sessions(1))
            asked = WORDS["ask"]["when"].format(noun=WORDS["events"][event]["noun"], who=who)
            self._ask("single fact", asked, day_name(day), [turn])
        else:
            kind, thing, turn = self._plant_thing(who, kinds)
            self._ask("single fact", WORDS["kinds"][kind]["asked"].format(who=who), thing, [turn])

    def _ask_two_facts(self, who: str, number: int) -> None:
        """The town of somebody who is known by what they taught."""
        teacher, town, said = self.strangers.pop(), self.random.choice(WORDS["towns"]), WORDS["teachers"]
        skill = said["skills"][number]
        one, other = self._draw_sessions(2)
        taught = self._plant(one, who, self.random.choice(said["taught"]).format(other=teacher, skill=skill))
        teller = self.random.choice([speaker for speaker in WORDS["speakers"] if speaker != who])
        lives = self._plant(other, teller, self.random.choice(said["lives"]).format(other=teacher, town=town))
        self._ask("two facts", said["asked"].format(who=who, skill=skill), town, [taught, lives])

    def _ask_town(self, who: str) -> None:
        """Where somebody lives now, and where they lived on a day between the first move and the next."""
        moved, towns = self._draw_sessions(3), self.random.sample(WORDS["towns"], 3)
        planned = zip(moved, self.random.sample(WORDS["moves"]["said"], 3), towns, strict=True)
        turns = [self._plant(session, who, said.format(town=town)) for session, said, town in planned]
        self._ask("update", WORDS["moves"]["now"].format(who=who), towns[-1], turns[-1:])
        between = self.day(moved[0]) + (self.day(moved[1]) - self.day(moved[0])) // 2
        self._ask("as-of", WORDS["moves"]["then"].format(who=who, date=day_name(between)), towns[0], turns[:1])

    def _ask_contradiction(self, who: str, number: int) -> None:
        """Two years that somebody named for one thing."""
        said, years = WORDS["years"], sorted(self.random.sample(range(1975, 2015), 2))
        skill, planned = said["skills"][number], zip(self._draw_sessions(2), said["said"], years, strict=True)
        turns = [self._plant(each, who, wording.format(skill=skill, year=year)) for each, wording, year in planned]
        asked = said["asked"].format(who=who, skill=skill)
        self._ask("contradiction", asked, f"{years[0]}; {years[1]}", turns)

    def _ask_two_events(self, who: str, events: list[str]) -> None:
        """Which of two events came first, and how many days lay between two others."""
        for ability, wording in (("order", "first"), ("duration", "between")):
            pair = events.pop(), events.pop()
            (one, first), (other, second) = map(self._plant_event, (who, who), pair, self._draw_sessions(2))
            nouns = [WORDS["events"][event]["noun"] for event in pair]
            answer = nouns[0] if ability == "order" else f"{(other - one).days}"
            self.random.shuffle(nouns)
            asked = WORDS["ask"][wording].format(who=who, one=nouns[0], other=nouns[1])
            self._ask(ability, asked, answer, [first, second])

    def _ask_count(self, who: str) -> None:
        """How often something happened, each time in other words."""
        said = self.random.choice([*WORDS["counts"].values()])
        wordings = self.random.sample(said["said"], self.random.randint(2, len(said["said"])))
        planned = zip(self._draw_sessions(len(wordings)), wordings, strict=True)
        turns = [self._plant(session, who, self._timed(wording, session)[0]) for session, wording in planned]
        self._ask("count", said["asked"].format(who=who), str(len(turns)), turns)

    def _ask_speaker(self, who: str, kinds: list[str]) -> None:
        """Whose something is, of which others speak too."""
        kind, thing, turn = self._plant_thing(who, kinds)
        article = "an" if thing[0] in "aeiou" else "a"
        shown = f"{article} {thing}" if kind in WORDS["with_article"] else thing
        for session in self._draw_sessions(2):
            other = self.random.choice([speaker for speaker in WORDS["speakers"] if speaker != who])
            near, owner = self.random.choice(WORDS["ask"]["near"]), self.random.choice(WORDS["others"])
            self._plant(session, other, near.format(thing=shown, other=owner))
        self._ask("speaker", WORDS["ask"]["whose"].format(thing=shown), who, [turn])

    def _ask_nothing(self, who: str, kinds: list[str]) -> None:
        """What others said of themselves, and this one didn't: `kinds` are those that weren't planted for them."""
        known = [kind for kind in kinds if len(self.things[kind]) < len(WORDS["kinds"][kind]["things"])]
        self._ask("abstention", WORDS["kinds"][(known or kinds)[0]]["asked"].format(who=who), "", [])

    def _plant_thing(self, who: str, kinds: list[str]) -> tuple[str, str, str]:
        """Plant what somebody says of a thing that is nobody else's: its kind, the thing, and the turn."""
        kind = next(each for each in kinds if self.things[each])
        kinds.remove(kind)
        thing = self.things[kind].pop()
        said = self.random.choice(WORDS["kinds"][kind]["said"]).format(thing=thing)
        return kind, thing, self._plant(self._draw_sessions(1)[0], who, said[0].upper() + said[1:])

    def _plant_event(self, who: str, event: str, session: int) -> tuple[date, str]:
        said, day = self._timed(self.random.choice(WORDS["events"][event]["said"]), session)
        return day, self._plant(session, who, said)

    def _plant(self, session: int, who: str, said: str) -> str:
        turn = f"s{session}-{len(self.planted[session])}"
        self.planted[session].append((turn, who, said))
        return turn

    def _timed(self, wording: str, session: int) -> tuple[str, date]:
        """The wording with words for a time, and the day that they mean."""
        said_on, back = self.day(session), self.random.randint(0, 7)
        words = {0: "today", 1: "yesterday", 2: "two days ago", 3: "three days ago"}
        day = said_on - timedelta(back)
        time = words.get(back) or f"last {WEEKDAYS[day.weekday()].title()}"
        return wording.format(time=time, Time=time[0].upper() + time[1:]), day

    def _draw_sessions(self, count: int) -> list[int]:
        """So many sessions in their order, apart from each other."""
        while True:
            drawn = sorted(self.random.sample(range(1, self.sessions), count))
            days = [self.day(session) for session in drawn]
            if all((after - before).days > APART for before, after in pairwise(days)):
                return drawn

    def _turns(self, number: int) -> Iterator[dict[str, str]]:
        """The turns of a session: those planted, among talk of no matter."""
        planted = self.planted.get(number, [])
        others = self._shuffled(WORDS["speakers"])[: max(2, 3 - len(planted))]
        present = [*dict.fromkeys([*(who for _, who, _ in planted), *others])]
        talk, words = list[tuple[str, str, str]](), 0
        while words < SESSION_WORDS:
            who = present[len(talk) % len(present)]
            said = self._small_talk(present[(len(talk) + 1) % len(present)], first=not talk)
            talk.append(("", who, said))
            words += count_words(said)
        for turn in planted:
            talk.insert(self.random.randint(1, len(talk)), turn)
        for identity, who, said in talk:
            yield {"id": identity, "speaker": who, "text": said} if identity else {"speaker": who, "text": said}

    def _small_talk(self, to: str, *, first: bool) -> str:
        filler = WORDS["filler"]
        begins = first or self.random.random() < 0.5
        pieces = [self.random.choice(filler["greet" if first else "reply"])] if begins else []
        pieces += self.random.sample(filler["say"], self.random.randint(1, 3))
        things = WORDS["kinds"][self.random.choice(WORDS["with_article"][:-1])]["things"]
        drawn = {name: self.random.choice(filler[name]) for name in filler if name not in ("greet", "reply", "say")}
        other = self.random.choice(WORDS["others"])
        return " ".join(pieces).format(who=to, other=other, thing=self.random.choice(things), **drawn)

    def _shuffled(self, names: Any) -> list[str]:
        return self.random.sample([*names], len([*names]))


def write_board(path: Path, words: int, seed: int) -> None:
    """Write the board of a seed and about so many words as a file of questions."""
    with replace_file(path) as file:
        file.write(json.dumps(Board(words, seed, path.stem).line, ensure_ascii=False) + "\n")
