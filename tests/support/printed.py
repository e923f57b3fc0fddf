"""Printed output without the parts that differ from run to run."""

import re

RENEW = "READGRAPH_RENEW_SNAPSHOTS"
"""The environment variable with which tests write new expected outputs instead of comparing them."""

VARYING = [
    (re.compile(r"\b\d+\.\d s\b"), "0.1 s"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?: \d\d:\d\d|T[\d:.+]+)"), "2026-01-01 12:00"),
    (re.compile(r"\b[\d.]+ (?:kB|MB) on disk"), "300.0 kB on disk"),
    (re.compile(r"(?<! to )\$[\d.]++(?! to )"), "$0.03"),
    (re.compile(r"\$[\d.]+ to \$[\d.]+"), "$0.02 to $0.05"),
    (re.compile(r'"seconds": [\d.]+'), '"seconds": 0.1'),
]
"""Times, dates, sizes on disk and prices, which differ from run to run."""


def said(printed: str) -> str:
    """The output without the parts that differ from run to run, and without spaces at the ends of lines."""
    for varying, instead in VARYING:
        printed = varying.sub(instead, printed)
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
