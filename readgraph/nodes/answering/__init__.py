"""Steps that answer a question from what is in view, and cite."""
