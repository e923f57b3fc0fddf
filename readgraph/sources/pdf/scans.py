"""Pages of a PDF that are pictures: the lines that text recognition finds in them, as pieces of printed lines.

RapidOCR (the extra `scans`) brings the weights of its models, PP-OCRv6, in its package: nothing is fetched.
"""

from collections.abc import Sequence
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from math import atan2, cos, sin
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from readgraph.sources.pdf.printed import PrintedLine

if TYPE_CHECKING:  # most files need none of them
    import numpy as np
    from pypdfium2 import PdfPage

DPI = 170.0  # dots per inch in which a page is drawn: at more, print of usual size is read no better
LONGEST_SIDE = 2000.0  # dots of a drawn page's longer side at most
FEW_LETTERS = 100  # characters that a scanner or an archive may have stamped on the picture of a page
WHOLE_PAGE = 0.8  # the share of a page that its picture takes
NO_WIDTH = 0.01  # points
LARGE_SHARE, WITHOUT_CODE = 0.5, 0.1  # shares of the characters read from which on those that can't be read are told
LEAST_SURE = 0.5  # the certainty of the recogniser below which a line is taken for a part of a drawing
LONG_LINE = 8.0  # heights of a line from which on its slope tells that of the page
NARROWEST, WIDEST = 0.82, 1.25  # shares of the usual width that letters may have in lines of the text's size
SAME_START = 4.0  # points by which lines that begin at one distance from the left may be found off each other
FEWEST_LETTERS = 6  # letters that a line must have for its size to be told by them
BASELINE = 0.3  # font sizes from a line's middle down to its letters' feet
_EMS = {**dict.fromkeys("iljtfrI.,;:!|'’()[]- ", 0.29), **dict.fromkeys("mwMW—", 0.85)}  # about how wide they are


@cache
def recognizer_version() -> str:
    """The version of the text recognition that is installed; "" where the extra `scans` is not."""
    if find_spec("onnxruntime") is None or find_spec("rapidocr") is None:
        return ""
    return metadata.version("rapidocr")


def is_picture(page: "PdfPage", pieces: Sequence[PrintedLine]) -> bool:
    """Whether a page is a picture: it shows something but no text, or next to no text on a picture of a whole page."""
    from pypdfium2 import raw

    if sum(len(piece.text) for piece in pieces) > FEW_LETTERS:
        return False
    if not pieces:
        return next(page.get_objects(max_depth=1), None) is not None
    width, height = page.get_size()
    pictures = page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM), max_depth=1)
    boxes = (picture.get_bounds() for picture in pictures)
    return any((right - left) * (top - bottom) > WHOLE_PAGE * width * height for left, bottom, right, top in boxes)


def count_lost(page: "PdfPage", pieces: Sequence[PrintedLine], without_code: int) -> tuple[int, int]:
    """How many characters of how many that a page draws can't be read; (0, 0) where it is no large share.

    PDFium leaves out what has no width: single characters of a font that isn't in the file, and most vertical writing.
    Some programs draw their spaces so, hence the share.
    """
    from pypdfium2 import raw

    read = sum(len(piece.text) - piece.text.count(" ") for piece in pieces)
    lost = 0
    if read < max(raw.FPDFPage_CountObjects(page), FEW_LETTERS):
        texts = page.get_objects(filter=(raw.FPDF_PAGEOBJ_TEXT,), max_depth=4)
        boxes = (text.get_bounds() for text in texts)
        lost = sum(right - left < NO_WIDTH for left, _, right, _ in boxes)
    if lost > LARGE_SHARE * read or without_code > WITHOUT_CODE * read:
        return lost + without_code, lost + without_code + read
    return 0, 0


def recognize_pieces(page: "PdfPage") -> list[PrintedLine]:
    """The lines in the picture of a page, from above, as if the page were straight; `size` is not yet evened out."""
    import numpy as np

    width, height = page.get_size()
    scale = min(DPI / 72.0, LONGEST_SIDE / max(width, height))
    bitmap = page.render(scale=scale)
    try:
        picture = bitmap.to_numpy()[:, :, :3].copy()
    finally:
        bitmap.close()
    found = recognizer()(picture)
    if found.boxes is None or not len(found.boxes):
        return []
    grey = np.ascontiguousarray(picture[:, :, 1])
    trimmed = np.array([_trim_box(np.asarray(box, dtype=float), grey) for box in found.boxes])
    boxes = _straighten_boxes(trimmed / scale, width / 2.0, height / 2.0)
    pieces = [_piece(text, box, height) for text, box in zip(found.txts, boxes, strict=True) if text.strip()]
    groups: list[list[PrintedLine]] = []  # of those that begin about as far right, and then begin equally far
    for piece in sorted(pieces, key=lambda piece: piece.x):
        if groups and piece.x - groups[-1][0].x <= SAME_START:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    for group in groups:
        start = median(piece.x for piece in group)
        for piece in group:
            piece.x = start
    return sorted(pieces, key=lambda piece: -piece.y)


def even_sizes(pages: Sequence[Sequence[PrintedLine]]) -> None:
    """Give the lines of recognised pages that are about as large as the text its font size."""
    sizes = [piece.size for page in pages for piece in page for _ in piece.text if len(piece.text) >= FEWEST_LETTERS]
    if not sizes:
        return
    usual = max(round(median(sizes) * 2.0) / 2.0, 0.5)
    for page in pages:
        for piece in page:
            is_usual = NARROWEST <= piece.size / usual <= WIDEST or len(piece.text) < FEWEST_LETTERS
            size = usual if is_usual else round(piece.size)
            piece.y, piece.size = piece.y + BASELINE * (piece.size - size), float(size)


@cache
def recognizer() -> Any:
    """RapidOCR with the models in its package, which it is given by name: it would fetch one that is missing."""
    import rapidocr

    models = Path(rapidocr.__file__).parent / "models"
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.text_score": LEAST_SURE,
            "Global.use_cls": False,
            "Det.model_path": str(models / "PP-OCRv6_det_small.onnx"),
            "Rec.model_path": str(models / "PP-OCRv6_rec_small.onnx"),
        }
    )


def _trim_box(box: "np.ndarray", picture: "np.ndarray") -> "np.ndarray":
    """The corners of a line (shape: 4, 2) without white space at its ends, which may reach into the next column."""
    import numpy as np

    along = np.linspace(0.0, 1.0, max(2, int(np.hypot(*(box[1] - box[0])))))[:, None]
    above, below = box[0] + along * (box[1] - box[0]), box[3] + along * (box[2] - box[3])
    points = [above + share * (below - above) for share in np.linspace(0.2, 0.8, 13)]
    x, y = np.round(np.moveaxis(np.array(points), 2, 0)).astype(int)
    dots = picture[y.clip(0, picture.shape[0] - 1), x.clip(0, picture.shape[1] - 1)].astype(float)
    (inked,) = np.nonzero(dots.min(axis=0) < (np.percentile(dots, 5) + np.median(dots)) / 2.0)
    if not len(inked):
        return box
    first, last = inked[0], inked[-1]
    return np.array([above[first], above[last], below[last], below[first]])


def _straighten_boxes(boxes: "np.ndarray", x: float, y: float) -> "np.ndarray":
    """The corners of lines (shape: lines, 4, 2), turned around a point so that long lines are level."""
    import numpy as np

    along, down = boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 0]
    is_long = np.hypot(*along.T) > LONG_LINE * np.hypot(*down.T)
    if not is_long.any():
        return boxes
    angle = median(atan2(dy, dx) for dx, dy in along[is_long])
    turn = np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
    straight: np.ndarray = (boxes - (x, y)) @ turn + (x, y)
    return straight


def _piece(text: str, box: "np.ndarray", height: float) -> PrintedLine:
    """A line as a piece; its font size follows from its letters' width, since boxes are of about the same height."""
    left, right = float(box[[0, 3], 0].mean()), float(box[[1, 2], 0].mean())
    text = " ".join(text.split())
    size = (right - left) / sum(map(_width_in_ems, text))
    first = (right - left) * len(text.partition(" ")[0]) / len(text)
    return PrintedLine(text, left, height - float(box[:, 1].mean()) - BASELINE * size, size, right, first=first)


def _width_in_ems(sign: str) -> float:
    if "\u2e80" <= sign <= "\uffef":
        return 1.0
    return _EMS.get(sign) or (0.67 if sign.isupper() else 0.48)
