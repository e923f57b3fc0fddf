"""Two texts are compared: rows with both quotes, by rules that don't guess, and by a model what these leave open."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph import api
from readgraph.features.changes.comparing import compare_texts
from readgraph.features.changes.functions import Changes
from readgraph.graphs.methods import PARTS
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.collections import add_collection
from readgraph.library.opening import Library
from readgraph.library.versions import set_version
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.doubles.summariser import numbered, shown
from tests.support.command import Command, assert_refused

MODEL = ReaderContext(model="openai:double")
OLD = """# Lease

## 1 Fees

The rent is 1,000 euros. It is due on 3 May 2024. The tenant must pay on time. Marta Weber keeps the keys.

| who | fee |
|---|---|
| adult | 20 € |
| child | 10 € |

## 2 Rules

Dogs are not allowed. The garden is open all day. The gate closes at nine, and the keeper goes home.

## 3 Ends

Either side may end the lease. A letter of three months is needed. The old well is dry.
"""
NEW = """# Lease

## 1 Fees

The rent is one thousand euros. It is due on 2024-05-13. The tenant may pay on time. Jonas Holm keeps the keys.

| who | fee |
|---|---|
| adult | 25 € |
| child | 10 € |

## 2 Guests

Guests stay for a week.

## 3 Rules

The garden is open all day. Dogs are allowed. The gate closes at nine. The keeper goes home.

## 4 Ends

A letter of three months is needed. Each party is free to terminate the agreement.
"""


def told(earlier: str, later: str) -> list[tuple[str, str, str]]:
    """Of each difference its kind, what differs, and whether it moved."""
    found = compare_texts(earlier, later)
    differs = [
        "; ".join(f"{part['kind']}: {part['earlier']} → {part['later']}" for part in each.differs) for each in found
    ]
    return [(each.kind, what, "moved" if each.moved else "") for each, what in zip(found, differs, strict=True)]


def test_each_difference_is_a_row_with_what_differs() -> None:
    rows = told(OLD, NEW)
    assert rows[:4] == [
        ("changed", "date: 3 May 2024 → 2024-05-13", ""),
        ("changed", "condition: must → may", ""),
        ("changed", "name: Marta Weber → Jonas Holm", ""),
        ("changed", "number: 20 € → 25 €", ""),
    ]
    assert ("changed", "negation: not → ", "") in rows or ("changed", "negation: not → ", "moved") in rows
    kinds = [kind for kind, *_ in rows]
    assert kinds.count("removed") == 1 and kinds.count("added") == 2, "the well; the heading and what it says of guests"
    assert kinds.count("not judged") == 2, "the gate, and who ends the lease"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The fee is 1,000 euros.", "The fee is EUR 1000."),
        ("The load is 3 × 10⁶ units.", "The load is three million units."),
        ("The firm had 1,520 men.", "The firm had one thousand five hundred and twenty men."),
        ("It weighs 1.2 kg in all.", "It weighs 1200 g in all."),
        ("It opens at 3 pm on 7 May 1890.", "It opens at 15:00 on 1890-05-07."),
        ("Die Miete beträgt zweihundert Euro seit dem 3. Mai 2024.", "Die Miete beträgt 200 € seit dem 2024-05-03."),
        ("Le loyer est de 1 000 € par an.", "Le loyer est de mille euros par an."),
        ("租金为3万元。", "租金为30000元。"),
        ("## 3 Fees\n\n3.1 The tenant pays.", "## 4 Fees\n\n4.1 The tenant pays."),
        ("The mill doesn't burn.", "The mill does not burn."),
        ("The cellar was at -5 °C.", "The cellar was at minus 5 °C."),
        ("The cellar was at –5 °C.", "The cellar was at -5 °C."),
        ("It ran for 8–10 hours.", "It ran for 8-10 hours."),
        ("The dose is 3.2 × 10⁻³ g.", "The dose is 0.0032 g."),
        ("The dose is 1e-6 g.", "The dose is 0.000001 g."),
        ("Die Dosis beträgt 3,2 × 10^-3 g am Tag.", "Die Dosis beträgt 0,0032 g am Tag."),
        ("Der Zug fährt um 14.30 Uhr.", "Der Zug fährt um 14:30 Uhr."),
        ("It was built in 1890.[^1]\n\n[^1]: Box 12.", "It was built in 1890.[^2]\n\n[^2]: Box 12."),
        ("It costs 4 € for each [^1].", "It costs 4 € for each[^2]."),
        ("The work cost $2.5 million last year.", "The work cost USD 2.5m last year."),
        ("The dose is 0.125 mg.", "The dose is 0,125 mg."),
        ("It grew by .5 in all.", "It grew by 0.5 in all."),
        ("Number 5 is closed today.", "No. 5 is closed today."),
        ("Er zahlt die dreißig Euro.", "Er zahlt die 30 Euro."),
        ("| item | fee |\n|---|---|\n| nut | 20 € |", "| item | fee |\n\nitem: nut; fee: 20 €"),
        ("One hundred and one people saw it.", "101 people saw it."),
        ("See sect. 4.2 of it.", "See sect. 4.2 of it!"),
        ("It was built.¹ Holm paid.", "It was built.² Holm paid."),
        ("See [the plan](../plan.v2.md#1) of the `mill`.", "See the plan of the mill."),
        ("<!-- made: kinds -->\n\n```sh\nls -l\n```", "ls -l"),
        ("| who | fee |\n|---|---|\n| adult. Not a boy | 20 € |", "who | fee\nadult. Not a boy | 20 €"),
        ("| item | fee |\n|---|---|\n| nut | 20 € |", "item: nut; fee: 20 €"),
        ("Add ½ cup of the best salt.", "Add 0.5 cup of the best salt."),
        ("The colour of the wall was grey.", "The color of the wall was gray."),
        ("La subida es del 3 por ciento este año.", "La subida es del 3 % este año."),
        ("Der Verein hat einundzwanzig Mitglieder.", "Der Verein hat 21 Mitglieder."),
        ("合同期为十二个月，折扣为百分之五。", "合同期为12个月，折扣为5%。"),
    ],
)
def test_what_is_only_written_otherwise_is_no_row(one: str, other: str) -> None:
    assert told(one, other) == []


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("The fee is 20 % of it.", "The fee is 20 € of it.", "number: 20% → 20 €"),
        ("The fee is 20 euros.", "The fee is 20 dollars.", "number: 20 euros → 20 dollars"),
        ("The tenant shall pay.", "The tenant shall not pay.", "negation:  → not"),
        ("At least 5 men work here.", "At most 5 men work here.", "condition: least → most"),
        ("Men pay 20 euros and boys 10 euros.", "Men pay 10 euros and boys 20 euros.",
         "number: 20 euros, 10 euros → 10 euros, 20 euros"),
        ("```\nlimit = 20\n```", "```\nlimit = 25\n```", "number: 20 → 25"),
        ("12. Mai 2024 beginnt die Frist.", "13. Mai 2024 beginnt die Frist.", "date: 12. Mai 2024 → 13. Mai 2024"),
        ("Herr Weber zahlt die Miete.", "Herr Holm zahlt die Miete.", "name: Weber → Holm"),
        ("Der Mieter muss heute zahlen.", "Der Mieter kann heute zahlen.", "condition: muss → kann"),
        ("Le loyer est dû ce soir.", "Le loyer n'est pas dû ce soir.", "negation:  → n' pas"),
        ("承租人应当支付租金。", "承租人可以支付租金。", "condition: 应当 → 可以"),
        ("会員は会費を支払う。", "会員は会費を支払わない。", "negation:  → ない"),
        ("Keep it below 8 °C.", "Keep it below 8 °F.", "number: 8 °C → 8 °F"),
        ("Keep it at –8 °C.", "Keep it at 8 °C.", "number: -8 °C → 8 °C"),
        ("Add 3.25 × 10^1 g of it.", "Add 3.21 × 10^1 g of it.", "number: 32.5 g → 32.1 g"),
        ("Add 3 × 10⁻³ g of it.", "Add 3 × 10⁻⁶ g of it.", "number: 0.003 g → 0.000003 g"),
        ("It took 3 months and cost 1.2 million crowns.", "It took 3 years and cost 1.2 billion crowns.",
         "number: 3 months → 3 years; number: 1.2 million → 1.2 billion"),
        ("The fee is $5 a day.", "The fee is A$5 a day.", "number: $5 → A$5"),
        ("Add 500 ml of stock.", "Add 500 g of stock.", "number: 500 ml → 500 g"),
        ("Sow the seeds in April.", "Sow the seeds in May.", "date: April → May"),
        ("Im März wird gesät.", "Im Mai wird gesät.", "date: März → Mai"),
        ("The firm is led at home by Mrs Ilse Brandt.", "The firm is led at home by Mr Tom Holm.",
         "name: Mrs Ilse Brandt → Mr Tom Holm"),
        ("- [ ] Paint the fence", "- [x] Paint the fence", "condition: [ ] → [x]"),
        ("The loan is of USD 3m.", "The loan is of EUR 3m.", "number: $3m → €3m"),
        ("item: nut; fee: 20 €", "| nut | 25 € |", "number: 20 € → 25 €"),
        ("The fee is 40 CHF.", "The fee is 40 EUR.", "number: 40 CHF → 40 EUR"),
        ("The fee is 25 % now.", "The fee is 30 now.", "number: 25% → 30"),
        ("It begins at 9 in the hall.", "It begins at 9:30 in the hall.", "number: 9 → 9:30"),
        ("It ends on 3/4/2023 at last.", "It ends on 3/5/2023 at last.", "date: 3/4/2023 → 3/5/2023"),
        ("They are from the 1990s.", "They are from the 1980s.", "date: 1990s → 1980s"),
        ("Add 1½ cups of milk.", "Add 2½ cups of milk.", "number: 1½ → 2½"),
        ("print(arr[0])", "print(arr[1])", "number: 0 → 1"),
        ("It returns None for a list.", "It returns False for a list.", "name: None → False"),
        ("The fee is due unless he objects.", "The fee is due if he objects.", "condition: unless → if"),
        ("Das Fest ist am Samstag im Hof.", "Das Fest ist am Sonntag im Hof.", "date: Samstag → Sonntag"),
        ("El inquilino puede pagar la renta.", "El inquilino debe pagar la renta.", "condition: puede → debe"),
        ("租赁期限为三年。", "租赁期限为五年。", "number: 三 → 五"),
    ],
)  # fmt: skip
def test_what_changed_is_said(one: str, other: str, differs: str) -> None:
    assert told(one, other) == [("changed", differs, "")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Weber sold the mill to Holm.", "Holm bought the mill from Weber."),
        ("Smoking is forbidden in the hall.", "Smoking is not allowed in the hall."),
        ("Das Entgelt ist bald fällig.", "Die Gebühr ist bald fällig."),
        ("Weber and Holm met at noon.", "Holm and Weber met at noon."),
        ("It was built in May 1890.", "It was built in 1890."),
        ("See [the plan](plan.md).", "See [the plan](other.md)."),
        ("The film lasts 1 hour and 45 minutes.", "The film lasts 105 minutes."),
        ("The shop opens at 9 a.m. on that day.", "The shop opens at 9:00 on that day."),
        ("Der Zug fährt um 19 Uhr ab.", "Der Zug fährt um 19:00 Uhr ab."),
        ("The train leaves at half past seven.", "The train leaves at 7:30."),
        ("The card holds 2 GB.", "The card holds 2 gigabytes."),
        ("It grew by 1/2.", "It grew by 0.5."),
        ("It needs 1 1/2 cups of milk.", "It needs 1½ cups of milk."),
        ("The price is 1.200,50 EUR.", "The price is 1,200.50 EUR."),
        ("El plazo es de 35 días.", "El plazo es de treinta y cinco días."),
        ("It opened on Monday, 5 May 2025.", "It opened on 5 May 2025."),
        ("See Fig. 2 for more.", "See Figure 2 for more."),
        ("He sells cars.", "He sold cars."),
        ("Section 2.10 applies.", "Section 2.1 applies."),
        ("Henry VIII reigned.", "Henry VII reigned."),
        ("It is written in C# now.", "It is written in C now."),
        ("✓ Paid", "✗ Paid"),
        ("The plant gives 5 MW of power.", "The plant gives 5 mW of power."),
        ("They told us of the accident.", "They told US of the accident."),
        ("The value is x in all cases.", "The value is X in all cases."),
        ("The rope has 5′ in all.", "The rope has 5″ in all."),
        ("item: nut; fee: 20 €", "item: nut; fine: 20 €"),
        ("Take vitamin A daily.", "Take vitamin daily."),
        ("Articles 5–9 apply.", "Articles 5, 9 apply."),
        ("y = foo(a, b)", "y = foo(b, a)"),
        ("y = c * b", "y = c / b"),
        ("if (!ready) stop();", "if (ready) stop();"),
        ("| bolt | 3 | |", "| bolt | | 3 |"),
        ("They pay 1.200 € a year.", "They pay 1200 € a year."),
        ("They pay 1.200 € a year.", "They pay 1.200,00 € a year."),
        ("The house was of Henry VIII then.", "The house was of Henry the Eighth then."),
        ("The ratio is 25% there.", "The ratio is 0.25 there."),
        ("Der Zug fährt um 14 Uhr 30 ab.", "Der Zug fährt um 14:30 Uhr ab."),
        ("No hay ningún perro en la casa de mi padre.", "No hay perros en la casa de mi padre."),
        ("He lacks money.", "He has no money."),
        ("The court sits in Munich.", "The court sits in München."),
        ("The deed is by Robert Ainsley.", "The deed is by Bob Ainsley."),
        ("It is due on 3/4/2023 at last.", "It is due on 4/3/2023 at last."),
        ("The ratio is 3 % there.", "The ratio is 30 ‰ there."),
        ("The result was (5) crowns.", "The result was 5 crowns."),
        ("ls -a", "ls -A"),
        ("They sign before the works begin.", "The works begin before they sign."),
        ("It raises an error if the file is missing.", "A missing file raises an error."),
        ("Call +49 30 123456 now.", "Call +49 (0)30 12 34 56 now."),
    ],
)
def test_what_rules_cannot_tell_is_not_judged(one: str, other: str) -> None:
    assert told(one, other) == [("not judged", "", "")]


def test_a_section_that_moved_is_one_row_and_others_are_none() -> None:
    parts = [
        f"## {name}\n\nThe {name} holds {n} men. They came in 19{n}1 to it.\n"
        for n, name in enumerate("mill barn".split(), 2)
    ]
    more = "## The end\n\nNobody lives there. The roof fell in. Birds nest in the walls.\n"
    assert told("\n".join([*parts, more]), "\n".join([more, *parts])) == [("moved", "", "moved")]


def test_sentences_that_are_little_alike_in_different_places_are_none_that_moved() -> None:
    lines = ["The mill stands here.", "A barge brings the coal.", "The owner lives abroad.", "Nobody paid the toll."]
    gone, new, moved = (
        "The keeper counts the birds at dawn.",
        "The keeper feeds the goats at noon.",
        "Frost came early.",
    )
    rows = told(" ".join([*lines, gone, moved, "All ends."]), " ".join([lines[0], new, moved, *lines[1:], "All ends."]))
    assert sorted(rows) == [("added", "", ""), ("moved", "", "moved"), ("removed", "", "")]


@given(st.lists(st.sampled_from([*OLD.replace("\n", " ").split(". "), "| a | 3 |", "## 2 Fees", "租金为3万元。"])))
def test_a_text_has_no_difference_from_itself_and_each_span_stands_in_its_text(lines: list[str]) -> None:
    text = "\n\n".join(lines)
    assert compare_texts(text, text) == []
    for found in compare_texts(text, NEW):
        assert not found.earlier or text[slice(*found.earlier)].strip()
        assert not found.later or NEW[slice(*found.later)].strip()


async def compared(library: Library, one: str, other: str, context: ReaderContext | None = None) -> Changes:
    earlier, later = [
        await library.pages.add_document(text, title=name) for name, text in (("old", one), ("new", other))
    ]
    return await api.changes(library, later, earlier=earlier, context=context)


async def test_rows_have_quotes_and_places_of_both(library: Library) -> None:
    made = await compared(library, OLD, NEW)
    first = made.changes[0]
    assert [each["quote"] for each in (*first["earlier"], *first["later"])] == [
        "It is due on 3 May 2024.",
        "It is due on 2024-05-13.",
    ]
    assert [first[side][0]["place"].partition(",")[0] for side in ("earlier", "later")] == ["old", "new"]
    table = made.output["table"]
    assert table["found"] == len(table["rows"]) == len(made.changes) and made.model is None


async def test_versions_of_a_document_are_compared_and_the_same_is_the_same(library: Library) -> None:
    old = await library.pages.add_document("The mill makes 400 tons a year.", title="2023")
    new = await set_version(
        library.pages, await library.pages.add_document("The mill makes 450 tons a year."), "", old.id
    )
    assert [change["kind"] for change in (await api.changes(library, new)).changes] == ["changed"]
    assert (await api.changes(library, old, earlier=old)).output["answer"] == "The two documents are identical."
    with pytest.raises(BadInput, match="'2023' supersedes no document"):
        await api.changes(library, old)


def judging(*verdicts: str) -> Any:
    """A model whose verdicts on the claims are these, in turn, each with a quote of its passage."""

    def respond(request: ChatRequest) -> str | dict[str, object]:
        if asked_for(request) != "ClaimVerdicts":
            return reader(request)
        claims = []
        for number, (page, body) in zip(numbered(request), shown(request).items(), strict=True):
            quotes = [{"page": page, "quote": body.strip()}]
            verdict = verdicts[(number - 1) % len(verdicts)]
            claims.append({"claim": number, "quotes": quotes, "verdict": verdict, "instead": "bought"})
        return {"claims": claims}

    return respond


@pytest.mark.parametrize(
    ("verdicts", "kinds"),
    [
        (("supported", "supported"), []),
        (("contradicted", "supported"), ["changed"]),
        (("supported", "not found"), ["changed"]),
        (("not found", "not found"), ["removed", "added"]),
    ],
)
async def test_the_model_judges_what_was_reworded(
    library: Library, server: ModelServer, verdicts: tuple[str, str], kinds: list[str]
) -> None:
    server.respond = judging(*verdicts)
    made = await compared(library, "Weber sold the mill to Holm.", "Holm bought the mill from Weber.", MODEL)
    assert [change["kind"] for change in made.changes] == kinds and made.usage["calls"] == 1
    assert {change["by"] for change in made.changes} <= {"model"}


async def test_a_verdict_without_a_quote_does_not_count(library: Library, server: ModelServer) -> None:
    server.respond = lambda request: {
        "claims": [{"claim": each, "quotes": [], "verdict": "supported"} for each in numbered(request)]
    }
    made = await compared(library, "Weber sold the mill to Holm.", "Holm bought the mill from Weber.", MODEL)
    assert [change["kind"] for change in made.changes] == ["not judged"]
    assert made.output["fallbacks"] == {"quote_not_found": 2}


async def test_what_it_will_ask_is_known_before(library: Library) -> None:
    texts = ("Weber sold the mill to Holm.", "Holm bought the mill from Weber.")
    documents = [await library.pages.add_document(text) for text in texts]
    both = await add_collection(library.pages, documents)
    estimate = await rehearse_method(PARTS["changes"], library.pages, both, MODEL, {})
    assert estimate.calls.expected == 1
    with pytest.raises(BadInput, match="give the earlier one, too"):
        await rehearse_method(PARTS["changes"], library.pages, documents[0], MODEL, {})


def test_the_command_prints_a_table_and_its_exit_code_says_whether_something_differs(
    readgraph: Command, tmp_path: Any
) -> None:
    old, new, empty, report = (tmp_path / name for name in ("old.md", "new.md", "empty.md", "report.html"))
    for file, text in ((old, OLD), (new, NEW), (empty, "")):
        file.write_text(text)
    ran = readgraph("changes", old, new, "--report", report)
    assert ran.code == 1 and "| changed | number: 20 € → 25 € |" in ran.out and "2 not judged" in ran.out
    assert "20 € → 25 €" in report.read_text()
    same = readgraph("changes", old, old, "--quiet")
    assert (same.code, same.out) == (0, "The two documents are identical.\n")
    assert_refused(readgraph("changes", old, empty), "is empty")
    assert_refused(readgraph("changes", old), "'old' supersedes no document of the library")
    assert_refused(readgraph("changes", old, new, old), "Two documents are compared, and these are 3")
