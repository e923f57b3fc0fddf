"""What graphs hold of a question: all at its start, and what single methods need besides."""
