"""What a reading will use, before it is run: one file for each method."""
