"""PDF files: their pieces, columns, lines, margins, notes, tables and outline become a text."""
