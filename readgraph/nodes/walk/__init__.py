"""MemWalker's steps: a walk through the tree of summaries."""
