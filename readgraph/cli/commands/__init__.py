"""The commands of the core: their arguments and options; what they do is imported only when they run."""
