"""Pages of PDFs are shown to models as pictures beside their text, where that lacks what can be seen there."""
