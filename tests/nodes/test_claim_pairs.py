"""Rules give no wrong verdict: over pairs that a grammar makes, and over real sentences with one planted change."""

import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from readgraph.features.verify.by_rules import check_claim
from readgraph.features.verify.claims import read_claims
from readgraph.features.verify.finding import PageTexts
from readgraph.language.sentences import sentence_spans
from readgraph.nodes.answering.citations import find_quote
from readgraph.nodes.evidence import PageText
from readgraph.state.records import Document, Page
from tests.support.claim_pairs import PLAIN, RIGHT, Pair, Relation, make_pairs
from tests.support.some_methods import mostly_slow


def check(text: str, claim: str) -> str:
    """The verdict of rules on a claim beside a text."""
    page = Page(0, 0, len(text), 0, "rest")
    texts = PageTexts(Document("1", "Notes", "", 0, len(text), ""), text, [page], {0: "Notes"})
    found = [check_claim(each, [PageText(page, text, None)], texts)["verdict"] for each, _ in read_claims(claim, [])]
    verdicts = {*found} - {"supported"} or {*found}
    return min(verdicts) if verdicts else "no claim"


def find_wrong(pairs: Iterable[Pair]) -> tuple[list[Pair], Counter[tuple[str, str]]]:
    counts, wrong = Counter[tuple[str, str]](), list[Pair]()
    for pair in pairs:
        verdict = check(pair.text, pair.claim)
        counts[pair.kind, verdict] += 1
        if verdict not in (*RIGHT[pair.relation], "no claim") or (pair.kind in PLAIN and verdict != "supported"):
            wrong.append(pair)
    return wrong, counts


def test_no_verdict_on_pairs_by_grammar_is_wrong() -> None:
    wrong, _ = find_wrong(make_pairs(150, seed=1))
    assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_no_verdict_on_any_of_many_pairs_is_wrong(seed: int) -> None:
    wrong, _ = find_wrong(make_pairs(300, seed))
    assert not wrong


BURNED = "The mill of Orrin burned in 1950."


@pytest.mark.parametrize(
    "text",
    [
        "{} (False)",
        "{} Wrong.",
        "{} Or so Ann believed.",
        "{} But it never did.",
        "{} In fact it was the barn.",
        "{} Correction: it was 1951.",
        "{} No, wait: it was the barn.",
        "{}[1] Ann saw it.\n\n[1]: This is a myth.",
        "FALSE: {}",
        "Claim: {}\nVerdict: false.",
        "Ann claims the following. {}",
        "According to Ann: {}",
        "‘Listen. {} It was bad,’ said Ann.",
        "— {}\n— No.",
        "# Myths\r\n\r\n{}\r\n",
        "<!-- {} --> Ann saw it.",
        "~~Ann saw it. {}~~",
        "| Myth | Fact |\n|---|---|\n| {} | Ann saw it. |",
    ],
)
def test_what_a_text_takes_back_or_does_not_say_itself_is_left_open(text: str) -> None:
    assert check(f"Ann saw it. {BURNED} Bob came from Sund.", BURNED) == "supported"
    assert check(text.format(BURNED), BURNED) == "not decided"


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Ann wrote: “I will sell it in May, if it rains.”", "Ann wrote: “I will sell it in May.”"),
        ("Ann wrote: “I will sell it in May?”", "Ann wrote: “I will sell it in May.”"),
        ("Ann wrote: “I would not say that it burned.”", "Ann wrote: “that it burned”."),
        ("Ann wrote: “I will sell it.” This was a joke.", "Ann wrote: “I will sell it.”"),
        ("Ann wrote that Bob wrote: “I will sell it.”", "Ann wrote: “I will sell it.”"),
        ("Ann wrote to Bob: “I will sell it.”", "Bob wrote: “I will sell it.”"),
        ("The deed says: “The fee is 300 crowns a month.”", "The deed says: “The fee is 300 crowns.”"),
        ("The fee is −300 crowns a month.", "The report says: “300 crowns a month”."),
        ("The fee is 300 million crowns.", "The report says: “The fee is 300”."),
        ("Ann read “The Old Man and the Sea” in May.", "Ann read “The Old Man and the River” in May."),
    ],
)
def test_a_quote_that_is_cut_or_put_elsewhere_is_left_open(text: str, claim: str) -> None:
    assert check(text, claim) == "not decided"


FORMS = [*'Capital |word |"a b c |“a b c” |“mill |[^1|[^1 |[x](|1|12 |! |.|a … |磨|_a '.split("|")]


@pytest.mark.parametrize("form", mostly_slow(FORMS, FORMS[::3]))
def test_a_text_of_one_form_takes_no_time_that_grows_faster_than_it(form: str) -> None:
    text = (form * 40_000)[:40_000]
    begun = time.process_time()
    assert check(text[:700], text) in ("supported", "not decided", "not found", "no claim")
    assert check(text, "The mill made 240 tons. Ann said: “We will sell no boats.”") != "contradicted"
    assert find_quote(text[:9000].strip() + "xylem", text, 0, len(text)) is None
    assert time.process_time() - begun < 5  # where rules that were quadratic took 20


DATA = Path(__file__).parents[3] / "shared" / "data"
ELSEWHERE = ("Quillon", "mudguard", "abacus")


def read_texts(name: str) -> list[str]:
    """The documents of a file of shared samples, as texts; each paragraph by itself where they are many."""
    if not (file := DATA / name).exists():
        pytest.skip(f"the shared samples are not there: {file.name}")
    found = list[str]()
    for line in file.read_text(encoding="utf-8").splitlines():
        read = json.loads(line)
        turns = [f"{turn['speaker']}: {turn['text']}" for each in read.get("sessions", ()) for turn in each["turns"]]
        found += [read.get("text") or "\n".join(turns) or "\n\n".join(each["text"] for each in read["documents"])]
    return found


def plant_changes(text: str, count: int, rng: random.Random) -> Iterator[Pair]:
    """Sentences of a text with what stands around them, as they are and with one change."""
    spans = [span for span in sentence_spans(text) if 40 < span[1] - span[0] < 300]
    for start, end in sorted(rng.sample(spans, min(count, len(spans)))):
        sentence = text[start:end]
        around = text[max(text.rfind("\n", 0, max(start - 600, 0)), 0) : end + 600]
        words = sentence.split()
        plain = [at for at in range(1, len(words) - 1) if words[at].isalpha() and words[at + 1].isalpha()]
        if not plain:
            continue
        at = rng.choice(plain)
        changed = {
            "as it is": sentence,
            "other case": sentence.upper(),
            "quoted": f"The text says: “{sentence}”",
            "number": re.sub(r"\d(?!\d)", lambda found: str((int(found[0]) + 4) % 10), sentence, count=1),
            "denied": re.sub(r"\b(was|is|were|are|had|has|will|would)\b", r"\1 not", sentence, count=1),
            "no denial": re.sub(r"\b(?:not|never|no) |n't\b", "", sentence, count=1),
            "name": re.sub(r"(?<=[a-z] )[A-Z][a-z]{2,}", ELSEWHERE[0], sentence, count=1),
            "word": " ".join([*words[:at], rng.choice(ELSEWHERE[1:]), *words[at + 1 :]]),
            "word less": " ".join([*words[:at], *words[at + 1 :]]),
            "exchanged": " ".join([*words[:at], *reversed(words[at : at + 2]), *words[at + 2 :]]),
            "quoted with another word": f"The text says: “{' '.join([*words[:at], ELSEWHERE[1], *words[at + 1 :]])}”",
            "gap": f"The text says: “{' '.join([*words[:at], '…', *words[at + 1 :]])}”",
        }
        for kind, claim in changed.items():
            is_true = kind in ("as it is", "other case", "quoted")
            if is_true or (
                claim != sentence and not (kind == "exchanged" and words[at].casefold() == words[at + 1].casefold())
            ):
                relation: Relation = (
                    "follows" if is_true else "open" if kind in ("gap", "word less", "exchanged") else "against"
                )
                yield Pair(around, claim, relation, kind, "en")


@pytest.mark.parametrize(
    "name",
    mostly_slow(
        ["quality_dev_mini", "qmsum_mini", "locomo_mini", "hotpot_long_mini", "squality_mini"],
        ["quality_dev_mini", "locomo_mini"],
    ),
)
def test_no_verdict_on_a_real_sentence_is_wrong(name: str) -> None:
    rng = random.Random(1)
    texts = read_texts(f"{name}.jsonl")
    wrong, counts = find_wrong(pair for text in texts[:2] for pair in plant_changes(text, 12, rng))
    assert not wrong
    assert counts["as it is", "supported"] >= 0.6 * sum(counts["as it is", each] for each in RIGHT["follows"])
