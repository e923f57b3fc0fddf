"""The commands: their arguments and options."""
