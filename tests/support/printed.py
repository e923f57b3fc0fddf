"""What was printed, without what is other each time."""

import re

RENEW = "READGRAPH_RENEW_SNAPSHOTS"
"""The environment's variable under which tests write what came out instead of comparing it."""

VARYING = [
    (re.compile(r"\b\d+\.\d s\b"), "0.1 s"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?: \d\d:\d\d|T[\d:.+]+)"), "2026-01-01 12:00"),
    (re.compile(r"\b[\d.]+ (?:kB|MB) on disk"), "300.0 kB on disk"),
    (re.compile(r"\$[\d.]+"), "$0.03"),
    (re.compile(r'"seconds": [\d.]+'), '"seconds": 0.1'),
]
"""Times, dates, sizes on disk and prices, which are others another time."""


def said(printed: str) -> str:
    """An output without what is other each time, and without spaces at the ends of lines."""
    for varying, instead in VARYING:
        printed = varying.sub(instead, printed)
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
