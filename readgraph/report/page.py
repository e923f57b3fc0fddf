"""The report as one HTML page that needs nothing else: no network, no library, no other file.

The data goes in as JSON that holds no character which HTML minds, and the page's script puts it in as text nodes only,
so what a document says is never markup. The Content-Security-Policy allows this style and this script, by their
hashes, and no connection.
"""

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

import readgraph
from readgraph.report.data import ReportData

STYLES = ("base", "answer", "strip", "page", "tree", "rounds", "steps", "narrow", "print")
SCRIPTS = ("elements", "answer", "strip", "page", "tree", "rounds", "report")
"""In the order in which they go in, joined to one."""

MARK = b'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="generator" content="readgraph '
"""How every report begins."""

_MINDED = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def render(data: ReportData) -> bytes:
    """The page, as UTF-8."""
    style = "\n".join(_asset(f"{name}.css") for name in STYLES)
    script = "(() => {\n" + "\n".join(_asset(f"{name}.js") for name in SCRIPTS) + "})();\n"
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page = f"""{MARK.decode()}{readgraph.__version__}">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Reading report</title>
<style>{style}</style>
<body>
<noscript>This report needs JavaScript; it loads nothing and sends nothing.</noscript>
<script type="application/json" id="data">{escaped_json(data)}</script>
<script>{script}</script>
</body>
</html>
"""
    return page.encode()


def escaped_json(value: Any) -> str:
    """JSON that can stand in an HTML script element: no tag, comment or entity begins or ends in it.

    Lone surrogates, which UTF-8 can't hold, are escaped too, so that any string comes out as it went in.
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _MINDED.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _asset(name: str) -> str:
    return files("readgraph.report").joinpath("assets", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
