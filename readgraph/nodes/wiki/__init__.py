"""What a wiki does: finds what documents tell of, writes its pages, and compares what stands on them."""
