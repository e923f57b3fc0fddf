"""What rules say of a sentence beside one of a text."""

import pytest

from readgraph.nodes.verifying.compare import compare_sentences

pytestmark = pytest.mark.quick

TRUE = [
    ("In 2012, the mill made 240 tons of flour.", "The mill made 240 tons of flour in 2012."),
    ("The mill was opened on 7 May 1890.", "The mill opened on May 7, 1890."),
    ("Marta sailed to Orrin with 12 men.", "Marta sailed to Orrin with twelve men."),
    ("The keeper did not close the lamp room.", "The keeper didn't close the lamp room."),
    ("It cost €3,500,000.", "It cost 3.5 million euros."),
    ("The road is 5,000 m long and crosses the moor.", "The road is five km long and crosses the moor."),
    ("240 men worked at the mill.", "Two hundred and forty men worked at the mill."),
    ("Ann, at 91, bought the mill on Thursday for 30,000 crowns.", "Ann bought the mill for 30,000 crowns."),
]
TRUE += [
    ("They leave at 3 pm on Tuesdays.", "They leave at 15:00 on Tuesdays."),
    ("The lantern weighs 1.2 kg.", "The lantern weighs 1200 g."),
    ("If the tank is full, the lamp may leak.", "The lamp may leak if the tank is full."),
    ("Hale ran it in 1998, after the fire.", "Hale ran it in 1998."),
]
FALSE = [
    ("In 2012, the mill made 240 tons of flour.", "The mill made 250 tons of flour in 2012.", "number"),
    ("The road is 5 km long.", "The road is 5 miles long.", "number"),
    ("The mill was opened on 7 May 1890.", "The mill was opened on 7 June 1890.", "date"),
    ("They met on Saturday at the mill.", "They met on Sunday at the mill.", "date"),
    ("Marta Lindqvist sailed to Orrin.", "Marta Weber sailed to Orrin.", "name"),
    ("Ann thanked Bob for the rope.", "Bob thanked Ann for the rope.", "who"),
    ("The keeper lit the lamp at Orrin.", "The keeper did not light the lamp at Orrin.", "negation"),
    ("The harbour has no pier.", "The harbour has a pier.", "negation"),
]
OPEN = [
    ("The mill did not close until 1950.", "The mill did not close."),
    ("The mill did not close until 1950.", "The mill closed in 1950."),
    ("He left before the war.", "He left after the war."),
    ("In 1890 the mill opened; in 1950 it closed.", "The mill opened in 1950."),
    ("In 1890 the mill opened and in 1950 it closed.", "The mill closed in 1890."),
    ("The mill would have made 240 tons of flour.", "The mill made 240 tons of flour."),
    ("Did the mill make 240 tons of flour?", "The mill made 240 tons of flour."),
    ("The mill made 238 tons of flour.", "The mill made about 240 tons of flour."),
    ("The man bit the dog.", "The dog bit the man."),
    ("Production rose to 240 tons.", "Output rose to 240 tons."),
    ("In 2012 the mill made 240 tons.", "In 2013 the mill made 250 tons."),
    ("He was twenty.", "Iolo was twenty."),
]
OTHERS = [
    ("de", "Im Jahr 2012 erzeugte die Mühle 1.240 Tonnen.", "Die Mühle erzeugte 1.250 Tonnen.", "contradicted"),
    ("de", "Am 3. März 1890 öffnete die Mühle.", "Die Mühle öffnete am 3. März 1890.", "supported"),
    ("de", "Die Mühle wurde versichert.", "Die Mühle wurde nicht versichert.", "contradicted"),
    ("de", "Der Verein hat weder Schulden noch Rücklagen.", "Der Verein hat keine Schulden.", None),
    ("de", "Der Verein zählt 1.240 Mitglieder.", "Der Verein zählt 1240 Mitglieder.", "supported"),
    (
        "de",
        "Am 3. Mai 2023 wählte der Rat Frau Ilse Brand.",
        "Der Rat wählte am 3. Mai 2023 Frau Ilse Brand.",
        "supported",
    ),
    ("de", "Das Fahrrad stand vor der Mühle.", "Das Rad stand vor der Mühle.", None),
    ("fr", "Le moulin n'a pas brûlé en 1890.", "Le moulin a brûlé en 1890.", "contradicted"),
    ("fr", "Le moulin produisit 1 240,5 tonnes.", "Le moulin produisit 1 240,6 tonnes.", "contradicted"),
    ("es", "El molino abrió el 7 de mayo de 1890.", "El molino abrió el 8 de mayo de 1890.", "contradicted"),
    ("zh", "磨坊在2012年生产了250吨面粉。", "磨坊在2012年生产了240吨面粉。", "contradicted"),
    ("sw", "Kinu kilifunguliwa mwaka 1890.", "Kinu kilifungwa mwaka 1890.", None),
]


def test_what_says_the_same_is_supported() -> None:
    for text, said in TRUE:
        assert compare_sentences(said, text, "en").verdict == "supported", said
        assert compare_sentences(text, text, "en").verdict == "supported", text


def test_what_differs_in_one_thing_is_contradicted_by_it() -> None:
    for text, said, kind in FALSE:
        found = compare_sentences(said, text, "en")
        assert found.verdict == "contradicted", said
        assert [each["kind"] for each in found.differs] == [kind], said


def test_what_cannot_be_told_is_left_open() -> None:
    for text, said in OPEN:
        assert compare_sentences(said, text, "en").verdict is None, said


def test_other_languages_are_compared_as_far_as_they_are_known() -> None:
    for language, text, said, verdict in OTHERS:
        assert compare_sentences(said, text, language).verdict == verdict, said


def test_a_difference_names_both_sides_as_they_stand() -> None:
    found = compare_sentences(
        "For 34 years Ann Marsh ran the mill.", "For thirty-six years Ann Marsh ran the mill.", "en"
    )
    assert found.differs == [{"kind": "number", "draft": "34 years", "text": "thirty-six years"}]
