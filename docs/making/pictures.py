"""The pictures in README and docs: the reading room in a real browser, over the shipped story, without a model.

    python -m docs.making.pictures

Needs Chromium, and the packages of the extras `dev` and `serve`.
"""

import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image

from readgraph.state.context import ReaderContext
from tests.support.browser import Browser, browser
from tests.support.reading_room import OpenRoom, reading_room

ROOT = Path(__file__).parents[2]
STORY = ROOT / "examples" / "the-lamp-at-sarn-head.txt"
QUESTION = "How deep is the well, according to the inventory?"
PICTURE = ROOT / "docs" / "pictures" / "reading-room.png"
LOOK = "const look = () => document.querySelector('.said') ? done() : setTimeout(look, 50)"
WIDTH, HEIGHT = 1200, 860
COLOURS = 128


def asked(room: OpenRoom) -> str:
    """The address of a question that was answered."""
    document = room.added("The Lamp at Sarn Head.txt", STORY.read_bytes())
    run = room.ran(documents=[document["id"]], question=QUESTION)[-1]["run"]
    return f"{room.url}#/question/{run['thread']}"


def taken(tab: Browser, address: str) -> Image.Image:
    """What the window shows of an answer."""
    tab.open(address, width=WIDTH, height=HEIGHT)
    tab.run(f"new Promise(done => {{ {LOOK}; look() }})")
    tab.run("scrollTo(0, 0)")
    return Image.open(BytesIO(tab.shot()))


def main() -> None:
    """Take the picture anew."""
    with tempfile.TemporaryDirectory() as folder:
        library, profile = Path(folder, "library"), Path(folder, "profile")
        with reading_room(library, ReaderContext(model="")) as room, browser(profile) as tab:
            picture = taken(tab, asked(room))
    PICTURE.parent.mkdir(exist_ok=True)
    picture.convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
