"""What texts tell of, by rules: names are joined where the text shows it, and have a kind where something tells it."""

import pytest

from readgraph.features.wiki.conflicts import find_conflicts
from readgraph.features.wiki.joining import join_mentions
from readgraph.features.wiki.names import find_mentions, fold_name
from readgraph.features.wiki.state import Subject, WikiSource


def subjects_in(*texts: str) -> dict[str, Subject]:
    documents, start = [], 0
    for text in texts:
        documents.append((start, find_mentions(text)))
        start += len(text)
    return {each["name"]: each for each in join_mentions(documents, by_rules=True)}


def also_in(*texts: str) -> dict[str, list[str]]:
    return {name: each["also"] for name, each in subjects_in(*texts).items()}


def kinds_in(*texts: str) -> dict[str, str]:
    return {name: each["kind"] for name, each in subjects_in(*texts).items()}


CHRONICLE = """The mill of Halden was sold to Marta Lindqvist. In Halden, Lindqvist bought a boat. Mr Weber wrote to
Marta Lindqvist's brother. Jonas Weber and M. Lindqvist met at Orrin Bridge. He said that Orrin Bridge was closed in
March. I've seen it, and in March Marta had too. She moved to Halden with Jonas Weber.
"""


def test_forms_of_one_name_are_one() -> None:
    found = subjects_in(CHRONICLE)
    assert found["Marta Lindqvist"]["also"] == ["Lindqvist", "Marta"] and "March" not in found
    kinds = {name: each["kind"] for name, each in found.items()}
    assert kinds["Marta Lindqvist"] == "person" and kinds["Halden"] == "place"
    assert all(CHRONICLE[start:end].strip()[-1] == "." for each in found.values() for start, end in each["spans"])


@pytest.mark.parametrize(
    ("text", "also"),
    [
        ("Scientific American was read. He read Scientific American. An American, tired, saw American pilots.", {}),
        ("Apple Park was opened. They saw Apple Park. Nobody bought what Apple sold. Then Apple was poor.", {}),
        ("Todd English was a cook. They met Todd English. He spoke English. Then English was spoken.", {}),
        ("The Dallas Cowboys won. They saw the Dallas Cowboys. Then the Cowboys lost.", {}),
        ("Sammy Davis Jr. sang. They heard Sammy Davis, Jr. Then Davis left.", {"Sammy Davis Jr": ["Davis"]}),
        ("Anna Berg Sr slept. Anna Berg Jr sang. They saw Anna Berg Sr. They saw Anna Berg Jr. Then Berg left.", {}),
        ("Anna Berg slept. Anna Berg knew Ivo Berg. Ivo Berg sang. Then Berg left. At noon Berg was gone.", {}),
        ("At noon Berg was late. Then Berg sang. Anna Berg slept. They saw Anna Berg.", {}),
        ("Dr Karl Weiss came. They saw Mr Weiss. Then Prof. Weiss spoke.", {"Karl Weiss": ["Weiss"]}),
        ("Ms Elizabeth May was late. In May it rained. They asked Ms May of it.", {"Elizabeth May": ["May"]}),
        ("Acme Ltd was old. At noon they sold Acme. They know Acme Ltd.", {"Acme Ltd": ["Acme"]}),
        ("The Nordic Sea Union (NSU) met. Later NSU was closed.", {"Nordic Sea Union": ["NSU"]}),
        ("The Sund Office for Tide Work (SOTW) met. Later SOTW was closed.", {"Sund Office for Tide Work": ["SOTW"]}),
        ("Al Birken was a pilot. They met Al Birken. They say Albirken slept.", {"Al Birken": ["Albirken"]}),
        ("In May Velt Aro was ill. They saw V. Aro. Then Aro left.", {"Velt Aro": ["Aro", "V Aro"]}),
        ("José Ruíz was ill. They met Jose Ruiz. JOSE RUIZ was gone.", {}),
        ("Paul Washington slept. He lived in Washington. They saw Paul Washington. Then Washington was cold.", {}),
        (
            "Ursula von der Au was ill that winter. They met Ursula von der Au at the pier. Then Au left the town.",
            {"Ursula von der Au": ["Au"]},
        ),
        ("Ana de la Cruz nació en Toledo. Ayer vino Ana de la Cruz. Luego Cruz dormía.", {"Ana de la Cruz": ["Cruz"]}),
        ("Chris d'Entremont was ill. They met Chris d'Entremont.", {}),
        ("Das Haus von Anna war alt. Man sah Annas Garten. Anna schlief. Dann war Annas Haus zu.", {}),
        ("La maison d'Anna était vieille. Puis Anna dormait. Anna était malade.", {}),
    ],
)
def test_an_alias_is_shown_by_the_text(text: str, also: dict[str, list[str]]) -> None:
    found = also_in(text)
    assert found and {name: others for name, others in found.items() if others} == also


def test_a_name_in_part_is_of_the_document_that_has_it_in_full() -> None:
    one = "Ada Brook rowed to the pier with Ada Brook's dog. At night Brook slept."
    other = "Nobody liked Ivo Brook, and Ivo Brook was tired. At noon Brook swam."
    assert {name: len(each["spans"]) for name, each in subjects_in(one, other).items()}["Ada Brook"] == 2
    third = "Brook was late. They told Brook of it."
    assert also_in(one, third) == {"Ada Brook": ["Brook"], "Brook": []}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Priya Nair was born in Carlow. Then Nair left. Carlow is a town. Priya Nair sang.", {"Carlow": "place"}),
        ("The end of Mill Lane is dark. Lorries use Mill Lane.", {"Mill Lane": "place"}),
        ("The Heritage Trust paid half. Nobody asked the Heritage Trust.", {"Heritage Trust": "thing"}),
        ("Mrs Olin was ill. They told Mrs Olin.", {"Olin": "person"}),
        ("“No,” replied Velt. Then Velt nodded. They saw Velt.", {"Velt": "person"}),
        ("They saw Velt Aro. Velt Aro was loud.", {"Velt Aro": "name"}),
        ("Velt Aro, the daughter of the smith, left. They saw Velt Aro.", {"Velt Aro": "person"}),
        ("Velt Aro, die Tochter des Schmieds, ging. Man traf Velt Aro.", {"Velt Aro": "person"}),
        ("He majored in Trevorism. Trevorism was new. It was translated into Anglic. Anglic was hard.",
         {"Trevorism": "name", "Anglic": "name"}),
        ("Bill C was passed. They read Bill C.", {"Bill C": "name"}),
        ("VCU is a public school located in Carlow. They left VCU.", {"VCU": "name"}),
        ("Latin America is large. They saw Latin America.", {"Latin America": "name"}),
        ("Mr. India is a film. They work in India. India is large. They met in India. It is in India.",
         {"India": "name"}),
        ("Herr Osterkamp ging. Man traf Herrn Osterkamp. Er schlief im Gasthaus Krone. Das Gasthaus Krone war zu.",
         {"Osterkamp": "person", "Gasthaus Krone": "thing"}),
        ("La Fondation Perrault paie. Puis la Fondation Perrault fut riche. M. Ferrand habite là. On vit M. Ferrand.",
         {"Fondation Perrault": "thing", "Ferrand": "person"}),
    ],
)  # fmt: skip
def test_a_kind_is_told_by_the_text_or_none_is_said(text: str, kinds: dict[str, str]) -> None:
    found = kinds_in(text)
    assert {name: found.get(name) for name in kinds} == kinds


@pytest.mark.parametrize(
    "text",
    [
        "Ben: Apologies, all.\nAnn: Apologies to you.\nBen: Hello Bridie!",
        "“Bridie?” Bridie. “Yes, Bridie.” Thanks, Bridie! Hello Bridie! “How about it, Bridie?”",
        "He left in March. March was cold. On Monday it rained. Monday was dull.",
        "Will it rain? May we go? Can Anna? Later it rained.",
        "THE OLD MILL AT HALDEN\n\nThe End Of Halden\n\nHALDEN",
        "门卫写信给城里的人。城里的人没有回信。",
        "He saw the first time. The first time was good. The first time is best. The first time.",
        "They met Velt once.",
        "",
    ],
)
def test_what_is_no_name_or_of_which_nothing_is_said_has_no_page(text: str) -> None:
    assert not subjects_in(text)


def test_who_speaks_is_a_person_and_what_he_says_or_is_called_in_tells_nothing_of_him() -> None:
    chat = """Ann: I saw Ben. Ben was ill.
Ben: Thanks Ann!
Ann: Ben, are you well?
Ben: Sorry about your dog Ann.
Ann: Ben has a new dog.
Ben: That is hard, Ann."""
    found = subjects_in(chat)
    assert [*found] == ["Ben"] and found["Ben"]["kind"] == "person"
    said = [chat[slice(*span)] for span in found["Ben"]["spans"]]
    assert said == ["Ann: I saw Ben.", "Ben was ill.", "Ann: Ben has a new dog."]
    letter = "Bridie Moss was ill. They met Bridie Moss. “Bridie Moss?” she wrote to him at noon."
    assert len(subjects_in(letter)["Bridie Moss"]["spans"]) == 2


def test_a_place_and_the_person_behind_it_are_two_and_words_before_a_name_are_none_of_it() -> None:
    text = "In Saltby Anna Bell slept. The mill of Saltby was old. They left Saltby. Anna Bell was old."
    assert {*subjects_in(text)} == {"Anna Bell", "Saltby"}
    assert {*subjects_in("Later Tom Reed slept. Tom Reed wrote to Tom Reed. Bye Tom Reed slept.")} == {"Tom Reed"}
    german = "Der Wärter Emil Brandt schrieb nach Hendre. Dann kam Herr Doktor Emil Brandt. Emil Brandt war alt."
    assert {*subjects_in(german)} == {"Emil Brandt"}


def test_what_is_named_after_a_person_is_not_that_person() -> None:
    found = also_in("Anna Marwitz slept. They call it the comet Marwitz. Then the comet Marwitz was gone. They saw "
                    "Anna Marwitz.")  # fmt: skip
    assert found == {"Anna Marwitz": [], "comet Marwitz": []}


def test_front_matter_and_headings_are_no_sentences() -> None:
    text = "---\ntitle: Minutes of Anna Bell.\n---\n\nAnna Bell, clerk.\n====\n\nAnna Bell slept. Anna Bell wrote.\n"
    spans = subjects_in(text)["Anna Bell"]["spans"]
    assert [text[slice(*span)] for span in spans] == ["Anna Bell slept.", "Anna Bell wrote."]


def test_names_are_folded_as_they_are_compared() -> None:
    forms = ("José's", "JOSE", "Mr. Jose", "jose’s")
    assert {fold_name(form) for form in forms} == {"jose"} and fold_name("Jean-Paul") == "jean paul"


def source(quote: str, document: str = "a") -> WikiSource:
    return WikiSource(quote=quote, document=document, title=document, place=None, start=0, end=len(quote))


def conflicts(*quotes: str, documents: tuple[str, ...] = ("a", "a", "a", "a", "a", "a")) -> list[tuple[str, str]]:
    found = find_conflicts([source(quote, document) for quote, document in zip(quotes, documents, strict=False)])
    return [(each["differs"]["draft"], each["differs"]["text"]) for each in found]


def test_sentences_that_can_not_both_hold_are_found() -> None:
    assert conflicts("The tower of Halden Mill is 40 feet high.", "The tower of Halden Mill is 45 feet high.") == [
        ("40 feet", "45 feet")
    ]
    assert not conflicts("Wool from Halden was sold at 30 crowns.", "Wool from Orrin was sold at 30 crowns.")
    years = [f"In {year}, the mill of Halden made much flour." for year in range(1900, 1906)]
    assert not conflicts(*years)  # a list of like things
    assert not conflicts(
        "The road to Halden passes Orrin Mill after 5 km.", "The road to Orrin passes Halden Mill after 9 km."
    )


def test_yearly_figures_are_no_contradiction() -> None:
    assert not conflicts("In 2021 the mill ground 400 tons.", "In 2022 the mill ground 450 tons.")
    both = "The mill of Halden ground 400 tons of flour.", "The mill of Halden ground 450 tons of flour."
    assert conflicts(*both) and conflicts(*both, documents=("Annual report", "Letter (2022)"))
    for documents in (("Annual report 2021", "Annual report 2022"), ("The mill (2021-03-01)", "A good year (2022)")):
        assert not conflicts(*both, documents=documents)
        assert not conflicts("In 2021 the mill of Halden was closed.", "In 2022 the mill of Halden was closed.",
                             documents=documents)  # fmt: skip
        built = "The mill of Halden was built in 1871.", "The mill of Halden was built in 1872."
        assert conflicts(*built, documents=documents) == [("1871", "1872")]
    high = "The tower of Halden Mill is 40 feet high.", "The tower of Halden Mill is 45 feet high."
    assert conflicts(*high, documents=("A letter (2021)", "A visit (2022)")) == [("40 feet", "45 feet")]
