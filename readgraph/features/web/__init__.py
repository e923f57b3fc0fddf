"""Web pages: the next action on one, and instructions that are carried out in a browser."""
