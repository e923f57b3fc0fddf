"""What readings are worth: figures from their outputs."""
