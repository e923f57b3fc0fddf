"""How many planted faults `verify` finds without a model, and how often it doubts what is true.

Made chronicles of towns hold numbers, names, dates, denials and quotes. Of their sentences some are put into a draft as
they stand or lightly reworded, some with one fault, and some with one that rules can't see: two values exchanged, what
will be told as what was, an exception, a condition or a relation left out, another preposition, other roles. Such a
trap may be called anything but supported. A value in a denied sentence is no fault: both may be as true.
Prints for each kind how many were called supported, contradicted, not decided and not found.
`python -m benchmarks.verify [--faults 2000] [--true 10000] [--seed 1]`; of traps there are as many as of faults.
"""

import argparse
import asyncio
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import NamedTuple

from langgraph.store.memory import InMemoryStore

from readgraph import api
from readgraph.library.page_store import PageStore
from readgraph.state.records import Document

MONTHS = "January February March April May June July August September October November December".split()
TOWNS = "Orrin Halden Tarvik Brenna Selby Morwen Ystad Corrie Aldby Fenwick Larne Dunmore Kessel Varde Ravna".split()
FIRST = (
    "Marta Jonas Edith Karl Ruth Anton Greta Samuel Ines Victor Nora Felix Hanna Oskar Clara Emil Lydia Peter".split()
)
LAST = "Lindqvist Weber Marsh Holm Castellan Brandt Okafor Petrov Silva Novak Haugen Keane Dorn Vance Ferrer".split()
THINGS = "mill bridge school harbour library ferry station market tower bakery foundry brewery chapel quarry".split()
GOODS = "flour timber slate herring wool barley coal salt".split()
NUMERALS = "two three four five six seven eight nine ten eleven twelve".split()
SAYINGS = (
    "We will sell no more boats before the spring tide",
    "The old road is worth more to us than the new railway",
    "Nobody asked the people on the quay what they wanted",
    "A town that forgets its wells will soon buy its water",
    "The roof held through the storm but the windows did not",
    "I would rather count fish than count promises",
)
TEMPLATES = (
    "In {year}, the {thing} of {town} produced {count} tons of {goods}.",
    "The {thing} was opened by {name} on {date}.",
    "{name} paid {price} crowns for the {thing} in {year}.",
    "The {thing} employed {count} men and {small} clerks in {year}.",
    "On {date}, {name} was elected mayor of {town}.",
    "The flood of {year} damaged {small} houses near the {thing}.",
    "{name} carried {goods} to {town} with {small} horses.",
    "The road from the {thing} to {town} is {count} km long.",
    "{name} did not return to the {thing} after the fire.",
    "The {thing} was not insured when it burned on {date}.",
    "The council has no records of the {thing} for {year}.",
    "About {count} people attended the reopening of the {thing} on {date}.",
    "{name} and {other} started the {thing} with a loan of {price} crowns.",
    "The {thing} closed in {year} and never reopened.",
    "Rent for the {thing} rose to {price} crowns a year under {name}.",
    "The {thing} had {small} floors, a cellar and a copper roof.",
    "{name} sold the {goods} store to {other} in {year}.",
    "A storm on {date} tore the roof from the {thing}.",
    "The {thing} made {count} tons of {goods} in {year} and {more} tons in {later}.",
    "Rent for the {thing} rose from {small} crowns in {year} to {count} crowns in {later}.",
    "{name} and {other} will sell the {thing} to {town} in {later}.",
    "All clerks of the {thing} but {name} left {town} in {year}.",
    "The brother of {name} built the {thing} of {town} in {year}.",
    "{name} lost the {thing} because {other} left {town} in {year}.",
    "If the {thing} burns, {town} will pay {price} crowns to {name}.",
    "{name} carried {count} tons of {goods} from {town} to the {thing}.",
)


class Fact(NamedTuple):
    """A sentence of a chronicle, its title and chapter, and the values in it."""

    text: str
    title: str
    chapter: str
    values: dict[str, str]


def make_chronicles(rng: random.Random, towns: int, sentences: int) -> tuple[dict[str, str], list[Fact]]:
    """Texts by their titles, and the facts in them; no two sentences are the same."""
    texts, facts, seen = dict[str, str](), list[Fact](), set[str]()
    for town in TOWNS[:towns]:
        title, lines = f"Chronicle of {town}", list[str]()
        for chapter in range(1, 9):
            heading = f"Chapter {chapter}"
            lines.append(f"## {heading}\n")
            paragraph = list[str]()
            while len(paragraph) < sentences // 8:
                fact = make_fact(rng, title, heading)
                if fact.text not in seen:
                    seen.add(fact.text)
                    facts.append(fact)
                    paragraph.append(fact.text)
            lines += [" ".join(paragraph[at : at + 6]) + "\n" for at in range(0, len(paragraph), 6)]
        texts[title] = f"# {title}\n\n" + "\n".join(lines)
    return texts, facts


def make_fact(rng: random.Random, title: str, chapter: str) -> Fact:
    """A sentence by a template, or one that quotes somebody."""
    name, other = (f"{rng.choice(FIRST)} {rng.choice(LAST)}" for _ in range(2))
    values = {
        "name": name,
        "other": other,
        "town": rng.choice(TOWNS),
        "thing": f"{rng.choice(('old', 'new', 'upper', 'lower', 'great', 'stone', 'royal'))} {rng.choice(THINGS)}",
        "goods": rng.choice(GOODS),
        "year": str(rng.randint(1801, 1989)),
        "date": f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(1801, 1989)}",
        "count": str(rng.randint(13, 980)),
        "price": f"{rng.randint(2, 90)},{rng.randint(100, 999)}",
        "small": rng.choice(NUMERALS),
        "more": str(rng.randint(13, 980)),
        "later": str(rng.randint(1990, 2019)),
    }
    if rng.random() < 0.12:
        values["quote"] = f"{rng.choice(SAYINGS)}, and the {values['thing']} can wait until {values['year']}."
        return Fact(f'{name} said: "{values["quote"]}"', title, chapter, values)
    template = rng.choice(TEMPLATES)
    used = {each: values[each] for each in re.findall(r"{(\w+)}", template)}
    return Fact(template.format(**values), title, chapter, used)


def reword(rng: random.Random, fact: Fact) -> tuple[str, str]:
    """(how, the sentence) said in another way that is as true."""
    text, ways = fact.text, dict[str, str]()
    if match := re.search(r"^((?:In|On) [^,]+), (.*)\.$", text):
        moved = f"{match[2][0].upper() if match[2].startswith('the ') else match[2][0]}{match[2][1:]}"
        ways["phrase moved"] = f"{moved} {match[1][0].lower()}{match[1][1:]}."
    if "date" in fact.values:
        day, month, year = fact.values["date"].split()
        ways["date written otherwise"] = text.replace(fact.values["date"], f"{month} {day}, {year}")
    if "small" in fact.values:
        number = str(NUMERALS.index(fact.values["small"]) + 2)
        ways["number in digits"] = text.replace(f" {fact.values['small']} ", f" {number} ")
    if "price" in fact.values:
        ways["number without comma"] = text.replace(fact.values["price"], fact.values["price"].replace(",", ""))
    for long, short in (("did not", "didn't"), ("was not", "wasn't")):
        if long in text and "quote" not in fact.values:
            ways["contraction"] = text.replace(long, short)
    for long, short in (("produced", "made"), ("attended", "came to"), ("employed", "gave work to"), ("paid", "gave")):
        if long in text:
            ways["another word"] = text.replace(long, short)
    if "quote" in fact.values:
        ways["quote inside"] = f"“{fact.values['quote'].rstrip('.')}”, said {fact.values['name']}."
        ways["quote shortened"] = f'{fact.values["name"]} said: "{fact.values["quote"].partition(",")[0]} …"'
    else:
        ways["name lead"] = (
            f"As the chronicle has it, {text[0].lower() if text.startswith('The ') else text[0]}{text[1:]}"
        )
    how = rng.choice([*ways])
    return how, ways[how]


Plant = Callable[[random.Random, Fact, list[Fact]], str | None]


def is_denied(fact: Fact) -> bool:
    """Whether a sentence denies something, so that what it denies of another value may be as true."""
    return any(f" {word} " in fact.text for word in ("not", "no"))


def plant_number(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """Another number in place of one."""
    if is_denied(fact):
        return None
    kind = next((each for each in ("count", "price", "small") if each in fact.values), None)
    if not kind or (kind == "count" and fact.text.startswith("About")):
        return None
    old = fact.values[kind]
    if kind == "small":
        new = rng.choice([numeral for numeral in NUMERALS if numeral != old])
    else:
        new = old
        while new == old:
            new = re.sub(r"\d", lambda digit: str(rng.randint(1, 9)), old)
    return re.sub(rf"(?<![\w,]){re.escape(old)}(?![\w,])", new, fact.text, count=1)


def plant_name(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """Another person, or another town."""
    kind = rng.choice([each for each in ("name", "other", "town") if each in fact.values] or [""])
    if not kind or "quote" in fact.values or is_denied(fact):
        return None
    new = old = fact.values[kind]
    while new == old:
        new = rng.choice(TOWNS) if kind == "town" else f"{rng.choice(FIRST)} {rng.choice([*LAST, 'Quill', 'Sorensen'])}"
    return fact.text.replace(old, new, 1)


def plant_date(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """Another day, month or year."""
    if "quote" in fact.values or is_denied(fact):
        return None
    if "date" in fact.values:
        day, month, year = fact.values["date"].split()
        changed = rng.choice(
            [
                f"{int(day) % 28 + 1} {month} {year}",
                f"{day} {MONTHS[MONTHS.index(month) - 1]} {year}",
                f"{day} {month} {int(year) + 3}",
            ]
        )
        return fact.text.replace(fact.values["date"], changed)
    return (
        fact.text.replace(fact.values["year"], str(int(fact.values["year"]) + rng.choice((-7, -1, 2, 10))))
        if "year" in fact.values
        else None
    )


def plant_negation(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """What is said is denied, or what is denied is said."""
    changes = (
        ("was not ", "was "),
        ("did not return", "returned"),
        ("has no records", "has records"),
        ("never reopened", "reopened"),
        (" was ", " was not "),
        (" is ", " is not "),
        (" produced ", " did not produce "),
        (" paid ", " did not pay "),
        (" employed ", " did not employ "),
        (" damaged ", " did not damage "),
        (" carried ", " never carried "),
        (" sold ", " did not sell "),
        (" started ", " did not start "),
        (" attended ", " did not attend "),
        (" tore ", " did not tear "),
        (" rose ", " did not rise "),
        (" had ", " did not have "),
    )
    if "quote" in fact.values:
        return None
    return next((fact.text.replace(old, new, 1) for old, new in changes if old in fact.text), None)


def plant_changed_quote(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """A word of a quote is another one."""
    if "quote" not in fact.values:
        return None
    words = fact.values["quote"].split()
    at = rng.randrange(1, len(words) - 1)
    words[at] = rng.choice([each for each in ("harvest", "bishop", "gladly", "seldom", "winter") if each != words[at]])
    return fact.text.replace(fact.values["quote"], " ".join(words))


def plant_moved_quote(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """A quote is put into another chapter, or into another mouth."""
    if "quote" not in fact.values:
        return None
    if rng.random() < 0.5:
        other = rng.choice([f"Chapter {number}" for number in range(1, 9) if f"Chapter {number}" != fact.chapter])
        return f"{fact.text} ({fact.title}, {other})"
    return fact.text.replace(fact.values["name"], f"{rng.choice(FIRST)} Quill", 1)


def plant_swapped_source(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """A sentence names a document that doesn't say so."""
    title = rng.choice([each.title for each in rng.sample(facts, 20) if each.title != fact.title])
    return f"{fact.text.rstrip('.')} ({title})." if "quote" not in fact.values else f"{fact.text} ({title})"


FAULTS: dict[str, Plant] = {
    "number": plant_number,
    "name": plant_name,
    "date": plant_date,
    "negation": plant_negation,
    "changed quote": plant_changed_quote,
    "moved quote": plant_moved_quote,
    "swapped source": plant_swapped_source,
}


def exchange(text: str, one: str, other: str) -> str:
    """The text with two of its values in each other's place."""
    return text.replace(one, "\0", 1).replace(other, one, 1).replace("\0", other, 1)


def trap_values(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """Two numbers or two years are exchanged."""
    pairs = [pair for pair in (("count", "more"), ("year", "later"), ("small", "count")) if {*pair} <= {*fact.values}]
    if not pairs:
        return None
    one, other = (fact.values[name] for name in rng.choice(pairs))
    return exchange(fact.text, one, other) if one != other else None


def trap_roles(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """From and to are exchanged, or what did something with what it was done for."""
    for one, other in (("town", "thing"), ("goods", "thing")):
        if {one, other} <= {*fact.values} and (" from " in fact.text or " produced " in fact.text):
            return exchange(fact.text, fact.values[one], fact.values[other])
    return None


def trap_words(rng: random.Random, fact: Fact, facts: list[Fact]) -> str | None:
    """A little word is another one, or is left out with what hangs on it."""
    changes = (
        (r" will sell ", " sold "),
        (r"^All clerks of (.*) but (.*) left", r"\2 left"),
        (r"^All clerks of (.*) but .* left", r"All clerks of \1 left"),
        (r"^The brother of ", ""),
        (r"^(.*) because (.*)\.$", r"\2 because \1."),
        (r"^If .*, (\w+) will pay", r"\1 will pay"),
        (r" rose from (\w+) crowns in \d+ to .*", r" rose to \1 crowns."),
        (r" from (\w+) to ", r" to \1 from "),
        (r" with (\w+) horses", r" for \1 horses"),
        (r" did not return to (.*) after the fire", r" did not return to \1"),
        (r"^About ", ""),
    )
    fitting = [change for change in changes if re.search(change[0], fact.text)]
    return re.sub(*rng.choice(fitting), fact.text) if fitting and "quote" not in fact.values else None


TRAPS: dict[str, Plant] = {"values exchanged": trap_values, "roles exchanged": trap_roles, "a little word": trap_words}


def make_claims(rng: random.Random, facts: list[Fact], faults: int, true: int) -> list[tuple[str, str]]:
    """Make (kind, sentence) pairs: true ones, every second of them reworded, ones with one fault each, and traps."""
    claims = list[tuple[str, str]]()
    for number in range(true):
        fact = rng.choice(facts)
        if number % 2:
            how, reworded = reword(rng, fact)
            claims.append((f"true, {how}", reworded))
        else:
            cited = f" ({fact.title}, {fact.chapter})" if number % 8 == 0 else ""
            claims.append(("true, as it stands" + (", cited" if cited else ""), fact.text + cited))
    known = {fact.text for fact in facts}
    for name, plants in (("fault", FAULTS), ("trap", TRAPS)):
        for number in range(faults):
            kind = [*plants][number % len(plants)]
            text: str | None = None
            while not text or text in known:
                text = plants[kind](rng, rng.choice(facts), facts)
            claims.append((f"{name}: {kind}", text))
    rng.shuffle(claims)
    return claims


async def check(texts: dict[str, str], claims: list[tuple[str, str]], each: int, show: int) -> dict[str, Counter[str]]:
    """The verdicts of each kind."""
    store = InMemoryStore()
    pages, counters = PageStore(store), defaultdict[str, Counter[str]](Counter)
    documents = list[Document]()
    for title, text in texts.items():
        places = [(match.start(), match[1]) for match in re.finditer(r"^## (.+)$", text, re.MULTILINE)]
        documents.append(await pages.add_document(text, title=title, places=places))
    shown = Counter[str]()
    for at in range(0, len(claims), each):
        part = claims[at : at + each]
        verified = await api.verify(store, "\n\n".join(text for _, text in part), documents=documents)
        if len(verified.claims) != len(part):
            raise SystemExit(f"{len(part)} sentences became {len(verified.claims)} claims")
        for (kind, text), claim in zip(part, verified.claims, strict=True):
            counters[kind][claim["verdict"]] += 1
            missed = claim["verdict"] != "contradicted" and kind.startswith("fault")
            wrong = claim["verdict"] == ("contradicted" if kind.startswith("true") else "supported")
            if (missed or wrong) and shown[kind] < show:
                shown[kind] += 1
                quotes = [quoted["quote"] for quoted in claim["evidence"]]
                print(f"  {kind}: {claim['verdict']}: {text} | {claim['differs']} {claim['missing']} {quotes}")
    return counters


def main() -> None:
    """Make the texts and claims, check them, print the verdicts of each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=2000)
    parser.add_argument("--true", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="Print N wrong ones of each kind.")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    texts, facts = make_chronicles(rng, 10, 640)
    claims = make_claims(rng, facts, args.faults, args.true)
    begun = time.perf_counter()
    counters = asyncio.run(check(texts, claims, 500, args.show))
    columns = ("supported", "contradicted", "not decided", "not found")
    print(f"{'':34}" + "".join(f"{column:>14}" for column in columns))
    for kind in sorted(counters):
        print(f"{kind:34}" + "".join(f"{counters[kind][column]:14}" for column in columns))
    caught = sum(counters[kind]["contradicted"] for kind in counters if kind.startswith("fault"))
    alarms = sum(counters[kind]["contradicted"] for kind in counters if kind.startswith("true"))
    print(f"faults found: {caught / max(args.faults, 1):.2%} of {args.faults}")
    print(f"false alarms: {alarms / max(args.true, 1):.3%} of {args.true}; aim at most 0.1%")
    believed = sum(counters[kind]["supported"] for kind in counters if not kind.startswith("true"))
    print(f"false sentences called supported: {believed} of {2 * args.faults}; aim none")
    print(f"{1000 * (time.perf_counter() - begun) / len(claims):.1f} ms a claim")


if __name__ == "__main__":
    main()
