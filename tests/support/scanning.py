"""Pictures of a PDF's pages, as a scanner makes them: grey, noisy, and not quite straight."""

from pathlib import Path

import numpy as np
from PIL import Image
from pypdfium2 import PdfDocument


def scanned(path: Path, to: Path, *, dpi: int = 200, skew: float = 1.0) -> Path:
    """A PDF of pictures of the pages of another; `skew` is in degrees, to the other side on every second page."""
    random = np.random.default_rng(1)
    pictures = []
    with PdfDocument(path) as document:
        for number, page in enumerate(document, 1):
            image = page.render(scale=dpi / 72, grayscale=True).to_pil().convert("L")
            turned = image.rotate(skew if number % 2 else -skew, Image.Resampling.BICUBIC, fillcolor=255)
            grey = np.asarray(turned) * 0.85 + 20 + random.normal(0, 12, (image.height, image.width))
            pictures.append(Image.fromarray(grey.clip(0, 255).astype(np.uint8)))
    pictures[0].save(to, "PDF", save_all=True, append_images=pictures[1:], resolution=dpi, quality=85)
    return to
