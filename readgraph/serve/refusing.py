"""What is wrong with a request or a run, in one line for the page and for programs."""

from readgraph.state.errors import ReadgraphError, Way

WORDS = {
    Way.NAME_ONE: "choose a document",
    Way.ADD_ONE: "add a document,",
    Way.BROWSE: "choose another method",
    Way.SUMMARISE: "choose another method",
    Way.LIST_AGENTS: "the list of agents names those that it holds",
}
"""What the command's errors tell to do, on the page."""


def said(problem: ReadgraphError) -> str:
    """The error's one line, in words of the page."""
    return problem.said(WORDS)
