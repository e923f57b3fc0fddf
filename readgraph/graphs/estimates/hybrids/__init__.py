"""What each hybrid will use, before it is run: one file each."""
