"""A picture of a page, such as a scanned letter, is read as a PDF whose one page is that picture."""

from io import BytesIO

from readgraph.sources.converting import Converted
from readgraph.sources.pdf.in_child import in_child
from readgraph.sources.pdf.pdf_text import INSTALL
from readgraph.sources.pdf.scans import recognizer_version
from readgraph.state.errors import BadInput

LONGER_SIDE = 842.0  # points of the page's longer side: that of A4, the paper of most letters
QUALITY = 95  # of the page's JPEG


def convert(data: bytes, name: str) -> Converted:
    """The text that is recognised in the picture; raises `BadInput` where it has none, or the extra `scans` is missing.

    A child process reads it, within the limits for PDFs.
    """
    if not recognizer_version():
        raise BadInput(f"{name} is a picture: to recognise its text, {INSTALL}.")
    (text, _, _, problems), _ = in_child("text", name, data, is_picture=True)
    return Converted(text, (), problems=tuple(problems))


def page_of_picture(data: bytes, name: str) -> bytes:
    """A PDF whose page is this picture, upright and on white; raises `BadInput` for a broken one."""
    from PIL import Image, ImageOps

    try:
        with Image.open(BytesIO(data), formats=["PNG", "JPEG"]) as opened:
            picture = ImageOps.exif_transpose(opened).convert("RGBA")
    except Image.DecompressionBombError:
        raise BadInput(f"{name} has too many dots: save it smaller.") from None
    except (OSError, SyntaxError, ValueError):  # what damage makes of a picture, as Pillow says it
        raise BadInput(f"{name} is no picture, or a broken one.") from None
    page = Image.new("RGB", picture.size, "white")
    page.paste(picture, mask=picture)
    written = BytesIO()
    page.save(written, "PDF", resolution=72.0 * max(page.size) / LONGER_SIDE, quality=QUALITY)
    return written.getvalue()
