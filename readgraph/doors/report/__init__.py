"""The reading report: one HTML page that shows an answer, the pages that support it, and how they were found."""

MARK = b'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="generator" content="readgraph '
"""How every report begins."""
