"""What is imported by its name, when it is needed."""
