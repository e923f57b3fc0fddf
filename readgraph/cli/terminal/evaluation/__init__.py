"""How an evaluation's results look on a terminal."""
