"""Steps and parts that build memories: pages, gists, summaries, memos, the tree."""
