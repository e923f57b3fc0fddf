"""What is there to choose from, and whether it works: methods, models, prompts, this machine."""
