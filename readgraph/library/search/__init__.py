"""Growing indexes over the pages of a memory, by words and by embeddings; they can be rebuilt from the page store."""
