"""A picture of a page, such as a scanned letter or fax, is read as a PDF whose pages are what it shows."""

from io import BytesIO

from readgraph.sources.converting import Converted
from readgraph.sources.pdf.in_child import in_child
from readgraph.sources.pdf.pdf_text import INSTALL
from readgraph.sources.pdf.scans import recognizer_version
from readgraph.state.errors import BadInput

LONGER_SIDE = 842.0  # points of the page's longer side: that of A4, the paper of most letters
QUALITY = 95  # of the page's JPEG
MOST_PAGES = 100  # of a TIFF: they are unpacked together


def convert(data: bytes, name: str) -> Converted:
    """The text that is recognised in the picture; raises `BadInput` where it has none, or the extra `scans` is missing.

    Each page of a TIFF is read. A child process does it, within the limits for PDFs.
    """
    if not recognizer_version():
        raise BadInput(f"{name} is a picture: to recognise its text, {INSTALL}.")
    (text, _, _, problems), _ = in_child("text", name, data, is_picture=True)
    return Converted(text, (), problems=tuple(problems))


def pages_of_picture(data: bytes, name: str) -> bytes:
    """A PDF whose pages are these pictures, upright and on white; raises `BadInput` for a broken one."""
    from PIL import Image, ImageOps, ImageSequence

    pages = []
    try:
        with Image.open(BytesIO(data), formats=["PNG", "JPEG", "TIFF"]) as opened:
            frames = ImageSequence.Iterator(opened) if opened.format == "TIFF" else [opened]  # no animation's
            for frame in frames:
                picture = ImageOps.exif_transpose(frame).convert("RGBA")
                pages.append(Image.new("L" if frame.mode in ("1", "L") else "RGB", picture.size, "white"))
                pages[-1].paste(picture, mask=picture)
                if len(pages) > MOST_PAGES:
                    raise BadInput(f"{name} has more than {MOST_PAGES} pages: save it as several files, or as a PDF.")
    except Image.DecompressionBombError:
        raise BadInput(f"{name} has too many dots: save it smaller.") from None
    except (OSError, SyntaxError, ValueError, KeyError, TypeError):  # what damage makes of a picture, as Pillow says it
        raise BadInput(f"{name} is no picture, or a broken one.") from None
    written = BytesIO()
    resolution = 72.0 * max(pages[0].size) / LONGER_SIDE
    pages[0].save(written, "PDF", save_all=True, append_images=pages[1:], resolution=resolution, quality=QUALITY)
    return written.getvalue()
