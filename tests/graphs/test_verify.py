"""A draft is checked against documents: claims, quotes, citations; by rules, and by a model what these leave open."""

from typing import Any

import pytest

from readgraph import api
from readgraph.features.verify.decide import describe_claim
from readgraph.features.verify.functions import Verified
from readgraph.graphs.methods import PARTS
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.language.compare import compare_sentences
from readgraph.library.opening import Library
from readgraph.nodes.answering.citations import with_marks
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.doubles.summariser import numbered, shown

MILL = """The mill at Orrin was opened by Marta Lindqvist on 7 May 1890. In 2012 it made 240 tons of flour.

## The fire

Jonas Weber said: "We will sell no more boats before the spring tide." The roof was not insured.

## The sale

In 1931 the town paid 30,000 crowns for the mill. Nobody asked the people on the quay.
"""
PORT = """The harbour has a pier and two cranes. It was opened in 1902.

## The sale

The pilots moved to Halden in 1950.
"""
MODEL = ReaderContext(model="openai:double")


@pytest.fixture
async def documents(library: Library) -> list[Document]:
    places = [(0, "Beginning"), (MILL.index("## The fire"), "The fire"), (MILL.index("## The sale"), "The sale")]
    mill = await library.pages.add_document(MILL, title="Mill report", places=places)
    port = await library.pages.add_document(
        PORT, title="Port log", places=[(0, "Beginning"), (PORT.index("## The sale"), "The sale")]
    )
    return [mill, port]


async def checked(library: Library, documents: Any, draft: str, context: ReaderContext | None = None) -> Verified:
    return await api.verify(library, draft, documents=documents, context=context)


def told(made: Verified) -> list[str]:
    return [describe_claim(claim) for claim in made.claims]  # type: ignore[arg-type]


async def test_each_sentence_gets_its_verdict_and_a_quote(library: Library, documents: list[Document]) -> None:
    draft = """# Report

The mill at Orrin was opened by Marta Lindqvist on 8 May 1890. The roof was insured. In 1931 the town paid 30,000 crowns
for the mill. The bishop came from Norway with seven daughters. What is a quay?

| year | tons |
|---|---|
| 2012 | 260 |
"""
    made = await checked(library, documents, draft)
    assert told(made) == [
        "contradicted: “8 May 1890”, the text has “7 May 1890”",
        "not decided: the draft has no negation, the text “not”",
        "supported",
        "no sentence near it in 2 documents",
    ]
    assert (made.supported, made.contradicted, made.not_found, made.not_decided) == (1, 1, 1, 1)
    for claim in made.claims[:3]:
        (quote,) = claim["evidence"]
        assert quote["quote"] in MILL and quote["place"].startswith("Mill report")
        assert "".join(draft[claim["start"] : claim["end"]].split()) == "".join(claim["text"].split())
    marked = with_marks(made.output)["marked_answer"]
    assert "30,000 crowns\nfor the mill. [3] The bishop" in marked
    assert "8 May 1890. [1][contradicted: “8 May 1890”, the text has “7 May 1890”]" in marked


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ('Weber said: "We will sell no more boats before the spring tide."', "supported"),
        ("Jonas Weber said: “We will sell no more boats …”", "supported"),
        (
            "Weber said: “We will sell no more boats … the spring tide.”",
            "not decided: the text has “We will sell no more boats before the spring tide”",
        ),
        (
            "Weber said: “We will [not] sell boats before the spring tide.”",
            "not decided: the text has “We will sell no more boats before the spring tide”",
        ),
        (
            "“We will sell no more boats before the spring tide” is a lie.",
            "not decided: the nearest passage lacks “is a lie”",
        ),
        ("> We will sell no more boats before the spring tide.", "supported"),
        (
            '"We will sell no more ships before the spring tide", said Weber.',
            "contradicted: the text has “We will sell no more boats before the spring tide”",
        ),
        (
            'Oskar Holm said: "We will sell no more boats before the spring tide."',
            "not decided: “Oskar Holm”, the text has “Jonas Weber”",
        ),
        ('The mayor said: "Winter is the mother of all honest bread."', "no sentence near it in 2 documents"),
        ("In 1931 the town paid 30,000 crowns for the mill (Mill report, The sale).", "supported"),
        (
            "In 1931 the town paid 30,000 crowns for the mill (Mill report, The fire).",
            "contradicted: it stands in Mill report, The sale, not in Mill report, The fire",
        ),
        (
            "In 1931 the town paid 30,000 crowns for the mill (Port log).",
            "contradicted: it stands in Mill report, The sale, not in Port log",
        ),
        ("The harbour has a pier and two cranes [2].\n\n[2]: Port log", "supported"),
        (
            "The harbour has a pier and two cranes.[^a]\n\n[^a]: Mill report, The fire",
            "contradicted: it stands in Port log, Beginning, not in Mill report, The fire",
        ),
        ("It was opened in 1902 (see the plan).", "not decided: the nearest passage lacks “see”, “plan”"),
    ],
)
async def test_quotes_and_citations_are_checked_as_such(
    library: Library, documents: list[Document], sentence: str, said: str
) -> None:
    assert told(await checked(library, documents, sentence)) == [said]


async def test_a_sentence_that_writes_its_number_otherwise_is_found(library: Library) -> None:
    document = await library.pages.add_document("The fee is 1000 euros. The mill is old.")
    assert told(await checked(library, [document], "The fee is 1 000 EUR.")) == ["supported"]


@pytest.mark.parametrize(
    ("text", "claim", "verdict"),
    [
        ("The colour was grey. The old mill is far away.", "The color was gray.", "supported"),
        ("The World Health Organization came. It rained.", "WHO inspectors arrived.", "not decided"),
        ("The inn (est. 1990) stands at the quay. It is old.", "The inn (est. 1990) stands at the quay.", "supported"),
        ("茶厂有三百二十名工人。每年生产茶叶45吨。", "茶厂有320名工人。", "supported"),
        ("茶厂有三百二十名工人。其实只有三百名。", "茶厂有320名工人。", "not decided"),
    ],
)
async def test_what_a_claim_writes_otherwise_is_found(library: Library, text: str, claim: str, verdict: str) -> None:
    document = await library.pages.add_document(text)
    assert [each.partition(":")[0] for each in told(await checked(library, [document], claim))] == [verdict]


def deciding(verdict: str, quote: str = "It was opened in 1902") -> Any:
    def respond(request: ChatRequest) -> str | dict[str, object]:
        if asked_for(request) != "ClaimVerdicts":
            return reader(request)
        page = next(number for number, body in shown(request).items() if "1902" in body)
        quotes = [{"page": page, "quote": quote}] if quote else []
        return {
            "claims": [
                {"claim": each, "quotes": quotes, "verdict": verdict, "instead": "opened in 1902"}
                for each in numbered(request)
            ]
        }

    return respond


async def test_the_model_decides_what_rules_leave_open(
    server: ModelServer, library: Library, documents: list[Document]
) -> None:
    for verdict, year, said in (
        ("supported", 1902, "supported"),
        ("contradicted", 1903, "contradicted: “opened in 1902”"),
        ("not found", 1904, "nothing of it in the nearest passages"),
    ):
        server.respond = deciding(verdict)
        draft = f"So, by {year}, it was opened. The harbour has a pier and two cranes."
        made = await checked(library, documents, draft, MODEL)
        assert told(made) == [said, "supported"]
        assert [claim["by"] for claim in made.claims] == ["model", "rules"] and not made.output["by_rule"]
    assert all("The harbour has a pier and two cranes" not in numbered(each).values() for each in server.requests)


@pytest.mark.parametrize(
    ("quote", "kind"),
    [
        ("", "quote_not_found"),
        ("It was opened in 1920 by the queen", "quote_not_found"),
        ("1902", "quote_says_less"),
        ("It was opened in 1902", "quote_says_less"),
        ("The harbour has a pier", "quote_says_less"),
    ],
)
@pytest.mark.parametrize("verdict", ["supported", "contradicted"])
async def test_a_verdict_counts_only_with_a_quote_that_holds_the_claim(
    server: ModelServer, library: Library, documents: list[Document], quote: str, kind: str, verdict: str
) -> None:
    server.respond = deciding(verdict, quote)
    made = await checked(library, documents, "The port first welcomed ships in 1902.", MODEL)
    assert [claim["verdict"] for claim in made.claims] == ["not decided"]
    assert made.output["fallbacks"] == {kind: 1}


async def test_of_two_opposite_verdicts_on_a_claim_neither_counts(
    server: ModelServer, library: Library, documents: list[Document]
) -> None:
    def respond(request: ChatRequest) -> str | dict[str, object]:
        one, other = (deciding(verdict)(request) for verdict in ("contradicted", "supported"))
        return {"claims": [*one["claims"], *other["claims"]]} if asked_for(request) == "ClaimVerdicts" else one

    server.respond = respond
    made = await checked(library, documents, "So, by 1902, it was opened.", MODEL)
    assert [claim["verdict"] for claim in made.claims] == ["not decided"]
    assert made.output["fallbacks"] == {"opposed_verdicts": 1}


async def test_an_unusable_reply_leaves_claims_open_and_is_counted(
    server: ModelServer, library: Library, documents: list[Document]
) -> None:
    server.respond = lambda request: "I'd rather not."
    made = await checked(library, documents, "The port first welcomed ships in 1902.", MODEL)
    assert (made.not_decided, made.output["fallbacks"], made.output["by_rule"]) == (1, {"check": 1}, True)


async def test_without_documents_the_library_is_searched(library: Library, documents: list[Document]) -> None:
    made = await api.verify(library, "The pilots moved to Halden in 1951.")
    assert told(made) == ["contradicted: “1951”, the text has “1950”"]
    assert [each["title"] for each in made.documents] == ["Mill report", "Port log"] or len(made.documents) == 2
    for draft, problem in (("  \n", "The draft is empty"), ("word " * 100_000, "The draft has 500,000 characters")):
        with pytest.raises(BadInput, match=problem):
            await api.verify(library, draft)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The mill employed 200 women.", "The mill employed 200 men and 150 women."),
        ("The ferry takes two hours to reach Sund.", "The ferry takes two hours and ten minutes to reach Sund."),
        ("Nobody saw the thief.", "Nobody saw the thief leave the mill."),
        ("Production fell to 900 tons.", "Production fell from 900 tons to 700 tons."),
        ("Emma lives in Turin.", "Emma's brother Paul lives in Turin."),
        ("The king died in 1340.", "The king's son died in 1340."),
        ("John Reed was arrested in 1920.", "The wife of John Reed was arrested in 1920."),
        ("The doctor treated the mayor.", "The doctor treated the wife of the mayor."),
        ("Sara wrote the letter.", "Paul wrote the letter, and Sara posted it."),
        ("The driver was drunk.", "According to the police, the driver was drunk."),
        ("The treaty was signed by France and Sweden.", "The treaty was signed by Sweden and France."),
        ("Ms Weber chaired the meeting.", "Ms Weber, not Mr Klein, chaired the meeting."),
    ],
)
def test_what_is_left_out_or_in_another_order_may_change_the_sense(said: str, text: str) -> None:
    assert compare_sentences(said, text, "en").verdict is None


async def test_of_a_sentence_nothing_may_be_left_out(library: Library) -> None:
    text = "The mill earned 30,000 crowns, and the town grew. The port earned 900 crowns more. "
    text += "The inn has 9 beds, said Weber."
    kept = await library.pages.add_document(text, title="Accounts")
    draft = "The mill earned 30,000 crowns. The port earned 900 crowns. The inn has 9 beds."
    open_claim = "not decided: the nearest passage has its words, but doesn't say just that"
    assert told(await checked(library, [kept], draft)) == [open_claim] * 3


@pytest.mark.parametrize(
    ("text", "claim", "verdict"),
    [
        (
            "“The treaty is dead”, said Ambassador Colville to Dan Arden.",
            "“The treaty is dead”, said {}.",
            "not decided",
        ),
        (
            "“I will not run again”, Eva Moss said. “I will run”, said Tom Pike.",
            "“I will not run again”, {} said.",
            "not decided",
        ),
        (
            "“He has my stars and my spectacles”, she wrote.",
            "“He has my stars and my spectacles”, {} wrote.",
            "not decided",
        ),
        ("Dan Arden told Eva Moss: “The treaty is dead.”", "Eva Moss said: “The treaty is dead.”", "not decided"),
        ("“The treaty is dead”, said Dan Arden.", "Dan Arden did not say: “The treaty is dead.”", "not decided"),
        ("The treaty is dead, as all know.", "The report says: “The treaty is dead”.", "supported"),
        ("El faro es alto. «Nunca dejaré el faro», dijo Eva Moss.", "Eva Moss: «Dejaré el faro».", "not decided"),
        ("La torre mide 27 metros. El farero no vio el barco.", "La torre mide 27 metros.", "supported"),
        (
            "The mill at Orrin is open. No more than ten men work there today.",
            "The mill at Orrin is open.",
            "supported",
        ),
        ("The mill at Orrin is open. No, it was closed.", "The mill at Orrin is open.", "not decided"),
        ("The mill at Orrin is open.\n\n## Rumours\n\nIt burned.", "The mill at Orrin is open.", "supported"),
        ("Behauptung: Orrin hat 14 Bäcker.\n\nEva Moss: Ja.\n\nEva Moss: Nein.", "Orrin hat 14 Bäcker.", "not decided"),
        (
            "“The mill, which my father built, is old”, said Eva Moss.",
            "Moss: “The mill, which [her] father built, is old.”",
            "not decided",
        ),
        ("“The mill, which my father built, is old”, said Eva Moss.", "Moss: “The mill … is old.”", "not decided"),
        (
            "“The mill on the hill, which my father built, is old and grey”, said Eva Moss.",
            "Moss: “The mill on the hill … is old and grey.”",
            "supported",
        ),
    ],
)
async def test_a_quote_is_by_whom_the_text_says_where_that_is_plain(
    library: Library, text: str, claim: str, verdict: str
) -> None:
    kept = await library.pages.add_document(text, title="Talks")
    (made,) = (await checked(library, [kept], claim.format("Dan Arden"))).claims
    assert made["verdict"] == verdict


@pytest.mark.parametrize(
    ("mark", "verdict"),
    [
        ("@smith2020, p. 2", "supported"),
        ("@smith2020, pp. 1-2", "supported"),
        ("@smith2020, p. 1, 2", "supported"),
        ("@smith2020, S. 1 ff.", "supported"),
        ("@smith2020, p. 1, 1931", "contradicted"),
        ("@smith2020, p. 1", "contradicted"),
        ("@weber1999, p. 9", "not decided"),
        ("@smith20, p. 2", "not decided"),
        ("@smith2020, p. 2; @weber1999", "not decided"),
    ],
)
async def test_marks_name_pages_and_documents_that_may_not_be_there(library: Library, mark: str, verdict: str) -> None:
    text = "The keeper drank tea.\n\nHe wrote a remark in the log book.\n"
    places = [(0, "PDF page 1"), (text.index("He"), "PDF page 2")]
    log = await library.pages.add_document(text, title="smith2020: The log", places=places)
    (claim,) = (await checked(library, [log], f"He wrote a remark in the log book [{mark}].")).claims
    said = claim["text"].rstrip(".")  # which segmenters may take for a part of the mark
    assert (claim["verdict"], said) == (verdict, "He wrote a remark in the log book")


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Anna Bell won the race in 1999. She won it again in 2003.", "Anna Bell won the race in 2003."),
        ("The firm has offices in Rome. It also has offices in Oslo.", "The firm has offices in Oslo."),
        ('Vera Blom wrote to the paper: "The mayor lied to us." It was not printed.', "The mayor lied to us."),
        ('Vera Blom wrote: "The harvest was poor. The mayor lied to us. Nobody helped."', "The mayor lied to us."),
        ("Suppose the dam breaks. The lower town is under water.", "The lower town is under water."),
        ("Galileo's view: the sun is a blind eye.", "The sun is a blind eye."),
        ("The mayor of Bonn voted for it. So did the mayor of Trier.", "The mayor of Trier voted for it."),
    ],
)
async def test_what_the_next_sentence_tells_and_what_is_only_quoted_is_left_open(
    library: Library, text: str, claim: str
) -> None:
    kept = await library.pages.add_document(text, title="News")
    assert [each["verdict"] for each in (await checked(library, [kept], claim)).claims] == ["not decided"]


async def test_code_comments_and_what_is_struck_out_claim_nothing(library: Library, documents: list[Document]) -> None:
    draft = """---
title: The mill was insured for 20 crowns.
---
The harbour of 1902
===================

```
ships = 5  # The harbour has a pier and nine cranes.
```

~~~
The harbour has a pier and eight cranes.
~~~

<!-- The harbour has a pier and seven cranes. --> ~~The harbour has a pier and six cranes.~~

![The harbour has a pier and ten cranes.](harbour.png) {{< figure title="It was opened in 1903." >}}

[plan]: https://example.org/plan "It was opened in 1904"

year | opened
---- | ------
1905 | It was opened in 1905.

> [!NOTE]
> The harbour has a pier
> and two cranes.

- [x] It was opened in 1902. [The harbour has a pier and two cranes.](port.txt)

`The harbour has a pier and two cranes.` It was opened in 1902.[^a]

[^a]: The harbour has a pier and three cranes.
"""
    made = await checked(library, [documents[1]], draft)
    assert [claim["text"] for claim in made.claims] == [
        "The harbour has a pier and two cranes.",
        "It was opened in 1902.",
        *["The harbour has a pier and two cranes."] * 2,
        "It was opened in 1902.",
        "The harbour has a pier and three cranes.",
    ]


async def test_indented_code_claims_nothing_but_what_goes_on_an_entry_does(
    library: Library, documents: list[Document]
) -> None:
    draft = """The log says this:

    The harbour has a pier and nine cranes.
    ships = 5

- It was opened in 1902.

    The harbour has a pier and two cranes.

The port is old now.

\tIt was opened in 1903.
"""
    made = await checked(library, [documents[1]], draft)
    assert [claim["text"] for claim in made.claims] == [
        "It was opened in 1902.",
        "The harbour has a pier and two cranes.",
        "The port is old now.",
    ]
    indented = "    The harbour has a pier.\n\n    It was opened in 1902.\n"  # as a book indents its paragraphs
    assert len((await checked(library, [documents[1]], indented)).claims) == 2


@pytest.mark.parametrize(
    ("note", "verdict", "cited"),
    [
        ("It was opened in 1903 by the queen. Nobody came.", "supported", []),
        ("The Mill report disagrees.", "supported", []),
        ("Port log, The sale", "contradicted", ["Port log, The sale"]),
        ("See [Port log, Beginning] for it.", "supported", ["Port log, Beginning"]),
        ("See @weber1999, p. 3.", "not decided", ["@weber1999, p. 3"]),
        ("[@weber1999, p. 3]", "not decided", ["@weber1999, p. 3"]),
    ],
)
async def test_an_inline_footnote_is_no_part_of_its_sentence(
    library: Library, documents: list[Document], note: str, verdict: str, cited: list[str]
) -> None:
    for draft in (
        f"The harbour has a pier^[{note}] and two cranes. Nobody came.",
        f"The harbour has a pier and two cranes.^[{note}] Nobody came.",
        f"The harbour has a pier and two cranes^[{note}]. Nobody came.",
    ):
        claim, other = (await checked(library, documents, draft)).claims
        assert (claim["text"], other["text"]) == ("The harbour has a pier and two cranes.", "Nobody came.")
        assert (claim["verdict"], [each["name"] for each in claim["cited"]]) == (verdict, cited)


async def test_a_line_that_is_a_title_claims_nothing(library: Library, documents: list[Document]) -> None:
    draft = "Report on the mill\n\nThe roof was not insured.\n\nThe sale\n\n- the harbour has a pier and two cranes\n"
    made = await checked(library, documents, draft)
    assert [claim["text"] for claim in made.claims] == [
        "The roof was not insured.",
        "the harbour has a pier and two cranes",
    ]


async def test_each_paragraph_is_read_in_its_own_language(library: Library) -> None:
    text = """The mill of the town was not insured in the year of the fire. It stood beside the old harbour for years.

Die Mühle erzeugte im Jahr 2012 nach dem Bericht 1.240 Tonnen Mehl. Der Wärter war am 3. März nicht im Turm.

Le moulin n'a pas brûlé pendant la guerre avec les autres maisons.
Le moulin de Rouen mesure quatre-vingt-douze mètres de haut.
"""
    kept = await library.pages.add_document(text, title="Three tongues")
    for old, new in (("1.240", "1240"), ("quatre-vingt-douze", "92")):
        text = text.replace(old, new)
    draft = text + "\nThe mill of the town was insured in the year of the fire.\n\n"
    draft += "Der Wärter war am 3. März im Turm.\n\nLe moulin de Rouen mesure quatre-vingt-treize mètres de haut.\n"
    made = await checked(library, [kept], draft)
    assert [claim["verdict"] for claim in made.claims] == ["supported"] * 6 + ["contradicted"] * 3


async def test_it_never_takes_more_than_the_estimate(
    server: ModelServer, library: Library, documents: list[Document]
) -> None:
    draft = " ".join(f"The port first welcomed {number} ships in 1902." for number in range(20, 40))
    server.respond = reader
    method, given = PARTS["verify"], {"draft": draft}
    estimate = await rehearse_method(method, library.pages, documents[1], MODEL, given)
    made = await checked(library, [documents[1]], draft, MODEL)
    used = made.usage
    assert 0 < used["calls"] <= estimate.calls.most and used["input_words"] <= estimate.input_words.most
    assert not (await rehearse_method(method, library.pages, documents[1], ReaderContext(), given)).calls.most


async def test_turns_of_a_talk_are_said_by_their_speakers(library: Library) -> None:
    talk = "Ann: I sold the boat to Peter for 900 euros.\nBob: I kept the car. I lent it to Carla.\n"
    await library.pages.add_document(talk, title="Talk")
    draft = """Ann sold the boat to Peter for 900 euros.

Bob sold the boat to Peter for 900 euros.

Ann said: "I lent it to Carla."

Bob said: "I lent it to Carla."
"""
    assert told(await api.verify(library, draft)) == [
        "supported",
        "not decided: “Bob”, the text has “Ann”",
        "not decided: “Ann”, the text has “Bob”",
        "supported",
    ]
