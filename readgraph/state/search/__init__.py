"""Growing indexes over the pages of one memory, by words and by embeddings; the page store can fill them again."""
