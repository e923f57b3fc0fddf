"""What building a memory asks: where pages end, what is kept of them, summaries."""
