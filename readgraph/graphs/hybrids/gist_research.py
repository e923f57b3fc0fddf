"""GAM's rounds of research over ReadAgent's gists: pages end at natural pauses, and none waits for the memo before it.

A growing history needs memos one after the other; a whole text can be gisted at once, and is not paid for again.
"""

from functools import partial

from readgraph.graphs import gam, read_agent

build = partial(gam.build, memorize=read_agent.read)
"""GAM's graph with ReadAgent's `read` node."""

graph = build().compile(name="gist_research")
