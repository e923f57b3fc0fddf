"""What is said on the page: texts that speak of the command line, in the words of the page."""

import re

from readgraph.doors.report.page import ReportData
from readgraph.state.errors import ReadgraphError

_COMMAND = re.compile(r"(['`‘])readgraph ([a-z]+)\b[^'`’]*(?:\"[^\"]*\"[^'`’]*)?['`’]")
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])\b")
_INSTALL = re.compile(r"\bpip install ('[^']*'|[\w.\[\]-]+)")
BUTTONS = {
    "summarise": "“Summarise”",
    "table": "“Make a table”",
    "verify": "“Check a text”",
    "wiki": "“Make a wiki”",
    "forget": "“Delete”",
    "read": "“Read”",
    "ask": "“Ask”",
    "show": "the list of documents",
    "agents": "the list of agents",
}
"""What does on the page what a command does on the command line."""

ELSEWHERE = "whoever runs this server"  # does the rest


def in_page_words(text: str) -> str:
    """A text with the page's buttons and settings in the place of commands and options."""
    text = _COMMAND.sub(lambda named: BUTTONS.get(named[2], ELSEWHERE), text)
    text = _OPTION.sub(lambda named: f"“{named[1].replace('-', ' ').capitalize()}”", text)
    return _INSTALL.sub(r"the package \1 is needed", text)


def report_in_page_words(report: ReportData) -> ReportData:
    """A report whose notices are in the words of the page."""
    return {**report, "notices": [*map(in_page_words, report["notices"])]}


def page_error_line(problem: ReadgraphError) -> str:
    """The error's one line, in words of the page."""
    return in_page_words(problem.message_text("page"))
