"""What a person sees while the command works."""
