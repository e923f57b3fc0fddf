"""The report as one HTML page that needs nothing else: no network, no library, no other file.

The data goes in as JSON that holds no character which HTML minds, and the page's script puts it in as text nodes only,
so what a document says is never markup. The Content-Security-Policy allows this style and this script, by their
hashes, and no connection.
"""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import readgraph
from readgraph.report.data import ReportData

__all__ = ["html_page", "render"]

STYLES = (
    "base",
    "answer",
    "strip",
    "page",
    "structure",
    "tree",
    "rounds",
    "table",
    "steps",
    "search",
    "narrow",
    "print",
)
PARTS = (
    "elements",
    "marks",
    "citations",
    "answer",
    "strip",
    "structure",
    "page",
    "tree",
    "rounds",
    "table",
    "search",
    "report",
)
SCRIPTS = (*PARTS, "alone")
"""The files in the order in which they are joined. `PARTS` also serve pages that show one report after another."""

MARK = b'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="generator" content="readgraph '
"""The beginning of every report."""

_SPECIAL = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def render(data: ReportData) -> bytes:
    """The page, as UTF-8."""
    assets = files("readgraph.report").joinpath("assets")
    styles = [assets.joinpath(f"{name}.css") for name in STYLES]
    scripts = [assets.joinpath(f"{name}.js") for name in SCRIPTS]
    return html_page("Reading report", styles, scripts, data).encode()


def html_page(
    title: str, styles: Sequence[Traversable], scripts: Sequence[Traversable], data: Any, body: str = ""
) -> str:
    """A page of these files, which finds its data in the element `#data`; `title` and `body` are markup."""
    style = "\n".join(file.read_text(encoding="utf-8") for file in styles)
    script = "(() => {\n" + "\n".join(file.read_text(encoding="utf-8") for file in scripts) + "})();\n"
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""{MARK.decode()}{readgraph.__version__}">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
<body>
<noscript>This report needs JavaScript; it loads nothing and sends nothing.</noscript>{body}
<script type="application/json" id="data">{escaped_json(data)}</script>
<script>{script}</script>
</body>
</html>
"""


def escaped_json(value: Any) -> str:
    """JSON that can stand in an HTML script element: no tag, comment or entity begins or ends in it.

    Lone surrogates, which UTF-8 can't hold, are escaped too, so that any string comes out as it went in.
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
