"""Sources: what TeX draws in PDFs of several signs, or with fonts whose codes are no letters."""

from pathlib import Path

import pytest

from readgraph.sources import load

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]

WIDTHS = " ".join(["500"] * 256)
PIECE = "BT /{font} {size} Tf {x} {y} Td <{codes}> Tj ET\n"


def write_set(path: Path, *pieces: tuple[str, float, float, str]) -> Path:
    """A page on which each piece is set at its place, in a font of this name; letters are half as wide as high."""
    fonts = {name: f"F{number}" for number, name in enumerate(sorted({name for name, *_ in pieces}))}
    drawn = "".join(
        PIECE.format(font=fonts[name], size=10, x=x, y=y, codes=text.encode("cp1252").hex())
        for name, x, y, text in pieces
    )
    named = "".join(
        f"/{key} << /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding "
        f"/FirstChar 0 /LastChar 255 /Widths [{WIDTHS}] >> "
        for name, key in fonts.items()
    )
    page = f"/Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 4 0 R /Resources << /Font << {named} >> >>"
    parts = ["/Type /Catalog /Pages 2 0 R", "/Type /Pages /Kids [3 0 R] /Count 1", page]
    body = "".join(f"{number} 0 obj << {part} >> endobj\n" for number, part in enumerate(parts, 1))
    body += f"4 0 obj << /Length {len(drawn)} >> stream\n{drawn}endstream endobj\n"
    path.write_bytes(f"%PDF-1.4\n{body}trailer << /Root 1 0 R >>".encode("latin-1"))
    return path


@pytest.mark.parametrize(
    "pieces,text",
    [
        ([("CMR10", 50, 300, "caf"), ("CMR10", 65, 300, "´"), ("CMR10", 65, 300, "e au lait")], "café au lait"),
        ([("CMR10", 50, 302, "¨"), ("CMR10", 50, 300, "Uber alles")], "Über alles"),
        ([("CMR10", 50, 300, "the mean x"), ("CMR10", 95, 300, "¯"), ("CMR10", 105, 300, "is 4")], "the mean x̄ is 4"),
        ([("CMR10", 50, 300, "if x "), ("CMSY10", 75, 300, "/"), ("CMR10", 75, 300, "= 4 then")], "if x ≠ 4 then"),
        ([("CMR10", 50, 300, "a/b and 1 / = ´e")], "a/b and 1 / = ´e"),
        ([("CMR10", 50, 300, "the "), ("CMEX10", 75, 301, "P"), ("CMR10", 85, 300, "of all")], "the ∑ of all"),
        ([("CMR10", 50, 300, "the "), ("CMEX10", 75, 301, "Z"), ("CMR10", 85, 300, "of f")], "the ∫ of f"),
        ([("CMR10", 50, 300, "a Z and P of X")], "a Z and P of X"),
    ],
)
def test_signs_of_tex_are_read_as_they_look(
    tmp_path: Path, pieces: list[tuple[str, float, float, str]], text: str
) -> None:
    assert load(write_set(tmp_path / "a.pdf", *pieces)).text == text
