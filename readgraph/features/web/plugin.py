"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import give, give_from

BROWSE = "'readgraph browse' runs the web agent, and 'readgraph evaluate' takes it on a dataset of web pages"

methods = give(
    Method(
        name="web-agent",
        kind="web",
        instead=BROWSE,
        line="Gists of a page's parts; looks parts up, and names the next action.",
        note="gist",
        graph="readgraph.features.web.graph:graph",
        served="Names the next action on a web page, given as HTML, for an instruction.",
        order=12,
    ),
    Method(
        name="web-gists-only",
        kind="web",
        instead=BROWSE,
        line="The web agent without look-up.",
        note="gist",
        graph="readgraph.features.web.baselines:web_gists_only",
    ),
    Method(
        name="web-page",
        kind="web",
        instead=BROWSE,
        line="The page from its beginning, as much as fits.",
        graph="readgraph.features.web.baselines:web_page",
    ),
    Method(
        name="web-bm25",
        kind="web",
        instead=BROWSE,
        line="The parts of the page that BM25 ranks first.",
        graph="readgraph.features.web.baselines:web_bm25",
    ),
    Method(
        name="web-dense",
        kind="web",
        instead=BROWSE,
        line="The parts that are nearest by their embeddings.",
        graph="readgraph.features.web.baselines:web_dense",
        needs_embeddings=True,
    ),
)
commands = give(
    Command(
        "readgraph.features.web.command:browse",
        "Carry out an instruction on a web site, in a browser of this machine. You confirm each action "
        "before it happens.",
        panel="For programs",
        order=5,
    )
)
settings = give_from("readgraph.features.web.settings:Subtrees")
