"""What answering asks: the answer, and whether the text says what it says."""
