"""What an evaluation asks: whether an answer is right, and questions about a summary."""
