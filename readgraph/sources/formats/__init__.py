"""Files of other kinds, a module for each or for those that are alike: its converters make a text with places."""
