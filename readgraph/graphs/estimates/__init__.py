"""What each method will use, before it is run: one file a method."""
