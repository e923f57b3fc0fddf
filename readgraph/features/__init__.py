"""What readgraph does besides the core: each folder plugs in by the hooks of `readgraph.plugins`."""
