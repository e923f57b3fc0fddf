"""What is kept: the store, pages and memories, checkpoints, search, histories, agents, upkeep."""
