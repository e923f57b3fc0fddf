"""Files of other kinds, one module each: its `convert` makes a text with places."""
