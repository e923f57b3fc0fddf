"""What a reading will use, before it is run."""
