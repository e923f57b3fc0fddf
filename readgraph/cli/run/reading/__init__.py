"""Read documents, and ask about them."""
