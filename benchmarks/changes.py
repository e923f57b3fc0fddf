"""How many planted changes `changes` finds, and how often it takes a rewording for one.

Regulations, leases and reports are made of templates in English, German, French, Chinese and Japanese, with sections,
lists and tables. Of one copy 200 places are changed (a number, a unit, a date, a name, two names or values exchanged, a
denial, "must" for "may", another word), added, removed or moved, sections are renumbered, and every tenth other
sentence is reworded; of another copy half of all sentences are only reworded, and their numbers and dates written
otherwise. One half of the templates was used while the rules were written (`--half tuned`), the other was not.
A change is found if a row has its sentence, and told if that row says what it is; a row of another kind than
"not judged" on what was only reworded is false.
`python -m benchmarks.changes [--half tuned|other] [--seeds 5] [--model] [--show]`: with `--model`
a double in the model's place judges what rules leave open, by the table of what was planted.
"""

import argparse
import random
import re
import time
from collections import Counter
from typing import NamedTuple

import readgraph.graphs.methods  # noqa: F401 (so that the rules are imported in their order)
from readgraph.features.changes.comparing import Found, compare_texts
from readgraph.features.changes.state import ChangedPart

MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
}
FIRST = "Marta Jonas Edith Karl Ruth Anton Greta Samuel Ines Victor Nora Felix Hanna Oskar Clara Emil".split()
LAST = "Lindqvist Weber Marsh Holm Castellan Brandt Okafor Petrov Silva Novak Haugen Keane Dorn Vance".split()
TOWNS = "Orrin Halden Tarvik Brenna Selby Morwen Corrie Aldby Fenwick Larne Dunmore Kessel Varde Ravna".split()
SMALL = {
    "en": "two three four five six seven eight nine ten eleven twelve".split(),
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(),
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze".split(),
}
Template = tuple[str, list[str], dict[str, tuple[str, str]]]
"""A sentence, rewordings of it, and by kinds of changes what is replaced by what."""

TUNED: dict[str, list[Template]] = {
    "en": [
        (
            "The tenant must pay {money} for the {thing} by {date}.",
            [
                "By {date}, {money} must be paid by the tenant for the {thing}.",
                "The lessee has to pay {money} for the {thing} by {date}.",
            ],
            {"negation": ("must pay", "must not pay"), "condition": ("must", "may"), "word": ("pay", "lend")},
        ),
        (
            "{name} opened the {thing} of {town} on {date}.",
            [
                "The {thing} of {town} was opened by {name} on {date}.",
                "On {date}, {name} opened the {thing} in {town}.",
            ],
            {"negation": ("opened", "did not open"), "word": ("opened", "closed")},
        ),
        (
            "The {thing} of {town} has {count} rooms and {small} lifts.",
            [
                "There are {count} rooms and {small} lifts in the {thing} of {town}.",
                "The {thing} of {town} contains {count} rooms and {small} elevators.",
            ],
            {"negation": ("has", "has no more than"), "word": ("rooms", "beds")},
        ),
        (
            "{name} sold the {thing} to {other} for {money}.",
            ["{name} sold {other} the {thing} for {money}.", "For {money}, {name} sold the {thing} to {other}."],
            {"negation": ("sold", "did not sell"), "swap": ("", ""), "word": ("sold", "let")},
        ),
        (
            "Visitors to the {thing} of {town} may park there for {small} hours.",
            [
                "Visitors to the {thing} of {town} are allowed to park there for {small} hours.",
                "Guests of the {thing} in {town} may leave their cars there for {small} hours.",
            ],
            {"negation": ("may park", "may not park"), "condition": ("may", "must"), "word": ("park", "camp")},
        ),
        (
            "At least {percent} of the members of {town} must vote for the {thing}.",
            [
                "At least {percent} of the members in {town} have to vote for the {thing}.",
                "The {thing} needs the votes of at least {percent} of the members of {town}.",
            ],
            {"condition": ("At least", "At most"), "word": ("vote", "pay")},
        ),
        (
            "The road from {town} to the {thing} is {length} long and is closed in winter.",
            [
                "The road from {town} to the {thing} has a length of {length} and is closed in winter.",
                "The road between the {thing} and {town} is {length} long. It is closed in winter.",
            ],
            {"negation": ("is closed", "is not closed"), "word": ("closed", "open")},
        ),
    ],
    "de": [
        (
            "Der Mieter muss für die Halle in {town} {money} bis zum {date} zahlen.",
            [
                "Bis zum {date} muss der Mieter für die Halle in {town} {money} zahlen.",
                "Der Mieter hat für die Halle in {town} bis zum {date} {money} zu entrichten.",
            ],
            {"negation": ("zahlen", "nicht zahlen"), "condition": ("muss", "kann"), "word": ("Halle", "Scheune")},
        ),
        (
            "Frau {name} leitet das Museum von {town} seit {small} Jahren.",
            [
                "Seit {small} Jahren leitet Frau {name} das Museum von {town}.",
                "Das Museum von {town} wird seit {small} Jahren von Frau {name} geleitet.",
            ],
            {"negation": ("leitet", "leitet nicht"), "word": ("Museum", "Theater")},
        ),
        (
            "Die Brücke von {town} trägt höchstens {count} Tonnen und ist im Winter gesperrt.",
            [
                "Die Brücke von {town} trägt im Winter höchstens {count} Tonnen und ist dann gesperrt.",
                "Im Winter ist die Brücke von {town} gesperrt; sie trägt höchstens {count} Tonnen.",
            ],
            {
                "negation": ("ist im", "ist nicht im"),
                "condition": ("höchstens", "mindestens"),
                "word": ("gesperrt", "offen"),
            },
        ),
    ],
    "fr": [
        (
            "Le locataire doit payer {money} pour la salle de {town} avant le {date}.",
            [
                "Pour la salle de {town}, le locataire doit payer {money} avant le {date}.",
                "Le preneur doit verser {money} pour la salle de {town} avant le {date}.",
            ],
            {"negation": ("doit payer", "ne doit pas payer"), "condition": ("doit", "peut"), "word": ("salle", "cave")},
        ),
        (
            "Le musée de {town} est ouvert {small} jours par semaine.",
            [
                "On peut visiter le musée de {town} {small} jours par semaine.",
                "Le musée de {town} ouvre {small} jours par semaine.",
            ],
            {"negation": ("est ouvert", "n'est pas ouvert"), "word": ("musée", "marché")},
        ),
    ],
    "zh": [
        (
            "承租人应当在{date}之前支付{count}元的租金。",
            ["承租人应当于{date}之前支付租金{count}元。"],
            {"negation": ("应当", "不应当"), "condition": ("应当", "可以"), "word": ("租金", "押金")},
        ),
        (
            "展览馆自{date}起向公众开放，共有{count}个座位。",
            ["展览馆共有{count}个座位，自{date}起向公众开放。"],
            {"negation": ("向公众", "不向公众"), "word": ("座位", "房间")},
        ),
    ],
    "ja": [
        (
            "会員は{date}までに会費{count}円を支払う。",
            ["{date}までに会員は会費{count}円を支払う。"],
            {"negation": ("支払う", "支払わない"), "word": ("会員", "職員")},
        )
    ],
}
OTHER: dict[str, list[Template]] = {
    "en": [
        (
            "The supplier shall deliver {count} crates to the {thing} in {town} on {date}.",
            [
                "On {date}, the supplier shall deliver {count} crates to the {thing} in {town}.",
                "{count} crates shall be delivered by the supplier to the {thing} in {town} on {date}.",
            ],
            {
                "negation": ("shall deliver", "shall not deliver"),
                "condition": ("shall", "may"),
                "word": ("crates", "barrels"),
            },
        ),
        (
            "{name} was elected chair of the {thing} in {town} with {percent} of the votes.",
            [
                "With {percent} of the votes, {name} was elected chair of the {thing} in {town}.",
                "The {thing} in {town} elected {name} as its chair with {percent} of the votes.",
            ],
            {"negation": ("was elected", "was not elected"), "word": ("chair", "treasurer")},
        ),
        (
            "The {thing} employs {count} people, and {small} of them work at night.",
            [
                "{count} people are employed by the {thing}, and {small} of them work at night.",
                "The {thing} has {count} employees. {small} of them work at night.",
            ],
            {"negation": ("employs", "does not employ"), "word": ("night", "home")},
        ),
        (
            "{name} lent {other} {money} to repair the {thing} of {town}.",
            [
                "To repair the {thing} of {town}, {name} lent {other} {money}.",
                "{name} lent {money} to {other} for the repair of the {thing} of {town}.",
            ],
            {"negation": ("lent", "did not lend"), "swap": ("", ""), "word": ("repair", "burn")},
        ),
        (
            "Residents of {town} can borrow {small} books at a time from the {thing}.",
            [
                "Residents of {town} are able to borrow {small} books at a time from the {thing}.",
                "From the {thing}, people who live in {town} can take {small} books home at a time.",
            ],
            {"negation": ("can borrow", "cannot borrow"), "condition": ("can", "must"), "word": ("books", "films")},
        ),
        (
            "The pipe below the {thing} of {town} must be checked every {small} weeks.",
            [
                "Every {small} weeks, the pipe below the {thing} of {town} must be checked.",
                "The pipe that runs below the {thing} of {town} has to be inspected every {small} weeks.",
            ],
            {"negation": ("must be", "must not be"), "condition": ("must", "should"), "word": ("pipe", "cable")},
        ),
        (
            "The walls of the {thing} in {town} are {length} high and always locked after {date}.",
            [
                "The walls of the {thing} in {town} have a height of {length} and are always locked after {date}.",
                "In {town}, the walls of the {thing} are {length} high. They are always locked after {date}.",
            ],
            {
                "negation": ("are {length}", "are not {length}"),
                "condition": ("always", "never"),
                "word": ("locked", "open"),
            },
        ),
    ],
    "de": [
        (
            "Der Verein darf den Saal in {town} ab dem {date} für {money} nutzen.",
            [
                "Ab dem {date} darf der Verein den Saal in {town} für {money} nutzen.",
                "Dem Verein ist es erlaubt, den Saal in {town} ab dem {date} für {money} zu benutzen.",
            ],
            {"negation": ("nutzen", "nicht nutzen"), "condition": ("darf", "soll"), "word": ("Saal", "Keller")},
        ),
        (
            "Herr {name} hat für das Rathaus in {town} {count} Stühle bestellt.",
            [
                "Für das Rathaus in {town} hat Herr {name} {count} Stühle bestellt.",
                "Herr {name} bestellte {count} Stühle für das Rathaus in {town}.",
            ],
            {"negation": ("bestellt", "nicht bestellt"), "word": ("Stühle", "Tische")},
        ),
        (
            "Mindestens {percent} der Anwohner von {town} müssen dem Plan zustimmen.",
            [
                "Dem Plan müssen mindestens {percent} der Anwohner von {town} zustimmen.",
                "Der Plan braucht die Zustimmung von mindestens {percent} der Anwohner von {town}.",
            ],
            {"condition": ("Mindestens", "Höchstens"), "word": ("Anwohner", "Händler")},
        ),
    ],
    "fr": [
        (
            "La commune peut louer le terrain de {town} pour {money} à partir du {date}.",
            [
                "À partir du {date}, la commune peut louer le terrain de {town} pour {money}.",
                "La mairie peut prendre à bail le terrain de {town} pour {money} à partir du {date}.",
            ],
            {
                "negation": ("peut louer", "ne peut pas louer"),
                "condition": ("peut", "doit"),
                "word": ("terrain", "garage"),
            },
        ),
        (
            "Le train de {town} transporte {count} voyageurs et {small} vélos.",
            [
                "{count} voyageurs et {small} vélos sont transportés par le train de {town}.",
                "Le train de {town} emmène {count} voyageurs et {small} vélos.",
            ],
            {"negation": ("transporte", "ne transporte pas"), "word": ("vélos", "chiens")},
        ),
    ],
    "zh": [
        (
            "供应商必须在{date}交付{count}台设备。",
            ["{date}，供应商必须交付{count}台设备。"],
            {"negation": ("必须", "不必"), "condition": ("必须", "可以"), "word": ("设备", "车辆")},
        ),
        (
            "图书馆每天接待{count}名读者，{date}闭馆。",
            ["{date}图书馆闭馆，平时每天接待{count}名读者。"],
            {"negation": ("闭馆", "不闭馆"), "word": ("读者", "学生")},
        ),
    ],
    "ja": [
        (
            "図書館は{date}に{count}冊の本を購入する。",
            ["{date}に図書館は{count}冊の本を購入する。"],
            {"negation": ("購入する", "購入しない"), "word": ("図書館", "博物館")},
        )
    ],
}
THINGS = [
    f"{kind} {thing}"
    for kind in "old new upper lower great stone royal north south west".split()
    for thing in "mill hall school harbour library ferry station market tower bakery".split()
]
KINDS = ("number", "date", "name", "swap", "negation", "condition", "word", "added", "removed", "moved", "cell")


class Sentence(NamedTuple):
    """A sentence, rewordings of it, and its changes by kind."""

    text: str
    reworded: list[str]
    changed: dict[str, list[str]]


def number_forms(rng: random.Random, language: str) -> tuple[str, str, str]:
    value, other = rng.randint(2, 90) * 1000 + rng.choice((0, 500, 250)), rng.randint(2, 90) * 1000 + 100
    mark = {"de": ".", "fr": " ", "zh": ",", "ja": ","}.get(language, ",")
    alt = f"{value}"
    if language == "en" and value % 1000 == 0 and value // 1000 <= 12:
        alt = f"{SMALL['en'][value // 1000 - 2]} thousand"
    if language in ("zh", "ja") and value % 1000 == 0:
        alt = f"{value / 10000:g}万"
    return f"{value:,}".replace(",", mark), alt, f"{other:,}".replace(",", mark)


def date_forms(rng: random.Random, language: str) -> tuple[str, str, str]:
    year, month, day = rng.randint(2001, 2030), rng.randint(1, 12), rng.randint(1, 28)
    later = day % 28 + 1

    def write(day: int) -> str:
        if language in ("zh", "ja"):
            return f"{year}年{month}月{day}日"
        name = MONTHS[language][month - 1]
        return f"{day}{'.' if language == 'de' else ''} {name} {year}"

    return write(day), f"{year}-{month:02}-{day:02}", write(later)


def fill(rng: random.Random, template: Template, language: str) -> Sentence:
    """A sentence of a template with values, all its rewordings and changes."""
    base, rewordings, changes = template
    people = [f"{rng.choice(FIRST)} {last}" for last in rng.sample(LAST, 3)]
    small, other_small = rng.sample(range(11), 2)
    count, money = number_forms(rng, language), number_forms(rng, language)
    percent = rng.sample(range(5, 96), 2)
    length = rng.sample(range(11, 99), 2)
    words = SMALL.get(language, SMALL["en"])
    towns = rng.sample(TOWNS, 2)
    values: dict[str, tuple[str, str, str]] = {
        "name": (people[0], people[0], people[1]),
        "other": (people[2],) * 3,
        "town": (towns[0], towns[0], towns[1]),
        "thing": (rng.choice(THINGS),) * 3,
        "date": date_forms(rng, language),
        "count": count,
        "money": {
            "en": (
                f"{money[0]} euros",
                f"EUR {money[1]}" if money[1].isdigit() else f"{money[1]} euros",
                rng.choice((f"{money[2]} euros", f"{money[0]} dollars")),
            ),
            "de": (f"{money[0]} Euro", f"{money[1]} €", f"{money[2]} Euro"),
            "fr": (f"{money[0]} euros", f"{money[1]} €", f"{money[2]} euros"),
        }.get(language, count),
        "small": (words[small], str(small + 2), words[other_small]),
        "percent": {"de": lambda n: (f"{n[0]} %", f"{n[0]} Prozent", f"{n[1]} %")}.get(
            language, lambda n: (f"{n[0]} %", f"{n[0]} percent", f"{n[1]} %")
        )(percent),
        "length": (f"{length[0]} km", f"{length[0]} kilometres", rng.choice((f"{length[1]} km", f"{length[0]} miles"))),
    }

    def write(text: str, form: dict[str, int] | int = 0, **given: str) -> str:
        forms = form if isinstance(form, dict) else dict.fromkeys(values, form)
        filled = text.format(**{name: given.get(name, each[forms.get(name, 0)]) for name, each in values.items()})
        return filled[:1].upper() + filled[1:]

    used = {*re.findall(r"\{(\w+)\}", base)}
    changed: dict[str, list[str]] = {}
    for kind, slots in (
        ("number", ("count", "money", "small", "percent", "length")),
        ("date", ("date",)),
        ("name", ("name", "town")),
    ):
        made = [write(base, {slot: 2}) for slot in slots if slot in used]
        changed |= {kind: made} if made else {}
    for kind, (one, other) in changes.items():
        changed[kind] = (
            [write(base.replace(one, other, 1))] if kind != "swap" else [write(base, name=people[2], other=people[0])]
        )
    forms = [write(base, 1), *(write(each, rng.choice((0, 1))) for each in rewordings)]
    return Sentence(write(base), [each for each in forms if each != write(base)], changed)


class Planted(NamedTuple):
    """A change: its kind, and the sentences of both texts, "" where there is none."""

    kind: str
    earlier: str
    later: str


def make_pair(
    rng: random.Random, templates: dict[str, list[Template]], planted: int, reword: float
) -> tuple[str, str, list[Planted], list[str]]:
    """Two texts, what was planted, and the sentences that were only reworded, as they were."""
    count, seen = 900 if planted else 400, set[str]()
    sentences = list[Sentence]()
    languages = rng.choices(
        [*templates], [{"en": 8, "de": 4, "fr": 3, "zh": 2, "ja": 1}[each] for each in templates], k=count // 15
    )
    while len(sentences) < count:
        language_now = languages[len(sentences) // 15 % len(languages)]
        sentence = fill(rng, rng.choice(templates[language_now]), language_now)
        if sentence.text not in seen:
            seen.add(sentence.text)
            sentences.append(sentence)
    chosen, fate = rng.sample(range(count), count), dict[int, str]()
    for number in range(planted):
        kind = KINDS[number % len(KINDS)]
        of_any = kind in ("added", "removed", "moved", "cell")
        fits = (at for at in chosen if at not in fate and (of_any or kind in sentences[at].changed))
        fate |= {at: kind for at in [next(fits, -1)] if at >= 0}
    earlier, later = list[list[str]](), list[list[str]]()
    plants, reworded, moved = list[Planted](), list[str](), list[tuple[str, str]]()
    for at, sentence in enumerate(sentences):
        if at % 15 == 0:
            earlier.append([])
            later.append([])
        kind, one = fate.get(at, ""), sentence.text
        if kind == "added":
            later[-1].append(one)
            plants.append(Planted(kind, "", one))
            continue
        if kind == "cell":
            name, (value, _, other) = f"{rng.choice(TOWNS)} {at}", number_forms(rng, "zh")
            earlier[-1].append(f"\n\n| place | men |\n|---|---|\n| {name} | {value} |\n| rest | 12 |\n\n")
            later[-1].append(f"\n\n| place | men |\n|---|---|\n| {name} | {other} |\n| rest | 12 |\n\n")
            plants.append(Planted("number", f"| {name} | {value} |", f"| {name} | {other} |"))
            continue
        earlier[-1].append(one)
        if kind == "removed":
            plants.append(Planted(kind, one, ""))
        elif kind == "moved":
            plants.append(Planted(kind, one, one))
            moved.append((languages[at // 15 % len(languages)], one))
        elif kind:
            other = rng.choice(sentence.changed[kind])
            later[-1].append(other)
            plants.append(Planted({"swap": "name"}.get(kind, kind), one, other))
        elif sentence.reworded and rng.random() < reword:
            later[-1].append(rng.choice(sentence.reworded))
            reworded.append(one)
        else:
            later[-1].append(one)
    for language_now, one in moved:
        section = rng.choice([each for at, each in enumerate(later) if languages[at % len(languages)] == language_now])
        section.insert(rng.randint(0, len(section)), one)
    return write_text(earlier, 1), write_text(later, 2), plants, reworded


def write_text(sections: list[list[str]], first: int) -> str:
    """Numbered sections of paragraphs and lists."""
    written = list[str]()
    for number, section in enumerate(sections):
        written.append(f"## {number + first}. Part {'abcdefghijklmnopqrstuvwxyz'[number % 26]} {TOWNS[number // 26]}")
        listed = number % 4 == 3
        body = "\n".join(f"- {each}" if "|" not in each else each for each in section) if listed else ""
        written.append(body or re.sub(r"(?<=[。]) ", "", " ".join(section)))
    return "\n\n".join(written) + "\n"


def covers(found: Found, texts: tuple[str, str], planted: Planted) -> bool:
    """Whether a row has both sentences of a change."""
    spans = (found.earlier, found.later)
    return all(
        not want or (span and want in texts[side][slice(*span)])
        for side, (want, span) in enumerate(zip(planted[1:], spans, strict=True))
    )


def is_told(found: Found, planted: Planted) -> bool:
    """Whether a row says what was planted."""
    if planted.kind in ("added", "removed", "moved"):
        return found.kind == planted.kind
    return found.kind == "changed" and any(part["kind"] == planted.kind for part in found.differs)


def judge_by_table(found: Found, texts: tuple[str, str], plants: list[Planted]) -> Found | None:
    """What a model that makes no mistake says of a row that rules left open; None: only reworded."""
    known = [each.kind for each in plants if covers(found, texts, each)]
    part = ChangedPart(kind=known[0], earlier="", later="") if known else None  # type: ignore[typeddict-item]
    return found._replace(kind="changed", differs=[part]) if part else None


def shown(found: Found, texts: tuple[str, str]) -> str:
    """A row in a line."""
    quotes = (text[slice(*span)] if span else "" for text, span in zip(texts, found[3:], strict=True))
    return f"{found.kind} {found.differs} {' | '.join(quotes)}"


def measure(templates: dict[str, list[Template]], seeds: int, *, model: bool, show: bool) -> None:
    """Print what was found of the planted changes, and the false rows; with `show` also what was not told."""
    told, rows, total, seconds = Counter[str](), Counter[str](), Counter[str](), 0.0
    extra, only_reworded = Counter[str](), 0
    for seed in range(seeds):
        earlier, later, plants, _ = make_pair(random.Random(seed), templates, 200, 0.1)
        texts, began = (earlier, later), time.process_time()
        found = compare_texts(earlier, later)
        seconds += time.process_time() - began
        judged = [
            judge_by_table(each, texts, plants) if model and each.kind == "not judged" else each for each in found
        ]
        found = [each for each in judged if each]
        for planted in plants:
            has = [each for each in found if covers(each, texts, planted)]
            is_known = any(is_told(each, planted) for each in has)
            total[planted.kind] += 1
            rows[planted.kind] += bool(has)
            told[planted.kind] += is_known
            if show and not is_known and planted.kind != "word":
                print("not told:", planted, *(shown(each, texts) for each in has))
        beside = [each for each in found if not any(covers(each, texts, planted) for planted in plants)]
        extra.update(f"beside: {each.kind}" for each in beside)
        earlier, later, _, reworded = make_pair(random.Random(1000 + seed), templates, 0, 0.6)
        only_reworded += len(reworded)
        false = [each for each in compare_texts(earlier, later) if not (model and each.kind == "not judged")]
        extra.update(f"reworded only: {each.kind}" for each in false)
        for each in false if show else ():
            print(shown(each, (earlier, later)))
    for kind, count in [*total.items(), ("all", total.total())]:
        in_row, said = (counts[kind] if kind != "all" else counts.total() for counts in (rows, told))
        print(f"{kind:10} {count:5} planted, in a row {100 * in_row / count:5.1f} %, told {100 * said / count:5.1f} %")
    certain = sum(n for kind, n in extra.items() if kind.startswith("reworded") and not kind.endswith("not judged"))
    print(f"{certain} false rows on {only_reworded} sentences that were only reworded; {dict(extra)}")
    print(f"{seconds / seeds:.1f} s of processor time for a pair")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--half", choices=("tuned", "other"), default="other")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    measure(TUNED if given.half == "tuned" else OTHER, given.seeds, model=given.model, show=given.show)
