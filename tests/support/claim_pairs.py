"""Pairs of a text and a claim, made by a grammar in six languages, with the verdicts that are right.

Each kind is a function of a language's sentences and of values: it gives a text, a claim, and what holds between them:
"follows", "against", or "open", where any verdict but "not decided" and "not found" is wrong.
"""

import random
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

Relation = Literal["follows", "against", "open"]

RIGHT: dict[Relation, tuple[str, ...]] = {
    "follows": ("supported", "not decided", "not found"),
    "against": ("contradicted", "not decided", "not found"),
    "open": ("not decided", "not found"),
}
FIRST = (
    "Marta Jonas Edith Karl Ruth Anton Greta Samuel Ines Viktor Nora Felix Hanna Oskar Clara Emil Lydia Peter".split()
)
LAST = "Lindqvist Weber Marsh Holm Castellan Brandt Okafor Petrov Silva Novak Haugen Keane Dorn Vance Ferrer".split()
PLACES = "Orrin Halden Tarvik Brenna Selby Morwen Corrie Aldby Fenwick Larne Dunmore Kessel Varde Ravna".split()
ALPHABET = dict(zip("abcdefghijklmnopqrstuvwxyz", "абкдефгхийклмнопкрстуввкиз", strict=True))


class Pair(NamedTuple):
    """A text, a claim, what holds between them, and of which kind and language the pair is."""

    text: str
    claim: str
    relation: Relation
    kind: str
    language: str


class Language:
    """The sentences of a language, filled with the same values until `renew` is called."""

    def __init__(self, sentences: dict[str, Any], rng: random.Random, code: str) -> None:
        self._sentences, self._rng, self.code = sentences, rng, code
        self.renew()

    def renew(self) -> None:
        """Draw other values."""
        people = [f"{first} {last}" for first, last in zip(self.draw(FIRST, 2), self.draw(LAST, 2), strict=True)]
        places = self.draw(PLACES, 2)
        if self.code == "ru":
            people, places = (["".join(map(_in_cyrillic, each)) for each in words] for words in (people, places))
        year = self._rng.randint(1801, 1980)
        self._values = {
            "name": people[0],
            "other": people[1],
            "place": places[0],
            "elsewhere": places[1],
            "n": self._rng.choice((31, 47, 53, 68)),
            "m": self._rng.choice((22, 34, 59)),
            "year": year,
            "other_year": year + self._rng.randint(1, 9),
            "date": self._sentences["dates"][0],
        }
        self._values["q"] = self("quote")

    def draw(self, values: list[str], count: int) -> list[str]:
        """So many of the values, in any order."""
        return self._rng.sample(values, count)

    def one(self, key: str) -> str:
        """One of several sentences, filled."""
        return str(self._rng.choice(self._sentences[key])).format(**self._values)

    def list(self, key: str) -> list[str]:
        """Words as they stand."""
        return list(self._sentences[key])

    def value(self, key: str) -> Any:
        """A value with which sentences are filled."""
        return self._values[key]

    def __call__(self, key: str, **values: object) -> str:
        """A sentence, filled with the values, or these instead."""
        return str(self._sentences[key]).format(**(getattr(self, "_values", {}) | values))


def _in_cyrillic(letter: str) -> str:
    made = ALPHABET.get(letter.lower(), letter)
    return made.upper() if letter.isupper() else made


Made = tuple[str, str, Relation]
KINDS = dict[str, Callable[[Language], Made | None]]()


def _kind(make: Callable[[Language], Made | None]) -> Callable[[Language], Made | None]:
    KINDS[make.__name__] = make
    return make


def make_pairs(count: int, seed: int) -> Iterator[Pair]:
    """So many pairs, of each kind and language as many."""
    rng = random.Random(seed)
    sentences = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    languages = [Language(each, rng, code) for code, each in sentences.items()]
    made = 0
    while made < count:
        for kind, make in KINDS.items():
            for language in languages:
                language.renew()
                if made < count and (pair := make(language)):
                    made += 1
                    yield Pair(*pair, kind, language.code)


PLAIN = ("unchanged", "other_case", "plain_quote", "quote_of_speaker", "quote_behind", "marks_drawn_otherwise")
"""Kinds of which every pair must be supported."""


@_kind
def unchanged(say: Language) -> Made:
    sentence = say(say.draw(["sale", "bought", "insured", "uninsured", "will", "until", "dozen", "only"], 1)[0])
    return f"{say('bar', x=3)} {sentence} {say('opened')}", sentence, "follows"


@_kind
def other_case(say: Language) -> Made:
    return say("sale"), say("sale").upper(), "follows"


@_kind
def plain_quote(say: Language) -> Made:
    return f"{say('sale')} {say('said')}", say("wrote"), "follows"


@_kind
def quote_of_speaker(say: Language) -> Made:
    return say("said"), say("said"), "follows"


@_kind
def quote_behind(say: Language) -> Made:
    return say("said_behind"), say("said"), "follows"


@_kind
def marks_drawn_otherwise(say: Language) -> Made:
    return (
        say("sale").replace(" ", "\u00a0", 1),
        f"**{say.value('name')}**{say('sale')[len(say.value('name')) :]}",
        "follows",
    )


@_kind
def date_at_the_other_end(say: Language) -> Made:
    return say("sale_fronted"), say("sale"), "follows"


@_kind
def number_in_words(say: Language) -> Made | None:
    words = say.list("words")
    return (say("sale", n=words[3]), say("sale", n=5), "follows") if words else None


@_kind
def other_number_in_words(say: Language) -> Made | None:
    words = say.list("words")
    return (say("sale", n=words[3]), say("sale", n=8), "against") if words else None


@_kind
def date_written_otherwise(say: Language) -> Made:
    return say("opened"), say("opened", date=say.list("dates")[1]), "follows"


@_kind
def other_date(say: Language) -> Made:
    return say("opened"), say("opened", date=say("other_date")), "against"


@_kind
def other_number(say: Language) -> Made:
    return say("sale"), say("sale", n=say.value("n") + 9), "against"


@_kind
def denied(say: Language) -> Made:
    keys = say.draw(["insured", "uninsured"], 2)
    return say(keys[0]), say(keys[1]), "against"


@_kind
def comparison(say: Language) -> Made:
    signs = say.draw(["< ", "> ", "≥ ", "≤ ", "≈ ", "± ", "", "~ ", "= "], 2)
    return say("bar", x=f"{signs[0]}5"), say("bar", x=f"{signs[1]}5"), "open"


@_kind
def bounds(say: Language) -> Made:
    sign = say.draw(["<", ">", "≥", "≤"], 1)[0]
    return say("bar", x=f"{sign} 5"), say("bar", x=f"{sign} 8"), "open"


@_kind
def sign(say: Language) -> Made:
    amounts = say.draw(["-5", "5", "+-5", "–5", "−5 %"], 2)
    return say("bar", x=amounts[0]), say("bar", x=amounts[1]), "against"


@_kind
def currency(say: Language) -> Made:
    amounts = say.draw(["$5", "€5", "£5", "¥5", "₽5", "C$5", "5 CHF", "5 €/m²"], 2)
    return say("price", x=amounts[0]), say("price", x=amounts[1]), "against"


@_kind
def decimals(say: Language) -> Made:
    amounts = say.draw(["15", "1,5", "1.5 %", "150", "0,15", "15½", "1/5", "15²"], 2)
    return say("bar", x=amounts[0]), say("bar", x=amounts[1]), "against"


@_kind
def unit(say: Language) -> Made:
    amounts = say.draw(["5 m", "5 km", "5 m²", "5 m³", "5 kg", "5 %", "5 ‰", "5°", "5 mm", "5"], 2)
    return say("bar", x=amounts[0]), say("bar", x=amounts[1]), "open"


@_kind
def range_of(say: Language) -> Made:
    amounts = say.draw(["5–8", "5", "8", "5-8", "5 (8)", "5/8", "5 [8]"], 2)
    dashes = {each.replace("–", "-") for each in amounts}
    return say("bar", x=amounts[0]), say("bar", x=amounts[1]), "follows" if len(dashes) == 1 else "against"


@_kind
def some_years(say: Language) -> Made:
    year = say.value("year")
    forms = say.draw([f"{year}", f"{year}s", f"{year}–{year % 100 + 3}", f"{year}?", f"~{year}", f"({year})"], 2)
    return say("sale", year=forms[0]), say("sale", year=forms[1]), "open"


TIMES: list[tuple[str, str, Relation]] = [
    ("7:30 am", "07:30", "follows"),
    ("07:30", "7:30 a.m.", "follows"),
    ("3 pm", "15:00", "follows"),
    ("7:30", "7:30 pm", "open"),
    ("7:30 am", "7:30 pm", "against"),
    ("7:30", "19:30", "open"),
    ("10:30", "10:30 pm", "open"),
    ("07:30", "08:45", "against"),
]


@_kind
def time_of_day(say: Language) -> Made:
    text, claim, relation = TIMES[say.value("n") * say.value("year") % len(TIMES)]
    return say("train", x=text), say("train", x=claim), relation


@_kind
def rounded(say: Language) -> Made:
    amounts = say.draw(["41613", "41600", "42000", "40000"], 2)
    return say("sale", n=amounts[0]), say("sale", n=amounts[1]), "open"


@_kind
def gap_in_a_quote(say: Language) -> Made:
    text = say("said", q=say("never"))
    return text, say("wrote", q=say.one("never_cut")), "open"


@_kind
def gap_between_sentences(say: Language) -> Made:
    text = say("said", q=say("parted"))
    return text, say("wrote", q=say.one("parted_cut")), "open"


@_kind
def gap_over_paragraphs(say: Language) -> Made:
    text = f"{say('sale')}\n\n{say('bought', name=say.value('other'))}"
    begin, end = say("sale").rsplit(" ", 4)[0], " ".join(say("bought").split()[2:]).rstrip(".")
    return text, say("wrote", q=f"{begin} … {end}"), "open"


@_kind
def denied_quote(say: Language) -> Made:
    return say("said"), say(say.draw(["lie", "not_said"], 1)[0]), "open"


@_kind
def other_speaker(say: Language) -> Made:
    return say(say.draw(["said", "said_behind"], 1)[0]), say("said", name=say.value("other")), "open"


@_kind
def speaker_from_a_pronoun(say: Language) -> Made:
    return say("said"), say("she_said"), "open"


@_kind
def title_in_marks(say: Language) -> Made:
    return say("said"), say("title"), "open"


@_kind
def other_word_in_a_quote(say: Language) -> Made:
    words = say("quote").split()
    words[2] = "xylem"
    return say("said"), say("wrote", q=" ".join(words)), "against"


@_kind
def one_of_a_pair(say: Language) -> Made:
    return say("both"), say("both_cut"), "open"


@_kind
def quote_of_one_of_a_pair(say: Language) -> Made:
    return say("both"), say("wrote", q=say("both_cut").rstrip(".")), "open"


@_kind
def taken_back(say: Language) -> Made:
    return f"{say('sale')} {say.one('back')}", say("sale"), "open"


@_kind
def taken_back_in_the_next_paragraph(say: Language) -> Made | None:
    return (f"{say('sale')}\n\n{say.one('back')}", say("sale"), "open") if say.code != "ru" else None


@_kind
def under_a_heading(say: Language) -> Made:
    myth = say.one("myth")
    lead = say.draw([f"## {myth}\n\n", f"{myth}\n\n", f"{myth}\n", f"**{myth}** ", f"# {myth}\n\n## 1\n\n"], 1)[0]
    return f"{lead}{say('sale')}", say("sale"), "open"


@_kind
def struck_out(say: Language) -> Made:
    begin, end = say.draw(["~~ ~~", "<del> </del>", "<s> </s>"], 1)[0].split()
    text = say.draw([f"{begin}{say('sale')}{end}", f"{begin}{say('sale')} {say('opened')}{end}"], 1)[0]
    return text, say("sale"), "open"


@_kind
def supposed(say: Language) -> Made:
    return f"{say('suppose')} {say('sale')}", say("sale"), "open"


@_kind
def only_quoted(say: Language) -> Made:
    return say.draw([say("said", q=say("sale")[:-1]), f"> {say('sale')}"], 1)[0], say("sale"), "open"


@_kind
def under_a_condition(say: Language) -> Made:
    keys = say.draw(["if", "only", "dozen", "will", "asked", "two", "sale"], 2)
    return say(keys[0]), say(keys[1]), "open"


@_kind
def how_many_of_all(say: Language) -> Made:
    keys = say.draw(["some", "all"], 2)
    return say(keys[0]), say(keys[1]), "open"


@_kind
def another_time(say: Language) -> Made:
    text = f"{say('sale')} {say('again')}"
    return text, say("sale", year=say.value("other_year")), "open"


@_kind
def end_of_a_time(say: Language) -> Made:
    return say("until"), say("until", year=say.value("other_year")), "open"


@_kind
def sum_of_two(say: Language) -> Made:
    return f"{say('sale')} {say('also')}", say("sale", n=say.value("n") + say.value("m")), "open"


@_kind
def another_name(say: Language) -> Made:
    changed = say.draw(["name", "place"], 1)[0]
    other = say.value({"name": "other", "place": "elsewhere"}[changed])
    return say("sale"), say("sale", **{changed: other}), "open"


@_kind
def another_verb(say: Language) -> Made:
    return say("sale"), say("bought"), "open"


@_kind
def names_exchanged(say: Language) -> Made:
    return say("two"), say("two", name=say.value("elsewhere"), place=say.value("name")), "open"


@_kind
def left_out(say: Language) -> Made:
    text = say("sale")
    words = text.split()
    del words[3:5]
    return text, " ".join(words), "open"


@_kind
def put_in(say: Language) -> Made:
    words = say("sale").split()
    words.insert(3, say.draw(["(?)", "[sic]", "&", "≠", "†", "seldom"], 1)[0])
    return say("sale"), " ".join(words), "open"
