"""Talk with agents, and look after them."""
