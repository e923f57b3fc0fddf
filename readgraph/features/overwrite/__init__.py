"""Notes on the question, written anew at each part (MemAgent)."""
