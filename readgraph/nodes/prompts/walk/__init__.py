"""What a walk through a tree of summaries asks: where to go, and what a leaf shows."""
