"""Files that are read: plain text and Markdown."""

import os
from pathlib import Path

from readgraph.state.errors import BadInput

SUFFIXES = (".txt", ".md", ".markdown", ".text")


def read_text_file(path: Path) -> tuple[str, str]:
    """Title and text of a file; raises `BadInput` where there is no text to read."""
    if os.path.isdir(path):
        raise BadInput(f"{path} is a folder: name a file.")
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"{path} is no text file: give one of {', '.join(SUFFIXES)}.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}.") from None
    except OSError as problem:
        raise BadInput(f"{path} can't be read: {problem.strerror}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8 text: convert it first.") from None
    if not text.strip():
        raise BadInput(f"{path} is empty: there is nothing to read.")
    return path.stem, text
