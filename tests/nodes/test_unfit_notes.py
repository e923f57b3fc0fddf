"""Replies that are no notes on a text are refused; notes of any kind are taken."""

import pytest

from readgraph.models.prompt import fenced
from readgraph.nodes.building.notes import GIST
from readgraph.nodes.building.unfit_notes import why_unfit

pytestmark = pytest.mark.quick

ENGLISH = (
    "On the second day the keeper Mira found 14 lamps of brass near the tower of Visby, and wrote to Anna that they "
    "cost 26 crowns. In the evening a storm came from the west. She carried the lamps up the stairs, one after the "
    "other, and lit the largest of them, so that the ships could see the cliff."
)
GERMAN = (
    "Am zweiten Tag fand die Wärterin Mira 14 Lampen aus Messing beim Turm und schrieb an Anna, dass sie 26 Kronen "
    "kosten. Am Abend kam ein Sturm aus dem Westen. Sie trug die Lampen die Treppe hinauf, eine nach der anderen, und "
    "zündete die größte von ihnen an, damit die Schiffe die Klippe sehen. Dann schlief sie nicht bis zum Morgen."
)
CHINESE = (
    "第二天，守塔人米拉在维斯比的塔附近发现了十四盏黄铜灯，并写信给安娜说它们花了二十六克朗。晚上，西边来了一场暴风雨。"
)


def reason(note: str, text: str = ENGLISH) -> str:
    return why_unfit(note, text, GIST.ask(fenced("passage", text))) or ""


@pytest.mark.parametrize(
    "why,notes",
    [
        ("no word", ["...", "-", "!!!!", "{}"]),
        (
            "web page",
            ["<html><head><title>502 Bad Gateway</title></head></html>", "<!DOCTYPE html><p>Mira found 14 lamps"],
        ),
        ("error", ['{"error": {"message": "Mira: rate limit", "code": 429}}', '{"detail": "model not found"}']),
        (
            "nothing of the passage",
            [
                "I'm sorry, but I can't assist with the lamps.",
                "I cannot help with this passage, as the storm may violate our policy.",
                "As an AI language model, I have no lamps.",
                "Please provide the passage of the keeper.",
                "Es tut mir leid, aber bei Mira kann ich nicht helfen.",
                "Lo siento, pero no puedo ayudar con Mira.",
                "Je suis désolé, mais je ne peux pas aider Mira.",
                "К сожалению, я не могу помочь с Visby.",
                "抱歉，我无法协助 Visby。",
            ],
        ),
        ("what was asked", ["Reply with the shortened version only."]),
    ],
)
def test_what_is_no_note_is_refused(why: str, notes: list[str]) -> None:
    for note in notes:
        assert why in reason(note), note


@pytest.mark.parametrize(
    "note,text",
    [
        ("Mira found 14 lamps at Visby and told Anna their price, 26 crowns; in a storm she lit the largest.", ENGLISH),
        ("Storm; lamps", ENGLISH),
        ("- 14 lamps\n- 26 crowns\n- one storm", ENGLISH),
        (
            "Mira fand beim Turm Lampen und schrieb an Anna. Sie trug sie hinauf und zündete eine an, auch bei Sturm.",
            GERMAN,
        ),
        ("Mira fand beim Turm Lampen und schrieb an Anna. Sie trug sie hinauf und zündete eine an.", ENGLISH),
        ("米拉发现了十四盏灯。", CHINESE),
        ("I'm sorry, but I can't come, Mira says.", "\"I'm sorry, but I can't come,\" said Mira. " * 9),
        ("No no no no no no no no no no!", "No no no no no no no no no no! he cried, " * 5),
        ("Chapter 1", "A short page."),
        ("Please send the forms by Friday, says the office.", ENGLISH),
        ("Unfortunately I could not see the cliff; the storm came.", ENGLISH),
        ('{"lamps": 14, "message": "to Anna"}', ENGLISH),
        ("The lamp burned. " * 40, ENGLISH),
        ("Mira est dans la tour avec les lampes, et elle est sur la falaise.", ENGLISH),
    ],
)
def test_notes_are_taken(note: str, text: str) -> None:
    assert reason(note, text) == ""
