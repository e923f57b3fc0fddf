"""What the methods are compared with: ReadAgent's graph with other nodes in the place of its own.

Where a row stands in the papers:

- `gists_only`: ReadAgent without look-up (GistMem, tables 1 to 3).
- `retrieved_pages`: ReadAgent whose look-up is retrieval over its pages, with gists beside them (table 4) or without:
  then it is the retrieval of tables 1 to 3, which reuses ReadAgent's pages (section 4.2).
"""

from functools import partial

from readgraph.graphs import read_agent
from readgraph.nodes import look_up as look_ups
from readgraph.nodes.answering import answer as answers

build_gists_only = partial(read_agent.build, look_up=look_ups.no_page, answer=answers.answer_from_notes_alone)
"""ReadAgent's graph without look-up."""

gists_only = build_gists_only().compile(name="gists_only")


build_retrieved_pages = partial(read_agent.build, look_up=look_ups.retrieve_parts, answer=answers.answer_from_retrieved)
"""ReadAgent's graph, with retrieval as its look-up."""

retrieved_pages = build_retrieved_pages().compile(name="retrieved_pages")
