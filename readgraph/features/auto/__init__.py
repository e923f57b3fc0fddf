"""For each question the method that fits it and the text."""
