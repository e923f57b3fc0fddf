"""A text that is looked for as it is written."""

from collections.abc import Iterator

from readgraph.state.errors import BadInput
from readgraph.state.words import on_one_line

LONGEST_PATTERN, MOST_PIECES = 300, 10  # most characters of a pattern, and most pieces between its `*`
LONGEST_MATCH = 500  # most characters from the beginning of a match with `*` to its end
_ALIKE = str.maketrans(dict.fromkeys("’‘‛ʼ", "'") | dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("‐‑‒–—−", "-"))


class ExactText:
    """A text to be found as it is written, whatever its case, its white space and the form of its quotation marks.

    `*` stands for any text. Raises `BadInput` for a pattern without text, or out of bounds.
    """

    def __init__(self, pattern: str) -> None:
        if len(pattern) > LONGEST_PATTERN:
            raise BadInput(f"The text has more than {LONGEST_PATTERN} characters: give a shorter piece of it.")
        self.pieces = [piece for part in pattern.split("*") if (piece := fold_case(on_one_line(part)))]
        if not self.pieces:
            raise BadInput("There is no text to look for: give some words, with * where anything may stand.")
        if len(self.pieces) > MOST_PIECES:
            raise BadInput(f"The text has more than {MOST_PIECES} pieces between its *: give fewer.")

    def spans(self, line: str) -> Iterator[tuple[int, int]]:
        """The characters `[start, end)` of each match in a text `on_one_line`, in order; they don't overlap.

        Every piece is taken where it comes first, and searched for again only behind that: no pattern takes long.
        """
        text, (first, *others) = fold_case(line), self.pieces
        places, start = [-1] * len(others), text.find(first)
        while start >= 0:
            end = start + len(first)
            for number, piece in enumerate(others):
                if places[number] < end:
                    places[number] = text.find(piece, end)
                if places[number] < 0:
                    return
                end = places[number] + len(piece)
            if whole := not others or end - start <= LONGEST_MATCH:
                yield start, end
            start = text.find(first, end if whole else max(start + 1, end - LONGEST_MATCH))


def fold_case(text: str) -> str:
    """The text as it is compared, character by character: its length stays."""
    small = text.translate(_ALIKE).lower()
    if len(small) == len(text):
        return small
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text.translate(_ALIKE))
