"""What texts tell of, by rules: names in several forms are one, and things that are often told of are found."""

from readgraph.nodes.wiki.conflicts import find_conflicts
from readgraph.nodes.wiki.names import common_words, find_mentions, find_things, fold_name, join_mentions
from readgraph.state.wiki import Subject, WikiSource


def subjects_in(*texts: str) -> dict[str, Subject]:
    documents, common, start = [], set[str](), 0
    for text in texts:
        documents.append((start, [*find_mentions(text), *find_things(text)]))
        common |= common_words(text)
        start += len(text)
    return {each["name"]: each for each in join_mentions(documents, common)}


CHRONICLE = """The mill of Halden was sold to Marta Lindqvist. In Halden, Lindqvist bought a boat. Mr Weber wrote to
Marta Lindqvist's brother. Jonas Weber and M. Lindqvist met at Orrin Bridge. He said that Orrin Bridge was closed in
March. I've seen it, and in March Marta had too. She moved to Halden with Kristian Holm. Nobody knew Christian Holm.
"""


def test_forms_of_one_name_are_one() -> None:
    found = subjects_in(CHRONICLE)
    assert {*found} == {"Halden", "Marta Lindqvist", "Jonas Weber", "Orrin Bridge", "Kristian Holm"}
    assert found["Marta Lindqvist"]["also"] == ["Lindqvist", "Marta"]
    assert found["Kristian Holm"]["also"] == ["Christian Holm"] and len(found["Kristian Holm"]["spans"]) == 2
    kinds = {name: each["kind"] for name, each in found.items()}
    assert kinds == {**dict.fromkeys(found, "person"), "Halden": "place", "Orrin Bridge": "place"}
    assert all(CHRONICLE[start:end].strip()[-1] == "." for each in found.values() for start, end in each["spans"])


def test_a_word_that_places_have_makes_a_place_and_calls_and_letters_are_no_names() -> None:
    found = subjects_in(
        "They saw Gull Point. He loved Gull Point. I met Father Aidan Coyle. Nobody told Reverend Coyle. They saw E "
        "and E here. She saw E too. Oh, he said: Oh no. And Oh dear."
    )
    assert {name: each["kind"] for name, each in found.items()} == {"Gull Point": "place", "Aidan Coyle": "person"}


def test_a_place_and_the_person_behind_it_are_two_and_titles_are_no_names() -> None:
    found = subjects_in(
        "In Saltby Anna Bell slept. Nobody told Anna Bell of Saltby. Herrn Doktor Karl Weiß sah man nie. Then Dr. "
        "Weiss died, and Ottilie Brandt wept. They saw Ottilie Brant."
    )
    assert {*found} == {"Anna Bell", "Saltby", "Karl Weiß", "Ottilie Brandt"}
    assert found["Ottilie Brandt"]["also"] == ["Ottilie Brant"]


def test_months_may_be_names_and_words_before_a_name_are_none_of_it() -> None:
    found = subjects_in(
        "Then June Young sang. In June Young Ivo left, and June Young sang in June. Later Tom Reed slept. Tom Reed "
        "wrote to Tom Reed. In May nobody told Hedwig May of it. Hedwig May left in May 1911."
    )
    assert {*found} == {"June Young", "Tom Reed", "Hedwig May"}


def kinds_in(*texts: str) -> dict[str, str]:
    return {name: each["kind"] for name, each in subjects_in(*texts).items()}


def test_kinds_follow_from_the_words_of_a_name_and_from_those_around_it() -> None:
    assert kinds_in(
        "The Heritage Trust paid half. Priya Nair wrote to the Heritage Trust. Nair lives in Carlow. Yesterday Priya "
        "Nair walked to Carlow. Osei slept at the Crown Inn. Nobody left the Crown Inn. Then Osei asked for Mill Lane. "
        "Lorries use Mill Lane. Project Heron began. Nobody stopped Project Heron. They saw Velt Aro. She had Velt Aro."
    ) == {
        **{"Heritage Trust": "thing", "Crown Inn": "thing", "Project Heron": "thing", "Velt Aro": "name"},
        **{"Priya Nair": "person", "Osei": "person", "Carlow": "place", "Mill Lane": "place"},
    }
    assert kinds_in(
        "Der Stein von Josef Pell lag in Kollnau. Das Grab von Josef Pell ist bei Kollnau. Im Gasthaus Krone schlief "
        "Osterkamp. Man sah das Gasthaus Krone. Herr Osterkamp ging. Die Nordstein AG zahlt. Man traf die Nordstein AG."
    ) == {
        **{"Josef Pell": "person", "Osterkamp": "person", "Kollnau": "place"},
        **{"Gasthaus Krone": "thing", "Nordstein AG": "thing"},
    }
    assert kinds_in(
        "La Fondation Perrault paie. On écrit à la Fondation Perrault. M. Ferrand habite à Lyon. Il a vu M. Ferrand. "
        "Au Mont Cendre Odile Bonnet a ri. Odile Bonnet est à Lyon. Le vent du Mont Cendre est froid."
    ) == {"Fondation Perrault": "thing", "Ferrand": "person", "Lyon": "place", "Odile Bonnet": "person",
          "Mont Cendre": "place"}  # fmt: skip


def test_names_that_are_words_too_are_names_where_persons_are_told_of() -> None:
    found = subjects_in(
        "Will Harper went to Ashcombe. Will said that it was late. They asked Will. The will was read. Will Harper "
        "come? Will it rain? Will is strong. It will rain.",
        "Mark Ellis spoke. Nobody asked Mark. Mark the date. Grace Holloway wrote to Mark. Grace was said. Grace said "
        "so. Rose petals fell. They saw Rose Tanner. Rose Tanner came late. Hope was expressed. The hope is gone.",
        "May Whitlock cooked. His wife May sang. In May it rained. May we go? Tom Hope wept. They saw Tom Hope.",
    )
    assert {name: (each["kind"], len(each["spans"])) for name, each in found.items()} == {
        **{"Will Harper": ("person", 4), "Mark Ellis": ("person", 3), "Grace Holloway": ("person", 2)},
        **{"Rose Tanner": ("person", 2), "May Whitlock": ("person", 2), "Tom Hope": ("person", 2)},
    }
    assert [*kinds_in("Ernst Lauber ging. Ernst sagte nein. Ernst war die Lage. Es war ernst.")] == ["Ernst Lauber"]


def test_what_is_named_after_a_person_is_not_that_person() -> None:
    for comet in ("the comet Marwitz-Zeiler", "the comet Marwitz", "Comet Marwitz"):
        found = subjects_in(
            f"Anna Marwitz looked up. Then Marwitz saw it. They call it {comet}. Anna Marwitz slept under {comet}."
        )
        assert found["Anna Marwitz"]["also"] == ["Marwitz"] and len(found["Anna Marwitz"]["spans"]) == 3
        assert found[comet.removeprefix("the ")]["kind"] == "thing" and len(found) == 2


def test_front_matter_and_headings_are_no_sentences() -> None:
    text = "---\ntitle: Minutes of Anna Bell.\n---\n\nAnna Bell, clerk.\n====\n\nAnna Bell slept. Anna Bell wrote.\n"
    spans = subjects_in(text)["Anna Bell"]["spans"]
    assert [text[slice(*span)] for span in spans] == ["Anna Bell slept.", "Anna Bell wrote."]


def test_a_part_of_a_name_is_the_one_person_of_it_that_the_document_names_in_full() -> None:
    one = "Ada Brook rowed to the pier with Ada Brook's dog. At night Brook slept."
    other = "Nobody liked Ivo Brook, and Ivo Brook liked nobody. At noon Brook swam."
    found = subjects_in(one, other)
    assert {name: len(each["spans"]) for name, each in found.items()} == {"Ada Brook": 2, "Ivo Brook": 2}
    two = (
        "Ada Brook met Ivo Brook. Ada Brook and Ivo Brook left. At noon Brook swam, and then Brook slept. So Brook did."
    )
    assert {name: len(each["spans"]) for name, each in subjects_in(two).items()}["Brook"] == 2


def test_things_are_words_after_an_article_that_come_again() -> None:
    text = (
        "He saw the stone bridge. The stone bridge fell. A stone bridge was built there. They crossed the stone bridge."
    )
    assert subjects_in(text)["stone bridge"]["kind"] == "thing"
    assert not find_things("The storm tore the roof. A storm tore the door. The storm tore the sail.")


def test_names_of_other_languages_are_found() -> None:
    german = (
        "Der Wärter Emil Brandt schrieb nach Hendre. Herr Brandt kam aus Hendre. Das Kind sah die Lampe und die Lampe."
    )
    assert {"Emil Brandt", "Hendre"} <= {*subjects_in(german)}
    french = (
        "Le maire parlait de Zoé Durand. Madame Durand habitait à Nantes. Tout le monde à Nantes aimait Zoe Durand."
    )
    assert {"Zoé Durand", "Nantes"} == {*subjects_in(french)}
    assert not subjects_in("门卫写信给城里的人。城里的人没有回信。") and not subjects_in("", "\n")


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
