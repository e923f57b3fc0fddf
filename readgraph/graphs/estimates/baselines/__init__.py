"""What each baseline will use, before it is run: one file each."""
