"""Records that patterns find: no number of a date or a page is an amount, and what is denied is none."""

import pytest

from readgraph.features.survey.patterns import columns_without_pattern, take_by_pattern
from readgraph.features.survey.plan import by_rule, columns_named

pytestmark = pytest.mark.quick


def taken(text: str, question: str, fields: str = "") -> list[list[str]]:
    return [values for values, _, _ in take_by_pattern(text, by_rule(question, columns_named(fields)))]


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("On 3 May 1921 she paid 400 crowns. See page 12, § 4 and no. 7.", ["400 crowns"]),
        ("Am 3. Mai 1921 zahlte die Mühle 1.200,50 Kronen (S. 12), am 4. Tag 30.", ["1.200,50 Kronen"]),
        ("Le 9 février 1921, le moulin paya 12 000 couronnes au port.", ["12 000 couronnes"]),
        ("Он заплатил 3 мая 1921 г. 400 рублей, см. стр. 12.", ["400 рублей"]),
        ("彼は1921年5月3日に400円払った。", ["400円"]),
        ("In 1921 the price rose. 1921 was dear, at 19:40 on 05/03/2024 too.", []),
        ("They drew 40 buckets. In 1921 they drew 1500 buckets.", ["40", "1500"]),
        ("It cost $1921 and 5 %.", ["$1921", "5 %"]),
        ("3. He had B12 and 1-2 of [4] on the 5th [^6].", []),
    ],
)
def test_an_amount_is_no_part_of_a_date_a_year_or_a_page(text: str, amounts: list[str]) -> None:
    assert [row[0] for row in taken(text, "all amounts")] == amounts


@pytest.mark.parametrize(
    "text",
    [
        "On 4 May 1921, Ben paid nothing. On 5 May 1921 he did not pay the 300 crowns.",
        "Am 4. Mai 1921 zahlte er keine 300 Kronen.",
        "Le 4 mai 1921, il ne paya pas les 300 couronnes.",
        "4 мая 1921 он не заплатил 300 рублей.",
    ],
)
def test_what_a_sentence_denies_gives_no_row(text: str) -> None:
    assert taken(text, "every payment: day, amount") == []
    assert taken(text, "every date"), "but its dates are dates"


def test_what_is_affirmed_beside_a_denial_stays() -> None:
    text = "On 3 May 1921 Ann paid 400 crowns, not 300; on 4 May 1921 Ben did not pay."
    assert taken(text, "payments: day, amount") == [["1921-05-03", "400 crowns"]]
    assert taken("They saw nothing but gulls.", "How many gulls are seen?") == [["They saw nothing but gulls."]]
    assert taken("They saw no gulls.", "How many gulls are seen?") == []
    text = "On 3 May 1921 Ann paid 400 crowns; on 4 May 1921 Ben did not pay his 300 crowns."
    assert taken(text, "payments: day, amount") == [["1921-05-03", "400 crowns"]]
    assert len(taken(text, "who did not pay: day, amount")) == 2


def test_columns_that_are_asked_for_stay_and_those_without_a_pattern_are_known() -> None:
    programme = by_rule("every payment: day, payer and amount", [])
    assert [(each["name"], each["kind"]) for each in programme["columns"]] == [
        ("day", "date"),
        ("payer", "text"),
        ("amount", "text"),
    ]
    assert columns_without_pattern(programme["columns"]) == ["payer"]
    assert taken("On 3 May 1921 she paid 400 crowns.", "payments: day, payer, amount") == [
        ["1921-05-03", "", "400 crowns"]
    ]
    assert [each["name"] for each in by_rule("What did he say: nothing?", [])["columns"]] == ["sentence"]
    assert columns_without_pattern(columns_named("role:text,age:number")) == ["role"]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Ann Abel paid Ben Cole 400 crowns on 3 May 1921.", [["1921-05-03", "Ann Abel, Ben Cole", "400 crowns"]]),
        ("On 3 May 1921, for 3 June 1921, Ann Abel paid $2m.", [["1921-05-03, 1921-06-03", "Ann Abel", "$2m"]]),
        ("Mr. Holt owed $30 on 3 May 1921. Rain fell on 4 May 1921 for $1.", [["1921-05-03", "Mr. Holt", "$30"]]),
        ("On 3 May 1921 Łucja Ślęzak paid him 40 crowns.", [["1921-05-03", "Łucja Ślęzak", "40 crowns"]]),
        ("15 марта 2020 года Фёдор Лапин внёс 12 тыс. руб. за дом.", [["2020-03-15", "Фёдор Лапин", "12 тыс. руб."]]),
        ("2021年3月5日，张伟支付了12万元。", [["2021-03-05", "", "12万元"]]),
    ],
)
def test_a_payment_is_one_row_with_its_names_in_every_script(text: str, rows: list[list[str]]) -> None:
    assert taken(text, "every payment: date, name, amount") == rows
