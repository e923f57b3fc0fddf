"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl
from readgraph.state.declaring import Settings


@hookimpl
def methods() -> list[Method]:
    return [
        Method(
            name="web-agent",
            kind="web",
            line="Gists of a page's parts; looks parts up, and names the next action.",
            note="gist",
            graph="readgraph.features.web.graph:graph",
            served="Names the next action on a web page, given as HTML, for an instruction.",
            order=12,
        ),
        Method(
            name="web-gists-only",
            kind="web",
            line="The web agent without look-up.",
            note="gist",
            graph="readgraph.features.web.baselines:web_gists_only",
        ),
        Method(
            name="web-page",
            kind="web",
            line="The page from its beginning, as much as fits.",
            graph="readgraph.features.web.baselines:web_page",
        ),
        Method(
            name="web-bm25",
            kind="web",
            line="The parts of the page that BM25 ranks first.",
            graph="readgraph.features.web.baselines:web_bm25",
        ),
        Method(
            name="web-dense",
            kind="web",
            line="The parts that are nearest by their embeddings.",
            graph="readgraph.features.web.baselines:web_dense",
            needs_embeddings=True,
        ),
    ]


@hookimpl
def commands() -> list[Command]:
    from readgraph.features.web.command import browse

    return [Command(run=browse, panel="For programs", order=5)]


@hookimpl
def settings() -> list[type[Settings]]:
    from readgraph.features.web.settings import Subtrees

    return [Subtrees]
