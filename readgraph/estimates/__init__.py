"""What a reading will take, before it is run: one file a method."""
