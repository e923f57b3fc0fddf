"""A draft is checked against documents, sentence by sentence."""
