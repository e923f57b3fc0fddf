"""Steps that summarise a text, and check what they wrote."""
