"""Pages of a PDF as pictures."""

from io import BytesIO
from pathlib import Path

from readgraph.state.errors import BadInput

WIDEST = 2400  # most pixels of a picture's width
TALLEST = 4 * WIDEST  # most pixels of its height: a page may be a very long strip


def page_picture_here(file: Path, number: int, width: int, height: int = TALLEST) -> bytes:
    """Page `number` (from 1) as a PNG of at most this size; one thread at a time, as PDFium must be used.

    Raises `BadInput` where it can't be drawn.
    """
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(file)
    except (PdfiumError, OSError):
        raise BadInput(f"{file.name} can't be opened any more.") from None
    try:
        document.init_forms()  # so that what is typed is drawn
        if not 1 <= number <= len(document):
            raise BadInput(f"{file.name} has no page {number}: it has {len(document):,}.")
        page = document[number - 1]
        across, down = page.get_size()
        scale = min(min(width, WIDEST) / max(across, 1), min(height, TALLEST) / max(down, 1))
        picture = page.render(scale=scale).to_pil()
    except PdfiumError:
        raise BadInput(f"Page {number} of {file.name} can't be drawn.") from None
    finally:
        document.close()
    written = BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()
