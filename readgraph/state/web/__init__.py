"""A web page: as text, its elements, and the state of one step on it."""
